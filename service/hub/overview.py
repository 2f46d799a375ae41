"""The overview of all tables: state, alarms, newest round and figures of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypedDict

from sqlalchemy import Text, and_, bindparam, func, select

from service.hub.table_figures import FIGURES, figures_of, moments
from service.hub.table_states import State
from service.record.projections.alarms import KINDS
from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.schema import OWN_LOG

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection, Engine, Label, Row, ScalarSelect

    from service.hub.table_figures import FigureValue
    from service.hub.table_states import TableNow
    from service.record.health import TableStatus
    from service.system.remote_settings import RemoteTableConfig
    from service.system.settings import Config
    from service.system.subscriber_settings import AlarmKind
    from service.system.table_settings import LocalTableConfig
    from vision.findings import Finding

WORST_FIRST: Final = tuple(State)
NO_PIT: Final = "-"
"""Stands for the pit of tables that are in none."""
_RANK: Final = {state: rank for rank, state in enumerate(WORST_FIRST)}
_BY_ALARMS: Final = frozenset({State.ALARM, State.LOOK, State.WELL})
"""States by alarms, which this service knows before the next report of a remote table."""


@dataclass(frozen=True, slots=True)
class LastRound:
    """The newest round of a table; ``boxes``: the numbers of those with hands."""

    id: str
    number: int
    opened_at: datetime
    state: str
    status: str
    verdict: str
    dealer: str | None = None
    boxes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A table, local or remote.

    Attributes:
        name: its name in this service.
        pit: name of its pit; None if it is in none.
        since: since when it is in this state, UTC; of an unreachable table, its last contact.
        unanswered: number of open alarms, by kind, most severe first.
        figures: values of `FIGURES` by name.
        round: its newest round; None before the first.
        house_hand: the last House hand that is sure, as LOW / HIGH; empty before the first.
        recorded_at: when a remote table recorded its newest entry, or a local one its newest round, by its own clock.
        local: status by its own checks; None if it is remote.
        remote: state of a remote table; None if it is local.
        url: of a remote table's own service.
    """

    name: str
    title: str
    pit: str | None
    state: State
    since: datetime
    unanswered: Mapping[AlarmKind, int]
    figures: Mapping[str, FigureValue]
    round: LastRound | None
    recorded_at: datetime | None
    local: TableStatus | None = None
    remote: TableNow | None = None
    url: str | None = None
    house_hand: str = ""

    @property
    def why(self) -> Finding | None:
        """Why it is refused or unreachable; None if it is neither."""
        return None if self.remote is None else self.remote.why

    @property
    def alarms(self) -> int:
        """Number of open alarms."""
        return sum(self.unanswered.values())

    @property
    def waiting(self) -> int:
        """Number of rounds to review."""
        return to_review(self.figures)


def to_review(figures: Mapping[str, FigureValue]) -> int:
    """The number of rounds to review among the figures of a table."""
    value = figures["waiting"]
    return value if isinstance(value, int) else 0


