"""How all tables are now: one value for everybody who looks, made once for each change."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypedDict

from sqlalchemy import Text, and_, bindparam, func, select

from service.hub.collect.states import State
from service.record.projections.alarms import KINDS
from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.schema import OWN_LOG

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy import ColumnElement, Connection, Engine, Row, ScalarSelect

    from service.hub.collect.states import TableNow
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
"""States that follow from alarms, which are known sooner than a remote table is asked how it is."""


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
class TableSummary:
    """A table, local or remote.

    Attributes:
        name: its name in this service.
        pit: name of its pit; None if it is in none.
        since: since when it is in this state, UTC; where it cannot be reached, when it was last.
        unanswered: alarms that nobody answered, by kind, the worst first.
        waiting: rounds that wait for a person.
        round: its newest round; None before the first.
        recorded_at: when the newest entry of a remote table, or the newest round of a local one, was recorded, by its
            own clock.
        verified_hand_at: when a hand was last verified, by its own clock; None if none ever was.
        local: what its own checks say; None if it is remote.
        remote: what is known of a remote table by asking it; None if it is local.
        url: of a remote table's own service.
    """

    name: str
    title: str
    pit: str | None
    state: State
    since: datetime
    unanswered: Mapping[AlarmKind, int]
    waiting: int
    round: LastRound | None
    recorded_at: datetime | None
    verified_hand_at: datetime | None
    local: TableStatus | None = None
    remote: TableNow | None = None
    url: str | None = None

    @property
    def why(self) -> Finding | None:
        """Why it is refused or cannot be reached; None if it is neither."""
        return None if self.remote is None else self.remote.why

    @property
    def alarms(self) -> int:
        """How many alarms nobody answered."""
        return sum(self.unanswered.values())


@dataclass(frozen=True, slots=True)
class PitSummary:
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
class Overview:
    """All tables, the worst first.

    Attributes:
        tables: in each state those with the most alarms first, then as the settings list them.
        pits: as the settings list them; those without tables are left out.
        states: how many tables are in each state, the worst first.
        unanswered: alarms of all tables that nobody answered, by kind.
        waiting: rounds of all tables that wait for a person.
        outdated: the database cannot be read, and rounds and alarms are those that were known last.
    """

    tables: tuple[TableSummary, ...]
    pits: tuple[PitSummary, ...]
    states: Mapping[State, int]
    unanswered: Mapping[AlarmKind, int]
    waiting: int
    outdated: bool
    by_name: Mapping[str, TableSummary] = field(default_factory=dict)

    def within(self, pits: Collection[str]) -> Overview:
        """The same of the tables of some pits."""
        tables = tuple(each for each in self.tables if each.pit in pits)
        return _overview(tables, {each.name: each.title for each in self.pits}, outdated=self.outdated)

    def as_told(self) -> tuple[object, ...]:
        """What is told of the tables, to see whether anything changed."""
        return tuple((each.name, each.state, dict(each.unanswered), each.waiting, each.round) for each in self.tables)

    def of(self, pit: str | None, state: str | None) -> tuple[TableSummary, ...]:
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
        rows: its newest round and verified hand, of each table by name.
        unanswered: alarms that nobody answered, by table.
        waiting: rounds that wait for a person, by table.
    """

    rows: Mapping[str, Row[Any]] = field(default_factory=dict)
    unanswered: Mapping[str, Mapping[AlarmKind, int]] = field(default_factory=dict)
    waiting: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LocalNow:
    """How a local table is now: by its checks, and its alarms that nobody answered."""

    status: TableStatus
    unanswered: Mapping[AlarmKind, int]


@dataclass(slots=True)
class StatesSeen:
    """Since when each local table is seen in its state."""

    _seen: dict[str, tuple[State, datetime]] = field(default_factory=dict)

    def since(self, name: str, state: State) -> datetime:
        """Since when a table that is in this state now has been."""
        before = self._seen.get(name)
        if before is None or before[0] is not state:
            before = self._seen[name] = state, datetime.now(UTC)
        return before[1]


def recorded_now(database: Engine, local: Iterable[str] = ()) -> Recorded:
    """What remote tables, and local ones by their names, recorded up to now; RecordUnavailableError."""
    with faults_as_unavailable(), database.connect() as connection:
        rows = {row.name: row for row in connection.execute(_OF_REMOTE)}
        for name in local:
            if (row := connection.execute(_OF_LOCAL, {"of": name}).first()) is not None:
                rows[name] = row
        return Recorded(rows, _counted_alarms(connection), _counted_waiting(connection))


