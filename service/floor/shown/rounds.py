"""Rounds of all tables: finding them, and those that wait for a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, select, tuple_

from service.floor.projections import schema
from service.floor.store import schema as store
from service.record.results import report_of
from service.record.round_search import LOOKED_AT_ONCE, PAGE, Wanted, fits
from service.record.store.chain import Entry, timestamp
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, Engine

    from service.rounds.reports import RoundReport

_BATCH: Final = 50
_CURSOR: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z)~([0-9]{1,18})", re.ASCII
)
_ROUNDS: Final = schema.rounds.c
_ENTRIES: Final = store.entries.c


@dataclass(frozen=True, slots=True)
class FloorRound:
    """A round of a table, as it stands now."""

    table: str
    log: int
    played: RoundReport


@dataclass(frozen=True, slots=True)
class FloorRounds:
    """Rounds, the newest first; where the next begin, if any; how far back was looked, if that cut it short."""

    rounds: tuple[FloorRound, ...]
    next: str | None = None
    looked_back_to: datetime | None = None


def find_on_floor(
    database: Engine,
    wanted: Wanted,
    tables: Sequence[str] | None = None,
    *,
    before: str | None = None,
    limit: int = PAGE,
) -> FloorRounds:
    """Find rounds of all tables, newest first.

    Args:
        database: of the floor.
        wanted: which of them.
        tables: names of tables that they may be of; all if left out.
        before: ``next`` of the page before.
        limit: the most rounds on a page.

    Raises:
        ValueError: ``before`` is no such place.
        RecordUnavailableError: the database cannot be read.
    """
    where = [*_filters(wanted), *(() if tables is None else (store.tables.c.name.in_(tables),))]
    found: list[FloorRound] = []
    place, looked_at = read_place(before), None
    with faults_as_unavailable(), database.connect() as connection:
        for looked, (at, each) in enumerate(_walk(connection, where, place)):
            if len(found) == limit:
                return FloorRounds(tuple(found), place_of(place))
            if looked == LOOKED_AT_ONCE:
                return FloorRounds(tuple(found), place_of(place), looked_at)
            place, looked_at = at, each.played.opened_at
            if fits(each.played, wanted):
                found.append(each)
    return FloorRounds(tuple(found))


def place_of(place: tuple[str, int] | None) -> str | None:
    """A place among the rounds, as an address has it."""
    return None if place is None else f"{place[0]}~{place[1]}"


def read_place(said: str | None) -> tuple[str, int] | None:
    """Read it back; ValueError if it is none."""
    if said is None:
        return None
    if (found := _CURSOR.fullmatch(said)) is None:
        raise ValueError(said)
    return found[1], int(found[2])


def _filters(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    if wanted.began is not None:
        yield _ROUNDS.opened_at >= timestamp(wanted.began.astimezone(UTC))
    if wanted.ended is not None:
        yield _ROUNDS.opened_at < timestamp(wanted.ended.astimezone(UTC))
    if wanted.status is not None:
        yield _ROUNDS.status == schema.of_index(wanted.status)
    if wanted.verdict is not None:
        yield _ROUNDS.verdict == wanted.verdict
    if wanted.number is not None:
        yield _ROUNDS.number == wanted.number
    if wanted.dealer is not None:
        yield _ROUNDS.dealer.is_not(None)  # the name itself is compared by `fits`, which knows more than ASCII


def _walk(
    connection: Connection, where: Sequence[ColumnElement[bool]], before: tuple[str, int] | None
) -> Iterator[tuple[tuple[str, int], FloorRound]]:
    """Rounds newest first, each with its place."""
    asked = (
        select(
            store.tables.c.name.label("of"),
            store.tables.c.id.label("of_id"),
            _ROUNDS.opened_at.label("place_at"),
            _ROUNDS.first,
            *(_ENTRIES[name].label(f"entry_{name}") for name in store.ENTRY),
        )
        .select_from(schema.rounds)
        .join(store.tables, store.tables.c.id == _ROUNDS.log)
        .join(store.entries, and_(_ENTRIES.position == _ROUNDS.position))
        .where(*where)
        .order_by(_ROUNDS.opened_at.desc(), _ROUNDS.first.desc())
        .limit(_BATCH)
    )
    place = tuple_(_ROUNDS.opened_at, _ROUNDS.first)
    while True:
        behind = asked if before is None else asked.where(place < before)
        rows: Sequence[Any] = connection.execute(behind).all()
        for name, log, opened_at, first, *of_entry in rows:
            before = (opened_at, first)
            yield before, FloorRound(name, log, report_of(Entry(*of_entry)))
        if len(rows) < _BATCH:
            return
