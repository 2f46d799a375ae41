"""Follows all logs of the store, just behind whoever appends: each log's entries in order, a batch in one transaction.

It is separate from the writers, so that an unreadable entry or a failure here never delays recording. How far each log
has been followed is stored with the rows; if a restored log no longer has that entry, its rows are derived again from
the first entry.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, delete, func, insert, not_, or_, select, true

from service.record.projections.fold import Folding, Placed
from service.record.store import schema
from service.record.store.database import faults_as_unavailable, reading, writing
from service.record.store.entries import Entry, RecordUnavailableError
from service.record.store.schema import OWN_LOG
from service.record.waiting import ChangeNotifier
from service.system.background import shielded
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection

    from service.record.store.database_reader import DatabaseReader

_log = logging.getLogger(__name__)

VERSION: Final = 8
"""Raised whenever different rows are derived from the same entries."""
AT_ONCE: Final = 500
"""Entries in one transaction."""
OF_EACH: Final = 250
"""Of one log among them, so that a long log does not delay the others."""
_APART_S: Final = 0.2
"""Between two transactions when nothing is left: pages are not rendered more often."""
_GIVE_WAY_S: Final = 0.1
"""Between two transactions of many: another writer of an SQLite file tries again after at most that long, so without a
pause it could wait for ever.
"""
_CATCH_UP_S: Final = 5.0
"""Longest time for which a request waits for entries to be followed; more are left after a restore or a new version."""
_LOOK_AGAIN_S: Final = 5.0
_LOGS: Final = schema.logs.c
_FOLLOWED: Final = schema.followed.c
_ENTRIES: Final = schema.entries.c
_OWN: Final = (_ENTRIES.log == OWN_LOG, _ENTRIES.gone.is_(None))

_HEADS: Final = select(
    _LOGS.id,
    _LOGS.name,
    # The head of this service's own log is read from its entries.
    case(
        (_LOGS.id == OWN_LOG, select(func.coalesce(func.max(_ENTRIES.seq), 0)).where(*_OWN).scalar_subquery()),
        else_=_LOGS.seq,
    ).label("seq"),
    case(
        (
            _LOGS.id == OWN_LOG,
            select(_ENTRIES.hash).where(*_OWN).order_by(_ENTRIES.seq.desc()).limit(1).scalar_subquery(),
        ),
        else_=_LOGS.hash,
    ).label("hash"),
).subquery("heads")
_HEAD: Final = _HEADS.c
_MOVED: Final = or_(_FOLLOWED.seq.is_(None), _HEAD.seq != _FOLLOWED.seq, _HEAD.hash != _FOLLOWED.hash)
"""The log has entries that were not followed yet, or was restored."""
_HOLDS: Final = (
    select(_ENTRIES.position)
    .where(
        _ENTRIES.log == _FOLLOWED.log,
        _ENTRIES.hash == _FOLLOWED.hash,
        _ENTRIES.seq == _FOLLOWED.seq,
        _ENTRIES.gone.is_(None),
    )
    .exists()
)
"""The log still has the entry up to which it was followed; a restored log may not."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The result of one step.

    Attributes:
        changed: numbers of the logs of which a round or an alarm changed.
    """

    entries: int = 0
    changed: frozenset[int] = frozenset()
    alarmed: bool = False
    more: bool = False


class Projector:
    """Derives rounds and alarms from the entries; every method may raise RecordUnavailableError."""

    def __init__(self, record: DatabaseReader) -> None:
        self.record = record
        self.database = record.database
        self.changes = ChangeNotifier()
        self.alarms = ChangeNotifier()
        self._following = threading.Lock()

    async def run(self, appended: ChangeNotifier) -> None:
        """Follow for ever.

        Args:
            appended: notifies of new entries.
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

    def catch_up(self, log: int | None = None) -> bool:
        """Follow all entries of one log, or of all logs; returns whether any alarm changed.

        RecordUnavailableError if that takes longer than ``_CATCH_UP_S``.
        """
        heard, ends_s = self.alarms.count, time.monotonic() + _CATCH_UP_S
        while self.step(log):
            if time.monotonic() > ends_s:
                raise RecordUnavailableError.of(RecordCode.BEING_READ)
        return self.alarms.count != heard

    def step(self, log: int | None = None) -> bool:
        """Follow one batch and notify; returns whether there may be more."""
        with self._following:
            done = self.follow(log)
            if done.more:
                time.sleep(_GIVE_WAY_S)  # within the lock: nobody else follows meanwhile either
        if done.changed:
            self.changes.notify()
        if done.alarmed:
            self.alarms.notify()
        return done.more

    def follow(self, log: int | None = None) -> Followed:
        """Follow one batch of each log, or of one log, without notifying."""
        about = () if log is None else (_HEAD.id == log,)
        with faults_as_unavailable():
            with reading(self.database) as connection:
                if not _is_behind(connection, about):
                    return Followed()
            with writing(self.database) as connection:
                if _claim(connection) != VERSION:
                    _forget(connection)
                folding = Folding(connection)
                parted = _parted(connection, about)
                found, lost = _next(connection, about)
                for each in {*parted, *lost}:
                    folding.drop(each)
                taken = [placed for placed in found if placed.log not in lost and placed.log not in parted]
                folding.expect(taken)
                for placed in taken:
                    folding.take(placed)
                folding.flush()
        # A log with more entries fills its share of the batch.
        more = bool(parted or lost) or len(found) >= OF_EACH
        return Followed(len(taken), frozenset(folding.changed), folding.alarmed, more)

    def rebuild(self) -> int:
        """Delete all rounds and alarms and derive them again; returns the number of entries followed."""
        with faults_as_unavailable(), writing(self.database) as connection:
            _claim(connection)
            _forget(connection)
        entries, more = 0, True
        while more:
            done = self.follow()
            entries, more = entries + done.entries, done.more
        return entries


