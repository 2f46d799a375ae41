"""Check the tables beside the chain against the entries; and the database that holds them all."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import column, func, inspect, or_, select, text

from service.record.fresh import fresh_database
from service.record.store import record_tables as tables
from service.record.store.beside import REPLIES
from service.record.store.database import reading
from service.record.store.faults import Fault
from service.record.store.storage_faults import faults_as_unavailable
from service.record.walk import RowsOfEntry
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.record.store.beside import Covered, Expected
    from service.record.store.database_reader import DatabaseReader

_OF_ENTRIES: Final = {
    "record_pictures": (tables.pictures_of_all.c.position, tables.entries_of_all.c.position),
    "record_replies": (tables.replies.c.seq, tables.entries.c.seq),
}
"""Columns of tables beside the entries, each with the column of the entries that it names."""


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """Rows of a table: how many are as the record has them, and what is wrong."""

    as_recorded: int
    faults: tuple[Fault, ...] = ()


def rows_between(reader: DatabaseReader, first: int, last: int) -> defaultdict[int, RowsOfEntry]:
    """The rows that the tables have of entries, by their numbers; RecordUnavailableError."""
    pictures: defaultdict[int, set[tuple[str, int, str]]] = defaultdict(set)
    replies: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    with faults_as_unavailable(), reading(reader.database) as connection:
        for row in connection.execute(select(tables.pictures).where(tables.pictures.c.seq.between(first, last))):
            pictures[row.seq].add((row.sha256, row.bytes, row.media_type))
        for reply in REPLIES.rows(connection, column("seq").between(first, last)):
            replies[reply["seq"]].append(reply)
    found: defaultdict[int, RowsOfEntry] = defaultdict(RowsOfEntry)
    for seq in pictures.keys() | replies.keys():
        found[seq] = RowsOfEntry(frozenset(pictures[seq]), tuple(replies[seq]))
    return found


def judged_rows(reader: DatabaseReader, covered: Covered, expected: Expected) -> JudgedRows:
    """Hold the rows of a table against what the entries said of them; RecordUnavailableError."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        there = inspect(connection).has_table(covered.table)
        rows = {covered.name_of(row): row for row in covered.rows(connection)} if there else {}
    faults = {name: expected.fault_of(covered, row) for name, row in rows.items()}
    well = sum(fault is None for fault in faults.values())
    gone = (fault for _, fault in expected.gone(covered, rows))
    return JudgedRows(well, (*(each for each in faults.values() if each is not None), *gone))


def strays(reader: DatabaseReader) -> Iterator[Fault]:
    """Rows of tables beside the chain that no entry can have made, and entries out of their place."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        for name, (naming, named) in _OF_ENTRIES.items():
            last = int(connection.execute(select(func.max(named))).scalar() or 0)
            beyond = or_(naming > last, naming < 1)
            if count := connection.execute(select(func.count(naming)).where(beyond)).scalar_one():
                yield Fault.of(0, RecordCode.ROWS_WITHOUT_ENTRY, count=int(count), table=name)
    yield from _misplaced(reader)


def _misplaced(reader: DatabaseReader) -> Iterator[Fault]:
    """Entries that do not stand where they were put among those of all logs."""
    columns = tables.entries_of_all.c
    before = func.lag(columns.position).over(order_by=columns.seq)
    own = select(columns.seq, columns.position, before.label("before")).where(columns.log == tables.OWN_LOG).subquery()
    received = select(columns.seq).where(columns.log == tables.OWN_LOG, columns.received_at.is_not(None))
    with faults_as_unavailable(), reading(reader.database) as connection:
        count, last = connection.execute(select(func.count(), func.max(columns.position))).one()
        found = connection.execute(select(own.c.seq).where(own.c.position <= own.c.before).limit(1)).scalar()
        found = found or connection.execute(received.limit(1)).scalar()
    if found is not None or int(count) != int(last or 0):
        yield Fault.of(found or 0, RecordCode.ENTRY_OUT_OF_PLACE, entry=found or int(count))


def damage(reader: DatabaseReader) -> Iterator[Fault]:
    """What SQLite finds when it looks through its whole file, indexes and all; others look after their own."""
    if reader.database.dialect.name == "sqlite":
        with faults_as_unavailable(), reader.database.connect() as connection:
            if connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one() != "ok":
                yield Fault.of(0, RecordCode.DAMAGED)


def guard_faults(reader: DatabaseReader) -> Iterator[Fault]:
    """Triggers of the append-only tables that are not there, not as they were made, or not ours."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        if connection.dialect.name != "sqlite":
            found = {(row.name, "") for row in connection.execute(text(_POSTGRESQL_TRIGGERS))}
            wanted = {(f"{name}_append_only", "") for name in ("record_entries", "log_cosignatures", *_OF_ENTRIES)}
            wanted |= {("record_entries_follow", ""), ("record_entries_stay", "")}
        else:
            found, wanted = _sqlite_triggers(connection), _made_anew()
    if differing := sorted({name for name, _ in found ^ wanted}):
        yield Fault.of(0, RecordCode.GUARDS_CHANGED, names=", ".join(differing))


_POSTGRESQL_TRIGGERS: Final = """
    SELECT tgname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND tgenabled = 'O' AND pg_table_is_visible(tgrelid)
    AND (relname LIKE 'record\\_%' OR relname = 'log_cosignatures')
"""


def _sqlite_triggers(connection: Any) -> set[tuple[str, str]]:  # noqa: ANN401  a connection
    asked = text(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' "
        "AND (tbl_name LIKE 'record\\_%' ESCAPE '\\' OR tbl_name = 'log_cosignatures')"
    )
    return {(row.name, row.sql) for row in connection.execute(asked)}


def _made_anew() -> set[tuple[str, str]]:
    """The triggers as this version makes them."""
    fresh = fresh_database()
    try:
        with fresh.connect() as connection:
            return _sqlite_triggers(connection)
    finally:
        fresh.dispose()
