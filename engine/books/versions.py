"""Versions of a rulebook: each in force from a given day and declared as changes to the previous one.

A round is judged by the version in force when it started.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from engine.errors import RulebookVersionError
from engine.house_way.rules import HouseWay

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from engine.books.book import Rulebook


class Repealed(Enum):
    """Marks a rule that an amendment repeals."""

    REPEALED = "repealed"


REPEALED = Repealed.REPEALED


@dataclass(frozen=True)
class Amendment:
    """A version of a rulebook, as changes to the previous version.

    Attributes:
        revision: name of the version in records; unique within a book.
        in_force: its first day.
        changes: new values by path in the rulebook: ``play.players_a_box``, ``irregularities.said.WRONG_DEAL``,
            ``banking.cover.CO_BANK``. `REPEALED` removes a mapping's entry.
        sha256: of the text it was written from; a hash of previous version, name and day by default.
    """

    revision: str
    in_force: date
    changes: Mapping[str, object]
    sha256: str = ""


def versions_of(book: Rulebook, amendments: Iterable[Amendment] = ()) -> tuple[Rulebook, ...]:
    """A book and its amended versions, the earliest first; a later version of its House Way makes one too.

    Raises:
        RulebookVersionError: duplicate version names, a version that is not later than the previous one, or a change to
            something the book does not have.
    """
    versions = [book]
    for amendment in _with_ways(book, tuple(amendments)):
        last = versions[-1]
        if amendment.revision in {each.version for each in versions}:
            raise RulebookVersionError(f"{book.id} has two versions called {amendment.revision!r}: name each once")
        if last.in_force is not None and amendment.in_force <= last.in_force:
            raise RulebookVersionError(
                f"{book.id} {amendment.revision} is in force from {amendment.in_force}, and {last.version}, which it "
                f"amends, only from {last.in_force}: give them in order"
            )
        versions.append(amended(last, amendment))
    return tuple(versions)


def _with_ways(book: Rulebook, amendments: tuple[Amendment, ...]) -> list[Amendment]:
    """The amendments, with those that the file of the printed House Way declares."""
    ways = {way.in_force: way for way in (book.way.later if isinstance(book.way, HouseWay) else ())}
    both = [
        replace(each, changes={**each.changes, "way": ways.pop(each.in_force)}) if each.in_force in ways else each
        for each in amendments
    ]
    for day, way in ways.items():
        if day is not None:
            amendment = Amendment(way.source.revision, day, {"way": way}, way.source.sha256)
            before = sum(each.in_force < day for each in both)
            both.insert(before, amendment)
    return both


def amended(book: Rulebook, amendment: Amendment) -> Rulebook:
    """The book with the changes of an amendment; errors as for `versions_of`."""
    changed: Any = book
    for path, value in amendment.changes.items():
        changed = _with(changed, path.split("."), value, f"{book.id} {amendment.revision}: {path}")
    named = f"{book.source.sha256} {amendment.revision} {amendment.in_force}"
    sha256 = amendment.sha256 or hashlib.sha256(named.encode()).hexdigest()
    source = replace(book.source, revision=amendment.revision, sha256=sha256)
    rules = replace(changed.irregularities, source=source, play=changed.play, methods=changed.banking.methods.value)
    way = changed.way
    if isinstance(way, HouseWay):
        if way is not book.way:
            way = replace(way, source=source, in_force=amendment.in_force)
        way = replace(way, irregularities=rules, later=())
    dice = changed.dice if changed.dice is not book.dice else replace(book.dice, banking=changed.banking)
    whole: Rulebook = replace(
        changed, source=source, in_force=amendment.in_force, irregularities=rules, way=way, dice=dice
    )
    return whole


def _with(part: Any, path: Sequence[str], value: object, where: str) -> Any:  # noqa: ANN401  any part of a rulebook
    """Return a part of a rulebook with the value at the end of the path replaced."""
    name, rest = path[0], path[1:]
    if isinstance(part, dict):
        known = {key.name if isinstance(key, Enum) else str(key): key for key in part}
        if not rest and name not in known:
            kinds = {type(key) for key in part if isinstance(key, Enum)}
            known |= {each.name: each for kind in kinds for each in kind if each.name == name}
        if name not in known:
            raise RulebookVersionError(f"{where}: nothing is called {name!r} there; known: {', '.join(known)}")
        key = known[name]
        if not rest and value is REPEALED:
            return {each: old for each, old in part.items() if each != key}
        return {**part, key: _with(part[key], rest, value, where) if rest else value}
    names = [field.name for field in fields(part)] if is_dataclass(part) else []
    if name not in names:
        raise RulebookVersionError(f"{where}: nothing is called {name!r} there; known: {', '.join(names) or 'nothing'}")
    if not rest and value is REPEALED:
        value = None
    return replace(part, **{name: _with(getattr(part, name), rest, value, where) if rest else value})


def in_force(versions: Sequence[Rulebook], on: date) -> Rulebook:
    """The version that was in force on a day.

    Raises:
        RulebookVersionError: none was in force yet; the message gives the first day.
    """
    found = [each for each in versions if each.in_force is None or each.in_force <= on]
    if not found:
        first = versions[0]
        raise RulebookVersionError(
            f"no version of {first.id} was in force on {on}: the first, {first.version}, is from {first.in_force} on"
        )
    return found[-1]


def of_revision(versions: Sequence[Rulebook], revision: str) -> Rulebook:
    """Return the version with this name.

    Raises:
        RulebookVersionError: no such version; the message lists the known ones.
    """
    for each in versions:
        if each.version == revision:
            return each
    known = ", ".join(each.version for each in versions)
    raise RulebookVersionError(f"{versions[0].id} has no version {revision!r}; known: {known}")
