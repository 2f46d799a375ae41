"""Check entries of a remote table before they are stored, and which record and keys of the table are trusted.

An entry must follow the last known one by number and hash, match its own hash, and be signed with the current key: the
one that entry 1 names, until an entry signed with it names another. The record and key of the first contact are
trusted, until a person accepts others. Each decision is an entry ``trust`` in this service's own record.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from service.record.checkpoints.checkpoint_store import is_explained
from service.record.checkpoints.epochs import epochs_of, read_epoch
from service.record.store.database_reader import record_of_log
from service.record.store.entries import BrokenEntryError, Draft, is_as_hashed, read_line
from service.record.store.faults import Fault
from service.record.store.signing import Checkpoint, PublicKey, named_by
from service.record.store.stored_logs import Due, Extension, Known, NamedPicture, Refusal, SignedEntry
from service.words.codes import HubCode, RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from service.record.changes import Attribution
    from service.record.checkpoints.note import Note
    from service.record.store.all_logs import LogsReader
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.record.store.record import Record

_FIRST: Final = 1
"""Number of the entry from which the first key of a record signs."""
_LARGEST: Final = 2**63 - 1
_LONGEST_WORD: Final = 1_000
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_RECORD: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Trusted:
    """The trusted record of a table.

    Attributes:
        record: id of the record.
        key: the first public key of the record, hexadecimal.
        accepted: keys that a person accepted later, by number of the first entry that each signs.
    """

    record: str
    key: str
    accepted: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReceivedEntry:
    """An entry as a table sent it.

    Attributes:
        line: the entry as one line of an export.
        signature: hexadecimal; None if it has none.
    """

    line: str
    signature: str | None


@dataclass(frozen=True, slots=True)
class AnnouncedEpoch:
    """An epoch of a record, as its feed announces it.

    Attributes:
        seq: number of the entry that starts it.
        start: the first digits of that entry's hash.
        since: entries after this number belong to it.
    """

    seq: int
    start: str
    since: int


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking entries.

    Attributes:
        extension: the valid entries; None without any.
        refusal: the first invalid entry, which follows them; None without any.
    """

    extension: Extension | None = None
    refusal: Refusal | None = None


def ever_trusted(record: DatabaseReader, table: str) -> tuple[Trusted, ...]:
    """Every record of a table that was ever trusted, oldest first; RecordUnavailableError."""
    found: list[Trusted] = []
    for entry in reversed(record.last(("trust",), table=table, count=1_000)):
        body = entry.data
        if body["since"] == _FIRST:
            found.append(Trusted(str(body["record"]), str(body["public_key"])))
        elif found and found[-1].record == body["record"]:
            accepted = {**found[-1].accepted, int(body["since"]): str(body["public_key"])}
            found[-1] = replace(found[-1], accepted=accepted)
    return tuple(found)


def trusted_of(record: DatabaseReader, table: str) -> Trusted | None:
    """The record of a table that is trusted now; None before the first contact. RecordUnavailableError."""
    return next(reversed(ever_trusted(record, table)), None)


def trust(  # noqa: D417  the other parameters need no description
    record: Record, table: str, of: str, key: str, why: Attribution, *, since: int = _FIRST
) -> None:
    """Trust a record of a table from now on, or another key of the trusted record; RecordUnavailableError.

    Args:
        record: this service's own.
        of: id of the table's.
        key: a public key, hexadecimal.
        since: number of the first entry that the key signs.
    """
    act = "record accepted" if since == _FIRST else "key accepted"
    body: dict[str, Any] = {"act": act, "record": of, "public_key": key, "since": since}
    record.append(Draft("trust", {**body, "by": why.by, "reason": why.reason}, table=table, subject=table))


def disputed(record: DatabaseReader, reader: LogsReader, table: str) -> Fault | None:
    """A checkpoint of a table that contradicts its entries, until a person decides; RecordUnavailableError."""
    decided = next((entry.at for entry in record.last(("trust",), table=table)), "")
    refused = (each for each in reader.refused(table) if each.fault.finding.code is HubCode.CHECKPOINT_CONTRADICTED)
    return next((each.fault for each in refused if each.last_at > decided), None)


