"""Taking rounds of a run, and saying what came of them: each comes out once, whatever becomes of the workers.

A round that is taken is out of sight of other workers for a time (``patience_s`` of the run). Whoever has not said by
then what came of it has lost it: it is taken again, under another name, and only the newest name counts. One that was
taken before and not finished is taken alone, so that what ends a worker is set aside without its neighbours.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from sqlalchemy import text

from service.record.store.database import writing
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine

    from service.floor.reread.again import RoundAgain
    from service.floor.reread.runs import Run

_LONGEST_PAUSE_S: Final = 60.0
_WORKER_ENDED: Final = "the worker that had taken it ended, or took too long"

_ASIDE: Final = text(
    "UPDATE floor_reread_rounds SET state = 'aside', done_at = now(), "
    "failures = (failures::jsonb || jsonb_build_array(worker || ': ' || CAST(:why AS text)))::text "
    "WHERE run = :run AND state = 'taken' AND not_before <= now() AND tries >= :most"
)
_TAKE: Final = (
    # Materialized: within a plan of the update it may be run for each row, and then takes more than its limit.
    "WITH due AS MATERIALIZED (SELECT table_id, round FROM floor_reread_rounds WHERE run = :run "
    "AND state IN ('waiting', 'taken') AND not_before <= now() AND {tries} "
    "ORDER BY position LIMIT :most FOR UPDATE SKIP LOCKED) "
    "UPDATE floor_reread_rounds AS taken SET state = 'taken', tries = taken.tries + 1, taking = :taking, "
    "worker = :worker, not_before = now() + make_interval(secs => :patience), "
    "failures = CASE WHEN taken.state = 'taken' "
    "THEN (taken.failures::jsonb || jsonb_build_array(taken.worker || ': ' || CAST(:why AS text)))::text "
    "ELSE taken.failures END "
    "FROM due WHERE taken.run = :run AND taken.table_id = due.table_id AND taken.round = due.round "
    "RETURNING taken.table_id, taken.round, taken.position, taken.tries"
)
_FRESH: Final = text(_TAKE.format(tries="tries = 0"))
_AGAIN: Final = text(_TAKE.format(tries="tries > 0"))
_DONE: Final = text(
    "UPDATE floor_reread_rounds AS done SET state = 'done', taking = NULL, done_at = now(), "
    "outcome = came.outcome, result = came.result "
    "FROM json_to_recordset(CAST(:rows AS json)) AS came(table_id integer, round text, outcome text, result text) "
    "WHERE done.run = :run AND done.table_id = came.table_id AND done.round = came.round "
    "AND done.taking = :taking AND done.state = 'taken'"
)
_FAILED: Final = text(
    "UPDATE floor_reread_rounds SET state = CASE WHEN tries >= :most THEN 'aside' ELSE 'waiting' END, taking = NULL, "
    "done_at = CASE WHEN tries >= :most THEN now() END, "
    "not_before = now() + make_interval(secs => least(:longest, power(2, tries))), "
    "failures = (failures::jsonb || jsonb_build_array(worker || ': ' || CAST(:why AS text)))::text "
    "WHERE run = :run AND table_id = :table_id AND round = :round AND taking = :taking AND state = 'taken'"
)
_LEFT: Final = text(
    "SELECT EXISTS (SELECT FROM floor_reread_rounds WHERE run = :run AND state IN ('waiting', 'taken')) "
    "AND NOT EXISTS (SELECT FROM floor_rereadings WHERE id = :run AND stopped_at IS NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A round that a worker has taken.

    Attributes:
        table_id: number of its table in the store.
        round: its id.
        position: of the revision that is to be read.
        tries: how often it was taken, this time included.
    """

    table_id: int
    round: str
    position: int
    tries: int


@dataclass(frozen=True, slots=True)
class Jobs:
    """The rounds of a run, for one worker; every method may raise RecordUnavailableError.

    Attributes:
        worker: by which people know it.
        at_once: how many rounds it takes together.
    """

    database: Engine
    run: Run
    worker: str
    at_once: int

    def take(self) -> tuple[str, tuple[Taken, ...]]:
        """Take the next rounds; the name of this taking, and none if none is due."""
        taking = uuid4().hex
        about = {
            "run": self.run.id,
            "taking": taking,
            "worker": self.worker,
            "patience": self.run.patience_s,
            "why": _WORKER_ENDED,
        }
        with faults_as_unavailable(), writing(self.database) as connection:
            if not connection.execute(_LEFT, {"run": self.run.id}).scalar():
                return taking, ()
            connection.execute(_ASIDE, {"run": self.run.id, "most": self.run.most_tries, "why": _WORKER_ENDED})
            rows = connection.execute(_FRESH, {**about, "most": self.at_once}).all()
            rows = rows or connection.execute(_AGAIN, {**about, "most": 1}).all()
        found = (Taken(row.table_id, row.round, row.position, row.tries) for row in rows)
        return taking, tuple(sorted(found, key=lambda each: each.position))

    def done(self, taking: str, came: Sequence[tuple[Taken, RoundAgain]]) -> int:
        """Say what came of rounds; returns for how many this counts: others were taken away meanwhile."""
        rows = [_row(each, again) for each, again in came]
        with faults_as_unavailable(), writing(self.database) as connection:
            said = {"run": self.run.id, "taking": taking, "rows": json.dumps(rows)}
            return int(connection.execute(_DONE, said).rowcount)

    def failed(self, taking: str, taken: Taken, why: str) -> None:
        """Say that reading a round failed: it is tried again later, or set aside if it was tried often enough."""
        said = {
            "run": self.run.id,
            "table_id": taken.table_id,
            "round": taken.round,
            "taking": taking,
            "why": why[:500],
            "most": self.run.most_tries,
            "longest": _LONGEST_PAUSE_S,
        }
        with faults_as_unavailable(), writing(self.database) as connection:
            connection.execute(_FAILED, said)

    def left(self) -> bool:
        """Whether rounds are to be read yet, by this worker or another one."""
        with faults_as_unavailable(), self.database.connect() as connection:
            return bool(connection.execute(_LEFT, {"run": self.run.id}).scalar())


def _row(taken: Taken, again: RoundAgain) -> dict[str, Any]:
    return {
        "table_id": taken.table_id,
        "round": taken.round,
        "outcome": again.outcome,
        "result": again.model_dump_json(),
    }
