"""House Ways as callers over the network may name them: by id, never by a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import UnknownRulebookError
from engine.house_way import get, known_ids

if TYPE_CHECKING:
    from engine.house_way import HouseWay


def by_id(rulebook: str, configured: HouseWay) -> HouseWay:
    """The House Way a request asks for.

    A file's path is not taken here: it is a program, and only whoever starts the service chooses what that runs.

    Args:
        rulebook: the id asked for.
        configured: the table's own, which may come from a file.

    Raises:
        UnknownRulebookError: no such id; the message lists those known.
    """
    if rulebook == configured.rulebook:
        return configured
    if rulebook in known_ids():
        return get(rulebook)
    reason = f"no House Way is called {rulebook!r}"
    if not rulebook.endswith(".py"):
        try:
            get(rulebook)
        except UnknownRulebookError as error:
            reason = str(error).partition("; known:")[0]
    known = ", ".join(sorted({*known_ids(), configured.rulebook}))
    raise UnknownRulebookError(f"{reason}; known: {known}")
