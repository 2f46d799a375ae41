"""The fleet in one table: each table's own figures, and in what it differs from the others of its ring."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from service.floor.collect.states import State
from service.floor.fleet.rings import Stage
from service.monitor.doctor.machine_checks import HOT_C, LEAST_FREE_BYTES
from vision.networks.model_card import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from service.floor.fleet.asked import Equipment
    from service.floor.fleet.giving import Given
    from service.floor.shown.tables import ShownTable
    from service.http.equipment_schemas import EquipmentOut

CLOCK_S: Final = 5.0
"""A clock that differs from the floor's by more is told of."""
COMPARED: Final = ("version", "code", "release", "shared_settings", *NETWORKS)
"""In what tables of a ring are alike."""


_SERIOUS: Final = (State.REFUSED, State.UNREACHABLE, State.CANNOT_VERIFY)


class Attention(StrEnum):
    """What of a table needs somebody, beside how it is."""

    UNDONE = "undone"
    """It undid or refused the release that it was given."""
    RESTART = "restart"
    """A person has to restart its service."""
    DISK = "disk"
    HOT = "hot"
    CLOCK = "clock"
    DIFFERS = "differs"
    SILENT = "silent"
    """It did not tell what it runs on since the floor was started."""


@dataclass(frozen=True, slots=True)
class FleetRow:
    """A table of the fleet.

    Attributes:
        shown: as the floor shows it.
        equipment: what it told of itself last; None if it never did since the floor was started.
        at: when that was, UTC.
        ring: the ring of the release given last that it is in; None if it is in none.
        stage: how far it is with that release.
        stage_reason: why, in the table's own words.
        differs: names of what is another than with most of its ring.
        attention: what needs somebody.
    """

    shown: ShownTable
    equipment: EquipmentOut | None
    at: datetime | None
    ring: str | None
    stage: Stage | None
    stage_reason: str
    differs: frozenset[str]
    attention: tuple[Attention, ...]

    @property
    def name(self) -> str:
        """The table's name."""
        return self.shown.name

    @property
    def clock_s(self) -> float | None:
        """How far its clock is ahead of the floor's, seconds."""
        return None if self.shown.now.told is None else self.shown.now.told.clock_s

    @property
    def verified_share(self) -> float | None:
        """Of its newest hands, the share that was verified."""
        hands = None if self.equipment is None else self.equipment.hands
        return hands.verified / hands.of if hands is not None and hands.of else None

    @property
    def release(self) -> str:
        """The release that it runs with; empty for the program's own."""
        found = None if self.equipment is None else self.equipment.release
        return "" if found is None or found.running is None else found.running.name


def _last(value: float | None) -> float:
    """Where nothing is known stands behind what is."""
    return float("inf") if value is None else value


_KEYS: Final[Mapping[str, Callable[[FleetRow], str | float]]] = {
    "table": lambda row: row.shown.title,
    "version": lambda row: "" if row.equipment is None else row.equipment.version,
    "release": lambda row: row.release,
    "hands": lambda row: _last(row.verified_share),
    "calibration": lambda row: _last(_negative(_days(row))),
    "drift": lambda row: _last(_negative(None if row.equipment is None else row.equipment.drift_mm)),
    "disk": lambda row: _last(None if row.equipment is None else row.equipment.free_bytes),
    "temperature": lambda row: _last(_negative(None if row.equipment is None else row.equipment.celsius)),
    "clock": lambda row: _last(_negative(None if row.clock_s is None else abs(row.clock_s))),
}


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _days(row: FleetRow) -> float | None:
    calibration = None if row.equipment is None else row.equipment.calibration
    return None if calibration is None else calibration.days


def fleet_of(tables: Sequence[ShownTable], known: Mapping[str, Equipment], given: Given) -> tuple[FleetRow, ...]:
    """The fleet, the worst first: by what needs somebody, then as the floor orders its tables.

    Args:
        tables: as the floor shows them, the worst first.
        known: what they told of themselves.
        given: the releases.
    """
    of_ring: defaultdict[str | None, list[Mapping[str, str]]] = defaultdict(list)
    ring_of: dict[str, str | None] = {}
    for table in tables:
        about = given.about(table.name)
        ring_of[table.name] = None if about is None else about.ring_of(table.name)
        if (found := known.get(table.name)) is not None:
            of_ring[ring_of[table.name]].append(_compared(found.told))
    common = {ring: {name: _most(each[name] for each in found) for name in COMPARED} for ring, found in of_ring.items()}
    rows = [_row(table, known.get(table.name), given, ring_of[table.name], common) for table in tables]
    return tuple(sorted(rows, key=_needs))


def _needs(row: FleetRow) -> tuple[int, ...]:
    """Its place among the worse and the better.

    An undone release stops the others, and a table that cannot be asked or verifies nothing needs somebody most; of the
    rest the first of what needs somebody counts most.
    """
    serious = _SERIOUS.index(row.shown.state) if row.shown.state in _SERIOUS else len(_SERIOUS)
    rest = (each for each in Attention if each not in {Attention.UNDONE, Attention.SILENT})
    return (-(Attention.UNDONE in row.attention), serious, *(-(each in row.attention) for each in rest))


def ordered(rows: Sequence[FleetRow], sort: str) -> tuple[FleetRow, ...]:
    """The fleet in the order of a column, the worst first in each; any other word leaves it as it is."""
    key = _KEYS.get(sort)
    return tuple(rows) if key is None else tuple(sorted(rows, key=key))


def _row(
    table: ShownTable,
    found: Equipment | None,
    given: Given,
    ring: str | None,
    common: Mapping[str | None, Mapping[str, str]],
) -> FleetRow:
    about = given.about(table.name)
    told = None if found is None else found.told
    differs = frozenset[str]()
    if told is not None:
        differs = frozenset(name for name, value in _compared(told).items() if value != common[ring][name])
    outcome = None if about is None else about.outcomes.get(table.name)
    stage = None if about is None else about.stages.get(table.name)
    clock_s = None if table.now.told is None else table.now.told.clock_s
    return FleetRow(
        shown=table,
        equipment=told,
        at=None if found is None else found.at,
        ring=ring,
        stage=stage,
        stage_reason="" if outcome is None else outcome.reason,
        differs=differs,
        attention=tuple(_attention(told, stage, clock_s, differs)),
    )


def _attention(
    told: EquipmentOut | None, stage: Stage | None, clock_s: float | None, differs: frozenset[str]
) -> Iterable[Attention]:
    if stage in {Stage.RETURNED, Stage.REFUSED}:
        yield Attention.UNDONE
    if told is None:
        yield Attention.SILENT
        return
    if told.release is not None and told.release.waits_for_restart:
        yield Attention.RESTART
    if told.free_bytes < LEAST_FREE_BYTES:
        yield Attention.DISK
    if told.celsius is not None and told.celsius >= HOT_C:
        yield Attention.HOT
    if clock_s is not None and abs(clock_s) > CLOCK_S:
        yield Attention.CLOCK
    if differs:
        yield Attention.DIFFERS


def _compared(told: EquipmentOut) -> dict[str, str]:
    """Of a table what is alike in a ring."""
    running = None if told.release is None else told.release.digest
    own = {"version": told.version, "code": told.code, "release": running or ""}
    own["shared_settings"] = told.shared_settings
    return own | {name: told.models.get(name, "") for name in NETWORKS}


def _most(values: Iterable[str]) -> str:
    """What most have; of as many, the one that sorts first."""
    counted = Counter(values)
    return min(counted, key=lambda value: (-counted[value], value))
