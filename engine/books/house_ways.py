"""House Ways, found by the id of their rulebook.

Each book that prints one declares it. A casino adds its own by dropping a file that declares a `HouseWay` called
``HOUSE_WAY`` into ``engine/books/own``, or names the file wherever a rulebook is asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from engine.books import own
from engine.books.registry import BOOKS
from engine.errors import RulebookFileError, UnknownRulebookError
from engine.house_way.rules import HouseWay
from engine.vocabulary.citations import SOURCES

if TYPE_CHECKING:
    from types import ModuleType

    from engine.books.book import Rulebook


@dataclass(frozen=True, slots=True)
class _Shelf:
    """What was found: ways by id, and the files that could not be used, with the reason."""

    ways: dict[str, HouseWay]
    faults: dict[str, str]


def get(rulebook: str | Path) -> HouseWay:
    """The House Way of a rulebook.

    Args:
        rulebook: its id, such as ``crown-6.1``, or the path of a Python file that declares a ``HOUSE_WAY``.

    Raises:
        UnknownRulebookError: no such id; the message lists those known.
        RulebookFileError: the file is missing, fails, or declares no House Way.
    """
    name = str(rulebook)
    if name.endswith(".py"):
        return _from_file(Path(name))
    shelf = _shelf()
    if name in shelf.ways:
        return shelf.ways[name]
    if name in shelf.faults:
        raise RulebookFileError(f"rulebook {name} cannot be used: {shelf.faults[name]}")
    raise UnknownRulebookError(_not_known(name, shelf))


def way_under(book: Rulebook, named: str | None = None) -> HouseWay:
    """The House Way played under a book: whatever way it is, the remedies are those of the book.

    Args:
        book: the rulebook.
        named: the id or file that the table's configuration names, where the book prints none or the casino has its
            own; None for the book's own.

    Raises:
        UnknownRulebookError: the book prints none and none is named, or the named one is not known.
        RulebookFileError: the file cannot be used.
    """
    return book.playing(get(book.id if named is None else named))


def known_ids() -> tuple[str, ...]:
    """The ids of all House Ways found, in alphabetical order."""
    return tuple(sorted(_shelf().ways))


def ids_beside(rulebook: str | Path) -> frozenset[str]:
    """The ids that a House Way must not bear: those of the documents, and of the ways found here, but its own place.

    Args:
        rulebook: its id, or the path of its file; a file outside ``engine/books`` has no id of its own yet.
    """
    path = Path(rulebook)
    folders = {Path(__file__).resolve().parent, *(Path(folder).resolve() for folder in own.__path__)}
    if path.suffix != ".py" or folders & set(path.resolve().parents):
        return frozenset()
    return frozenset({*SOURCES, *known_ids()})


def _not_known(name: str, shelf: _Shelf) -> str:
    known = ", ".join(sorted(shelf.ways))
    others = f"known: {known}, or the path of a .py file of your own"
    if name in BOOKS and not BOOKS[name].prints_house_way:
        return f"{BOOKS[name].no_house_way}; {others}"
    near = get_close_matches(name, shelf.ways, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    faults = "".join(f"; {file}: {fault}" for file, fault in shelf.faults.items())
    return f"no House Way is called {name!r}{meant}; {others}{faults}"


@cache
def _shelf() -> _Shelf:
    ways = {name: book.house_way() for name, book in BOOKS.items() if book.prints_house_way}
    faults: dict[str, str] = {}
    for found in pkgutil.iter_modules(own.__path__):
        name = f"{own.__name__}.{found.name}"
        try:
            way = _declared(importlib.import_module(name))
        except Exception as fault:  # noqa: BLE001 - one casino's faulty file must not stop another casino's table
            faults[_file_of(name)] = f"{type(fault).__name__}: {fault}"
            continue
        if way.rulebook in ways:
            faults[way.rulebook] = f"two files declare it, one of them {_file_of(name)}; give each its own id"
        ways[way.rulebook] = way
    for rulebook in faults:
        ways.pop(rulebook, None)
    return _Shelf(ways, faults)


def _file_of(module: str) -> str:
    return f"{module.rpartition('.')[2]}.py"


def _from_file(path: Path) -> HouseWay:
    if not path.is_file():
        raise RulebookFileError(f"{path}: there is no such file; give the path of a .py file that declares a HOUSE_WAY")
    name = f"engine.books.house_ways.file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RulebookFileError(f"{path}: cannot be read as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses in the file look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as fault:
        raise RulebookFileError(f"{path}: fails with {type(fault).__name__}: {fault}; correct the file") from fault
    finally:
        del sys.modules[name]
    return _declared(module)


def _declared(module: ModuleType) -> HouseWay:
    way = getattr(module, "HOUSE_WAY", None)
    if not isinstance(way, HouseWay):
        raise RulebookFileError(f"{module.__file__}: declares no HOUSE_WAY; set HOUSE_WAY = HouseWay(...)")
    return way
