"""Read a log from its database, unchecked or with every entry's hash and signature checked.

:mod:`service.record.integrity.verify` checks the entire chain.
"""

from __future__ import annotations

from array import array
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import exists, func, select

from service.record.store.database import close_database, faults_as_unavailable
from service.record.store.entries import (
    RESULTS,
    BrokenEntryError,
    Entry,
    KeyReusedError,
    RecordUnavailableError,
    Reply,
    is_as_hashed,
)
from service.record.store.faults import Fault, Faults
from service.record.store.schema import OWN, replies, tables_of
from service.record.store.signing import Checkpoint, PublicKey, follow, named_by
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, Engine, Row, Select

    from service.record.store.entries import Kind
    from service.record.store.schema import LogTables
    from service.record.store.signing import PublicKey

_BATCH: Final = 500
"""Entries read at once when all of them are read."""


class DatabaseReader:
    """Reads a record from its database without a lock; every method may raise RecordUnavailableError.

    The caller closes it: ``with DatabaseReader(database) as reader``.

    Args:
        database: where it is.
        tables: of the log to read; this service's own by default.

    Attributes:
        local: names of the tables whose entries this service appends to its own log now; empty if that is not known.
    """

    local: Collection[str] = ()

    def __init__(self, database: Engine, tables: LogTables = OWN) -> None:
        self.database = database
        self._tables = tables
        self._columns = tables.entries.c
        self._every = select(tables.entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        close_database(self.database)

    def head(self) -> Entry | None:
        return next(iter(self.last(())), None)

    def entry(self, seq: int) -> Entry | None:
        return next(iter(self._entries(self._every.where(self._columns.seq == seq))), None)

    def after(
        self, seq: int, *, kinds: Sequence[Kind] = (), table: str | None = None, limit: int = 100
    ) -> tuple[Entry, ...]:
        """Entries beyond a number, oldest first; all kinds and tables if none is named."""
        wanted = (self._columns.seq > seq, *self._about(kinds, table))
        return self._entries(self._every.where(*wanted).order_by(self._columns.seq).limit(limit))

    def raw_after(self, seq: int, limit: int = _BATCH) -> tuple[tuple[Entry, str | None], ...]:
        """Entries beyond a number with their signatures, as they stand in the database, whatever that is."""
        rows = self.rows(self._every.where(self._columns.seq > seq).order_by(self._columns.seq).limit(limit))
        found = tuple(Entry(*tuple(row)) for row in rows)
        signatures = self.signatures([entry.seq for entry in found])
        return tuple((entry, signatures.get(entry.seq)) for entry in found)

    def raw_last(self) -> tuple[Entry, ...]:
        """Return the newest entry in the database, unchecked, if there is one."""
        rows = self.rows(self._every.order_by(self._columns.seq.desc()).limit(1))
        return tuple(Entry(*tuple(row)) for row in rows)

    def last(
        self,
        kinds: Sequence[Kind],
        *,
        table: str | None = None,
        round_id: str | None = None,
        before: int | None = None,
        count: int = 1,
    ) -> tuple[Entry, ...]:
        """The newest entries of these kinds, newest first; ``before``: only those in front of this number."""
        wanted = [*self._about(kinds, table)]
        wanted += [] if round_id is None else [self._columns.round == round_id]
        wanted += [] if before is None else [self._columns.seq < before]
        return self._entries(self._every.where(*wanted).order_by(self._columns.seq.desc()).limit(count))

    def first_at(self, moment: datetime) -> int:
        """The number of the first entry that was appended at a moment or later; behind the last one if none was."""
        head = self.head()
        low, high = 1, 1 if head is None else head.seq + 1
        while low < high:
            middle = (low + high) // 2
            found = self.entry(middle)
            if found is None or datetime.fromisoformat(found.at) >= moment:
                high = middle
            else:
                low = middle + 1
        return low

    def last_through(self, kind: Kind) -> int:
        """Up to which entry an ``export`` or a removal of pictures reached last; 0 if there was none."""
        return max((int(entry.data["through"]) for entry in self.last((kind,))), default=0)

    def count(self, kind: Kind, table: str) -> int:
        """How many entries of a kind there are about a table."""
        query = select(func.count()).select_from(self._tables.entries).where(*self._about((kind,), table))
        return int(self.rows(query)[0][0])

    def of_rounds(self, round_ids: Sequence[str], kinds: Sequence[Kind] = RESULTS) -> tuple[Entry, ...]:
        """All that was recorded of rounds, oldest first."""
        wanted = (self._columns.round.in_(round_ids), *self._about(kinds, None))
        return self._entries(self._every.where(*wanted).order_by(self._columns.seq))

    def newest_rounds(self, table: str, count: int) -> tuple[Entry, ...]:
        """The newest revision of each of the last rounds of a table, oldest round first."""
        started = (*self._about(("round",), table), self._columns.subject == "1")
        last = self.rows(select(self._columns.round).where(*started).order_by(self._columns.seq.desc()).limit(count))
        of_them = (self._columns.round.in_([row.round for row in last]), *self._about(RESULTS, None))
        newest = select(func.max(self._columns.seq)).where(*of_them).group_by(self._columns.round)
        found = {entry.round: entry for entry in self._entries(self._every.where(self._columns.seq.in_(newest)))}
        return tuple(found[row.round] for row in reversed(last) if row.round in found)

    def numbered(self, numbers: Sequence[int]) -> tuple[Entry, ...]:
        """The entries of these numbers, oldest first."""
        return self._entries(self._every.where(self._columns.seq.in_(numbers)).order_by(self._columns.seq))

    def reply(self, scope: str, key: str) -> Reply | None:
        """What was answered to this request before."""
        columns = replies.c
        rows = self.rows(select(replies).where(columns.scope == scope, columns.key == key))
        return next((Reply(row.scope, row.key, row.request, row.answer) for row in rows), None)

    def media_type(self, sha256: str) -> str | None:
        """What a picture is encoded as; None if no entry names it."""
        columns = self._tables.pictures.c
        rows = self.rows(select(columns.media_type).where(columns.sha256 == sha256).limit(1))
        return rows[0].media_type if rows else None

    def tables_of_picture(self, sha256: str) -> frozenset[str]:
        """The tables whose entries name a picture."""
        pictures, entries = self._tables.pictures, self._tables.entries
        named = entries.join(pictures, pictures.c.seq == entries.c.seq)
        rows = self.rows(select(entries.c.table).select_from(named).where(pictures.c.sha256 == sha256).distinct())
        return frozenset(row.table for row in rows)

    def bytes_of_pictures(self, after: int, *, only_new: bool = False) -> int:
        """Bytes of the pictures that entries beyond a number name; ``only_new``: without those named before as well."""
        columns = self._tables.pictures.c
        named = select(func.max(columns.bytes).label("bytes")).where(columns.seq > after).group_by(columns.sha256)
        if only_new:
            before = self._tables.pictures.alias()
            named = named.where(~exists().where(before.c.sha256 == columns.sha256, before.c.seq <= after))
        return int(self.rows(select(func.coalesce(func.sum(named.subquery().c.bytes), 0)))[0][0])

    def all_entries(self, seq: int = 0) -> Iterator[Entry]:
        """Every entry beyond a number, in order, without holding them all."""
        return (entry for entry, _ in self.signed_entries(seq))

    def signed_entries(self, seq: int = 0) -> Iterator[tuple[Entry, str | None]]:
        """The same, each with its signature if it has one."""
        while found := self.raw_after(seq):
            yield from found
            seq = found[-1][0].seq

    def checkpoint(self, record: str, entry: Entry) -> Checkpoint | None:
        """The checkpoint made when an entry was the newest."""
        signature = self.signatures((entry.seq,)).get(entry.seq)
        return None if signature is None else Checkpoint(record, entry.seq, entry.hash, entry.at, signature)

    def signatures(self, numbers: Sequence[int]) -> dict[int, str]:
        columns = self._tables.signatures.c
        query = select(self._tables.signatures).where(columns.seq.in_(numbers), columns.signature.is_not(None))
        return {row.seq: row.signature for row in self.rows(query)}

    def checked(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Those of some entries of this log that may be handed out."""
        return entries

    def _entries(self, query: Select[Any]) -> tuple[Entry, ...]:
        return self.checked(tuple(Entry(*tuple(row)) for row in self.rows(query)))

    def rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        with faults_as_unavailable(), self.database.connect() as connection:
            return connection.execute(query).all()

    def _about(self, kinds: Sequence[Kind], table: str | None) -> Iterator[ColumnElement[bool]]:
        if kinds:
            yield self._columns.kind.in_(kinds)
        if table is not None:
            yield self._columns.table == table


def record_of_log(database: Engine, log: int) -> DatabaseReader:
    """Reads the entries that a log has now, by its number in the store."""
    return DatabaseReader(database, tables_of(log))


_SIGNATURES_AT_ONCE: Final = 250
"""Largest batch whose signatures are checked before serving; longer reads are left to the full check of the record."""
_FARTHEST: Final = 50_000_000
"""Numbers beyond this are not remembered: a number that somebody put into the file must not take the memory."""


class KnownHashes:
    """The hashes of entries that this process appended or proved, the first 8 bytes of each."""

    def __init__(self) -> None:
        self._first = array("Q")

    def note(self, seq: int, entry_hash: str) -> None:
        if not 1 <= seq <= _FARTHEST:
            return
        if seq > len(self._first):
            self._first.frombytes(bytes(8 * (seq - len(self._first))))
        self._first[seq - 1] = int(entry_hash[:16], 16)

    def says(self, seq: int, entry_hash: str) -> bool | None:
        """Whether an entry is the one that was known; None if none of its number was."""
        known = self._first[seq - 1] if 1 <= seq <= len(self._first) else 0
        return None if known == 0 else known == int(entry_hash[:16], 16)


class CheckedReader(DatabaseReader):
    """Reads a record and checks every entry's hash, and its signature or its known hash.

    RecordUnavailableError if an entry is invalid; invalid entries that a person accepted are omitted from every answer.

    Attributes:
        known: hashes of entries that hold.
    """

    def __init__(self, database: Engine) -> None:
        super().__init__(database)
        self.faults = Faults()
        self.known = KnownHashes()

    @property
    def public_key(self) -> PublicKey | None:
        """The key to verify signatures with; None until it is known."""
        return None

    @property
    def id(self) -> str:
        return ""

    def signing_key(self, seq: int) -> PublicKey | None:  # noqa: ARG002  of who knows of a change of the key
        """Return the key to verify an entry's signature with."""
        return self.public_key

    def is_own(self, entry: Entry, signature: str | None) -> bool:
        """Whether an entry is as the holder of the record's key signed it."""
        key = self.signing_key(entry.seq)
        if signature is None or key is None or not is_as_hashed(entry):
            return False
        return key.holds(Checkpoint(self.id, entry.seq, entry.hash, entry.at, signature))

    def checked(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Those that a person has not answered for; RecordUnavailableError if another one does not hold."""
        faults = {fault.entry: fault for fault in self._faults_of(entries)}
        if not faults:
            return entries
        self.faults.add(*faults.values())
        for fault in faults.values():
            if not self.faults.is_accepted(fault):
                raise RecordUnavailableError.of(RecordCode.CHANGED, why=(fault.about,))
        return tuple(entry for entry in entries if entry.seq not in faults)

    def _faults_of(self, entries: tuple[Entry, ...]) -> Iterator[Fault]:
        unknown: list[Entry] = []
        for entry in entries:
            if not is_as_hashed(entry):
                yield Fault.of(entry.seq, RecordCode.HASH_WRONG)
            elif (known := self.known.says(entry.seq, entry.hash)) is None:
                unknown.append(entry)
            elif not known:
                yield Fault.of(entry.seq, RecordCode.ENTRY_REPLACED)
        if self.public_key is None or not 0 < len(unknown) <= _SIGNATURES_AT_ONCE:
            return
        signatures: Mapping[int, str] = self.signatures([entry.seq for entry in unknown])
        for entry in unknown:
            signature, key = signatures.get(entry.seq), self.signing_key(entry.seq)
            if signature is None or key is None:
                yield Fault.of(entry.seq, RecordCode.NOT_SIGNED)
            elif not key.holds(Checkpoint(self.id, entry.seq, entry.hash, entry.at, signature)):
                yield Fault.of(entry.seq, RecordCode.SIGNED_WITH_ANOTHER_KEY)
            else:
                self.known.note(entry.seq, entry.hash)


def key_of(reader: DatabaseReader, seq: int) -> PublicKey:
    """The key that signs the entry of a number; BrokenEntryError if none is named, RecordUnavailableError."""
    naming = next(iter(reader.last(("signing_key",), before=seq)), None) or reader.entry(1)
    key = None if naming is None else named_by(naming)
    if key is None:
        raise BrokenEntryError.of(RecordCode.FIRST_ENTRY_MISSING)
    return key


def keys_of(reader: DatabaseReader) -> tuple[PublicKey, ...]:
    """Every key that ever signed a record, oldest first; BrokenEntryError, RecordUnavailableError."""
    naming = (reader.entry(1), *reversed(reader.last(("signing_key",), count=10_000)))
    found = (None if entry is None else named_by(entry) for entry in naming)
    return tuple(key for key in found if key is not None)


def has_signed(reader: DatabaseReader, checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint is of this record and signed by it; BrokenEntryError, RecordUnavailableError."""
    first = reader.entry(1)
    of_it = first is not None and first.data.get("record") == checkpoint.record
    return of_it and any(key.holds(checkpoint) for key in keys_of(reader))


def starting_key(reader: DatabaseReader, first: int, given: PublicKey | None) -> PublicKey:
    """The key to verify the signature of entry ``first`` with.

    A key that the owner gives may be any that signs some entry: those before it are in that entry's hash. If it signs
    none, no signature is valid. BrokenEntryError, RecordUnavailableError.
    """
    head = reader.head()
    signing = keys_of(reader)
    if head is not None and head.kind == "signing_key":
        signing = signing[:-1]  # it has signed nothing yet
    if given is not None and given.hex not in {key.hex for key in signing}:
        return given
    return key_of(reader, first)


def keys_in_order(reader: DatabaseReader, record: str) -> tuple[tuple[int, PublicKey], ...]:
    """Every key with the number of the entry that names it, 0 for the first, each change signed with the key before.

    BrokenEntryError, RecordUnavailableError.
    """
    first = reader.entry(1)
    key = None if first is None else named_by(first)
    if key is None:
        raise BrokenEntryError.of(RecordCode.FIRST_ENTRY_MISSING)
    found = [(0, key)]
    for entry in reversed(reader.last(("signing_key",), count=10_000)):
        made = reader.checkpoint(record, entry)
        key = follow(key, record, [(entry, "" if made is None else made.signature)])
        found.append((entry.seq, key))
    return tuple(found)


def answered_before(record: DatabaseReader, scope: str, key: str | None, request: str) -> str | None:
    """The earlier answer to the same request; KeyReusedError if the key came with another one."""
    before = None if key is None else record.reply(scope, key)
    if before is None:
        return None
    if before.request != request:
        raise KeyReusedError("This Idempotency-Key was used for another request before: a new request needs a new key.")
    return before.answer
