"""Claims: a person claims a round or an alarm, so that nobody else handles it at the same time.

A claim ends when the person is done or releases it, or some minutes after its last renewal. Claiming is one SQL
statement: of two simultaneous attempts, one succeeds.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from pydantic import Field
from sqlalchemy import and_, case, delete, not_, or_, select, tuple_

from service.record.store import schema
from service.record.store.database import faults_as_unavailable, insert_or_update
from service.record.store.entries import timestamp
from service.rounds.reports import FrozenModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, UpdateBase

    from service.record.store.record import Record

LASTS_S: Final = 300
"""Without renewal."""
_COLUMNS: Final = schema.claims.c


class Claim(FrozenModel):
    """A person's claim on a round or an alarm."""

    by: str = Field(description="the person")
    since: datetime = Field(description="start of the claim, UTC")


def of_round(round_id: str) -> str:
    """Key of a claim on a round."""
    return f"round {round_id}"


def of_alarm(number: int) -> str:
    """Key of a claim on an alarm, by its number at its table."""
    return f"alarm {number}"


class Claims:
    """The claims of a service, written like its record; every method may raise RecordUnavailableError."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def take(self, log: int, what: str, by: str) -> Claim:
        """Claim something, or renew one's claim; returns the current claim, which may be another person's."""
        asked = {"log": log, "what": what, "by": by}
        while True:
            since = self._record.write(lambda connection: connection.execute(_take(connection, asked)).scalar())
            if since is not None:
                return Claim(by=by, since=datetime.fromisoformat(since))
            if (held := self.held([(log, what)]).get((log, what))) is not None:
                return held  # otherwise it was released in between

    def release(self, log: int, what: str, by: str) -> bool:
        """Release one's claim; False if there was none."""
        this = (_COLUMNS.log == log, _COLUMNS.what == what, _COLUMNS.by == by)
        return self._record.write(
            lambda connection: connection.execute(delete(schema.claims).where(*this)).rowcount > 0
        )

    def held(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Claim]:
        """The current claims on these, by log and key."""
        live = _COLUMNS.seen_at > _ended_before(datetime.now(UTC))
        asked = select(schema.claims).where(tuple_(_COLUMNS.log, _COLUMNS.what).in_(wanted), live)
        with faults_as_unavailable(), self._record.database.connect() as connection:
            rows = connection.execute(asked).all() if wanted else ()
        return {(row.log, row.what): Claim(by=row.by, since=datetime.fromisoformat(row.since)) for row in rows}


def _take(connection: Connection, asked: dict[str, object]) -> UpdateBase:
    """A statement that claims or renews and returns the start of the claim; no row if another person has it."""
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
    """Claims that were last renewed before this time have expired."""
    return timestamp(now - timedelta(seconds=LASTS_S))
