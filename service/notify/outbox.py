"""The outbox: how far each subscriber has got, kept beside the record so that it outlives the service.

A position moves behind a notice only once that was taken, or laid aside as a dead letter, in one transaction: none is
skipped, and what was sent and not yet acknowledged is sent again under its id. A position names the hash of its entry,
so that one which the store no longer holds is noticed.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, column, delete, func, insert, or_, select, table, update

from service.record.store import record_tables as tables
from service.record.store.chain import timestamp
from service.record.store.database import writing
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

    from service.notify.notices import Notice, Position

deliveries = table(
    "deliveries", *map(column, ("subscriber", "position", "part", "attempts", "stopped_at", "hash", "own", "at"))
)
dead_letters = table("dead_letters", *map(column, ("subscriber", "id", "position", "part", "at", "attempts", "error")))


_ENTRIES = tables.entries_of_all.c


def _behind(position: int, known: str | None = None) -> dict[str, object]:
    """The columns of the entry at a position: its hash (``known``, or that in the store), own number, time."""
    entry_hash = known or select(_ENTRIES.hash).where(_ENTRIES.position == position).scalar_subquery()
    own = select(_ENTRIES.seq).where(_ENTRIES.position == position, _ENTRIES.log == tables.OWN_LOG)
    return {"hash": entry_hash, "own": own.scalar_subquery(), "at": timestamp()}


class MovedError(RuntimeError):
    """Somebody else moved this subscriber's position meanwhile."""


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """How far a subscriber has got.

    Attributes:
        attempts: how often the next notice failed.
        dead: how many notices were laid aside.
        stopped_at: when it said that it wants nothing more; None while it is sent to.
    """

    position: Position
    attempts: int
    dead: int
    stopped_at: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a subscriber stands.

    Attributes:
        own: number of the entry at its position in this service's own log; None for an entry of another log.
        hash: of that entry.
        at: since when.
        held: whether the store has that entry.
    """

    subscriber: str
    own: int | None
    hash: str
    at: str
    held: bool


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A notice that its subscriber would not take, with the position behind it and the last error."""

    id: str
    position: Position
    at: str
    attempts: int
    error: str


