"""What was made of a table's entries held against the entries: they are folded anew, and the same must come out."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from service.alarms.alarm_tables import Shelf
from service.alarms.compare import alarm_rows, differing_alarms, folded
from service.floor.projections import schema
from service.floor.projections.fold import row_of
from service.floor.store import schema as store
from service.floor.store.table_record import record_of_table
from service.record.results import report_of
from service.record.store.chain import Entry
from service.record.store.database import reading
from service.record.store.entries import RESULTS
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_BATCH = 200


@dataclass(frozen=True, slots=True)
class Compared:
    """How what is kept of a table compares with its entries.

    Attributes:
        followed: number of the entry up to which it was made.
        rounds: how many there are.
        alarms: how many there are.
        differing_rounds: ids of those that are not as the entries make them, or are missing, or too many.
        differing_alarms: the table's numbers of such alarms.
    """

    followed: int
    rounds: int
    alarms: int
    differing_rounds: tuple[str, ...] = ()
    differing_alarms: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether all is as the entries make it."""
        return not self.differing_rounds and not self.differing_alarms


def compare(database: Engine, log: int) -> Compared:
    """Make the rounds and alarms of a table anew, by its number in the store, and compare; RecordUnavailableError."""
    shelf = Shelf(schema.alarms, {"log": log})
    with faults_as_unavailable(), reading(database) as connection:
        columns = schema.followed.c
        followed = connection.execute(select(columns.seq).where(columns.log == log)).scalar() or 0
        alarms = alarm_rows(connection, shelf)
        rounds = _rounds(connection, log)
        made = _made(connection, log, followed)
    # Folded beside the entries, which only ever grow; one that was lost meanwhile is found by the next comparison.
    made_alarms = folded(record_of_table(database, log), followed)
    differing = sorted(name for name in rounds.keys() | made.keys() if rounds.get(name) != made.get(name))
    return Compared(followed, len(rounds), len(alarms), tuple(differing), differing_alarms(alarms, made_alarms))


def _rounds(connection: Connection, log: int) -> dict[str, dict[str, Any]]:
    asked = select(schema.rounds).where(schema.rounds.c.log == log)
    return {row.round: dict(row._mapping) for row in connection.execute(asked)}  # noqa: SLF001


def _made(connection: Connection, log: int, through: int) -> dict[str, dict[str, Any]]:
    """The rounds as the entries up to one make them."""
    columns = store.entries.c
    asked = (
        select(columns.position, *(columns[name].label(f"entry_{name}") for name in store.ENTRY))
        .where(columns.log == log, columns.gone.is_(None), columns.kind.in_(RESULTS))
        .order_by(columns.seq)
    )
    made: dict[str, dict[str, Any]] = {}
    seq = 0
    while found := connection.execute(asked.where(columns.seq > seq, columns.seq <= through).limit(_BATCH)).all():
        for position, *of_entry in found:
            entry = Entry(*of_entry)
            seq = entry.seq
            with suppress(KeyError, TypeError, ValueError):  # of a later version: nothing was made of it
                played = report_of(entry)
                made[played.id] = row_of(log, position, played, made.get(played.id))
    return made
