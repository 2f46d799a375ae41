"""The five rulebooks, found by id.

Each document is a folder with one file for each section, made of the machinery beside this folder, which knows no book.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from engine.books import crown, nz, star_2024, star_classic, uk
from engine.errors import UnknownRulebookError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.books.book import Rulebook

BOOKS: Final[Mapping[str, Rulebook]] = {
    module.BOOK.id: module.BOOK for module in (crown, nz, star_2024, star_classic, uk)
}
"""The rulebooks by id."""


def rulebook(name: str) -> Rulebook:
    """The rulebook of this id.

    Raises:
        UnknownRulebookError: no such id; the message lists those known.
    """
    if name in BOOKS:
        return BOOKS[name]
    near = get_close_matches(name, BOOKS, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    raise UnknownRulebookError(f"no rulebook is called {name!r}{meant}; known: {', '.join(BOOKS)}")
