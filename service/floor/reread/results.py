"""What came of a run: how many rounds would be decided otherwise and in what, and which."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sqlalchemy import and_, select, text

from service.floor.projections import schema as shown
from service.floor.reread import schema
from service.floor.reread.again import RoundAgain
from service.floor.store import schema as store
from service.record.store.storage_faults import faults_as_unavailable
from service.rounds.rounds_csv import csv_line
from service.words.findings import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Engine

Which: TypeAlias = Literal["otherwise", "could_not", "partly", "aside", "same"]
"""Rounds that would be decided ``otherwise``, those that ``could_not`` be read, those of which only a part could
(``partly``), those set ``aside`` because reading them fails again and again, and those decided the ``same``."""
_ROUNDS: Final = schema.rounds.c
_PARTLY: Final = text("outcome <> 'could_not' AND result::jsonb -> 'unread' <> '[]'::jsonb")
_DIFFERING: Final = text(
    "SELECT each ->> 'what' AS what, each ->> 'by' AS by, count(DISTINCT (table_id, round)) AS rounds "
    "FROM floor_reread_rounds, jsonb_array_elements(result::jsonb -> 'differences') AS each "
    "WHERE run = :run AND outcome = 'otherwise' GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"
)
_UNREAD: Final = text(
    "SELECT each ->> 'code' AS code, count(DISTINCT (table_id, round)) AS rounds "
    "FROM floor_reread_rounds, jsonb_array_elements(result::jsonb -> 'unread') AS each "
    "WHERE run = :run AND outcome IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
)
_BATCH: Final = 500
COLUMNS: Final = (
    "table",
    "round",
    "number",
    "opened_at",
    "outcome",
    "what",
    "place",
    "by",
    "recorded",
    "now",
    "decided",
)


@dataclass(frozen=True, slots=True)
class Counted:
    """How many rounds differ in what, and of how many something could not be read.

    Attributes:
        differing: by what and by whether rules or pictures are read otherwise; a round may be in several.
        unread: by code.
        partly: rounds of which a part could be read and another part could not.
    """

    differing: tuple[tuple[str, str, int], ...]
    unread: tuple[tuple[str, int], ...]
    partly: int


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round of a run.

    Attributes:
        table: name of its table on the floor.
        round: its id.
        number: its number at its table; 0 if the floor shows it no more.
        opened_at: when it began, UTC; None if the floor shows it no more.
        position: of the revision that was read.
        state: ``done`` or ``aside``.
        again: what came of it; None if it is set aside.
        failures: why it could not be read, each time.
        worker: which one did it.
    """

    table: str
    round: str
    number: int
    opened_at: datetime | None
    position: int
    state: str
    again: RoundAgain | None
    failures: tuple[str, ...]
    worker: str

    @property
    def outcome(self) -> str:
        """In a word."""
        return self.state if self.again is None else self.again.outcome


def count(database: Engine, run: int) -> Counted:
    """Count what came of a run so far; RecordUnavailableError."""
    with faults_as_unavailable(), database.connect() as connection:
        differing = connection.execute(_DIFFERING, {"run": run}).all()
        unread = connection.execute(_UNREAD, {"run": run}).all()
        partly = connection.execute(
            select(text("count(*)")).select_from(schema.rounds).where(_ROUNDS.run == run, _PARTLY)
        )
        return Counted(
            tuple((row.what, row.by, row.rounds) for row in differing),
            tuple((row.code, row.rounds) for row in unread),
            int(partly.scalar_one()),
        )


def page(
    database: Engine, run: int, which: Which | None = None, *, after: int = 0, limit: int = 50
) -> tuple[RoundResult, ...]:
    """Rounds of a run that are done, in the order in which the floor took them; RecordUnavailableError.

    Args:
        database: of the floor.
        run: number of the run.
        which: only these; all if left out.
        after: position of the last one of the page before.
        limit: the most on a page.
    """
    asked = (
        select(schema.rounds, store.tables.c.name, shown.rounds.c.number, shown.rounds.c.opened_at)
        .join_from(schema.rounds, store.tables, store.tables.c.id == _ROUNDS.table_id)
        .join(
            shown.rounds,
            and_(shown.rounds.c.table_id == _ROUNDS.table_id, shown.rounds.c.round == _ROUNDS.round),
            isouter=True,
        )
        .where(_ROUNDS.run == run, _ROUNDS.position > after)
    )
    if which == "partly":
        asked = asked.where(_PARTLY)
    elif which == "aside":
        asked = asked.where(_ROUNDS.state == "aside")
    elif which is not None:
        asked = asked.where(_ROUNDS.outcome == which)
    else:
        asked = asked.where(_ROUNDS.state.in_(("done", "aside")))
    with faults_as_unavailable(), database.connect() as connection:
        rows = connection.execute(asked.order_by(_ROUNDS.position).limit(limit)).all()
    return tuple(
        RoundResult(
            row.name,
            row.round,
            row.number or 0,
            None if row.opened_at is None else datetime.fromisoformat(row.opened_at),
            row.position,
            row.state,
            None if row.result is None else RoundAgain.model_validate_json(row.result),
            tuple(json.loads(row.failures)),
            row.worker or "",
        )
        for row in rows
    )


def all_of(database: Engine, run: int, which: Which | None = None) -> Iterator[RoundResult]:
    """The same without pages, and without holding all; RecordUnavailableError."""
    after = 0
    while found := page(database, run, which, after=after, limit=_BATCH):
        yield from found
        after = found[-1].position


def as_csv(rounds: Iterable[RoundResult]) -> Iterator[str]:
    """The results as a table for a spreadsheet: a line for each difference, and for each reason that one is unread."""
    yield csv_line(COLUMNS)
    for each in rounds:
        opened_at = "" if each.opened_at is None else each.opened_at.isoformat()
        about = (each.table, each.round, each.number, opened_at, each.outcome)
        again = each.again
        for found in () if again is None else again.differences:
            values = (found.recorded, found.now, found.decided)
            yield csv_line((*about, found.what, found.place or "", found.by, *map(_short, values)))
        for unread in () if again is None else again.unread:
            said = str(words_of(unread))
            yield csv_line((*about, "unread", unread.params.get("place", ""), "", said, "", ""))
        if again is None:
            yield csv_line((*about, "failed", "", "", "; ".join(each.failures), "", ""))
        elif again.outcome == "same" and not again.unread:
            yield csv_line((*about, "", "", "", "", "", ""))


def _short(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