def refused_record(reader: LogsReader, table: str) -> tuple[str, str] | None:
    """Return the other record of a table that was refused last, and its key; None if none was."""
    others = (each for each in reader.refused(table) if each.fault.finding.code is HubCode.OTHER_RECORD)
    contacts = (first_contact(ReceivedEntry(each.line.decode(errors="replace"), None)) for each in others)
    return next((each for each in contacts if each is not None), None)


def refused_key_entry(reader: LogsReader, table: str) -> int | None:
    """Return the number of the entry that was refused last because of the key of its signature; None if none was."""
    faults = (each.fault for each in reader.refused(table))
    return next((each.entry for each in faults if each.finding.code is RecordCode.SIGNED_WITH_ANOTHER_KEY), None)


def contradicted(reader: LogsReader, table: str, checkpoint: Note) -> bool:
    """Return whether a table's entry differs from its checkpoint, and no restore of the record explains that.

    RecordUnavailableError.
    """
    held, of = reader.entry(table, checkpoint.checkpoint.seq), reader.table(table)
    if held is None or of is None or held.entry.hash == checkpoint.checkpoint.hash:
        return False
    return not is_explained(checkpoint, epochs_of(record_of_log(reader.database, of.id)))


def extend(known: Known, received: Iterable[ReceivedEntry], trusted: Trusted, *, lost: bool = False) -> Checked:
    """Check whether entries, in their order, extend a table's record.

    Entries before the known head were checked earlier and are skipped.

    Args:
        known: the head of the record, or an earlier one where a restored record diverges.
        received: the entries.
        trusted: the record, and its keys.
        lost: stored entries after ``known`` are no longer in the table's record.
    """
    follows, before = (known.seq, known.hash), known
    taken: list[SignedEntry] = []
    refusal = None
    for each in received:
        try:
            entry, data = _read(each.line)
            if entry.seq < known.seq:
                continue
            if entry.seq == known.seq:
                _check_same(entry, known)
                continue
            known = _after(known, entry, each.signature, trusted)
        except _RefusedError as error:
            refusal = Refusal(error.fault, each.line.encode(errors="replace"))
            break
        except BrokenEntryError as error:
            refusal = Refusal(Fault(known.seq + 1, error.finding), each.line.encode(errors="replace"))
            break
        taken.append(SignedEntry(entry, str(each.signature), named_pictures(data)))
    extension = Extension(follows, known, tuple(taken), lost) if known != before else None
    return Checked(extension, refusal)


def named_pictures(body: Mapping[str, Any]) -> tuple[NamedPicture, ...]:
    """The pictures that an entry's body names as evidence; invalid descriptions are skipped."""
    named = body.get("evidence")
    return tuple(found for each in (named if isinstance(named, list) else ()) if (found := _picture(each)) is not None)


def _picture(named: object) -> NamedPicture | None:
    if not isinstance(named, dict):
        return None
    sha256, size, media_type = (named.get(part) for part in ("sha256", "bytes", "media_type"))
    if not isinstance(sha256, str) or not _HASH.fullmatch(sha256):
        return None
    if not isinstance(size, int) or not _is_number(size) or not isinstance(media_type, str) or not _is_word(media_type):
        return None
    return NamedPicture(sha256, size, media_type)


def first_contact(received: ReceivedEntry) -> tuple[str, str] | None:
    """The id and first key of a record, from its first entry; None if that is invalid."""
    try:
        entry, _ = _read(received.line)
        key = named_by(entry) if entry.seq == 1 and entry.kind == "record" and is_as_hashed(entry) else None
    except BrokenEntryError:
        return None
    record = "" if key is None else str(entry.data.get("record"))
    return None if key is None or not _RECORD.fullmatch(record) else (record, key.hex)


def last_common(received: Sequence[ReceivedEntry], hashes: Mapping[int, str]) -> int | None:
    """Number of the entry after which received entries differ from stored ones; None if they do not."""
    for each in received:
        try:
            entry, _ = _read(each.line)
        except BrokenEntryError:
            return None
        if hashes.get(entry.seq) != entry.hash:
            return entry.seq - 1
    return None


