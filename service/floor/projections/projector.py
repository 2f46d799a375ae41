"""Follows what was collected, just behind the writer: each table's entries in their order, a batch in one transaction.

It stands apart from the writer, so that an entry that this version cannot read holds up nobody. How far each table is
followed is kept with what was made of it; a table whose record was restored no longer goes on from there, and is made
anew from its first entry.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, delete, func, or_, select, update

from service.floor.projections import schema
from service.floor.projections.fold import Folding
from service.floor.store import schema as store
from service.ops.background import shielded
from service.record.store.chain import NO_HASH, Entry
from service.record.store.database import writing
from service.record.store.entries import RecordUnavailableError
from service.record.store.storage_faults import faults_as_unavailable
from service.table.change_notifier import ChangeNotifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Engine

_log = logging.getLogger(__name__)

AT_ONCE: Final = 500
"""Entries in one transaction."""
OF_EACH: Final = 100
"""Of one table among them: a table that is made anew does not keep the others waiting."""
_APART_S: Final = 0.2
"""Between two transactions when all is taken in: pages are not made more often anyway."""
_LOOK_AGAIN_S: Final = 5.0
_KNOWN: Final = store.tables.c
_FOLLOWED: Final = schema.followed.c
_ENTRIES: Final = store.entries.c


@dataclass(frozen=True, slots=True)
class Followed:
    """What one step did.

    Attributes:
        entries: how many were taken in.
        changed: numbers of the tables of which a round or an alarm changed.
        alarmed: an alarm changed.
        more: there are more already.
    """

    entries: int
    changed: frozenset[int]
    alarmed: bool
    more: bool


class Projector:
    """Makes of the entries what pages and programs ask for; every method may raise RecordUnavailableError.

    Attributes:
        changes: notifies when rounds or alarms changed.
        alarms: notifies when alarms did.
    """

    def __init__(self, database: Engine) -> None:
        self._database = database
        self.changes = ChangeNotifier()
        self.alarms = ChangeNotifier()

    async def run(self, appended: ChangeNotifier) -> None:
        """Follow for ever.

        Args:
            appended: notifies of entries that were taken.
        """
        while not appended.closed:
            heard = appended.count
            try:
                while await shielded(asyncio.to_thread(self.step)):
                    pass
            except RecordUnavailableError as error:
                _log.warning("what pages show is not brought up to date: %s", error)
            await asyncio.sleep(_APART_S)
            await appended.wait_beyond(heard, _LOOK_AGAIN_S)

    def catch_up(self) -> None:
        """Take in all that there is."""
        while self.step():
            pass

    def step(self) -> bool:
        """Take in a batch; whether there may be more."""
        done = self.follow()
        if done.changed:
            self.changes.notify()
        if done.alarmed:
            self.alarms.notify()
        return done.more

    def follow(self) -> Followed:
        """Take in a batch of what each table recorded since, and tell nobody."""
        with faults_as_unavailable(), writing(self._database) as connection:
            if _claim(connection) != schema.VERSION:
                _forget(connection)
            folding = Folding(connection)
            for log in _parted(connection):
                folding.drop(log)
            found = _next(connection)
            folding.expect([(log, entry) for log, _, entry, _ in found])
            lost: set[int] = set()
            for log, position, entry, follows in found:
                if log in lost or entry.previous != follows:
                    lost.add(log)
                else:
                    folding.take(log, position, entry)
            folding.flush()
            for log in lost:
                folding.drop(log)
            # Fewer than may come of one table are all that there was.
            more = bool(lost) or len(found) >= OF_EACH
            return Followed(len(found), frozenset(folding.changed), folding.alarmed, more)

    def rebuild(self) -> int:
        """Drop all that was made and make it anew; returns of how many entries."""
        with faults_as_unavailable(), writing(self._database) as connection:
            _claim(connection)
            _forget(connection)
        entries, more = 0, True
        while more:
            done = self.follow()
            entries, more = entries + done.entries, done.more
        return entries


def _claim(connection: Connection) -> int:
    """Be the only one who changes what is made until the transaction ends; returns the version that made it."""
    return int(connection.execute(select(schema.projections.c.version).with_for_update()).scalar_one())


def _forget(connection: Connection) -> None:
    for each in (schema.alarms, schema.rounds, schema.followed):
        connection.execute(delete(each))
    connection.execute(update(schema.projections).values(version=schema.VERSION))


def _parted(connection: Connection) -> Sequence[int]:
    """Tables whose record ends before the entry up to which they are followed: it was restored."""
    parted = or_(
        _KNOWN.seq < _FOLLOWED.seq,
        and_(_KNOWN.seq == _FOLLOWED.seq, _KNOWN.hash != _FOLLOWED.hash),
    )
    asked = select(_KNOWN.id).join_from(store.tables, schema.followed, _FOLLOWED.log == _KNOWN.id)
    return connection.scalars(asked.where(parted)).all()


def _next(connection: Connection) -> list[tuple[int, int, Entry, str]]:
    """The next entries of each table that has any, in its order, and the hash that each must follow."""
    seq = func.coalesce(_FOLLOWED.seq, 0)
    behind = _KNOWN.seq - seq
    lag = case((behind < OF_EACH, behind), else_=OF_EACH)
    next_of = (
        select(
            _KNOWN.id,
            seq.label("seq"),
            func.coalesce(_FOLLOWED.hash, NO_HASH).label("hash"),
            lag.label("lag"),
            # Those that are nearly up to date first: one that is made anew does not hold them up.
            func.sum(lag).over(order_by=(lag, _KNOWN.id)).label("together"),
        )
        .join_from(store.tables, schema.followed, _FOLLOWED.log == _KNOWN.id, isouter=True)
        .where(_KNOWN.seq > seq)
        .subquery("next_of")
    )
    asked = (
        select(
            _ENTRIES.log,
            _ENTRIES.position,
            next_of.c.hash,
            *(_ENTRIES[name].label(f"entry_{name}") for name in store.ENTRY),
        )
        .join_from(
            next_of,
            store.entries,
            and_(
                _ENTRIES.log == next_of.c.id,
                _ENTRIES.gone.is_(None),
                _ENTRIES.seq > next_of.c.seq,
                _ENTRIES.seq <= next_of.c.seq + next_of.c.lag,
            ),
        )
        .where(next_of.c.together - next_of.c.lag < AT_ONCE)
        .order_by(next_of.c.id, _ENTRIES.seq)
    )
    found: list[tuple[int, int, Entry, str]] = []
    last: tuple[int, str] = (0, "")
    for log, position, start, *of_entry in connection.execute(asked):
        entry = Entry(*of_entry)
        follows = last[1] if last[0] == log else start
        found.append((log, position, entry, follows))
        last = (log, entry.hash)
    return found
