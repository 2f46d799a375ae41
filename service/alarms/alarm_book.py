"""The book of alarms: kept in step with the record, and asked for those that are open or for all that ever were."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, delete, func, select, update

from service.alarms import alarm_tables as tables
from service.alarms.alarm import KINDS, Alarm
from service.alarms.fold import FOLDED, fold, read_name
from service.record.store.chain import timestamp
from service.record.store.database import writing
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, Engine, FromClause, Row, Select

    from service.config.subscriber_settings import AlarmKind
    from service.record.store.database_reader import DatabaseReader

_log = logging.getLogger(__name__)

_BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class AlarmPage:
    """Alarms, newest first, open ones before those answered; where the next page begins, if there is one."""

    alarms: tuple[Alarm, ...]
    next: str | None


class AlarmList:
    """Alarms as they are kept; every method may raise RecordUnavailableError.

    Args:
        database: which has them.
        alarms: a table of alarms, or a query with its columns; ``number`` names each, the larger the newer.
        about: which of them.
    """

    def __init__(self, database: Engine, alarms: FromClause, *about: ColumnElement[bool]) -> None:
        self._database = database
        self._alarms = alarms
        self._columns = alarms.c
        self._about = about
        self._open = alarms.c.answered_at.is_(None)

    def open(self, each: int) -> tuple[Alarm, ...]:
        """The newest of each kind that nobody answered: the worst kind first, and in it those that last."""
        lasting, over = self._columns.over_at.is_(None), self._columns.over_at.is_not(None)
        found: list[Alarm] = []
        for kind in KINDS:
            newest = self._newest(each, self._open, self._columns.kind == kind, lasting)
            found += newest
            found += self._newest(each - len(newest), self._open, self._columns.kind == kind, over)
        return tuple(found)

    def counts(self) -> dict[AlarmKind, int]:
        """How many of each kind nobody answered, the worst first; kinds without any are left out."""
        columns = (self._columns.kind, func.count().label("alarms"))
        asked = select(*columns).where(*self._about, self._open).group_by(self._columns.kind)
        found: dict[str, int] = {row.kind: row.alarms for row in self._ask(asked)}
        return {kind: found[kind] for kind in KINDS if kind in found}

    def failing(self) -> frozenset[str]:
        """Checks whose alarm, answered or not, is not over; as far as the record was taken in."""
        lasting = (*self._about, self._columns.kind == "health", self._columns.over_at.is_(None))
        return frozenset(row.line for row in self._ask(select(self._columns.line).where(*lasting)))

    def answered(self, round_id: str, count: int) -> tuple[Alarm, ...]:
        """What somebody answered of checks that still fail, and of a round."""
        of_checks = (self._columns.over_at.is_(None), self._columns.kind == "health")
        checks = self._newest(count, ~self._open, *of_checks)
        return (*checks, *self._newest(count, ~self._open, self._columns.round == round_id))

    def named(self, names: Sequence[str]) -> dict[str, Alarm]:
        """Alarms by their names, as they are now; without names of none, or of one that was raised again since."""
        numbers = [read[0] for name in names if (read := read_name(name)) is not None]
        asked = select(self._alarms).where(*self._about, self._columns.number.in_(numbers))
        found = {alarm.id: alarm for alarm in map(Alarm.of_row, self._ask(asked))}
        return {name: found[name] for name in names if name in found}

    def page(
        self,
        *,
        kind: AlarmKind | None = None,
        days: tuple[datetime, datetime] | None = None,
        only_open: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> AlarmPage:
        """Alarms in order.

        Args:
            kind: only these.
            days: only those raised in this span, its end left out.
            only_open: leave out what was answered.
            limit: the most in one page.
            cursor: ``next`` of the page before.

        Raises:
            ValueError: the cursor is none.
        """
        answered, before = _read_cursor(cursor)
        wanted = tuple(self._filters(kind, days))
        found: list[Alarm] = []
        for part in (self._open,) if only_open else (self._open, ~self._open)[answered:]:
            where = (*wanted, part, *(() if before is None else (self._columns.number < before,)))
            found += self._newest(limit + 1 - len(found), *where)
            before = None
            if len(found) > limit:
                last = found[limit - 1]
                return AlarmPage(tuple(found[:limit]), f"{'open' if last.answer is None else 'answered'}.{last.id}")
        return AlarmPage(tuple(found), None)

    def _filters(self, kind: AlarmKind | None, days: tuple[datetime, datetime] | None) -> Iterator[ColumnElement[bool]]:
        if kind is not None:
            yield self._columns.kind == kind
        if days is not None:
            begins, ends = (timestamp(day.astimezone(UTC)) for day in days)
            yield self._columns.raised_at >= begins
            yield self._columns.raised_at < ends

    def _newest(self, count: int, *where: ColumnElement[bool]) -> tuple[Alarm, ...]:
        asked = select(self._alarms).where(and_(*self._about, *where))
        return tuple(map(Alarm.of_row, self._ask(asked.order_by(self._columns.number.desc()).limit(count))))

    def _ask(self, asked: Select[Any]) -> Sequence[Row[Any]]:
        with faults_as_unavailable(), self._database.connect() as connection:
            return connection.execute(asked).all()


class AlarmBook(AlarmList):
    """The alarms of all tables of a record, kept beside it; every method may raise RecordUnavailableError.

    Attributes:
        changed: how often :meth:`catch_up` has found that alarms changed.
    """

    def __init__(self, record: DatabaseReader) -> None:
        super().__init__(record.database, tables.alarms)
        self.record = record
        self.changed = 0
        self._lock = threading.Lock()

    def of_table(self, table: str) -> AlarmList:
        """Those of one table."""
        return AlarmList(self.record.database, tables.alarms, tables.alarms.c.table == table)

    def catch_up(self) -> int:
        """Take in what was recorded since; in parts, so that what follows a long time is not one transaction.

        Returns:
            How often alarms have changed; larger than before if any has.
        """
        changed = False
        with self._lock:
            through = int(self._ask(select(tables.read))[0][0])
            while entries := self.record.after(through, kinds=FOLDED, limit=_BATCH):
                through = entries[-1].seq
                with faults_as_unavailable(), writing(self.record.database) as connection:
                    for entry in entries:
                        try:
                            changed |= fold(connection, entry)
                        except (KeyError, TypeError, ValueError):
                            _log.exception("entry %s tells of no alarm that this version can read", entry.seq)
                    connection.execute(update(tables.read).values(through=through))
            self.changed += changed
            return self.changed


def begin_anew_beyond(connection: Connection, common: int) -> None:
    """Have alarms made anew of the record if they were made of entries beyond a number that it has lost."""
    if connection.execute(select(tables.read)).scalar_one() > common:
        connection.execute(delete(tables.alarms))
        connection.execute(update(tables.read).values(through=0))


def _read_cursor(cursor: str | None) -> tuple[bool, int | None]:
    """Whether open alarms are behind us, and the number that was told last."""
    if cursor is None:
        return False, None
    part, _, name = cursor.partition(".")
    read = read_name(name)
    if part not in {"open", "answered"} or read is None:
        raise ValueError(cursor)
    return part == "answered", read[0]
