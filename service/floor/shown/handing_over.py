"""What happened at some tables of the floor in a shift: what whoever takes them over must know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from service.alarms.alarm_book import AlarmList
from service.floor.projections import schema
from service.floor.store import schema as store
from service.floor.store.table_record import record_of_table
from service.record.store.storage_faults import faults_as_unavailable
from service.shifts.gaming_day import RoundCounts
from service.shifts.hand_over import ShiftEvents, events_in, signed_figures

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Engine

    from service.shifts.gaming_day import Shift


@dataclass(frozen=True, slots=True)
class AllHappened:
    """What happened at several tables.

    Attributes:
        of_tables: by the tables' names, in the order in which they were asked for.
        counts: the figures of all together.
    """

    of_tables: dict[str, ShiftEvents]
    counts: RoundCounts

    def standing(self) -> dict[str, int]:
        """How the shift stands, as it is signed for."""
        return signed_figures(self.counts, self.of_tables.values())


def happened_at(database: Engine, tables: Sequence[str], shift: Shift) -> AllHappened:
    """Gather it; tables of which nothing was collected yet are left out. RecordUnavailableError."""
    known = _known(database, tables)

    def of_table(name: str) -> ShiftEvents:
        log, own_name = known[name]
        alarms = AlarmList(database, schema.alarms_of_floor, schema.alarms_of_floor.c.table == name)
        return events_in(shift, record_of_table(database, log), alarms, own_name)

    found = {name: of_table(name) for name in tables if name in known}
    return AllHappened(found, RoundCounts.together(shift.name, [each.counts for each in found.values()]))


def _known(database: Engine, tables: Collection[str]) -> dict[str, tuple[int, str]]:
    """Number and own name of tables, by their names on the floor."""
    columns, followed = store.tables.c, schema.followed.c
    asked = select(columns.name, columns.id, followed.own_name).join(schema.followed, followed.log == columns.id)
    with faults_as_unavailable(), database.connect() as connection:
        rows = connection.execute(asked.where(columns.name.in_(tables)))
        return {row.name: (row.id, row.own_name) for row in rows}
