"""The outbox: the position of each subscriber, stored beside the record so that it survives a restart.

A position moves past a notice only once it was accepted or became a dead letter, in one transaction: none is skipped,
and an unacknowledged notice is sent again under its id. A position names the hash of its entry, so that an entry that
the store no longer holds is noticed. A webhook that answered 410 (gone) is stopped until a person resumes it.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from sqlalchemy import and_, delete, func, insert, or_, select, update

from service.record.store import schema
from service.record.store.database import faults_as_unavailable, writing
from service.record.store.entries import Draft, timestamp
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

    from service.record.changes import Attribution
    from service.record.store.record import Record

Position: TypeAlias = tuple[int, int]
"""The position just after a notice: the position of its entry, and the part within the entry, from 1."""
ALL_PARTS: Final = 9_999
"""In a position: after all notices of the entry."""
_ENTRIES = schema.entries.c


def _reached(position: int, known: str | None = None) -> dict[str, object]:
    """Return the columns for the entry at a position: its hash (``known``, or that in the store), own number, time."""
    entry_hash = known or select(_ENTRIES.hash).where(_ENTRIES.position == position).scalar_subquery()
    own = select(_ENTRIES.seq).where(_ENTRIES.position == position, _ENTRIES.log == schema.OWN_LOG)
    return {"hash": entry_hash, "own": own.scalar_subquery(), "at": timestamp()}


class Sent(Protocol):
    """A notice as the outbox keeps it: its id, the position of its entry, its part of the entry, the entry's hash."""

    @property
    def id(self) -> str: ...
    @property
    def entry(self) -> int: ...
    @property
    def part(self) -> int: ...
    @property
    def hash(self) -> str: ...
    @property
    def position(self) -> Position: ...


class PositionMovedError(RuntimeError):
    """The position of a subscriber was moved elsewhere in the meantime."""


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """The state of a subscriber.

    Attributes:
        position: after the last notice that it accepted.
        stopped_at: when it answered that it wants no further notices; None while notices are sent.
    """

    position: Position
    attempts: int
    dead: int
    stopped_at: str | None = None


