"""Runs and their rounds in the floor's PostgreSQL database: each round gets one result, whatever workers do.

A taken round is hidden from other workers for ``patience_s``. A worker that has not reported by then has lost it: the
round is taken again, under a new token, and only the newest token counts. A round that was taken before is taken alone,
so that one which crashes workers fails without its neighbours.
"""

from __future__ import annotations

import json
import logging
import os
import random
import socket
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from sqlalchemy import column, func, insert, inspect, select, table, text, update

from rereading.again import Basis, nothing_read
from rereading.pictures import UnavailableError, Why
from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.entries import Entry, RecordUnavailableError
from vision.networks.model_card import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection, Engine

    from rereading.again import Again, RoundAgain

_log = logging.getLogger(__name__)

BY_RULES: Final = 50
"""Rounds taken together where only rules are applied, about a millisecond each."""
BY_PICTURES: Final = 2
"""The same where pictures are read, some tenths of a second each."""
_POLL_S: Final = 0.5
_DATABASE_AWAY_S: Final = 5.0
_LONGEST_PAUSE_S: Final = 60.0
_WORKER_ENDED: Final = "the worker ended or took too long"

_CREATE: Final = """
CREATE TABLE IF NOT EXISTS rereading_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    by text NOT NULL, reason text NOT NULL, basis text NOT NULL,
    patience_s double precision NOT NULL, most_tries integer NOT NULL,
    stopped_at timestamptz
);
CREATE TABLE IF NOT EXISTS rereading_rounds (
    run bigint NOT NULL REFERENCES rereading_runs,
    position bigint NOT NULL, -- of the revision in record_entries
    floor_table text NOT NULL, round text NOT NULL, number text, opened_at text,
    state text NOT NULL DEFAULT 'waiting', -- then taken, then done or failed
    tries integer NOT NULL DEFAULT 0, not_before timestamptz NOT NULL DEFAULT now(), token text, worker text,
    failures text NOT NULL DEFAULT '[]', outcome text, result text,
    PRIMARY KEY (run, position)
);
CREATE INDEX IF NOT EXISTS ix_rereading_due ON rereading_rounds (run, position) WHERE state IN ('waiting', 'taken')
"""
_RUN: Final = ("id", "started_at", "by", "reason", "basis", "patience_s", "most_tries", "stopped_at")
_ROUND: Final = ("run", "position", "floor_table", "round", "number", "opened_at", "state", "failures")
RUNS: Final = table("rereading_runs", *map(column, _RUN))
ROUNDS: Final = table("rereading_rounds", *map(column, (*_ROUND, "outcome", "result")))
_CHOOSE: Final = text(
    "INSERT INTO rereading_rounds (run, position, floor_table, round, number, opened_at) "
    "SELECT * FROM (SELECT CAST(:run AS bigint) AS run, newest.position, name, round, "
    "body::json ->> 'number' AS number, body::json ->> 'opened_at' AS opened_at "
    "FROM (SELECT DISTINCT ON (log, round) log, round, position, body FROM record_entries "
    "WHERE gone IS NULL AND kind IN ('round', 'review') ORDER BY log, round, position DESC) AS newest "
    "JOIN logs ON logs.id = newest.log) AS chosen "
    "WHERE (CAST(:tables AS text[]) IS NULL OR name = ANY(CAST(:tables AS text[]))) "
    "AND (CAST(:since AS text) IS NULL OR opened_at >= CAST(:since AS text)) "
    "AND (CAST(:until AS text) IS NULL OR opened_at < CAST(:until AS text))"
)
_GIVE_UP: Final = text("""
UPDATE rereading_rounds
SET state = 'failed', failures = (failures::jsonb || jsonb_build_array(worker || ': ' || CAST(:why AS text)))::text
WHERE run = :run AND state = 'taken' AND not_before <= now() AND tries >= :most
""")
_TAKE: Final = text("""
WITH due AS MATERIALIZED ( -- otherwise it may run once for each row, and take more than its limit
    SELECT position FROM rereading_rounds
    WHERE run = :run AND state IN ('waiting', 'taken') AND not_before <= now() AND (tries > 0) = :again
    ORDER BY position LIMIT :most FOR UPDATE SKIP LOCKED
)
UPDATE rereading_rounds SET
    failures = CASE WHEN state = 'taken'
        THEN (failures::jsonb || jsonb_build_array(worker || ': ' || CAST(:why AS text)))::text ELSE failures END,
    state = 'taken', tries = tries + 1, token = :token, worker = :worker,
    not_before = now() + make_interval(secs => :patience)
WHERE run = :run AND position IN (SELECT position FROM due) RETURNING round, position, tries
""")
_DONE: Final = text("""
UPDATE rereading_rounds AS done SET state = 'done', outcome = given.outcome, result = given.result
FROM json_to_recordset(CAST(:rows AS json)) AS given(position bigint, outcome text, result text)
WHERE run = :run AND done.position = given.position AND token = :token AND state = 'taken'
""")
_FAILED: Final = text("""
UPDATE rereading_rounds SET
    state = CASE WHEN tries >= :most THEN 'failed' ELSE 'waiting' END, token = NULL,
    not_before = now() + make_interval(secs => least(:longest, power(2, tries))),
    failures = (failures::jsonb || jsonb_build_array(worker || ': ' || CAST(:why AS text)))::text
WHERE run = :run AND position = :position AND token = :token AND state = 'taken'
""")
_LEFT: Final = text(
    "SELECT EXISTS (SELECT FROM rereading_rounds WHERE run = :run AND state IN ('waiting', 'taken')) "
    "AND NOT EXISTS (SELECT FROM rereading_runs WHERE id = :run AND stopped_at IS NOT NULL)"
)


