"""Who has taken what on the floor: a person takes a round to decide or an alarm, and nobody else decides it meanwhile.

A claim ends when the person is done or lets go of it, or some minutes after the last sign of life. It is one statement
in the database, by the database's clock: of two who take the same at once, one has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select, text, tuple_

from service.floor.projections import schema
from service.record.store.database import writing
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Engine

LASTS_S: Final = 300
"""Without a sign of life."""
_LASTS: Final = f"interval '{LASTS_S} seconds'"
_TAKE: Final = text(
    "INSERT INTO floor_claims AS held (table_id, what, by, since, seen_at) "  # noqa: S608  constants of this file
    "VALUES (:table_id, :what, :by, clock_timestamp(), clock_timestamp()) "
    "ON CONFLICT (table_id, what) DO UPDATE SET by = excluded.by, seen_at = excluded.seen_at, "
    f"since = CASE WHEN held.by = excluded.by AND held.seen_at > excluded.seen_at - {_LASTS} "
    "THEN held.since ELSE excluded.since END "
    f"WHERE held.by = excluded.by OR held.seen_at <= excluded.seen_at - {_LASTS} "
    "RETURNING since"
)
_COLUMNS: Final = schema.claims.c
_LIVES: Final = text(f"seen_at > clock_timestamp() - {_LASTS}")


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
    """The claims of a floor; every method may raise RecordUnavailableError."""

    def __init__(self, database: Engine) -> None:
        self._database = database

    def take(self, table_id: int, what: str, by: str) -> Claim:
        """Take something, or give a sign of life of what one has; returns who has it now: oneself, or another."""
        asked = {"table_id": table_id, "what": what, "by": by}
        while True:
            with faults_as_unavailable(), writing(self._database) as connection:
                since = connection.execute(_TAKE, asked).scalar()
            if since is not None:
                return Claim(by, since)
            if (held := self.held([(table_id, what)]).get((table_id, what))) is not None:
                return held  # else it was let go of in this moment

    def release(self, table_id: int, what: str, by: str) -> bool:
        """Let go of something; whether one had it."""
        this = (_COLUMNS.table_id == table_id, _COLUMNS.what == what, _COLUMNS.by == by)
        with faults_as_unavailable(), writing(self._database) as connection:
            return connection.execute(delete(schema.claims).where(*this)).rowcount > 0

    def held(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Claim]:
        """Who has which of these now, by table and what it is called."""
        asked = select(schema.claims).where(tuple_(_COLUMNS.table_id, _COLUMNS.what).in_(wanted), _LIVES)
        with faults_as_unavailable(), self._database.connect() as connection:
            rows = connection.execute(asked).all() if wanted else ()
        return {(row.table_id, row.what): Claim(row.by, row.since) for row in rows}
