"""What each table runs on, compared with most tables; remote tables are asked once a minute."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, ValidationError

from service.hub.table_client import TableAwayError
from service.hub.table_states import State
from service.record.health import HOT_C, LEAST_FREE_BYTES, EquipmentOut
from service.record.store.entries import RecordUnavailableError
from service.system.background import in_background
from vision.networks.model_card import NETWORKS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from service.hub.collector import Collector
    from service.hub.live_overview import LiveOverview
    from service.hub.overview import TableSummary
    from service.hub.table_client import TableClient

_log = logging.getLogger(__name__)

CLOCK_S: Final = 5.0
"""A larger difference between a table's clock and this computer's needs attention."""
COMPARED: Final = ("version", "code", "compared_settings", *NETWORKS)
"""What is compared between tables."""
_EVERY_S: Final = 60.0
_AT_ONCE: Final = 8
_REFRESH_S: Final = 15.0
_SERIOUS: Final = (State.REFUSED, State.UNREACHABLE, State.CANNOT_VERIFY)


class Attention(StrEnum):
    """Why a table needs attention apart from its state, most urgent first."""

    DISK = "disk"
    HOT = "hot"
    CLOCK = "clock"
    DIFFERS = "differs"
    SILENT = "silent"
    """It has not reported since this service was started."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A table's last report.

    Attributes:
        at: when it came, UTC.
        equipment: what the table runs on.
    """

    at: datetime
    equipment: EquipmentOut


@dataclass(frozen=True, slots=True)
class FleetRow:
    """A table of the fleet.

    Attributes:
        shown: its summary on the page of all tables.
        reported: its last report; None if it has not reported since this service was started.
        differs: names from ``COMPARED`` in which it differs from most tables.
        attention: why it needs attention.
    """

    shown: TableSummary
    reported: Reported | None
    differs: frozenset[str]
    attention: tuple[Attention, ...]

    @property
    def name(self) -> str:
        """The table's name."""
        return self.shown.name

    @property
    def equipment(self) -> EquipmentOut | None:
        """What the table runs on; None if it has not reported."""
        return None if self.reported is None else self.reported.equipment

    @property
    def clock_s(self) -> float | None:
        """Lead of its clock over this computer's, seconds."""
        report = None if self.shown.remote is None else self.shown.remote.report
        return None if report is None else report.clock_s

    @property
    def verified_share(self) -> float | None:
        """Share of its newest hands that were verified."""
        hands = None if self.equipment is None else self.equipment.hands
        return hands.verified / hands.of if hands is not None and hands.of else None

    @property
    def calibration_days(self) -> float | None:
        """Age of its calibration, days."""
        calibration = None if self.equipment is None else self.equipment.calibration
        return None if calibration is None else calibration.days


class Fleet:
    """What all tables run on: local ones are measured, remote ones are asked.

    Attributes:
        reported: by table, its last report; tables that have not reported since the start are missing.
        newest: the rows as computed last, for metrics.
    """

    def __init__(
        self,
        overview: LiveOverview,
        local: Mapping[str, Callable[[], EquipmentOut]],
        collector: Collector | None = None,
    ) -> None:
        self.reported: dict[str, Reported] = {}
        self.newest: tuple[FleetRow, ...] = ()
        self._overview, self._local, self._collector = overview, local, collector
        self._room = asyncio.Semaphore(_AT_ONCE)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ask the tables while the block runs."""
        if self._collector is None:
            yield
            return
        asking = (self._ask(name, client, self._collector) for name, client in self._collector.clients.items())
        async with in_background(self._refresh(), *asking):
            yield

    async def now(self) -> tuple[FleetRow, ...]:
        """All tables, most severe first; RecordUnavailableError."""
        tables = (await self._overview.now()).tables
        self.reported |= await asyncio.to_thread(self._measure)
        self.newest = fleet_of(tables, self.reported)
        return self.newest

    def _measure(self) -> dict[str, Reported]:
        """What the local tables run on."""
        return {name: Reported(datetime.now(UTC), measure()) for name, measure in self._local.items()}

    async def _refresh(self) -> None:
        while True:
            try:
                await self.now()
            except RecordUnavailableError as error:
                _log.warning("the fleet is shown as last known: %s", error)
            await asyncio.sleep(_REFRESH_S)

    async def _ask(self, name: str, client: TableClient, collector: Collector) -> None:
        await asyncio.sleep(random.uniform(0.0, min(_EVERY_S, 0.02 * len(collector.clients))))  # noqa: S311  no secret
        while True:
            pause_s = _EVERY_S
            try:
                async with self._room:
                    equipment = _LenientEquipment.model_validate(await client.equipment())
            except TableAwayError:
                pause_s = _EVERY_S / 4
            except ValidationError as error:
                _log.warning("%s: its report on what it runs on is invalid: %s", name, error.errors()[0]["msg"])
            else:
                before = self.reported.get(name)
                self.reported[name] = Reported(datetime.now(UTC), equipment)
                if before is None or before.equipment != equipment:
                    collector.states.changes.notify()
            await asyncio.sleep(pause_s * random.uniform(0.75, 1.0))  # noqa: S311  no secret


class _LenientEquipment(EquipmentOut):
    """Ignores the additional fields of later versions."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def fleet_of(tables: Sequence[TableSummary], reported: Mapping[str, Reported]) -> tuple[FleetRow, ...]:
    """The fleet, most severe first: serious states, then by attention, then in the order of ``tables``."""
    values = [_compared(reported[table.name].equipment) for table in tables if table.name in reported]
    usual = {name: _most_common(each[name] for each in values) for name in COMPARED} if values else {}
    return tuple(sorted((_row(table, reported.get(table.name), usual) for table in tables), key=_urgency))


