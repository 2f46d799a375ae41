"""House Ways, found by the id of their rulebook.

Each book that prints one has it in a TOML file. A casino adds its own, as such a file or as a Python file that declares
a `HouseWay` called ``HOUSE_WAY``, by dropping it into ``engine/books/own``, or names the file wherever a rulebook is
asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache, partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from engine.books import own
from engine.books.registry import BOOKS, VERSIONS
from engine.books.registry import rulebook as find
from engine.books.way_files import SUFFIXES, is_file
from engine.errors import RulebookFileError, UnknownRulebookError
from engine.house_way.failing import failing
from engine.house_way.rules import HouseWay, WayFile
from engine.house_way.time_limit import TimeLimit, TookTooLongError
from engine.house_way.written.reading import way_of
from engine.house_way.written.sheet import check_size, text_of
from engine.vocabulary.citations import SOURCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from engine.books.book import Rulebook
    from engine.house_way.rules import Rule
    from engine.vocabulary.citations import Source

_LOADED_WITHIN_S = 5


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The House Ways found by id, and the unusable files with reasons."""

    ways: dict[str, HouseWay]
    faults: dict[str, str]


def get(rulebook: str | Path, on: date | None = None) -> HouseWay:
    """The House Way of a rulebook.

    Args:
        rulebook: its id, such as ``crown-6.1``, or the path of a TOML or Python file.
        on: the day whose version it is; None for the first version.

    Raises:
        UnknownRulebookError: no such id; the message lists those known.
        RulebookVersionError: the rulebook was not in force yet on that day.
        RulebookFileError: the file is missing, fails, or declares no House Way.
    """
    name = str(rulebook)
    if not is_file(name) and _prints(name) and name not in _shelf().faults:
        return find(name, on).house_way()
    way = declared(name)
    if on is None:
        return way
    version = way.on(on)
    return version if way.irregularities is None else find(way.played_under, on).playing(version)


def declared(rulebook: str) -> HouseWay:
    """The first version of a House Way, with all later ones that its file declares.

    Raises:
        UnknownRulebookError: no such id; the message lists those known.
        RulebookFileError: the file is missing, fails, or declares no House Way.
    """
    if is_file(rulebook):
        return _from_file(Path(rulebook))
    shelf = _shelf()
    if rulebook in shelf.faults:
        raise RulebookFileError(f"rulebook {rulebook} cannot be used: {shelf.faults[rulebook]}")
    if _prints(rulebook):
        return BOOKS[rulebook].house_way()
    if rulebook in shelf.ways:
        return shelf.ways[rulebook]
    raise UnknownRulebookError(_not_known(rulebook, shelf))


def way_under(book: Rulebook, named: str | None = None, on: date | None = None) -> HouseWay:
    """The House Way played under a book, always with that book's remedies.

    Args:
        book: the rulebook, in the version that applies.
        named: the id or file named by the table's configuration, if the book prints none or the casino has its own;
            None for the book's own.
        on: the day whose version of the named one it is; None for the first version.

    Raises:
        UnknownRulebookError: the book prints none and none is named, or the named one is unknown.
        RulebookVersionError: the named one was not in force yet on that day.
        RulebookFileError: the file cannot be used.
    """
    if named is None and book.prints_house_way:
        return book.house_way()
    return book.playing(get(book.id if named is None else named, on))


def known_ids() -> tuple[str, ...]:
    """The ids of all House Ways found, in alphabetical order."""
    shelf = _shelf()
    return tuple(sorted({*shelf.ways, *filter(_prints, VERSIONS)} - {*shelf.faults}))


def ids_beside(rulebook: str | Path) -> frozenset[str]:
    """Ids already used by documents and by House Ways found here, except by this file itself.

    Args:
        rulebook: its id, or the path of its file; a file outside ``engine/books`` has no id of its own yet.
    """
    path = Path(rulebook)
    folders = {Path(__file__).resolve().parent, *(Path(folder).resolve() for folder in own.__path__)}
    if path.suffix not in SUFFIXES or folders & set(path.resolve().parents):
        return frozenset()
    return frozenset({*SOURCES, *known_ids()})