def due_of(announced: Sequence[AnnouncedEpoch], common: int) -> Due | None:
    """The entry that must declare a restore, where the record diverges after entry ``common``.

    It is the first later one that starts an epoch reaching back to ``common``; None if none is announced.
    """
    found = (each for each in announced if each.seq > max(common, 1) and each.since <= common)
    first = min(found, key=lambda each: each.seq, default=None)
    return None if first is None else Due(first.seq, first.start, common)


class _RefusedError(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.finding.code)
        self.fault = fault


def _read(line: str) -> tuple[Entry, dict[str, Any]]:
    """An entry that a database can store, and its body; BrokenEntryError for any other, even if signed."""
    entry, body = read_line(line)
    numbers = all(map(_is_number, (entry.seq, entry.monotonic_ns, entry.supersedes or 0)))
    texts = (entry.at, entry.kind, entry.table, entry.previous, entry.hash, entry.round or "", entry.subject or "")
    if not numbers or not all(map(_is_word, texts)) or not _MOMENT.fullmatch(entry.at) or entry.body[0] != "{":
        raise BrokenEntryError.of(RecordCode.NOT_AN_ENTRY)
    return entry, body


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _is_word(value: object) -> bool:
    if not isinstance(value, str) or len(value) > _LONGEST_WORD or "\0" in value:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def _check_same(entry: Entry, known: Known) -> None:
    if entry.hash != known.hash:
        raise _RefusedError(Fault.of(known.seq, HubCode.ENTRY_REPLACED))


def _after(known: Known, entry: Entry, signature: str | None, trusted: Trusted) -> Known:
    """The head of the record after a valid entry; _RefusedError or BrokenEntryError for any other."""
    _check_link(known, entry)
    if entry.seq == 1:
        known = _started(known, entry, trusted)
    if signature is None:
        raise BrokenEntryError.of(RecordCode.NOT_SIGNED)
    made = Checkpoint(known.record, entry.seq, entry.hash, entry.at, signature)
    if not _key(known.key).holds(made):
        accepted = trusted.accepted.get(entry.seq) if trusted.record == known.record else None
        if accepted is None or not _key(accepted).holds(made):
            raise BrokenEntryError.of(RecordCode.SIGNED_WITH_ANOTHER_KEY)
        known = replace(known, key=accepted)
    following = named_by(entry) if entry.kind == "signing_key" else None
    key = known.key if following is None else following.hex
    epoch = f"{entry.seq}-{entry.hash[:16]}" if entry.kind == "epoch" or entry.seq == 1 else known.epoch
    due = _still_due(known.due, entry)
    return Known(known.record, key, entry.seq, entry.hash, due.epoch if due is not None else epoch, due)


def _check_link(known: Known, entry: Entry) -> None:
    if entry.seq != known.seq + 1:
        raise BrokenEntryError.of(RecordCode.ENTRY_OUT_OF_PLACE, entry=known.seq + 1)
    if entry.previous != known.hash:
        raise BrokenEntryError.of(RecordCode.NOT_LINKED)
    if not is_as_hashed(entry):
        raise BrokenEntryError.of(RecordCode.HASH_WRONG)


def _started(known: Known, entry: Entry, trusted: Trusted) -> Known:
    """The record and key that the first entry names, which must be the trusted ones."""
    key = named_by(entry)
    record = str(entry.data.get("record"))
    if entry.kind != "record" or key is None:
        raise BrokenEntryError.of(RecordCode.FIRST_ENTRY_MISSING)
    if record != trusted.record:
        raise _RefusedError(Fault.of(1, HubCode.OTHER_RECORD, record=record[:64], known=trusted.record))
    if key.hex != trusted.key:
        raise _RefusedError(Fault.of(1, HubCode.OTHER_KEY, known=trusted.key))
    return replace(known, record=record, key=key.hex)


def _still_due(due: Due | None, entry: Entry) -> Due | None:
    """The declaration of a restore that is still due after an entry; _RefusedError if this entry should be it."""
    if due is None or entry.seq < due.seq:
        return due
    common = _LARGEST
    if entry.kind == "epoch" and entry.hash.startswith(due.start):
        with suppress(ValueError):
            common = read_epoch(entry).common.seq
    if common > due.common:
        raise _RefusedError(Fault.of(entry.seq, HubCode.NOT_RESTORED))
    return None


@lru_cache(maxsize=4096)
def _key(text: str) -> PublicKey:
    return PublicKey.of_hex(text)
