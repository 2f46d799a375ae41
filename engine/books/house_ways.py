"""House Ways, found by the id of their rulebook.

Each book that prints one has it in its ``house_way`` module. A casino adds its own by dropping a file that declares a
`HouseWay` called ``HOUSE_WAY`` into ``engine/books/own``, or names the file wherever a rulebook is asked for.
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
from engine.errors import RulebookFileError, UnknownRulebookError
from engine.house_way.rules import HouseWay
from engine.vocabulary.sources import SOURCES

if TYPE_CHECKING:
    from types import ModuleType

_PRINTED = ("crown", "nz", "star_2024", "star_classic")
"""The books that print one; a book imports this module, so they are named and not imported."""
_PRINTS_NONE = {
    "uk-poster": "uk-poster prints no House Way (it says that it is displayed near the table; ruling 12): "
    "name the one this table uses, as house_way in its settings or request, or with --house-way",
}


@dataclass(frozen=True, slots=True)
class _Shelf:
    """What was found in the folder: ways by id, and the files that could not be used, with the reason."""

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


def known_ids() -> tuple[str, ...]:
    """The ids of all House Ways found, in alphabetical order."""
    return tuple(sorted(_shelf().ways))


def ids_beside(rulebook: str | Path) -> frozenset[str]:
    """The ids that a House Way must not bear: those of the documents, and of the ways found here, but its own place.

    Args:
        rulebook: its id, or the path of its file; a file outside this folder has no id of its own yet.
    """
    path = Path(rulebook)
    if path.suffix != ".py" or path.resolve().parent in {Path(folder).resolve() for folder in own.__path__}:
        return frozenset()
    return frozenset({*SOURCES, *known_ids()})


def _not_known(name: str, shelf: _Shelf) -> str:
    known = ", ".join(sorted(shelf.ways))
    if name in _PRINTS_NONE:
        return f"{_PRINTS_NONE[name]}; known: {known}, or the path of a .py file of your own"
    near = get_close_matches(name, shelf.ways, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    faults = "".join(f"; {file}: {fault}" for file, fault in shelf.faults.items())
    return f"no House Way is called {name!r}{meant}; known: {known}, or the path of a .py file of your own{faults}"


@cache
def _shelf() -> _Shelf:
    ways: dict[str, HouseWay] = {}
    faults: dict[str, str] = {}
    dropped = (f"{own.__name__}.{found.name}" for found in pkgutil.iter_modules(own.__path__))
    for name in (*(f"engine.books.{book}.house_way" for book in _PRINTED), *dropped):
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
