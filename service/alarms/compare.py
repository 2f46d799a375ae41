"""The table of alarms held against the record: its entries are folded anew, and what comes out must be what is kept."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import inspect, select

from service.alarms import alarm_tables as tables
from service.alarms.fold import FOLDED, OF_AN_ENTRY, fold
from service.codes import RecordCode
from service.record.fresh import fresh_database
from service.record.store.database import reading
from service.record.store.faults import Fault
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from service.record.store.database_reader import DatabaseReader

_log = logging.getLogger(__name__)

_BATCH: Final = 100
_TOLD: Final = [
    tables.alarms.c[name]
    for name in tables.alarms.c.keys()  # noqa: SIM118  a collection of columns
    if name not in {"parts", "details"}
]
"""What is compared: how an alarm is worded and laid out in detail may differ from version to version."""


@dataclass(frozen=True, slots=True)
class ComparedAlarms:
    """The alarms of a record: how many are as its entries make them, or how many could not be compared."""

    as_recorded: int = 0
    not_covered: int = 0
    faults: tuple[Fault, ...] = ()


def compare_alarms(reader: DatabaseReader, pause: Callable[[], object] = lambda: None) -> ComparedAlarms:
    """Fold the entries anew and compare; ``pause`` is called after every few. RecordUnavailableError."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        if not inspect(connection).has_table("alarms_read") or "since" not in _columns(connection):
            return ComparedAlarms()
        kept = connection.execute(select(tables.read.c.through, tables.read.c.since)).first()
        there = _rows(connection)
    if kept is None:
        return ComparedAlarms(faults=(Fault.of(0, RecordCode.ALARMS_CHANGED, first=0),))
    if kept.since is None:
        return ComparedAlarms(not_covered=len(there))
    made = _folded(reader, kept.since, kept.through, pause)
    differing = [number for number in there.keys() | made.keys() if there.get(number) != made.get(number)]
    if not differing:
        return ComparedAlarms(as_recorded=len(there))
    first = min(differing) // OF_AN_ENTRY
    return ComparedAlarms(len(there), 0, (Fault.of(0, RecordCode.ALARMS_CHANGED, first=first),))


def _folded(reader: DatabaseReader, since: int, through: int, pause: Callable[[], object]) -> dict[int, dict[str, Any]]:
    fresh = fresh_database()
    try:
        with fresh.connect() as connection:
            while entries := reader.after(since, kinds=FOLDED, limit=_BATCH):
                for entry in (each for each in entries if each.seq <= through):
                    try:
                        fold(connection, entry)
                    except (KeyError, TypeError, ValueError):
                        _log.debug("entry %s tells of no alarm that this version can read", entry.seq)
                since = entries[-1].seq
                if since >= through:
                    break
                pause()
            return _rows(connection)
    finally:
        fresh.dispose()


def _rows(connection: Connection) -> dict[int, dict[str, Any]]:
    found = connection.execute(select(*_TOLD))
    return {row.number: dict(row._mapping) for row in found}  # noqa: SLF001


def _columns(connection: Connection) -> set[str]:
    return {each["name"] for each in inspect(connection).get_columns("alarms_read")}
