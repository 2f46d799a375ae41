"""Claims: a person takes a round to decide or an alarm, and nobody else decides it meanwhile.

A claim ends when the person is done or lets go of it, or some minutes after the last sign of life. It is one statement
in the database: of two who take the same at once, one has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, delete, not_, or_, select, tuple_

from service.record.store import schema
from service.record.store.database import faults_as_unavailable, insert_or_update, writing
from service.record.store.entries import timestamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Engine, UpdateBase

LASTS_S: Final = 300
"""Without a sign of life."""
_COLUMNS: Final = schema.claims.c


@dataclass(frozen=True, slots=True)
class Claim:
    """Who has something, and since when, UTC."""

    by: str
    since: datetime


def of_round(round_id: str) -> str:
    """What a claim of a round is called."""
    return f"round {round_id}"


def of_alarm(number: int) -> str:
    """What a claim of an alarm is called, by its number at its table."""
    return f"alarm {number}"


class Claims:
    """The claims of a service; every method may raise RecordUnavailableError."""

    def __init__(self, database: Engine) -> None:
        self._database = database

    def take(self, log: int, what: str, by: str) -> Claim:
        """Take something, or give a sign of life of what one has; returns who has it now: oneself, or another."""
        asked = {"log": log, "what": what, "by": by}
        while True:
            with faults_as_unavailable(), writing(self._database) as connection:
                since = connection.execute(_take(connection, asked)).scalar()
            if since is not None:
                return Claim(by, datetime.fromisoformat(since))
            if (held := self.held([(log, what)]).get((log, what))) is not None:
                return held  # else it was let go of in this moment

    def release(self, log: int, what: str, by: str) -> bool:
        """Let go of something; whether one had it."""
        this = (_COLUMNS.log == log, _COLUMNS.what == what, _COLUMNS.by == by)
        with faults_as_unavailable(), writing(self._database) as connection:
            return connection.execute(delete(schema.claims).where(*this)).rowcount > 0

    def held(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Claim]:
        """Who has which of these now, by table and what it is called."""
        live = _COLUMNS.seen_at > _ended_before(datetime.now(UTC))
        asked = select(schema.claims).where(tuple_(_COLUMNS.log, _COLUMNS.what).in_(wanted), live)
        with faults_as_unavailable(), self._database.connect() as connection:
            rows = connection.execute(asked).all() if wanted else ()
        return {(row.log, row.what): Claim(row.by, datetime.fromisoformat(row.since)) for row in rows}


def _take(connection: Connection, asked: dict[str, object]) -> UpdateBase:
    """Take what nobody has or what is one's own, and return since when; nothing is returned of what another has."""
    now = datetime.now(UTC)
    put = insert_or_update(connection, schema.claims)
    new, own = put.excluded, _COLUMNS.by == put.excluded.by
    ended = _COLUMNS.seen_at <= _ended_before(now)
    return (
        put.values(**asked, since=timestamp(now), seen_at=timestamp(now))
        .on_conflict_do_update(
            index_elements=["log", "what"],
            set_={
                "by": new.by,
                "seen_at": new.seen_at,
                "since": case((and_(own, not_(ended)), _COLUMNS.since), else_=new.since),
            },
            where=or_(own, ended),
        )
        .returning(_COLUMNS.since)
    )


def _ended_before(now: datetime) -> str:
    """Of what shows no sign of life since then nobody has a claim any more."""
    return timestamp(now - timedelta(seconds=LASTS_S))