@dataclass(frozen=True, slots=True)
class SubscriberPosition:
    """The entry that a subscriber has reached.

    Attributes:
        own: number of the entry in this service's own log; None for an entry of another log.
        held: whether the store still holds the entry.
    """

    subscriber: str
    own: int | None
    hash: str
    at: str
    held: bool


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A notice that its subscriber did not accept, with the position after it and the last error."""

    id: str
    position: Position
    at: str
    attempts: int
    error: str


@dataclass(frozen=True, slots=True)
class Outbox:
    """The positions and dead letters of all subscribers; every method may raise RecordUnavailableError."""

    database: Engine

    def state(self, subscriber: str, start: Position) -> DeliveryState:
        """Return the state of a subscriber; a new one is stored at the position ``start``."""
        columns = schema.deliveries.c
        with self._writing() as connection:
            row = connection.execute(select(schema.deliveries).where(columns.subscriber == subscriber)).first()
            if row is None:
                new = {"subscriber": subscriber, "position": start[0], "part": start[1], "attempts": 0}
                connection.execute(insert(schema.deliveries).values(new | _reached(start[0])))
                return DeliveryState(start, 0, 0)
            counting = select(func.count()).where(schema.dead_letters.c.subscriber == subscriber)
            dead = connection.execute(counting).scalar_one()
            return DeliveryState((row.position, row.part), row.attempts, dead, row.stopped_at)

    def acknowledge(self, subscriber: str, at: Position, through: Position, known: str | None = None) -> None:
        """Move a subscriber from ``at`` to ``through``, an entry of hash ``known``; PositionMovedError."""
        with self._writing() as connection:
            self._move(connection, subscriber, at, through, known=known)

    def failed(self, subscriber: str, at: Position, attempts: int) -> None:
        """Store the number of failed attempts for the next notice; PositionMovedError if it is not at ``at``."""
        with self._writing() as connection:
            self._move(connection, subscriber, at, at, attempts)

    def give_up(self, subscriber: str, at: Position, notice: Sent, attempts: int, error: str) -> None:
        """Make a notice a dead letter and move the subscriber past it; PositionMovedError if it is not at ``at``."""
        with self._writing() as connection:
            self._move(connection, subscriber, at, notice.position, known=notice.hash)
            connection.execute(
                insert(schema.dead_letters).values(
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
        """Stop a subscriber at its position; PositionMovedError if it is not at ``at``."""
        with self._writing() as connection:
            self._move(connection, subscriber, at, at)
            its_row = schema.deliveries.c.subscriber == subscriber
            connection.execute(update(schema.deliveries).where(its_row).values(stopped_at=timestamp()))

    def stopped(self) -> dict[str, str]:
        """Return the stopped subscribers, each with the moment at which it was stopped."""
        query = select(schema.deliveries).where(schema.deliveries.c.stopped_at.is_not(None))
        with faults_as_unavailable(), self.database.connect() as connection:
            return {row.subscriber: row.stopped_at for row in connection.execute(query)}

    def dead(self, subscriber: str) -> tuple[DeadLetter, ...]:
        """Return the dead letters of a subscriber, oldest first."""
        columns = schema.dead_letters.c
        query = (
            select(schema.dead_letters).where(columns.subscriber == subscriber).order_by(columns.position, columns.part)
        )
        with faults_as_unavailable(), self.database.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(DeadLetter(row.id, (row.position, row.part), row.at, row.attempts, row.error) for row in rows)

    def remove_dead(self, subscriber: str, letter: str) -> None:
        """Delete a dead letter: it was accepted after all, or a person discards it."""
        columns = schema.dead_letters.c
        with self._writing() as connection:
            connection.execute(
                delete(schema.dead_letters).where(columns.subscriber == subscriber).where(columns.id == letter)
            )

    def positions(self) -> tuple[SubscriberPosition, ...]:
        same = _ENTRIES.position == schema.deliveries.c.position
        query = select(schema.deliveries, _ENTRIES.hash.label("there")).outerjoin(schema.entries, same)
        with faults_as_unavailable(), self.database.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(
            SubscriberPosition(row.subscriber, row.own, row.hash, row.at, row.there == row.hash)
            for row in rows
            if row.hash
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
        columns = schema.deliveries.c
        # A subscriber that stays at its entry keeps the entry's hash.
        reached = {} if through[0] == at[0] and known is None else _reached(through[0], known)
        moved = connection.execute(
            update(schema.deliveries)
            .where(columns.subscriber == subscriber, columns.position == at[0], columns.part == at[1])
            .values(position=through[0], part=through[1], attempts=attempts, **reached)
        )
        if moved.rowcount != 1:
            raise PositionMovedError(f"{subscriber} is no longer at entry {at[0]}, part {at[1]}")


def rewind_subscribers(connection: Connection, common: int) -> None:
    """Move subscribers back to just after entry ``common`` of this service's own log; 0 is the start of the record.

    It moves those that are past it, and those at an entry that the store no longer holds.
    """
    query = select(_ENTRIES.position).where(_ENTRIES.log == schema.OWN_LOG, _ENTRIES.seq == common)
    position = int(connection.execute(query).scalar() or 0)
    columns = schema.deliveries.c
    there = select(_ENTRIES.hash).where(_ENTRIES.position == columns.position).scalar_subquery()
    gone = and_(columns.hash.is_not(None), columns.position > 0, or_(there.is_(None), there != columns.hash))
    connection.execute(
        update(schema.deliveries)
        .where(or_(columns.position > position, gone))
        .values(position=position, part=ALL_PARTS, attempts=0, **_reached(position))
    )


_log = logging.getLogger(__name__)

_KIND: Final = "webhook "


class NotStoppedError(WordedError):
    """A webhook cannot be resumed; the message says why."""


def webhook_subscriber(name: str) -> str:
    return f"{_KIND}{name}"


def stopped_webhooks(outbox: Outbox) -> dict[str, str]:
    """Return the names of the stopped webhooks, each with the moment of the stop; RecordUnavailableError."""
    return {name.removeprefix(_KIND): at for name, at in outbox.stopped().items() if name.startswith(_KIND)}


def resume_webhook(record: Record, name: str, why: Attribution) -> None:
    """Resume a stopped webhook from its position, and record who did so.

    NotStoppedError if it is not stopped or there is no reason; RecordUnavailableError.
    """
    if not why.reason.strip():
        raise NotStoppedError(words("give a reason: every change is recorded with one"))
    if name not in stopped_webhooks(Outbox(record.database)):
        raise NotStoppedError(words("the webhook %(name)s is not stopped", name=repr(name)))

    def change(connection: Connection) -> None:
        its_row = schema.deliveries.c.subscriber == webhook_subscriber(name)
        connection.execute(update(schema.deliveries).where(its_row).values(stopped_at=None, attempts=0))

    body = {"act": "started again", "by": why.by, "reason": why.reason.strip()[:500]}
    record.append(Draft("webhook", body, subject=name), beside=change)
    _log.info("webhook %s: resumed by %s", name, why.by)