class NoRoundsError(ValueError):
    """A run was to be started over no rounds."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run; ``states`` and ``outcomes`` count its rounds."""

    id: int
    started_at: datetime
    by: str
    reason: str
    basis: Basis
    patience_s: float
    most_tries: int
    stopped_at: datetime | None
    states: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        return sum(self.states.values())

    @property
    def left(self) -> int:
        """How many rounds workers will still read."""
        return 0 if self.stopped_at is not None else self.states.get("waiting", 0) + self.states.get("taken", 0)


@contextmanager
def _transaction(database: Engine) -> Iterator[Connection]:
    with faults_as_unavailable(), database.begin() as connection:
        yield connection


def start(
    database: Engine,
    basis: Basis,
    *,
    by: str,
    reason: str,
    tables: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    patience_s: float = 120.0,
    most_tries: int = 3,
) -> int:
    """Start a run over the newest revision of each round; returns its number. RecordUnavailableError, NoRoundsError.

    ``since`` and ``until`` (UTC) limit when rounds started; without ``tables`` rounds of all tables are read.
    """
    first, end = (None if at is None else f"{at:%Y-%m-%dT%H:%M:%S}" for at in (since, until))
    values = {"by": by, "reason": reason, "basis": basis.model_dump_json()}
    limits = {"patience_s": patience_s, "most_tries": most_tries}
    with _transaction(database) as connection:
        for statement in _CREATE.split(";"):
            connection.execute(text(statement))
        number = int(connection.execute(insert(RUNS).values(**values, **limits).returning(RUNS.c.id)).scalar_one())
        chosen = {"run": number, "tables": list(tables) or None, "since": first, "until": end}
        if not connection.execute(_CHOOSE, chosen).rowcount:
            raise NoRoundsError("there are no rounds of these tables at that time")
    return number


def stop(database: Engine, number: int) -> bool:
    """Have workers take no more rounds of a run; False if it was stopped before. RecordUnavailableError."""
    with _transaction(database) as connection:
        running = update(RUNS).where(RUNS.c.id == number, RUNS.c.stopped_at.is_(None))
        return bool(connection.execute(running.values(stopped_at=datetime.now(UTC))).rowcount)


def find(database: Engine, number: int | None = None) -> Run | None:
    """A run, or the newest; None if it does not exist. RecordUnavailableError."""
    with _transaction(database) as connection:
        if not inspect(connection).has_table(RUNS.name):
            return None
        query = select(RUNS) if number is None else select(RUNS).where(RUNS.c.id == number)
        row = connection.execute(query.order_by(RUNS.c.id.desc()).limit(1)).first()
        if row is None:
            return None
        count = select(ROUNDS.c.state, ROUNDS.c.outcome, func.count().label("rounds")).where(ROUNDS.c.run == row.id)
        counted = connection.execute(count.group_by(ROUNDS.c.state, ROUNDS.c.outcome)).all()
    states, outcomes = dict[str, int](), dict[str, int]()
    for each in counted:
        states[each.state] = states.get(each.state, 0) + each.rounds
        if each.outcome is not None:
            outcomes[each.outcome] = each.rounds
    about = (row.id, row.started_at, row.by, row.reason, Basis.model_validate_json(row.basis))
    return Run(*about, row.patience_s, row.most_tries, row.stopped_at, states, outcomes)


@dataclass(frozen=True, slots=True)
class Job:
    """A round that a worker has taken; ``tries`` counts this time too."""

    round: str
    position: int
    tries: int


