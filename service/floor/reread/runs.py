"""Runs of reading again: begun over some rounds, looked at, stopped."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, literal, select, update

from service.floor.projections import schema as shown
from service.floor.reread import schema
from service.floor.reread.told import ReadAgainWith
from service.floor.store import schema as store
from service.record.store.chain import timestamp
from service.record.store.database import upgrade, writing
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine, Row

    from service.record.changes import Attribution

_RUNS = schema.runs.c
_ROUNDS = schema.rounds.c


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rounds are read again.

    Attributes:
        tables: names of tables; None for all.
        since: rounds that began then or later, UTC, as the store writes moments; None for all.
        until: rounds that began before then.
    """

    tables: tuple[str, ...] | None = None
    since: str | None = None
    until: str | None = None

    def json(self) -> dict[str, Any]:
        """As it is kept."""
        return {"tables": self.tables, "since": self.since, "until": self.until}


@dataclass(frozen=True, slots=True)
class Run:
    """A run.

    Attributes:
        id: its number.
        begun_at: when, UTC.
        by: who began it.
        reason: why.
        told: what is read again with.
        scope: which rounds were asked for.
        patience_s: so long a worker may take for what it took, before another one may.
        most_tries: so often a round is tried.
        stopped_at: when somebody stopped it; None if nobody did.
        states: how many of its rounds are in each state.
        outcomes: how many of those that are done came out how.
    """

    id: int
    begun_at: datetime
    by: str
    reason: str
    told: ReadAgainWith
    scope: dict[str, Any]
    patience_s: float
    most_tries: int
    stopped_at: datetime | None
    states: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """How many there are."""
        return sum(self.states.values())

    @property
    def left(self) -> int:
        """How many are to be read yet."""
        return 0 if self.stopped_at is not None else self.states.get("waiting", 0) + self.states.get("taken", 0)


def begin(
    database: Engine,
    told: ReadAgainWith,
    scope: Scope,
    because: Attribution,
    *,
    patience_s: float = 60.0,
    most_tries: int = 3,
) -> Run:
    """Begin a run over the rounds as they stand now; RecordUnavailableError.

    Args:
        database: of the floor.
        told: what they are read again with.
        scope: which rounds.
        because: who asks for it, and why.
        patience_s: so long a worker may take for what it took, before another one may.
        most_tries: so often a round is tried before it is set aside.
    """
    columns = shown.rounds.c
    asked = select(columns.table_id, columns.round, columns.position)
    asked = asked.join_from(shown.rounds, store.tables, store.tables.c.id == columns.table_id)
    if scope.tables is not None:
        asked = asked.where(store.tables.c.name.in_(scope.tables))
    if scope.since is not None:
        asked = asked.where(columns.opened_at >= scope.since)
    if scope.until is not None:
        asked = asked.where(columns.opened_at < scope.until)
    with faults_as_unavailable():
        upgrade(database, store.SCHEMA)
        with writing(database) as connection:
            values = {
                "begun_at": timestamp(),
                "by": because.by,
                "reason": because.reason,
                "told": told.model_dump_json(),
                "scope": json.dumps(scope.json()),
                "patience_s": patience_s,
                "most_tries": most_tries,
            }
            number = connection.execute(insert(schema.runs).values(values).returning(_RUNS.id)).scalar_one()
            found = asked.add_columns(literal(number)).subquery()
            names = ["table_id", "round", "position", "run"]
            connection.execute(insert(schema.rounds).from_select(names, select(found)))
    made = run_of(database, number)
    if made is None:
        raise LookupError(number)
    return made


def stop(database: Engine, number: int) -> bool:
    """Have no worker take any more of a run; whether there is one that goes on. RecordUnavailableError."""
    with faults_as_unavailable(), writing(database) as connection:
        changed = update(schema.runs).where(_RUNS.id == number, _RUNS.stopped_at.is_(None))
        return bool(connection.execute(changed.values(stopped_at=timestamp())).rowcount)


def runs(database: Engine, limit: int = 50) -> tuple[Run, ...]:
    """The runs, newest first. RecordUnavailableError."""
    with faults_as_unavailable(), database.connect() as connection:
        rows = connection.execute(select(schema.runs).order_by(_RUNS.id.desc()).limit(limit)).all()
        counted = _counted(connection.execute(_count([row.id for row in rows])).all())
    return tuple(_run(row, counted) for row in rows)


def run_of(database: Engine, number: int) -> Run | None:
    """A run by its number; RecordUnavailableError."""
    with faults_as_unavailable(), database.connect() as connection:
        row = connection.execute(select(schema.runs).where(_RUNS.id == number)).first()
        counted = _counted(connection.execute(_count([number])).all())
    return None if row is None else _run(row, counted)


def _count(numbers: Sequence[int]) -> Any:  # noqa: ANN401  a query
    about = (_ROUNDS.run, _ROUNDS.state, _ROUNDS.outcome)
    return select(*about, func.count().label("rounds")).where(_ROUNDS.run.in_(numbers)).group_by(*about)


def _counted(rows: Sequence[Row[Any]]) -> dict[int, tuple[dict[str, int], dict[str, int]]]:
    found: dict[int, tuple[dict[str, int], dict[str, int]]] = {}
    for row in rows:
        states, outcomes = found.setdefault(row.run, ({}, {}))
        states[row.state] = states.get(row.state, 0) + row.rounds
        if row.outcome is not None:
            outcomes[row.outcome] = outcomes.get(row.outcome, 0) + row.rounds
    return found


def _run(row: Row[Any], counted: dict[int, tuple[dict[str, int], dict[str, int]]]) -> Run:
    states, outcomes = counted.get(row.id, ({}, {}))
    told = ReadAgainWith.model_validate_json(row.told)
    begun_at = datetime.fromisoformat(row.begun_at)
    stopped_at = None if row.stopped_at is None else datetime.fromisoformat(row.stopped_at)
    about = (row.id, begun_at, row.by, row.reason, told, json.loads(row.scope))
    return Run(*about, row.patience_s, row.most_tries, stopped_at, states, outcomes)
