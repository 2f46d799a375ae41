"""Check entries one after another, and the tables outside the chain against them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import column, func, inspect, or_, select, text

from calibration.files.json_file import read_bounded
from service.record.store import schema
from service.record.store.covered_rows import BESIDE, REPLIES
from service.record.store.database import faults_as_unavailable, fresh_database, reading
from service.record.store.entries import NO_HASH, BrokenEntryError, Entry, check_link
from service.record.store.faults import Fault
from service.record.store.signing import Checkpoint, PublicKey, named_by
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from service.record.store.covered_rows import Covered, Expected
    from service.record.store.database_reader import DatabaseReader


@dataclass(frozen=True, slots=True)
class RowsOfEntry:
    """What the tables beside the chain have of one entry: pictures as name, bytes and media type, and answers."""

    pictures: frozenset[tuple[str, int, str]] = frozenset()
    replies: tuple[Mapping[str, Any], ...] = ()


@dataclass(slots=True)
class Walk:
    """Checks one entry after another; the state is its progress.

    Attributes:
        key: the key to verify signatures with.
        evidence: the folder of pictures; None to skip them.
        removed_through: returns the entry up to which the record says that pictures were removed; a service may
            remove some during a walk.
        replies: answers that are as their entries say.
        proven: pictures that are what their names say.
    """

    record: str
    key: PublicKey
    evidence: Path | None
    removed_through: Callable[[], int]
    seq: int = 0
    hash: str = NO_HASH
    kind: str = ""
    removed: int = 0
    replies: int = 0
    proven: set[str] = field(default_factory=set)
    _removed: int = 0
    _folder_gone: bool = False

    def take(self, entry: Entry, signature: str | None, rows: RowsOfEntry | None = None) -> list[Fault]:
        """Check the next entry and return its faults; the walk goes on after it in any case.

        ``rows`` are its rows in the database; None without a database, as in an export.
        """
        faults = list(self._chain_faults(entry, signature))
        if not faults:
            body = entry.data
            if self.evidence is not None:
                faults += self._picture_faults(entry, body, self.evidence)
            if rows is not None:
                faults += self._row_faults(entry, body, rows)
            if entry.kind == "signing_key":
                self.key = named_by(entry) or self.key
        self.seq, self.hash, self.kind = entry.seq, entry.hash, entry.kind
        return faults

    def _chain_faults(self, entry: Entry, signature: str | None) -> Iterator[Fault]:
        at = self.seq + 1
        try:
            check_link(entry, self.seq, self.hash)
        except BrokenEntryError as error:
            yield Fault(at, error.finding)
            return
        if signature is None:
            yield Fault.of(at, RecordCode.NOT_SIGNED)
        elif not self.key.holds(Checkpoint(self.record, entry.seq, entry.hash, entry.at, signature)):
            yield Fault.of(at, RecordCode.SIGNED_WITH_ANOTHER_KEY)

    def _picture_faults(self, entry: Entry, body: dict[str, Any], folder: Path) -> Iterator[Fault]:
        for sha256 in sorted(named_in(body) - self.proven):
            try:
                found = hashlib.sha256(read_bounded(sharded(folder, sha256))).hexdigest()
            except FileNotFoundError:
                if self._was_removed(entry):
                    self.removed += 1
                elif folder.is_dir():
                    yield Fault.of(entry.seq, RecordCode.PICTURE_MISSING, picture=sha256)
                elif not self._folder_gone:
                    self._folder_gone = True
                    yield Fault.of(entry.seq, RecordCode.EVIDENCE_FOLDER_MISSING, folder=str(folder))
            except BrokenEntryError as error:
                yield Fault(entry.seq, error.finding)
            except OSError as error:
                yield Fault.of(entry.seq, RecordCode.PICTURE_UNREADABLE, picture=sha256, why=str(error.strerror))
            else:
                if found == sha256:
                    self.proven.add(sha256)
                else:
                    yield Fault.of(entry.seq, RecordCode.PICTURE_CHANGED, picture=sha256)

    def _was_removed(self, entry: Entry) -> bool:
        if entry.seq > self._removed:
            self._removed = self.removed_through()
        return entry.seq <= self._removed

    def _row_faults(self, entry: Entry, body: dict[str, Any], rows: RowsOfEntry) -> Iterator[Fault]:
        named = {str(each["sha256"]): each for each in body.get("evidence", ())}
        listed = frozenset((name, int(each["bytes"]), str(each["media_type"])) for name, each in named.items())
        if listed != rows.pictures:
            yield Fault.of(entry.seq, RecordCode.PICTURE_LIST_CHANGED)
        recorded: dict[str, str] = body.get(BESIDE, {}).get(REPLIES.table, {})
        found = {REPLIES.name_of(row): REPLIES.digest_of(row) for row in rows.replies}
        if recorded.keys() - found.keys():
            yield Fault.of(entry.seq, RecordCode.REPLY_REMOVED)
        if found.keys() - recorded.keys():
            yield Fault.of(entry.seq, RecordCode.REPLY_NOT_RECORDED)
        same = [name for name in recorded.keys() & found.keys() if recorded[name] == found[name]]
        if len(same) < len(recorded.keys() & found.keys()):
            yield Fault.of(entry.seq, RecordCode.REPLY_CHANGED)
        self.replies += len(same)


def named_in(body: dict[str, Any]) -> set[str]:
    """The pictures that the body of an entry names."""
    return {str(each["sha256"]) for each in body.get("evidence", ())}


def sharded(folder: Path, sha256: str) -> Path:
    """Where a picture lies in a folder of 256; BrokenEntryError if this is no name of one."""
    if len(sha256) != 64 or not sha256.isalnum():
        raise BrokenEntryError.of(RecordCode.NOT_A_PICTURE_NAME, picture=repr(sha256))
    return folder / sha256[:2] / sha256


_OF_ENTRIES: Final = {
    "record_pictures": (schema.pictures.c.position, schema.entries.c.position),
    "record_replies": (schema.replies.c.seq, schema.OWN.entries.c.seq),
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
        for row in connection.execute(
            select(schema.OWN.pictures).where(schema.OWN.pictures.c.seq.between(first, last))
        ):
            pictures[row.seq].add((row.sha256, row.bytes, row.media_type))
        for reply in REPLIES.rows(connection, column("seq").between(first, last)):
            replies[reply["seq"]].append(reply)
    found: defaultdict[int, RowsOfEntry] = defaultdict(RowsOfEntry)
    for seq in pictures.keys() | replies.keys():
        found[seq] = RowsOfEntry(frozenset(pictures[seq]), tuple(replies[seq]))
    return found


def walk_along(reader: DatabaseReader, walk: Walk) -> Iterator[tuple[Entry, list[Fault]]]:
    """Check all further entries of a record with their rows; each comes with its faults. RecordUnavailableError."""
    while entries := reader.raw_after(walk.seq):
        rows = rows_between(reader, entries[0][0].seq, entries[-1][0].seq)
        for entry, signature in entries:
            yield entry, walk.take(entry, signature, rows[entry.seq])


def database_faults(reader: DatabaseReader) -> Iterator[Fault]:
    """What is wrong with a database as a whole: its triggers, rows of no entry, its file. RecordUnavailableError."""
    yield from _guard_faults(reader)
    yield from _strays(reader)
    yield from _damage(reader)


def judged_rows(reader: DatabaseReader, covered: Covered, expected: Expected) -> JudgedRows:
    """Compare the rows of a table with the digests in the entries; RecordUnavailableError."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        there = inspect(connection).has_table(covered.table)
        rows = {covered.name_of(row): row for row in covered.rows(connection)} if there else {}
    faults = {name: expected.fault_of(covered, row) for name, row in rows.items()}
    well = sum(fault is None for fault in faults.values())
    gone = (fault for _, fault in expected.gone(covered, rows))
    return JudgedRows(well, (*(each for each in faults.values() if each is not None), *gone))


