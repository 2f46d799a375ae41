"""The five rulebooks, found by id.

Each document is a folder with one file for each section; what they share is written once, beside this folder.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from engine.errors import UnknownRulebookError
from engine.rulebooks import crown, nz, star_2024, star_classic, uk

if TYPE_CHECKING:
    from engine.rulebooks.book import Rulebook

BOOKS: dict[str, Rulebook] = {
    book.id: book for book in (crown.BOOK, nz.BOOK, star_2024.BOOK, star_classic.BOOK, uk.BOOK)
}


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
