"""What was made of a log's entries held against the entries: they are folded anew, and the same must come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import select

from service.codes import RecordCode
from service.projections import schema
from service.projections.alarm_fold import FOLDED
from service.projections.fold import Folding
from service.projections.projector import placed_in
from service.record.fresh import fresh_database
from service.record.store import record_tables as store
from service.record.store.chain import Entry
from service.record.store.database import reading
from service.record.store.faults import Fault
from service.record.store.record_tables import OWN_LOG
from service.record.store.storage_faults import faults_as_unavailable
from service.record.tables_beside import JudgedRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

    from service.record.store.database_reader import DatabaseReader

_BATCH: Final = 100
_ENTRIES: Final = store.entries_of_all.c
_Rows: TypeAlias = dict[object, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Compared:
    """How what is kept of a log compares with its entries.

    Attributes:
        followed: number of the entry up to which it was made.
        rounds: how many there are.
        alarms: how many there are.
        differing_rounds: ids of those that are not as the entries make them, or are missing, or too many.
        differing_alarms: the numbers of such alarms.
    """

    followed: int
    rounds: int
    alarms: int
    differing_rounds: tuple[str, ...] = ()
    differing_alarms: tuple[int, ...] = ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """That something is not as the entries make it."""
        counts = {"rounds": len(self.differing_rounds), "alarms": len(self.differing_alarms)}
        return (Fault.of(0, RecordCode.MADE_OTHERWISE, **counts),) if any(counts.values()) else ()


def compare_own(reader: DatabaseReader, pause: Callable[[], object] = lambda: None) -> JudgedRows:
    """Hold what is kept of this service's own log against it; ``pause`` is called after every few entries.

    RecordUnavailableError if that cannot be read.
    """
    made = compare(reader.database, OWN_LOG, pause)
    return JudgedRows(made.rounds + made.alarms, 0, made.faults)


def compare(database: Engine, log: int, pause: Callable[[], object] = lambda: None) -> Compared:
    """Make the rounds and alarms of a log anew, and compare; ``pause`` is called after every few entries.

    RecordUnavailableError if the store cannot be read.
    """
    with faults_as_unavailable(), reading(database) as connection:
        columns = schema.followed.c
        followed = connection.execute(select(columns.seq).where(columns.log == log)).scalar() or 0
        name = str(connection.execute(select(store.logs.c.name).where(store.logs.c.id == log)).scalar_one())
        rounds, alarms = _kept(connection, log)
    # Folded beside the entries, which only ever grow; one that was lost meanwhile is found by the next comparison.
    made_rounds, made_alarms = _made(database, log, name, followed, pause)
    differing_rounds, differing_alarms = _differing(rounds, made_rounds), _differing(alarms, made_alarms)
    return Compared(followed, len(rounds), len(alarms), differing_rounds, differing_alarms)


def _made(database: Engine, log: int, name: str, through: int, pause: Callable[[], object]) -> tuple[_Rows, _Rows]:
    """The rounds and alarms as the entries up to one make them."""
    asked = (
        select(_ENTRIES.position, *(_ENTRIES[name].label(f"entry_{name}") for name in Entry.__slots__))
        .where(_ENTRIES.log == log, _ENTRIES.gone.is_(None), _ENTRIES.kind.in_(FOLDED), _ENTRIES.seq <= through)
        .order_by(_ENTRIES.seq)
        .limit(_BATCH)
    )
    fresh, seq = fresh_database(), 0
    try:
        with fresh.connect() as made:
            while True:
                with faults_as_unavailable(), reading(database) as connection:
                    rows = connection.execute(asked.where(_ENTRIES.seq > seq)).all()
                if not rows:
                    return _kept(made, log)
                placed = [placed_in(log, name, position, Entry(*of_entry)) for position, *of_entry in rows]
                folding, seq = Folding(made), placed[-1].entry.seq
                folding.expect(placed)
                for each in placed:
                    folding.take(each)
                folding.flush()
                pause()
    finally:
        fresh.dispose()


def _kept(connection: Connection, log: int) -> tuple[_Rows, _Rows]:
    """Rounds by their ids, and alarms by their numbers."""
    of_log = [
        [dict(row._mapping) for row in connection.execute(select(each).where(each.c.log == log))]  # noqa: SLF001
        for each in (schema.rounds, schema.alarms)
    ]
    rounds, alarms = of_log
    return {row["round"]: row for row in rounds}, {row["number"]: row for row in alarms}


def _differing(there: _Rows, made: _Rows) -> tuple[Any, ...]:
    return tuple(sorted(name for name in there.keys() | made.keys() if there.get(name) != made.get(name)))