def _strays(reader: DatabaseReader) -> Iterator[Fault]:
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
    columns = schema.entries.c
    before = func.lag(columns.position).over(order_by=columns.seq)
    own = select(columns.seq, columns.position, before.label("before")).where(columns.log == schema.OWN_LOG).subquery()
    received = select(columns.seq).where(columns.log == schema.OWN_LOG, columns.received_at.is_not(None))
    with faults_as_unavailable(), reading(reader.database) as connection:
        count, last = connection.execute(select(func.count(), func.max(columns.position))).one()
        found = connection.execute(select(own.c.seq).where(own.c.position <= own.c.before).limit(1)).scalar()
        found = found or connection.execute(received.limit(1)).scalar()
    if found is not None or int(count) != int(last or 0):
        yield Fault.of(found or 0, RecordCode.ENTRY_OUT_OF_PLACE, entry=found or int(count))


def _damage(reader: DatabaseReader) -> Iterator[Fault]:
    """What SQLite finds when it looks through its whole file, indexes and all; others look after their own."""
    if reader.database.dialect.name == "sqlite":
        with faults_as_unavailable(), reader.database.connect() as connection:
            if connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one() != "ok":
                yield Fault.of(0, RecordCode.DAMAGED)


def _guard_faults(reader: DatabaseReader) -> Iterator[Fault]:
    """Triggers of the append-only tables that are not there, not as they were made, or not ours."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        if connection.dialect.name != "sqlite":
            found = {(row.name, "") for row in connection.execute(text(_POSTGRESQL_TRIGGERS))}
            wanted = {(f"{name}_append_only", "") for name in ("record_entries", "log_cosignatures", *_OF_ENTRIES)}
            wanted |= {("record_entries_follow", ""), ("record_entries_stay", "")}
        else:
            found, wanted = _sqlite_triggers(connection), _triggers_of_this_version()
    if differing := sorted({name for name, _ in found ^ wanted}):
        yield Fault.of(0, RecordCode.GUARDS_CHANGED, names=", ".join(differing))


_POSTGRESQL_TRIGGERS: Final = """
    SELECT tgname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND tgenabled = 'O' AND pg_table_is_visible(tgrelid)
    AND (relname LIKE 'record\\_%' OR relname = 'log_cosignatures')
"""


def _sqlite_triggers(connection: Any) -> set[tuple[str, str]]:  # noqa: ANN401  a connection
    query = text(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' "
        "AND (tbl_name LIKE 'record\\_%' ESCAPE '\\' OR tbl_name = 'log_cosignatures')"
    )
    return {(row.name, row.sql) for row in connection.execute(query)}


def _triggers_of_this_version() -> set[tuple[str, str]]:
    fresh = fresh_database()
    try:
        with fresh.connect() as connection:
            return _sqlite_triggers(connection)
    finally:
        fresh.dispose()