def overview_of(
    config: Config,
    states: Mapping[str, TableNow],
    recorded: Recorded,
    local: Mapping[str, LocalNow] | None = None,
    seen: StatesSeen | None = None,
    *,
    outdated: bool = False,
) -> Overview:
    """How the tables of the settings are.

    Args:
        config: the settings.
        states: how each remote table is, by name.
        recorded: what all tables recorded.
        local: how each local table is, by name.
        seen: since when local tables are so.
        outdated: the database cannot be read, and this is what they had recorded before.
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
_BY_ROUND: Final = ("round", "number", "opened_at", "state", "status", "verdict")
_OTHER: Final = schema.rounds.alias("other")
_VERIFIED: Final = schema.rounds.alias("of_verified")


def _newest(table: ColumnElement[str]) -> ScalarSelect[Any]:
    asked = select(_OTHER.c.round).where(_OTHER.c.table == table)
    return asked.order_by(_OTHER.c.opened_at.desc(), _OTHER.c.first.desc()).limit(1).scalar_subquery()


def _last_verified(table: ColumnElement[str]) -> ScalarSelect[Any]:
    at = _VERIFIED.c.verified_hand_at
    return select(func.max(at)).where(_VERIFIED.c.table == table, at.is_not(None)).scalar_subquery()


_SHOWN: Final = tuple(_ROUNDS[name].label(f"round_{name}") for name in _BY_ROUND)
_OF_REMOTE: Final = (
    select(
        _TABLES.name,
        schema.followed.c.at.label("recorded_at"),
        _last_verified(_TABLES.name).label("verified_hand_at"),
        *_SHOWN,
    )
    .select_from(schema.logs)
    .join(schema.followed, schema.followed.c.log == _TABLES.id, isouter=True)
    .join(schema.rounds, and_(_ROUNDS.log == _TABLES.id, _ROUNDS.round == _newest(_TABLES.name)), isouter=True)
)
_NAME: Final = bindparam("of", type_=Text)
_OF_LOCAL: Final = select(
    _ROUNDS.changed_at.label("recorded_at"), _last_verified(_NAME).label("verified_hand_at"), *_SHOWN
).where(_ROUNDS.log == OWN_LOG, _ROUNDS.round == _newest(_NAME))


def _counted_alarms(connection: Connection) -> dict[str, dict[AlarmKind, int]]:
    columns = schema.alarms.c
    asked = select(columns.table, columns.kind, func.count()).where(columns.answered_at.is_(None))
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for table, kind, alarms in connection.execute(asked.group_by(columns.table, columns.kind)):
        found[table][kind] = alarms
    return {name: {kind: of[kind] for kind in KINDS if kind in of} for name, of in found.items()}


def _counted_waiting(connection: Connection) -> dict[str, int]:
    waits = _ROUNDS.status == schema.of_index("needs_review")
    return Counter(connection.scalars(select(_ROUNDS.table).where(waits)))


def _remote(config: RemoteTableConfig, now: TableNow, recorded: Recorded) -> TableSummary:
    unanswered, waiting = recorded.unanswered.get(config.name, {}), recorded.waiting.get(config.name, 0)
    level = None if now.told is None else now.told.level
    return TableSummary(
        name=config.name,
        title=config.title,
        pit=config.pit,
        state=_by_alarms(level, unanswered, waiting) if now.now in _BY_ALARMS else now.now,
        since=datetime.fromisoformat(now.since),
        unanswered=unanswered,
        waiting=waiting,
        remote=now,
        url=config.address,
        **_recorded(recorded.rows.get(config.name)),
    )


def _local(config: LocalTableConfig, now: LocalNow, recorded: Recorded, seen: StatesSeen) -> TableSummary:
    waiting, level = recorded.waiting.get(config.name, 0), now.status.level
    state = State.CANNOT_VERIFY if level == "fault" else _by_alarms(level, now.unanswered, waiting)
    return TableSummary(
        name=config.name,
        title=config.title,
        pit=config.pit,
        state=state,
        since=seen.since(config.name, state),
        unanswered={kind: now.unanswered[kind] for kind in KINDS if kind in now.unanswered},
        waiting=waiting,
        local=now.status,
        **_recorded(recorded.rows.get(config.name)),
    )


class _OfRecord(TypedDict):
    round: LastRound | None
    recorded_at: datetime | None
    verified_hand_at: datetime | None


def _recorded(row: Row[Any] | None) -> _OfRecord:
    return {
        "round": _last(row),
        "recorded_at": None if row is None else _moment(row.recorded_at),
        "verified_hand_at": None if row is None else _moment(row.verified_hand_at),
    }


def _moment(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)


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