def ordered(rows: Sequence[FleetRow], sort: str) -> tuple[FleetRow, ...]:
    """The rows by a column, most severe first; an unknown column leaves the order unchanged."""
    key = _KEYS.get(sort)
    return tuple(rows) if key is None else tuple(sorted(rows, key=key))


def _row(table: TableSummary, reported: Reported | None, usual: Mapping[str, str]) -> FleetRow:
    row = FleetRow(table, reported, frozenset(), (Attention.SILENT,))
    if reported is None:
        return row
    own = _compared(reported.equipment)
    differs = frozenset(name for name, value in own.items() if value != usual[name])
    return FleetRow(table, reported, differs, tuple(_attention(reported.equipment, row.clock_s, differs)))


def _attention(equipment: EquipmentOut, clock_s: float | None, differs: frozenset[str]) -> Iterable[Attention]:
    if equipment.free_bytes < LEAST_FREE_BYTES:
        yield Attention.DISK
    if equipment.celsius is not None and equipment.celsius >= HOT_C:
        yield Attention.HOT
    if clock_s is not None and abs(clock_s) > CLOCK_S:
        yield Attention.CLOCK
    if differs:
        yield Attention.DIFFERS


def _urgency(row: FleetRow) -> tuple[int, ...]:
    serious = _SERIOUS.index(row.shown.state) if row.shown.state in _SERIOUS else len(_SERIOUS)
    own = (each for each in Attention if each is not Attention.SILENT)
    return (serious, *(-(each in row.attention) for each in own))


def _compared(equipment: EquipmentOut) -> dict[str, str]:
    own = {name: getattr(equipment, name) for name in COMPARED if name not in NETWORKS}
    return own | {name: equipment.models.get(name, "") for name in NETWORKS}


def _most_common(values: Iterable[str]) -> str:
    """The most common value; of equally common ones the first in order."""
    counted = Counter(values)
    return min(counted, key=lambda value: (-counted[value], value))


def _lowest_first(value: float | None) -> float:
    return float("inf") if value is None else value


def _highest_first(value: float | None) -> float:
    return float("inf") if value is None else -value


_KEYS: Final[Mapping[str, Callable[[FleetRow], str | float]]] = {
    "table": lambda row: row.shown.title,
    "version": lambda row: "" if row.equipment is None else row.equipment.version,
    "hands": lambda row: _lowest_first(row.verified_share),
    "calibration": lambda row: _highest_first(row.calibration_days),
    "drift": lambda row: _highest_first(None if row.equipment is None else row.equipment.drift_mm),
    "disk": lambda row: _lowest_first(None if row.equipment is None else row.equipment.free_bytes),
    "temperature": lambda row: _highest_first(None if row.equipment is None else row.equipment.celsius),
    "clock": lambda row: _highest_first(None if row.clock_s is None else abs(row.clock_s)),
}
