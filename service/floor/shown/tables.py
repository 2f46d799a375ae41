"""How all tables of a floor are now: one value for everybody who looks, made once for each change."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, func, select

from service.floor.collect.states import State
from service.projections import schema
from service.projections.alarm import KINDS
from service.record.store import log_tables as store
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy import Connection, Engine, Row

    from service.config.remote_settings import RemoteTableConfig
    from service.config.settings import Config
    from service.config.subscriber_settings import AlarmKind
    from service.floor.collect.states import TableNow
    from vision.findings import Finding

WORST_FIRST: Final = tuple(State)
NO_PIT: Final = "-"
"""Stands for the pit of tables that are in none."""
_RANK: Final = {state: rank for rank, state in enumerate(WORST_FIRST)}
_BY_ALARMS: Final = frozenset({State.ALARM, State.LOOK, State.WELL})
"""States that follow from alarms; the floor knows of those sooner than the table is asked how it is."""


@dataclass(frozen=True, slots=True)
class LastRound:
    """The newest round of a table, as it stands."""

    id: str
    number: int
    opened_at: datetime
    state: str
    status: str
    verdict: str


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table as the floor shows it.

    Attributes:
        name: its name on the floor.
        pit: name of its pit; None if it is in none.
        since: since when it is in this state, UTC; where it cannot be reached, when it was last.
        why: why it is refused or cannot be reached; None if it is neither.
        now: what else is known of it by asking it.
        unanswered: alarms that nobody answered, by kind, the worst first.
        waiting: rounds that wait for a person.
        round: its newest round; None before the first.
        recorded_at: when it recorded its newest entry that the floor has, by its own clock.
    """

    name: str
    title: str
    pit: str | None
    url: str | None
    state: State
    since: datetime
    why: Finding | None
    now: TableNow
    unanswered: Mapping[AlarmKind, int]
    waiting: int
    round: LastRound | None
    recorded_at: datetime | None

    @property
    def alarms(self) -> int:
        """How many alarms nobody answered."""
        return sum(self.unanswered.values())


