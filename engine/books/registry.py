"""The five rulebooks by id, and the version of each in force on a given day.

Nothing here asks what day it is: whoever applies rules names the day.

Each document is a folder with one file per section; the shared code beside it knows no particular book.
A book is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeVar

from engine.books.versions import in_force, of_revision, versions_of
from engine.errors import UnknownRulebookError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from engine.books.book import Rulebook

_Value = TypeVar("_Value")

_FOLDERS: Final[Mapping[str, str]] = {
    "crown-6.1": "crown",
    "nz-1998": "nz",
    "star-2024": "star_2024",
    "star-classic": "star_classic",
    "uk-poster": "uk",
}


class _ByBook(Mapping[str, _Value]):
    """A value for each book, made when it is first asked for."""

    def __init__(self, make: Callable[[str], _Value]) -> None:
        self._make = make
        self._made: dict[str, _Value] = {}

    def __getitem__(self, name: str) -> _Value:
        if name not in self._made:
            if name not in _FOLDERS:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in _FOLDERS

    def __iter__(self) -> Iterator[str]:
        return iter(_FOLDERS)

    def __len__(self) -> int:
        return len(_FOLDERS)


def _versions(name: str) -> tuple[Rulebook, ...]:
    module = import_module(f"engine.books.{_FOLDERS[name]}")
    return versions_of(module.BOOK, getattr(module, "AMENDMENTS", ()))


VERSIONS: Final[Mapping[str, tuple[Rulebook, ...]]] = _ByBook(_versions)
"""All versions of the rulebooks by id, the earliest first."""

BOOKS: Final[Mapping[str, Rulebook]] = _ByBook(lambda name: VERSIONS[name][0])
"""The rulebooks by id as first issued, without amendments; rounds are judged by the version of their day."""


def rulebook(name: str, on: date | None = None, version: str | None = None) -> Rulebook:
    """Return the rulebook with this id.

    Args:
        name: its id.
        on: the version in force on this day; as first issued if neither this nor ``version`` is given.
        version: the version with this name.

    Raises:
        UnknownRulebookError: no such id; the message lists those known.
        RulebookVersionError: no version with this name, or none in force on that day.
    """
    if name in VERSIONS:
        versions = VERSIONS[name]
        if version is not None:
            return of_revision(versions, version)
        return versions[0] if on is None else in_force(versions, on)
    near = get_close_matches(name, VERSIONS, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    raise UnknownRulebookError(f"no rulebook is called {name!r}{meant}; known: {', '.join(VERSIONS)}")


def variant_title(rulebook_id: str, variant: str) -> str:
    """The title of a variant, as its rulebook prints it; its name if the rulebook is not known here."""
    known = {} if rulebook_id not in BOOKS else VERSIONS[rulebook_id][-1].variants
    return known[variant].title if variant in known else variant