def _not_known(name: str, shelf: _Shelf) -> str:
    ways = known_ids()
    known = ", ".join(ways)
    others = f"known: {known}, or the path of a .toml or .py file of your own"
    if name in BOOKS and not BOOKS[name].prints_house_way:
        return f"{BOOKS[name].no_house_way}; {others}"
    near = get_close_matches(name, ways, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    faults = "".join(f"; {file}: {fault}" for file, fault in shelf.faults.items())
    return f"no House Way is called {name!r}{meant}; {others}{faults}"


@cache
def _shelf() -> _Shelf:
    ways: dict[str, HouseWay] = {}
    faults: dict[str, str] = {}
    for file, read in _own_files():
        try:
            way = read()
        except (Exception, TookTooLongError) as fault:  # noqa: BLE001 - one casino's faulty file must not stop another casino's table
            faults[file] = f"{type(fault).__name__}: {fault}"
            continue
        if way.rulebook in ways or _prints(way.rulebook):
            faults[way.rulebook] = f"two files declare it, one of them {file}; give each its own id"
        ways[way.rulebook] = way
    for rulebook in faults:
        ways.pop(rulebook, None)
    return _Shelf(ways, faults)


def _prints(name: str) -> bool:
    return name in BOOKS and BOOKS[name].prints_house_way


def _own_files() -> Iterator[tuple[str, Callable[[], HouseWay]]]:
    for found in pkgutil.iter_modules(own.__path__):
        name = f"{own.__name__}.{found.name}"
        yield f"{found.name}.py", partial(_of_module, name)
    for folder in own.__path__:
        for path in sorted(Path(folder).glob("*.toml")):
            yield path.name, partial(_of_toml, path)


def _of_module(name: str) -> HouseWay:
    with TimeLimit(_LOADED_WITHIN_S) as limit:
        limit.start()
        return _declared(importlib.import_module(name))


def _from_file(path: Path) -> HouseWay:
    return _of_toml(path) if path.suffix == ".toml" else _of_python(path)


@lru_cache(maxsize=4)
def read_again(file: WayFile) -> HouseWay:
    """The House Way of a file as it was read before, whatever the file holds now; errors as for `declared`."""
    way = written(file.data, file.name) if file.name.endswith(".toml") else _run(file)
    return replace(way, file=file)


def _of_toml(path: Path) -> HouseWay:
    file = WayFile(str(path), text_of(path))
    return replace(written(file.data, file.name), file=file)


def written(data: bytes, name: str) -> HouseWay:
    """The House Way of a TOML file, with all later versions that it declares.

    Args:
        data: content of the file.
        name: of the file, for errors.

    Raises:
        WayFileError: it has mistakes; the error holds all of them.
        RulebookFileError: it is too large.
    """
    check_size(data, name)
    way, under = way_of(data, name, rulebooks=tuple(BOOKS), find_rule=printed_rule)
    if under is None:
        return way
    return replace(BOOKS[under].playing(way), later=tuple(map(BOOKS[under].playing, way.later)))


def printed_rule(book: str, name: str) -> Rule | None:
    """A rule of a House Way as first printed; printed ones only, so that no file can refer to itself."""
    way = BOOKS[book].way if book in BOOKS else None
    rules = way.rules if isinstance(way, HouseWay) else ()
    return next((rule for rule in rules if rule.name == name), None)


def _of_python(path: Path) -> HouseWay:
    if not path.is_file():
        raise RulebookFileError(f"{path}: there is no such file; give the path of a .py file that declares a HOUSE_WAY")
    try:
        file = WayFile(str(path), path.read_bytes())
    except OSError as fault:
        raise RulebookFileError(f"{path}: cannot be read: {fault.strerror}") from fault
    return replace(_run(file), file=file)


def _run(file: WayFile) -> HouseWay:
    """The House Way that a program declares."""
    path = Path(file.name)
    name = f"engine.books.house_ways.file_{path.stem}"
    module = ModuleType(name)
    module.__file__ = file.name
    sys.modules[name] = module  # dataclasses look up their module
    try:
        with TimeLimit(_LOADED_WITHIN_S) as limit:
            limit.start()
            exec(compile(file.data, file.name, "exec", dont_inherit=True), vars(module))  # noqa: S102  the owner's program
    except TookTooLongError as fault:
        raise RulebookFileError(f"{path}: does not end: it was stopped after {_LOADED_WITHIN_S} s or more") from fault
    except Exception as fault:
        failure = failing(fault, str(path))
        where = f"{path}: {failure.place}" if failure.place else str(path)
        raise RulebookFileError(f"{where}: fails with {failure.words}; correct the file") from fault
    finally:
        del sys.modules[name]
    return _declared(module)


def _declared(module: ModuleType) -> HouseWay:
    way = getattr(module, "HOUSE_WAY", None)
    if not isinstance(way, HouseWay):
        raise RulebookFileError(f"{module.__file__}: declares no HOUSE_WAY; set HOUSE_WAY = HouseWay(...)")
    days = [each.in_force for each in way.later]
    starts = [day for day in days if day is not None]
    if len(starts) != len(days) or starts != sorted(set(starts)):
        raise RulebookFileError(
            f"{module.__file__}: give each later version of HOUSE_WAY its first day, in_force, in ascending order"
        )
    later = [replace(each, source=replace(each.source, rulebook=way.rulebook)) for each in way.later]
    hashes = [each.sha256 for each in (way, *later)]
    own = [each if hashes.count(each.sha256) == 1 else _with_own_source(each, way.source) for each in later]
    return replace(way, later=tuple(own))


def _with_own_source(later: HouseWay, first: Source) -> HouseWay:
    """A later version with a name and a hash of its own, by which its rounds find it again."""
    named = f"{first.rulebook} {first.revision} {first.sha256} {later.in_force}"
    revision = f"{first.revision}, amended {later.in_force}"
    source = replace(later.source, revision=revision, sha256=sha256(named.encode()).hexdigest())
    return replace(later, source=source)
