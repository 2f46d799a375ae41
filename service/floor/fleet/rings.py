"""How far each release is: worked out from what people said on the floor and what the tables recorded.

A release is given to rings, one after the other. The tables of a ring are offered it once every table of the rings
before has held; one table that undid or refused it stops it for all that do not have it yet.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from service.codes import ReleaseCode
from service.release.manifest import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ALL: Final = "all"
_TABLE, _PIT = "table:", "pit:"


class Stage(StrEnum):
    """How far a table is with a release."""

    WAITS = "waits"
    """It is not offered to it yet."""
    OFFERED = "offered"
    TRYING = "trying"
    HELD = "held"
    NOT_COMPARED = "not_compared"
    """It is in use, and nobody can tell whether it is as good."""
    RETURNED = "returned"
    REFUSED = "refused"


_BY_ACT: Final = {
    "applied": Stage.TRYING,
    "held": Stage.HELD,
    "not compared": Stage.NOT_COMPARED,
    "returned": Stage.RETURNED,
    "refused": Stage.REFUSED,
}
_BAD: Final = frozenset({Stage.RETURNED, Stage.REFUSED})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a table recorded last of a release: how far it is, since when, and why in its own words."""

    stage: Stage
    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class Act:
    """What a person did with a release on the floor.

    Attributes:
        act: ``given``, ``stopped`` or ``gone on``.
        rings: to which it was given, in their order.
        tables: what went wrong at these is accepted.
    """

    act: str
    digest: str
    by: str
    at: str
    reason: str
    rings: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ring:
    """A ring of a release: how many of its tables are at which stage.

    Attributes:
        open: whether it is offered there.
        held: whether all of its tables have held, or are accepted as they are.
    """

    name: str
    tables: tuple[str, ...]
    open: bool
    held: bool
    stages: Mapping[Stage, int]


@dataclass(frozen=True, slots=True)
class RollOut:
    """A release that was given out.

    Attributes:
        rings: in their order.
        stages: of every table of its rings.
        outcomes: what those tables recorded of it.
        stopped_by: the person who stopped it; None if nobody did.
        bad: tables that undid or refused it, and are not accepted.
        acts: what people did with it.
    """

    digest: str
    rings: tuple[Ring, ...]
    stages: Mapping[str, Stage]
    outcomes: Mapping[str, Outcome]
    stopped_by: str | None
    bad: tuple[str, ...]
    acts: tuple[Act, ...]

    @property
    def stopped(self) -> bool:
        """Whether nobody new is offered it."""
        return self.stopped_by is not None or bool(self.bad)

    @property
    def held(self) -> bool:
        """Whether all rings that it was given to have held."""
        return all(ring.held for ring in self.rings)

    @property
    def offered(self) -> frozenset[str]:
        """The tables that may fetch it."""
        return frozenset(table for ring in self.rings if ring.open for table in ring.tables)

    def ring_of(self, table: str) -> str | None:
        """The first ring that a table is in."""
        return next((ring.name for ring in self.rings if table in ring.tables), None)


def following(known: Outcome | None, act: str, at: str, reason: str) -> Outcome:
    """How far a table is once it has recorded another act; one that had held and is used again still has."""
    stage = _BY_ACT.get(act, Stage.TRYING)
    if known is not None and known.stage is Stage.HELD and stage is Stage.TRYING:
        return known
    return Outcome(stage, at, reason)


def tables_of(ring: str, pit_of: Mapping[str, str | None]) -> tuple[str, ...]:
    """The tables of a ring: ``all``, a pit or a table; ReleaseError if it is none.

    Args:
        ring: its name, with ``table:`` or ``pit:`` before it where both have it.
        pit_of: the pit of each table, by its name.
    """
    if ring == ALL:
        return tuple(pit_of)
    name = ring.removeprefix(_TABLE).removeprefix(_PIT)
    one = (name,) if name in pit_of and not ring.startswith(_PIT) else ()
    pit = () if ring.startswith(_TABLE) else tuple(table for table, of in pit_of.items() if of == name)
    if one and pit:
        raise ReleaseError.of(ReleaseCode.AMBIGUOUS_RING, ring=ring)
    if not one and not pit:
        raise ReleaseError.of(ReleaseCode.UNKNOWN_RING, ring=ring)
    return one or pit


def roll_outs(
    acts: Sequence[Act], outcomes: Mapping[str, Mapping[str, Outcome]], pit_of: Mapping[str, str | None]
) -> tuple[RollOut, ...]:
    """Every release that was given out, in the order in which that was done last.

    Args:
        acts: what people did, oldest first.
        outcomes: what each table recorded, by table and digest.
        pit_of: the pit of each table, by its name.
    """
    given = dict.fromkeys(act.digest for act in reversed(acts) if act.act == "given")
    return tuple(
        _roll_out(digest, [act for act in acts if act.digest == digest], outcomes, pit_of) for digest in reversed(given)
    )


def offered_to(table: str, given_out: Sequence[RollOut]) -> str | None:
    """The digest of the release that a table may fetch: of those that it is in a ring of, the one given last."""
    newest = next((each for each in reversed(given_out) if table in each.stages), None)
    return newest.digest if newest is not None and table in newest.offered else None


def _roll_out(
    digest: str,
    acts: Sequence[Act],
    outcomes: Mapping[str, Mapping[str, Outcome]],
    pit_of: Mapping[str, str | None],
) -> RollOut:
    names = dict.fromkeys(ring for act in acts if act.act == "given" for ring in act.rings)
    accepted = {table for act in acts for table in act.tables}
    last = next((act for act in reversed(acts) if act.act in {"stopped", "gone on"}), None)
    stopped_by = last.by if last is not None and last.act == "stopped" else None
    rings = {name: _tables(name, pit_of) for name in names}
    every = dict.fromkeys(table for tables in rings.values() for table in tables)
    known = {table: found for table in every if (found := outcomes.get(table, {}).get(digest)) is not None}
    bad = tuple(table for table, found in known.items() if found.stage in _BAD and table not in accepted)
    stages: dict[str, Stage] = {table: found.stage for table, found in known.items()}
    made: list[Ring] = []
    goes_on = stopped_by is None and not bad
    for name, tables in rings.items():
        for table in tables:
            stages.setdefault(table, Stage.OFFERED if goes_on else Stage.WAITS)
        held = all(stages[table] is Stage.HELD or table in accepted for table in tables)
        made.append(Ring(name, tables, goes_on, held, Counter(stages[table] for table in tables)))
        goes_on = goes_on and held
    return RollOut(digest, tuple(made), stages, known, stopped_by, bad, tuple(acts))


def _tables(ring: str, pit_of: Mapping[str, str | None]) -> tuple[str, ...]:
    """The same for a ring that was given to; one that is not there any more has none."""
    try:
        return tables_of(ring, pit_of)
    except ReleaseError:
        return ()


def lacking(roll_out: RollOut) -> Iterable[str]:
    """The tables of the rings begun so far that have neither held nor are accepted."""
    accepted = {table for act in roll_out.acts for table in act.tables}
    for ring in roll_out.rings:
        yield from (t for t in ring.tables if roll_out.stages[t] is not Stage.HELD and t not in accepted)
        if not ring.held:
            return
