"""The five rulebooks, found by id.

Each document is a folder with one file for each section; what they share is written once, beside this folder. A book is
opened when it is first asked for: the machinery of a section may use the words in `engine.rulebooks.terms`, and the
book's own section is made of that machinery.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, cast

from engine.errors import UnknownRulebookError

if TYPE_CHECKING:
    from engine.rulebooks.book import Rulebook

_FOLDERS = {
    "crown-6.1": "crown",
    "nz-1998": "nz",
    "star-2024": "star_2024",
    "star-classic": "star_classic",
    "uk-poster": "uk",
}


class _Books(Mapping[str, "Rulebook"]):
    def __getitem__(self, name: str) -> Rulebook:
        return cast("Rulebook", import_module(f"{__name__}.{_FOLDERS[name]}").BOOK)

    def __iter__(self) -> Iterator[str]:
        return iter(_FOLDERS)

    def __len__(self) -> int:
        return len(_FOLDERS)


BOOKS: Mapping[str, Rulebook] = _Books()
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
