"""The House Way of a table or a request: a rulebook's own, or another one named under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.books.house_ways import get, known_ids, way_under
from engine.books.registry import BOOKS
from engine.books.registry import rulebook as find
from engine.books.way_files import is_file
from engine.errors import UnknownRulebookError

if TYPE_CHECKING:
    from engine.house_way import HouseWay


def house_way_of(rulebook: str, named: str | None = None) -> HouseWay:
    """The House Way of a rulebook, or the one `named` by id or file under it; `rulebook` may itself be a House Way.

    Raises:
        UnknownRulebookError: there is none of this name, or the rulebook prints none and none is named (ruling 12).
        RulebookFileError: the file cannot be used.
    """
    return get(rulebook) if named is None else way_under(find(rulebook), named)


def asked_way(rulebook: str | None, named: str | None, configured: HouseWay) -> HouseWay:
    """The House Way a request names by the ids of a rulebook and of the House Way under it; else the `configured` one.

    Raises:
        UnknownRulebookError: no such id, or the rulebook prints no House Way and none is named.
    """
    if named is not None:
        return find(rulebook or configured.played_under).playing(by_id(named, configured))
    if rulebook is None:
        return configured
    book = BOOKS.get(rulebook)
    if book is None:
        return by_id(rulebook, configured)
    if book.prints_house_way:
        return get(book.id)
    return configured if rulebook == configured.played_under else by_id(rulebook, configured)


def by_id(name: str, configured: HouseWay) -> HouseWay:
    """A House Way as callers over the network may name it: by id, or as the table's `configured` one, never by a file.

    A file may be a program, and only whoever starts the service chooses what that runs and reads.

    Raises:
        UnknownRulebookError: no such id; the message lists those known.
    """
    if name == configured.rulebook:
        return configured
    if name in known_ids():
        return get(name)
    reason = f"no House Way is called {name!r}"
    if not is_file(name):
        try:
            get(name)
        except UnknownRulebookError as error:
            reason = str(error).partition("; known:")[0]
    known = ", ".join(sorted({*known_ids(), configured.rulebook}))
    raise UnknownRulebookError(f"{reason}; known: {known}")
