"""The table of alarms held against the record: its entries are folded anew, and what comes out must be what is kept.

A version that makes other alarms of the same entries has to make the table anew in its migration.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from service.alarms import alarm_tables as tables
from service.alarms.fold import FOLDED, OF_AN_ENTRY, fold
from service.codes import RecordCode
from service.record.fresh import fresh_database
from service.record.store.database import reading
from service.record.store.faults import Fault
from service.record.store.storage_faults import faults_as_unavailable
from service.record.tables_beside import JudgedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection

    from service.alarms.alarm_tables import Shelf
    from service.record.store.database_reader import DatabaseReader

_log = logging.getLogger(__name__)

_BATCH: Final = 100


def compare_alarms(reader: DatabaseReader, pause: Callable[[], object] = lambda: None) -> JudgedRows:
    """Fold the entries anew and compare; ``pause`` is called after every few. RecordUnavailableError."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        through = connection.execute(select(tables.read.c.through)).scalar()
        there = alarm_rows(connection)
    if through is None:
        return JudgedRows(0, 0, (Fault.of(0, RecordCode.ALARMS_CHANGED, first=0),))
    differing = differing_alarms(there, folded(reader, through, pause))
    if not differing:
        return JudgedRows(len(there), 0)
    first = min(differing) // OF_AN_ENTRY
    return JudgedRows(len(there), 0, (Fault.of(0, RecordCode.ALARMS_CHANGED, first=first),))


def differing_alarms(there: Mapping[int, dict[str, Any]], made: Mapping[int, dict[str, Any]]) -> tuple[int, ...]:
    """The numbers of the alarms that are kept otherwise than they are made of the entries, in order."""
    return tuple(sorted(number for number in there.keys() | made.keys() if there.get(number) != made.get(number)))


def folded(
    reader: DatabaseReader, through: int, pause: Callable[[], object] = lambda: None
) -> dict[int, dict[str, Any]]:
    """The alarms computed from the entries up to one, by their numbers; RecordUnavailableError."""
    since = 0
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
            return alarm_rows(connection)
    finally:
        fresh.dispose()


def alarm_rows(connection: Connection, shelf: Shelf = tables.OWN) -> dict[int, dict[str, Any]]:
    """The alarms as they are kept, by their numbers."""
    asked = select(*(shelf.alarms.c[name] for name in tables.COLUMNS)).where(*shelf.own())
    found = (dict(row._mapping) for row in connection.execute(asked))  # noqa: SLF001
    return {row["number"]: {**row, "details": _details(row["details"])} for row in found}


def _details(written: object) -> object:
    try:
        return json.loads(str(written))
    except ValueError:
        return written
