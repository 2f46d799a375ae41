"""Compare the rounds and alarms of a log with its entries: they are derived again, and the rows must be equal."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from service.record.integrity.walk import JudgedRows
from service.record.projections.fold import FOLDED, Folding, Placed
from service.record.projections.projector import placed_in
from service.record.store import schema
from service.record.store.database import faults_as_unavailable, fresh_database, reading
from service.record.store.entries import Entry
from service.record.store.faults import Fault
from service.record.store.schema import OWN_LOG
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import ColumnClause, Connection, Engine, Select

    from service.record.store.database_reader import DatabaseReader

_BATCH: Final = 100
_ENTRIES: Final = schema.entries.c


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """How the stored rounds and alarms of a log compare with its entries.

    Attributes:
        differing_rounds: how many differ, are missing, or should not be there.
    """

    rounds: int
    alarms: int
    differing_rounds: int
    differing_alarms: int

    @property
    def faults(self) -> tuple[Fault, ...]:
        counts = {"rounds": self.differing_rounds, "alarms": self.differing_alarms}
        return (Fault.of(0, RecordCode.PROJECTIONS_DIFFER, **counts),) if any(counts.values()) else ()


def compare_own(reader: DatabaseReader, pause: Callable[[], object] = lambda: None) -> JudgedRows:
    """Compare the rounds and alarms of this service's own log; ``pause`` is called after each batch.

    RecordUnavailableError if that cannot be read.
    """
    made = compare(reader.database, OWN_LOG, pause)
    return JudgedRows(made.rounds + made.alarms, made.faults)


def compare(database: Engine, log: int, pause: Callable[[], object] = lambda: None) -> ComparedRows:
    """Derive the rounds and alarms of a log again and compare; ``pause`` is called after each batch.

    RecordUnavailableError if the store cannot be read.
    """
    fresh = fresh_database()
    try:
        with fresh.connect() as made:
            last: Entry | None = None
            while True:
                with faults_as_unavailable(), reading(database) as connection:
                    if last is not None and not _follows(connection, log, last):
                        # The log was restored, or is being derived again: start over with what there is now.
                        Folding(made).drop(log)
                        last = None
                    found = _next(connection, log, 0 if last is None else last.seq)
                    _fold(made, found)
                    if len(found) < _BATCH:
                        return _compared(connection, made, log)
                last = found[-1].entry
                pause()
    finally:
        fresh.dispose()


def _follows(connection: Connection, log: int, last: Entry) -> bool:
    """Whether a log still has an entry and is followed at least to it."""
    followed = schema.followed.c
    query = (
        select(_ENTRIES.position)
        .join(schema.followed, followed.log == _ENTRIES.log)
        .where(_ENTRIES.log == log, _ENTRIES.seq == last.seq, _ENTRIES.hash == last.hash, _ENTRIES.gone.is_(None))
    )
    return connection.execute(query.where(followed.seq >= last.seq)).first() is not None


def _next(connection: Connection, log: int, seq: int) -> list[Placed]:
    query = (
        select(
            schema.logs.c.name,
            _ENTRIES.position,
            *(_ENTRIES[name].label(f"entry_{name}") for name in Entry.__slots__),
        )
        .join(schema.logs, schema.logs.c.id == _ENTRIES.log)
        .join(schema.followed, schema.followed.c.log == _ENTRIES.log)
        .where(_ENTRIES.log == log, _ENTRIES.gone.is_(None), _ENTRIES.kind.in_(FOLDED))
        .where(_ENTRIES.seq > seq, _ENTRIES.seq <= schema.followed.c.seq)
        .order_by(_ENTRIES.seq)
        .limit(_BATCH)
    )
    rows = connection.execute(query)
    return [placed_in(log, name, position, Entry(*of_entry)) for name, position, *of_entry in rows]


def _fold(made: Connection, entries: list[Placed]) -> None:
    folding = Folding(made)
    folding.expect(entries)
    for each in entries:
        folding.take(each)
    folding.flush()


def _compared(connection: Connection, made: Connection, log: int) -> ComparedRows:
    of_rounds, of_alarms = (
        int(connection.execute(select(func.count()).select_from(each).where(each.c.log == log)).scalar_one())
        for each in (schema.rounds, schema.alarms)
    )
    rounds = select(schema.rounds).where(schema.rounds.c.log == log)
    alarms = select(schema.alarms).where(schema.alarms.c.log == log)
    return ComparedRows(
        of_rounds,
        of_alarms,
        _differing(connection, made, rounds, schema.rounds.c.first),
        _differing(connection, made, alarms, schema.alarms.c.number),
    )


def _differing(connection: Connection, made: Connection, query: Select[Any], by: ColumnClause[Any]) -> int:
    """How many rows of two databases differ; each is read once, and only a few are held at a time."""
    place = [column.name for column in query.selected_columns].index(by.name)

    def order(row: tuple[Any, ...]) -> tuple[bool, Any]:
        return isinstance(row[place], str), row[place]  # SQLite accepts text in a number column and sorts it last

    def rows(of: Connection) -> Iterator[tuple[Any, ...]]:
        yield from map(tuple, of.execute(query.order_by(by).execution_options(yield_per=_BATCH)))

    same = (list(each) for _, each in groupby(heapq.merge(rows(connection), rows(made), key=order), key=order))
    return sum(len(each) != 2 or each[0] != each[1] for each in same)