@dataclass(frozen=True, slots=True)
class ShownPit:
    """A pit with how many of its tables are how.

    Attributes:
        name: ``-`` for tables that are in none.
        states: how many tables are in each state, the worst first; states of none are left out.
    """

    name: str
    title: str
    tables: int
    states: Mapping[State, int]
    alarms: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Floor:
    """All tables, the worst first.

    Attributes:
        tables: in each state those with the most alarms first, then as the settings list them.
        pits: as the settings list them; those without tables are left out.
        states: how many tables are in each state, the worst first.
        unanswered: alarms of all tables that nobody answered, by kind.
        waiting: rounds of all tables that wait for a person.
        outdated: the database cannot be read, and rounds and alarms are those that were known last.
    """

    tables: tuple[ShownTable, ...]
    pits: tuple[ShownPit, ...]
    states: Mapping[State, int]
    unanswered: Mapping[AlarmKind, int]
    waiting: int
    outdated: bool
    by_name: Mapping[str, ShownTable] = field(default_factory=dict)

    def within(self, pits: Collection[str]) -> Floor:
        """The same of the tables of some pits."""
        tables = tuple(each for each in self.tables if each.pit in pits)
        return _floor(tables, {each.name: each.title for each in self.pits}, outdated=self.outdated)

    def as_told(self) -> tuple[object, ...]:
        """What is told of the tables, to see whether anything changed."""
        return tuple((each.name, each.state, dict(each.unanswered), each.waiting, each.round) for each in self.tables)

    def of(self, pit: str | None, state: str | None) -> tuple[ShownTable, ...]:
        """The tables of a pit, of a state, or all; the pit ``-`` is none."""
        return tuple(
            each
            for each in self.tables
            if (pit is None or (each.pit or NO_PIT) == pit) and (state is None or each.state == state)
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the tables recorded, as far as it is told of all of them at once.

    Attributes:
        rows: of each table, by name.
        unanswered: alarms that nobody answered, by the table's number in the store.
        waiting: rounds that wait for a person, by that number.
    """

    rows: Mapping[str, Row[Any]] = field(default_factory=dict)
    unanswered: Mapping[int, Mapping[AlarmKind, int]] = field(default_factory=dict)
    waiting: Mapping[int, int] = field(default_factory=dict)


def recorded_now(database: Engine) -> Recorded:
    """What the tables recorded up to now; RecordUnavailableError."""
    with faults_as_unavailable(), database.connect() as connection:
        rows = {row.name: row for row in connection.execute(_ASKED)}
        return Recorded(rows, _counted_alarms(connection), _counted_waiting(connection))


def floor_of(config: Config, states: Mapping[str, TableNow], recorded: Recorded, *, outdated: bool = False) -> Floor:
    """How the tables of the settings are, by what each tells and by what was recorded.

    Args:
        config: the settings.
        states: how each table is, by name.
        recorded: what they recorded.
        outdated: that is not what they recorded up to now, for the database cannot be read.
    """
    tables = []
    for each in config.remote:
        row = recorded.rows.get(each.name)
        number = 0 if row is None else row.id
        unanswered, waiting = recorded.unanswered.get(number, {}), recorded.waiting.get(number, 0)
        tables.append(_shown(each, states[each.name], row, unanswered, waiting))
    tables.sort(key=lambda table: (_RANK[table.state], -table.alarms, -table.waiting))
    titles = {pit.name: pit.title for pit in config.pits} | {NO_PIT: ""}
    return _floor(tuple(tables), titles, outdated=outdated)


def _floor(tables: tuple[ShownTable, ...], titles: Mapping[str, str], *, outdated: bool) -> Floor:
    of_pit: defaultdict[str, list[ShownTable]] = defaultdict(list)
    for table in tables:
        of_pit[table.pit or NO_PIT].append(table)
    return Floor(
        tables=tables,
        pits=tuple(_pit(name, title, of_pit[name]) for name, title in titles.items() if of_pit[name]),
        states=_states(tables),
        unanswered=_sum(table.unanswered for table in tables),
        waiting=sum(table.waiting for table in tables),
        outdated=outdated,
        by_name={table.name: table for table in tables},
    )


_TABLES: Final = store.tables.c
_ROUNDS: Final = schema.rounds.c
_BY_ROUND: Final = ("round", "number", "opened_at", "state", "status", "verdict")
_OTHER: Final = schema.rounds.alias("other")
_NEWEST: Final = (
    select(_OTHER.c.round)
    .where(_OTHER.c.log == _TABLES.id, _OTHER.c.table == _TABLES.name)
    .order_by(_OTHER.c.opened_at.desc(), _OTHER.c.first.desc())
    .limit(1)
    .scalar_subquery()
)
_ASKED: Final = (
    select(
        _TABLES.id,
        _TABLES.name,
        schema.followed.c.at.label("recorded_at"),
        *(_ROUNDS[name].label(f"round_{name}") for name in _BY_ROUND),
    )
    .select_from(store.tables)
    .join(schema.followed, schema.followed.c.log == _TABLES.id, isouter=True)
    .join(schema.rounds, and_(_ROUNDS.log == _TABLES.id, _ROUNDS.round == _NEWEST), isouter=True)
)


def _counted_alarms(connection: Connection) -> dict[int, dict[AlarmKind, int]]:
    columns = schema.alarms.c
    asked = select(columns.log, columns.kind, func.count()).where(columns.answered_at.is_(None))
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for log, kind, alarms in connection.execute(asked.group_by(columns.log, columns.kind)):
        found[log][kind] = alarms
    return {number: {kind: of[kind] for kind in KINDS if kind in of} for number, of in found.items()}


def _counted_waiting(connection: Connection) -> dict[int, int]:
    waits = _ROUNDS.status == schema.of_index("needs_review")
    return Counter(connection.scalars(select(_ROUNDS.log).where(waits)))


def _shown(
    config: RemoteTableConfig,
    now: TableNow,
    row: Row[Any] | None,
    unanswered: Mapping[AlarmKind, int],
    waiting: int,
) -> ShownTable:
    recorded_at = None if row is None else row.recorded_at
    return ShownTable(
        name=config.name,
        title=config.title,
        pit=config.pit,
        url=config.address,
        state=_by_alarms(now, unanswered, waiting),
        since=datetime.fromisoformat(now.since),
        why=now.why,
        now=now,
        unanswered=unanswered,
        waiting=waiting,
        round=_last(row),
        recorded_at=None if recorded_at is None else datetime.fromisoformat(recorded_at),
    )


def _last(row: Row[Any] | None) -> LastRound | None:
    if row is None or row.round_round is None:
        return None
    return LastRound(
        id=row.round_round,
        number=row.round_number,
        opened_at=datetime.fromisoformat(row.round_opened_at),
        state=row.round_state,
        status=row.round_status,
        verdict=row.round_verdict,
    )


def _by_alarms(now: TableNow, unanswered: Mapping[AlarmKind, int], waiting: int) -> State:
    """The state by the alarms that the floor has now, where it follows from those."""
    if now.now not in _BY_ALARMS:
        return now.now
    if any(kind != "needs_review" for kind in unanswered):
        return State.ALARM
    look = now.told is not None and now.told.level == "attention"
    return State.LOOK if unanswered or waiting or look else State.WELL


def _pit(name: str, title: str, tables: list[ShownTable]) -> ShownPit:
    return ShownPit(
        name=name,
        title=title,
        tables=len(tables),
        states=_states(tables),
        alarms=sum(table.alarms for table in tables),
        waiting=sum(table.waiting for table in tables),
    )


def _states(tables: Iterable[ShownTable]) -> dict[State, int]:
    counted = Counter(table.state for table in tables)
    return {state: counted[state] for state in WORST_FIRST if counted[state]}


def _sum(each: Iterable[Mapping[AlarmKind, int]]) -> dict[AlarmKind, int]:
    together: Counter[AlarmKind] = Counter()
    for counts in each:
        together.update(counts)
    return {kind: together[kind] for kind in KINDS if together[kind]}
