"""The five rulebooks by id, and the version of each in force on a given day.

Each document is a folder with one file per section; the shared code beside it knows no particular book.
"""

from __future__ import annotations

from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from engine.books import crown, nz, star_2024, star_classic, uk
from engine.books.versions import in_force, of_revision, versions_of
from engine.errors import UnknownRulebookError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from engine.books.book import Rulebook

VERSIONS: Final[Mapping[str, tuple[Rulebook, ...]]] = {
    module.BOOK.id: versions_of(module.BOOK, getattr(module, "AMENDMENTS", ()))
    for module in (crown, nz, star_2024, star_classic, uk)
}
"""All versions of the rulebooks by id, the earliest first."""

BOOKS: Final[Mapping[str, Rulebook]] = {
    name: in_force(versions, datetime.now(UTC).date()) for name, versions in VERSIONS.items()
}
"""The rulebooks by id, in the version in force at program start."""


def rulebook(name: str, on: date | None = None, version: str | None = None) -> Rulebook:
    """Return the rulebook with this id: a named version, or the one in force on a day, by default today (UTC).

    Raises:
        UnknownRulebookError: no such id; the message lists those known.
        RulebookVersionError: no version with this name, or none in force on that day.
    """
    if name in VERSIONS:
        if version is not None:
            return of_revision(VERSIONS[name], version)
        return in_force(VERSIONS[name], datetime.now(UTC).date() if on is None else on)
    near = get_close_matches(name, BOOKS, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    raise UnknownRulebookError(f"no rulebook is called {name!r}{meant}; known: {', '.join(BOOKS)}")