@dataclass(frozen=True, slots=True)
class Jobs:
    """The rounds of a run, for one worker; every method may raise RecordUnavailableError."""

    database: Engine
    run: Run
    worker: str
    at_once: int

    def take(self) -> tuple[str, tuple[Job, ...]]:
        """Take the next rounds, with the token to report them by; none if none is due."""
        token = uuid4().hex
        values = {"run": self.run.id, "token": token, "worker": self.worker, "patience": self.run.patience_s}
        values["why"] = _WORKER_ENDED
        with _transaction(self.database) as connection:
            if not connection.execute(_LEFT, {"run": self.run.id}).scalar():
                return token, ()
            connection.execute(_GIVE_UP, {"run": self.run.id, "most": self.run.most_tries, "why": _WORKER_ENDED})
            rows = connection.execute(_TAKE, {**values, "again": False, "most": self.at_once}).all()
            rows = rows or connection.execute(_TAKE, {**values, "again": True, "most": 1}).all()
        return token, tuple(sorted((Job(*row) for row in rows), key=lambda job: job.position))

    def done(self, token: str, results: Sequence[tuple[Job, RoundAgain]]) -> int:
        """Report results; returns how many count, because others may have been taken away meanwhile."""
        rows = [
            {"position": job.position, "outcome": again.outcome, "result": again.model_dump_json()}
            for job, again in results
        ]
        with _transaction(self.database) as connection:
            values = {"run": self.run.id, "token": token, "rows": json.dumps(rows)}
            return int(connection.execute(_DONE, values).rowcount)

    def failed(self, token: str, job: Job, why: str) -> None:
        """Report that reading a round failed: it is retried later, or counts as failed after the last try."""
        values = {"run": self.run.id, "position": job.position, "token": token, "why": why[:500]}
        values |= {"most": self.run.most_tries, "longest": _LONGEST_PAUSE_S}
        with _transaction(self.database) as connection:
            connection.execute(_FAILED, values)

    def left(self) -> bool:
        """Whether any round remains to be read, by this worker or another."""
        with _transaction(self.database) as connection:
            return bool(connection.execute(_LEFT, {"run": self.run.id}).scalar())


@dataclass(slots=True)
class Worker:
    """Reads rounds of one run until none is left."""

    database: Engine
    run: Run
    again: Again
    name: str = field(default_factory=lambda: f"{socket.gethostname()} process {os.getpid()}"[:100])

    def work(self) -> int:
        """Work until no round is left; returns how many this worker has done. ModelError.

        While the database cannot be reached it waits.
        """
        jobs = Jobs(self.database, self.run, self.name, BY_RULES if self.again.pictures is None else BY_PICTURES)
        done = 0
        while True:
            try:
                token, taken = jobs.take()
                if taken:
                    done += self._read_all(jobs, token, taken)
                elif not jobs.left():
                    return done
                else:
                    time.sleep(_POLL_S * random.uniform(0.5, 1.0))  # noqa: S311  no secret
            except RecordUnavailableError as error:
                _log.warning("waiting for the database: %s", error)
                time.sleep(_DATABASE_AWAY_S)

    def _read_all(self, jobs: Jobs, token: str, taken: Sequence[Job]) -> int:
        entries = self._entries([job.position for job in taken])
        results: list[tuple[Job, RoundAgain]] = []
        for job in taken:
            try:
                results.append((job, self._read(job, *entries[job.position])))
            except (RecordUnavailableError, ModelError):
                raise
            except UnavailableError as error:
                jobs.failed(token, job, str(error))
            except Exception as error:  # noqa: BLE001  the other rounds must be read whatever is wrong with this one
                _log.exception("round %s cannot be re-read", job.round)
                jobs.failed(token, job, f"{type(error).__name__}: {error}")
        return jobs.done(token, results)

    def _read(self, job: Job, log: int, gone: str | None, entry: Entry) -> RoundAgain:
        if gone is not None:
            return nothing_read(Why.ENTRY_GONE)
        settings = {} if self.again.pictures is None else self._settings(log, entry.seq)
        return self.again.read(entry, settings, last_try=job.tries >= self.run.most_tries)

    def _entries(self, positions: Sequence[int]) -> dict[int, tuple[int, str | None, Entry]]:
        columns = schema.entries.c
        about = (columns.position, columns.log, columns.gone)
        query = select(*about, *(columns[name].label(f"entry_{name}") for name in schema.ENTRY))
        with _transaction(self.database) as connection:
            rows = connection.execute(query.where(columns.position.in_(positions))).all()
        return {position: (log, gone, Entry(*entry)) for position, log, gone, *entry in rows}

    def _settings(self, log: int, seq: int) -> dict[str, Any]:
        """The settings of a table when it recorded an entry; empty if it had recorded none."""
        columns = schema.entries.c
        of_table = (columns.log == log, columns.gone.is_(None), columns.kind == "config", columns.seq <= seq)
        with _transaction(self.database) as connection:
            newest = select(columns.body).where(*of_table).order_by(columns.seq.desc()).limit(1)
            body = connection.execute(newest).scalar()
        found = {} if body is None else json.loads(body).get("settings")
        return found if isinstance(found, dict) else {}