@dataclass(frozen=True, slots=True)
class PitSummary:
    """A pit.

    Attributes:
        name: ``-`` for tables without a pit.
        states: number of tables by state, most severe first; without zeros.
    """

    name: str
    title: str
    tables: int
    states: Mapping[State, int]
    alarms: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Overview:
    """All tables, most severe first.

    Attributes:
        tables: in each state those with the most alarms first, then in the order of the settings.
        pits: in the order of the settings, without empty ones.
        states: number of tables by state, most severe first.
        unanswered: number of open alarms, by kind.
        waiting: number of rounds to review.
        outdated: the database cannot be read; rounds and alarms are as last known.
    """

    tables: tuple[TableSummary, ...]
    pits: tuple[PitSummary, ...]
    states: Mapping[State, int]
    unanswered: Mapping[AlarmKind, int]
    waiting: int
    outdated: bool
    by_name: Mapping[str, TableSummary] = field(default_factory=dict)

    def within(self, pits: Collection[str]) -> Overview:
        """The overview of some pits."""
        tables = tuple(each for each in self.tables if each.pit in pits)
        return _overview(tables, {each.name: each.title for each in self.pits}, outdated=self.outdated)

    def as_told(self) -> tuple[object, ...]:
        """The values to compare for changes."""
        return tuple((each.name, each.state, dict(each.unanswered), each.waiting, each.round) for each in self.tables)

    def of(self, pit: str | None, state: str | None) -> tuple[TableSummary, ...]:
        """The tables of a pit and of a state; the pit ``-`` has those without one."""
        return tuple(
            each
            for each in self.tables
            if (pit is None or (each.pit or NO_PIT) == pit) and (state is None or each.state == state)
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """Values from the store, by table name.

    Attributes:
        rows: newest round and figures.
        unanswered: number of open alarms, by kind.
    """

    rows: Mapping[str, Row[Any]] = field(default_factory=dict)
    unanswered: Mapping[str, Mapping[AlarmKind, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LocalNow:
    """Status and open alarms of a local table."""

    status: TableStatus
    unanswered: Mapping[AlarmKind, int]


@dataclass(slots=True)
class StatesSeen:
    """When the local tables entered their states."""

    _seen: dict[str, tuple[State, datetime]] = field(default_factory=dict)

    def since(self, name: str, state: State) -> datetime:
        """When a table entered this state."""
        before = self._seen.get(name)
        if before is None or before[0] is not state:
            before = self._seen[name] = state, datetime.now(UTC)
        return before[1]


def recorded_now(database: Engine, local: Iterable[str] = ()) -> Recorded:
    """Read the values of the remote tables, and of the named local ones; RecordUnavailableError."""
    with faults_as_unavailable(), database.connect() as connection:
        since = moments()
        rows = {row.name: row for row in connection.execute(_OF_REMOTE, since)}
        for name in local:
            if (row := connection.execute(_OF_LOCAL, {"of": name, **since}).first()) is not None:
                rows[name] = row
        return Recorded(rows, _counted_alarms(connection))


def overview_of(
    config: Config,
    states: Mapping[str, TableNow],
    recorded: Recorded,
    local: Mapping[str, LocalNow] | None = None,
    seen: StatesSeen | None = None,
    *,
    outdated: bool = False,
) -> Overview:
    """The overview of the tables in the settings.

    Args:
        config: the settings.
        states: of the remote tables, by name.
        recorded: values from the store.
        local: status of the local tables, by name.
        seen: when local tables entered their states.
        outdated: the database cannot be read; ``recorded`` is as last known.
    """
    seen = seen or StatesSeen()
    tables = [_local(each, (local or {})[each.name], recorded, seen) for each in config.local]
    tables += [_remote(each, states[each.name], recorded) for each in config.remote]
    tables.sort(key=lambda table: (_RANK[table.state], -table.alarms, -table.waiting))
    titles = {pit.name: pit.title for pit in config.pits} | {NO_PIT: ""}
    return _overview(tuple(tables), titles, outdated=outdated)


def _overview(tables: tuple[TableSummary, ...], titles: Mapping[str, str], *, outdated: bool) -> Overview:
    of_pit: defaultdict[str, list[TableSummary]] = defaultdict(list)
    for table in tables:
        of_pit[table.pit or NO_PIT].append(table)
    return Overview(
        tables=tables,
        pits=tuple(_pit(name, title, of_pit[name]) for name, title in titles.items() if of_pit[name]),
        states=_states(tables),
        unanswered=_sum(table.unanswered for table in tables),
        waiting=sum(table.waiting for table in tables),
        outdated=outdated,
        by_name={table.name: table for table in tables},
    )


_TABLES: Final = schema.logs.c
_ROUNDS: Final = schema.rounds.c
_BY_ROUND: Final = ("round", "number", "opened_at", "state", "status", "verdict", "dealer", "boxes")
_OTHER: Final = schema.rounds.alias("other")


def _newest(table: ColumnElement[str]) -> ScalarSelect[Any]:
    asked = select(_OTHER.c.round).where(_OTHER.c.log == _TABLES.id, _OTHER.c.table == table)
    return asked.order_by(_OTHER.c.opened_at.desc(), _OTHER.c.first.desc()).limit(1).scalar_subquery()


def _figures(table: ColumnElement[str]) -> Iterator[Label[Any]]:
    yield from (figure.query(_TABLES.id, table).label(figure.name) for figure in FIGURES)
    hands = select(_OTHER.c.house_hand).where(_OTHER.c.log == _TABLES.id, _OTHER.c.table == table)
    # The empty text is written into the statement: without it SQLite cannot see that a partial index will do.
    sure = hands.where(_OTHER.c.house_hand != schema.of_index(""))
    yield sure.order_by(_OTHER.c.opened_at.desc()).limit(1).scalar_subquery().label("house_hand")


_SHOWN: Final = tuple(_ROUNDS[name].label(f"round_{name}") for name in _BY_ROUND)
_OF_REMOTE: Final = (
    select(
        _TABLES.name,
        schema.followed.c.at.label("recorded_at"),
        *_figures(_TABLES.name),
        *_SHOWN,
    )
    .select_from(schema.logs)
    .join(schema.followed, schema.followed.c.log == _TABLES.id, isouter=True)
    .join(schema.rounds, and_(_ROUNDS.log == _TABLES.id, _ROUNDS.round == _newest(_TABLES.name)), isouter=True)
    .where(_TABLES.id != OWN_LOG)
)
_NAME: Final = bindparam("of", type_=Text)
_OF_LOCAL: Final = (
    select(_ROUNDS.changed_at.label("recorded_at"), *_figures(_NAME), *_SHOWN)
    .select_from(schema.logs)
    .join(schema.rounds, and_(_ROUNDS.log == _TABLES.id, _ROUNDS.round == _newest(_NAME)), isouter=True)
    .where(_TABLES.id == OWN_LOG)
)


def _counted_alarms(connection: Connection) -> dict[str, dict[AlarmKind, int]]:
    columns = schema.alarms.c
    asked = select(columns.table, columns.kind, func.count()).where(columns.answered_at.is_(None))
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for table, kind, alarms in connection.execute(asked.group_by(columns.table, columns.kind)):
        found[table][kind] = alarms
    return {name: {kind: of[kind] for kind in KINDS if kind in of} for name, of in found.items()}


def _remote(config: RemoteTableConfig, now: TableNow, recorded: Recorded) -> TableSummary:
    unanswered, found = recorded.unanswered.get(config.name, {}), _recorded(recorded.rows.get(config.name))
    waiting = to_review(found["figures"])
    level = None if now.report is None else now.report.level
    return TableSummary(
        name=config.name,
        title=config.title,
        pit=config.pit,
        state=_by_alarms(level, unanswered, waiting) if now.now in _BY_ALARMS else now.now,
        since=datetime.fromisoformat(now.since),
        unanswered=unanswered,
        remote=now,
        url=config.address,
        **found,
    )


def _local(config: LocalTableConfig, now: LocalNow, recorded: Recorded, seen: StatesSeen) -> TableSummary:
    found, level = _recorded(recorded.rows.get(config.name)), now.status.level
    waiting = to_review(found["figures"])
    state = State.CANNOT_VERIFY if level == "fault" else _by_alarms(level, now.unanswered, waiting)
    return TableSummary(
        name=config.name,
        title=config.title,
        pit=config.pit,
        state=state,
        since=seen.since(config.name, state),
        unanswered={kind: now.unanswered[kind] for kind in KINDS if kind in now.unanswered},
        local=now.status,
        **found,
    )


class _OfRecord(TypedDict):
    house_hand: str
    figures: Mapping[str, FigureValue]
    round: LastRound | None
    recorded_at: datetime | None


def _recorded(row: Row[Any] | None) -> _OfRecord:
    return {
        "house_hand": "" if row is None else row.house_hand or "",
        "figures": figures_of(row),
        "round": _last(row),
        "recorded_at": None if row is None or row.recorded_at is None else datetime.fromisoformat(row.recorded_at),
    }


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
        dealer=row.round_dealer,
        boxes=tuple(map(int, row.round_boxes)),
    )


def _by_alarms(level: str | None, unanswered: Mapping[AlarmKind, int], waiting: int) -> State:
    """The state of a table that can verify, by its alarms, rounds to review and the level of its checks."""
    if any(kind != "needs_review" for kind in unanswered):
        return State.ALARM
    return State.LOOK if unanswered or waiting or level == "attention" else State.WELL


def _pit(name: str, title: str, tables: list[TableSummary]) -> PitSummary:
    return PitSummary(
        name=name,
        title=title,
        tables=len(tables),
        states=_states(tables),
        alarms=sum(table.alarms for table in tables),
        waiting=sum(table.waiting for table in tables),
    )


def _states(tables: Iterable[TableSummary]) -> dict[State, int]:
    counted = Counter(table.state for table in tables)
    return {state: counted[state] for state in WORST_FIRST if counted[state]}


def _sum(each: Iterable[Mapping[AlarmKind, int]]) -> dict[AlarmKind, int]:
    together: Counter[AlarmKind] = Counter()
    for counts in each:
        together.update(counts)
    return {kind: together[kind] for kind in KINDS if together[kind]}