def _claim(connection: Connection) -> int | None:
    """Lock the projections until the transaction ends; returns the version that derived them."""
    version = connection.execute(select(schema.projections.c.version).with_for_update()).scalar()
    return None if version is None else int(version)


def _forget(connection: Connection) -> None:
    for each in (schema.alarms, schema.rounds, schema.followed, schema.projections):
        connection.execute(delete(each))
    connection.execute(insert(schema.projections).values(version=VERSION))


def _is_behind(connection: Connection, about: Sequence[ColumnElement[bool]]) -> bool:
    """Whether there is anything to do; usually there is not, and nothing is written."""
    if connection.execute(select(schema.projections.c.version)).scalar() != VERSION:
        return True
    moved = select(_HEAD.id).join_from(_HEADS, schema.followed, _FOLLOWED.log == _HEAD.id, isouter=True)
    query = moved.where(_MOVED, or_(_HEAD.seq > 0, _FOLLOWED.seq.is_not(None)), *about)
    return connection.execute(query.limit(1)).first() is not None


def _parted(connection: Connection, about: Sequence[ColumnElement[bool]]) -> Sequence[int]:
    """Logs that no longer have the entry up to which they were followed."""
    query = select(_HEAD.id).join_from(_HEADS, schema.followed, _FOLLOWED.log == _HEAD.id)
    return connection.scalars(query.where(_MOVED, not_(_HOLDS), *about)).all()


def _next(connection: Connection, about: Sequence[ColumnElement[bool]]) -> tuple[list[Placed], set[int]]:
    """The next entries of each log, in order, and logs that were restored since :func:`_parted`."""
    seq = func.coalesce(_FOLLOWED.seq, 0)
    behind = _HEAD.seq - seq
    lag = case((behind < OF_EACH, behind), else_=OF_EACH)
    next_of = (
        select(
            _HEAD.id,
            _HEAD.name,
            seq.label("seq"),
            case((_FOLLOWED.seq.is_(None), true()), else_=_HOLDS).label("holds"),
            lag.label("lag"),
            # Logs with few new entries first, so that a long one does not delay them.
            func.sum(lag).over(order_by=(lag, _HEAD.id)).label("together"),
        )
        .join_from(_HEADS, schema.followed, _FOLLOWED.log == _HEAD.id, isouter=True)
        .where(_HEAD.seq > seq, *about)
        .subquery("next_of")
    )
    query = (
        select(
            next_of.c.id.label("of_log"),
            next_of.c.name,
            next_of.c.holds,
            _ENTRIES.position,
            *(_ENTRIES[name].label(f"entry_{name}") for name in Entry.__slots__),
        )
        .join_from(
            next_of,
            schema.entries,
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
    found: list[Placed] = []
    lost: set[int] = set()
    for log, name, holds, position, *of_entry in connection.execute(query):
        entry = Entry(*of_entry)
        found.append(placed_in(log, name, position, entry))
        if not holds:
            lost.add(log)
    return found, lost


def placed_in(log: int, name: str, position: int, entry: Entry) -> Placed:
    """An entry with its place; in this service's own log the entry itself names the table."""
    return Placed(log, entry.table if log == OWN_LOG else name, position, entry)
