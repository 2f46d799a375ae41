"""The results of a run: CSV for a spreadsheet, and a summary for the terminal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import select, text

from rereading.again import RoundAgain
from rereading.jobs import ROUNDS
from rereading.pictures import Why
from service.record.store.database import faults_as_unavailable
from service.rounds.rounds_csv import csv_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from rereading.jobs import Run
    from rereading.pictures import Unread

_BATCH: Final = 500
_COLUMNS: Final = (
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
    "entered",
)
_DIFFERENT: Final = text(
    "SELECT each ->> 'what', each ->> 'by', count(DISTINCT position) FROM rereading_rounds, "
    "jsonb_array_elements(result::jsonb -> 'differences') AS each WHERE run = :run GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"
)
_UNREAD: Final = text(
    "SELECT each ->> 'code', count(DISTINCT position) FROM rereading_rounds, "
    "jsonb_array_elements(result::jsonb -> 'unread') AS each WHERE run = :run GROUP BY 1 ORDER BY 2 DESC, 1"
)
_REASONS: Final = {
    Why.ENTRY_INVALID: "this version cannot read the entry",
    Why.NOT_DECIDABLE: "it cannot be decided",
    Why.ENTRY_GONE: "the table's record was restored and no longer has the entry",
    Why.NO_PICTURES: "no picture was recorded with it",
    Why.NOT_SHOWN: "no picture of this part was recorded",
    Why.PICTURE_MISSING: "there is no copy of the picture, or it does not match its hash",
    Why.PICTURE_UNAVAILABLE: "the picture cannot be fetched now",
    Why.PICTURE_INVALID: "the picture cannot be read",
    Why.CALIBRATION_MISSING: "its calibration is not in the folder of --set-ups, or cannot be used",
    Why.ENROLMENT_MISSING: "its enrolment is not in the folder of --set-ups, or cannot be used",
    Why.DICE_MISSING: "the house's dice as they were enrolled are not in the folder of --set-ups, or cannot be used",
}


@dataclass(frozen=True, slots=True)
class Result:
    """A finished round of a run; if every attempt failed, ``again`` is missing and ``failures`` has the reasons."""

    table: str
    round: str
    number: str
    opened_at: str
    again: RoundAgain | None
    failures: tuple[str, ...]


def results(database: Engine, run: int) -> Iterator[Result]:
    """The finished rounds, oldest first, without holding them all; RecordUnavailableError."""
    after = 0
    query = (
        select(ROUNDS).where(ROUNDS.c.run == run, ROUNDS.c.state.in_(("done", "failed"))).order_by(ROUNDS.c.position)
    )
    while True:
        with faults_as_unavailable(), database.connect() as connection:
            rows = connection.execute(query.where(ROUNDS.c.position > after).limit(_BATCH)).all()
        for row in rows:
            again = None if row.result is None else RoundAgain.model_validate_json(row.result)
            about = (row.floor_table, row.round, row.number or "", row.opened_at or "")
            yield Result(*about, again, tuple(json.loads(row.failures)))
        if len(rows) < _BATCH:
            return
        after = rows[-1].position


def csv_lines(database: Engine, run: int) -> Iterator[str]:
    """A line for each difference and for each thing unread; one for a round that has neither."""
    yield csv_line(_COLUMNS)
    for each in results(database, run):
        about, again = (each.table, each.round, each.number, each.opened_at), each.again
        if again is None:
            yield csv_line((*about, "failed", "", "", "", "; ".join(each.failures), "", ""))
            continue
        for found in again.differences:
            values = map(_short, (found.recorded, found.now, found.entered))
            yield csv_line((*about, again.outcome, found.what, found.place or "", found.by, *values))
        for unread in again.unread:
            yield csv_line((*about, again.outcome, "unread", unread.place or "", "", reason(unread), "", ""))
        if not (again.differences or again.unread):
            yield csv_line((*about, again.outcome, "", "", "", "", "", ""))


def summary(database: Engine, run: Run) -> str:
    with faults_as_unavailable(), database.connect() as connection:
        different = connection.execute(_DIFFERENT, {"run": run.id}).all()
        unread = connection.execute(_UNREAD, {"run": run.id}).all()
    lines = [
        f"run {run.id}, started {run.started_at:%Y-%m-%dT%H:%MZ} by {run.by}: {run.reason}",
        *(f"  {name} {version}" for name, version in run.basis.versions.items()),
        f"  {progress(run)}",
        *(f"  {rounds:>6} rounds with a different {what} (by {by})" for what, by, rounds in different),
        *(f"  {rounds:>6} rounds with something unread: {_REASONS[Why(code)]}" for code, rounds in unread),
    ]
    return "\n".join(lines)


def progress(run: Run) -> str:
    done, failed = run.states.get("done", 0), run.states.get("failed", 0)
    counts = {"decided differently": run.outcomes.get("different", 0), "unread": run.outcomes.get("unread", 0)}
    counts["failed"] = failed
    parts = [f"{done} of {run.rounds} done", *(f"{count} {what}" for what, count in counts.items() if count)]
    return ", ".join((*parts, *(["stopped"] if run.stopped_at else [])))


def reason(unread: Unread) -> str:
    details = ", ".join(each for each in (unread.sha256, unread.details) if each)
    return _REASONS[unread.code] + (f" ({details})" if details else "")


def _short(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