@dataclass(frozen=True, slots=True)
class Outbox:
    """The positions and dead letters of all subscribers; every method may raise RecordUnavailableError.

    Attributes:
        database: where they are kept.
    """

    database: Engine

    def state(self, subscriber: str, begin: Position) -> DeliveryState:
        """How far a subscriber has got; a new one stands at ``begin``, and that is kept."""
        columns = deliveries.c
        with self._writing() as connection:
            row = connection.execute(select(deliveries).where(columns.subscriber == subscriber)).first()
            if row is None:
                new = {"subscriber": subscriber, "position": begin[0], "part": begin[1], "attempts": 0}
                connection.execute(insert(deliveries).values(new | _behind(begin[0])))
                return DeliveryState(begin, 0, 0)
            of_it = select(func.count()).where(dead_letters.c.subscriber == subscriber)
            dead = connection.execute(of_it).scalar_one()
            return DeliveryState((row.position, row.part), row.attempts, dead, row.stopped_at)

    def acknowledge(self, subscriber: str, at: Position, through: Position, known: str | None = None) -> None:
        """Move a subscriber on, behind the entry of the hash ``known``; MovedError if it does not stand at ``at``."""
        with self._writing() as connection:
            self._move(connection, subscriber, at, through, known=known)

    def failed(self, subscriber: str, at: Position, attempts: int) -> None:
        """Keep how often the next notice was sent in vain; MovedError if the subscriber does not stand at ``at``."""
        with self._writing() as connection:
            self._move(connection, subscriber, at, at, attempts)

    def lay_aside(self, subscriber: str, at: Position, notice: Notice, attempts: int, error: str) -> None:
        """Make a notice a dead letter and move the subscriber behind it; MovedError as above."""
        with self._writing() as connection:
            self._move(connection, subscriber, at, notice.position, known=notice.hash)
            connection.execute(
                insert(dead_letters).values(
                    subscriber=subscriber,
                    id=notice.id,
                    position=notice.entry,
                    part=notice.part,
                    at=timestamp(),
                    attempts=attempts,
                    error=error,
                )
            )

    def stop(self, subscriber: str, at: Position) -> None:
        """Send a subscriber nothing more, and keep its position; MovedError if it does not stand at ``at``."""
        with self._writing() as connection:
            self._move(connection, subscriber, at, at)
            of_it = deliveries.c.subscriber == subscriber
            connection.execute(update(deliveries).where(of_it).values(stopped_at=timestamp()))

    def stopped(self) -> dict[str, str]:
        """The subscribers that want nothing more, each with the moment at which it said so."""
        asked = select(deliveries).where(deliveries.c.stopped_at.is_not(None))
        with faults_as_unavailable(), self.database.connect() as connection:
            return {row.subscriber: row.stopped_at for row in connection.execute(asked)}

    def dead(self, subscriber: str) -> tuple[DeadLetter, ...]:
        """What was laid aside, oldest first."""
        columns = dead_letters.c
        asked = select(dead_letters).where(columns.subscriber == subscriber).order_by(columns.position, columns.part)
        with faults_as_unavailable(), self.database.connect() as connection:
            rows = connection.execute(asked).all()
        return tuple(DeadLetter(row.id, (row.position, row.part), row.at, row.attempts, row.error) for row in rows)

    def remove_dead(self, subscriber: str, letter: str) -> None:
        """Forget a dead letter: it was taken after all, or a person let it go."""
        columns = dead_letters.c
        with self._writing() as connection:
            connection.execute(delete(dead_letters).where(columns.subscriber == subscriber).where(columns.id == letter))

    def standing(self) -> tuple[Standing, ...]:
        """Where every subscriber stands, and whether the record holds the entry that it stands behind."""
        same = _ENTRIES.position == deliveries.c.position
        asked = select(deliveries, _ENTRIES.hash.label("there")).outerjoin(tables.entries_of_all, same)
        with faults_as_unavailable(), self.database.connect() as connection:
            rows = connection.execute(asked).all()
        return tuple(
            Standing(row.subscriber, row.own, row.hash, row.at, row.there == row.hash) for row in rows if row.hash
        )

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with faults_as_unavailable(), writing(self.database) as connection:
            yield connection

    def _move(
        self,
        connection: Connection,
        subscriber: str,
        at: Position,
        through: Position,
        attempts: int = 0,
        *,
        known: str | None = None,
    ) -> None:
        columns = deliveries.c
        # Where it stays, what it stood behind stays as well.
        behind = {} if through[0] == at[0] and known is None else _behind(through[0], known)
        moved = connection.execute(
            update(deliveries)
            .where(columns.subscriber == subscriber, columns.position == at[0], columns.part == at[1])
            .values(position=through[0], part=through[1], attempts=attempts, **behind)
        )
        if moved.rowcount != 1:
            raise MovedError(f"{subscriber} no longer stands behind entry {at[0]}, part {at[1]}")


def stand_behind(connection: Connection, common: int, part: int) -> None:
    """Move subscribers back to just after entry ``common`` of this service's own log; 0 is the start of the record.

    It moves those that are further, and those whose entry the store does not hold.
    """
    of_it = select(_ENTRIES.position).where(_ENTRIES.log == tables.OWN_LOG, _ENTRIES.seq == common)
    position = int(connection.execute(of_it).scalar() or 0)
    columns = deliveries.c
    there = select(_ENTRIES.hash).where(_ENTRIES.position == columns.position).scalar_subquery()
    gone = and_(columns.hash.is_not(None), columns.position > 0, or_(there.is_(None), there != columns.hash))
    connection.execute(
        update(deliveries)
        .where(or_(columns.position > position, gone))
        .values(position=position, part=part, attempts=0, **_behind(position))
    )
