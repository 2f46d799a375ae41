"""The outbox: how far each subscriber has got, kept beside the record so that it outlives the service.

A position moves behind a notice only once that was taken, or laid aside as a dead letter, in one transaction: none is
skipped, and what was sent and not yet acknowledged is sent again under its id.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import column, delete, func, insert, select, table, update

from service.record.store.chain import timestamp
from service.record.store.database import writing
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

    from service.notify.notices import Notice, Position

deliveries = table("deliveries", *map(column, ("subscriber", "seq", "part", "attempts", "stopped_at")))
dead_letters = table("dead_letters", *map(column, ("subscriber", "id", "seq", "part", "at", "attempts", "error")))


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
class DeadLetter:
    """A notice that its subscriber would not take, with the position behind it and the last error."""

    id: str
    position: Position
    at: str
    attempts: int
    error: str


@dataclass(frozen=True, slots=True)
class Outbox:
    """The positions and dead letters of all subscribers; every method may raise RecordUnavailableError."""

    database: Engine

    def state(self, subscriber: str, begin: Position) -> DeliveryState:
        """How far a subscriber has got; a new one stands at ``begin``, and that is kept."""
        columns = deliveries.c
        with self._writing() as connection:
            row = connection.execute(select(deliveries).where(columns.subscriber == subscriber)).first()
            if row is None:
                new = {"subscriber": subscriber, "seq": begin[0], "part": begin[1], "attempts": 0}
                connection.execute(insert(deliveries).values(new))
                return DeliveryState(begin, 0, 0)
            of_it = select(func.count()).where(dead_letters.c.subscriber == subscriber)
            dead = connection.execute(of_it).scalar_one()
            return DeliveryState((row.seq, row.part), row.attempts, dead, row.stopped_at)

    def acknowledge(self, subscriber: str, at: Position, through: Position) -> None:
        """Move a subscriber on; MovedError if it does not stand at ``at``."""
        with self._writing() as connection:
            _move(connection, subscriber, at, through)

    def failed(self, subscriber: str, at: Position, attempts: int) -> None:
        """Keep how often the next notice was sent in vain; MovedError if the subscriber does not stand at ``at``."""
        with self._writing() as connection:
            _move(connection, subscriber, at, at, attempts)

    def lay_aside(self, subscriber: str, at: Position, notice: Notice, attempts: int, error: str) -> None:
        """Make a notice a dead letter and move the subscriber behind it; MovedError as above."""
        with self._writing() as connection:
            _move(connection, subscriber, at, notice.position)
            connection.execute(
                insert(dead_letters).values(
                    subscriber=subscriber,
                    id=notice.id,
                    seq=notice.seq,
                    part=notice.part,
                    at=timestamp(),
                    attempts=attempts,
                    error=error,
                )
            )

    def stop(self, subscriber: str, at: Position) -> None:
        """Send a subscriber nothing more, and keep its position; MovedError if it does not stand at ``at``."""
        with self._writing() as connection:
            _move(connection, subscriber, at, at)
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
        asked = select(dead_letters).where(columns.subscriber == subscriber).order_by(columns.seq, columns.part)
        with faults_as_unavailable(), self.database.connect() as connection:
            rows = connection.execute(asked).all()
        return tuple(DeadLetter(row.id, (row.seq, row.part), row.at, row.attempts, row.error) for row in rows)

    def remove_dead(self, subscriber: str, letter: str) -> None:
        """Forget a dead letter: it was taken after all, or a person let it go."""
        columns = dead_letters.c
        with self._writing() as connection:
            connection.execute(delete(dead_letters).where(columns.subscriber == subscriber).where(columns.id == letter))

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with faults_as_unavailable(), writing(self.database) as connection:
            yield connection


def _move(connection: Connection, subscriber: str, at: Position, through: Position, attempts: int = 0) -> None:
    columns = deliveries.c
    moved = connection.execute(
        update(deliveries)
        .where(columns.subscriber == subscriber, columns.seq == at[0], columns.part == at[1])
        .values(seq=through[0], part=through[1], attempts=attempts)
    )
    if moved.rowcount != 1:
        raise MovedError(f"{subscriber} no longer stands behind entry {at[0]}, part {at[1]}")
