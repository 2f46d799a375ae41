"""Does an entry extend what is known of a table? Nothing is taken from a table before this has said so.

An entry must follow the last one that is known by number and hash, be what its own hash says, and be signed with the
key that is known then: the one that entry 1 names, until an entry signed with it names another.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from service.record.checkpoints.epochs import read_epoch
from service.record.store.entries import BrokenEntryError, is_as_hashed, read_line
from service.record.store.faults import Fault
from service.record.store.signing import Checkpoint, PublicKey, named_by
from service.record.store.stored_logs import Due, Extension, Known, NamedPicture, Refusal, SignedEntry
from service.words.codes import FloorCode, RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from service.hub.collect.trust import Trusted
    from service.record.store.entries import Entry

_LARGEST: Final = 2**63 - 1
_LONGEST_WORD: Final = 1_000
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_RECORD: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Given:
    """An entry as a table gives it.

    Attributes:
        line: the entry as one line of an export.
        signature: hexadecimal; None if it has none.
    """

    line: str
    signature: str | None


@dataclass(frozen=True, slots=True)
class Announced:
    """An epoch of a record, as its feed announces it.

    Attributes:
        seq: number of the entry that begins it.
        start: the beginning of that entry's hash.
        since: entries beyond this number belong to it.
    """

    seq: int
    start: str
    since: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of checking.

    Attributes:
        extension: what may be taken; None if nothing.
        refusal: the first entry that may not, behind those that may; None if there is none.
    """

    extension: Extension | None = None
    refusal: Refusal | None = None


def extend(known: Known, given: Iterable[Given], trusted: Trusted, *, lost: bool = False) -> Checked:
    """Hold entries, in their order, against what is known of a table's record.

    Those in front of the newest known one were held against it before, and are passed over.

    Args:
        known: what is known, or was known where a restored record parts from what is held.
        given: the entries.
        trusted: the record, and its keys.
        lost: what is held beyond ``known`` is no longer in the table's record.
    """
    follows, begins = (known.seq, known.hash), known
    taken: list[SignedEntry] = []
    refusal = None
    for each in given:
        try:
            entry, data = _read(each.line)
            if entry.seq < known.seq:
                continue
            if entry.seq == known.seq:
                _check_same(entry, known)
                continue
            known = _followed(known, entry, each.signature, trusted)
        except _RefusedError as error:
            refusal = Refusal(error.fault, each.line.encode(errors="replace"))
            break
        except BrokenEntryError as error:
            refusal = Refusal(Fault(known.seq + 1, error.finding), each.line.encode(errors="replace"))
            break
        taken.append(SignedEntry(entry, str(each.signature), named_pictures(data)))
    extension = Extension(follows, known, tuple(taken), lost) if known != begins else None
    return Checked(extension, refusal)


def named_pictures(body: Mapping[str, Any]) -> tuple[NamedPicture, ...]:
    """The pictures that an entry's body names as evidence, as far as they are named as pictures are."""
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


def first_contact(given: Given) -> tuple[str, str] | None:
    """The id of a record and the key that it begins with, as its first entry names them; None if it is none."""
    try:
        entry, _ = _read(given.line)
        key = named_by(entry) if entry.seq == 1 and entry.kind == "record" and is_as_hashed(entry) else None
    except (BrokenEntryError, _RefusedError):
        return None
    record = "" if key is None else str(entry.data.get("record"))
    return None if key is None or not _RECORD.fullmatch(record) else (record, key.hex)


def parting(given: Sequence[Given], held: Mapping[int, str]) -> int | None:
    """Behind which entry those given are others than those held; None if none of them is."""
    for each in given:
        entry = _read_or_none(each.line)
        if entry is None:
            return None
        if held.get(entry.seq) != entry.hash:
            return entry.seq - 1
    return None


def due_of(announced: Sequence[Announced], common: int) -> Due | None:
    """The entry that must say that a record was restored, where it parts from what is held behind an entry.

    It is the first one behind that entry which begins an epoch that reaches back to it; None if none is announced.
    """
    found = (each for each in announced if each.seq > max(common, 1) and each.since <= common)
    first = min(found, key=lambda each: each.seq, default=None)
    return None if first is None else Due(first.seq, first.start, common)


class _RefusedError(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.finding.code)
        self.fault = fault


def _read(line: str) -> tuple[Entry, dict[str, Any]]:
    """An entry that a database can hold, and its body; BrokenEntryError if it is none.

    Whoever has the key can sign anything.
    """
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


def _read_or_none(line: str) -> Entry | None:
    try:
        return _read(line)[0]
    except BrokenEntryError:
        return None


def _check_same(entry: Entry, known: Known) -> None:
    if entry.hash != known.hash:
        raise _RefusedError(Fault.of(known.seq, FloorCode.ENTRY_REPLACED))


def _followed(known: Known, entry: Entry, signature: str | None, trusted: Trusted) -> Known:
    """What is known once an entry is taken; _RefusedError or BrokenEntryError if it may not be."""
    _check_link(known, entry)
    if entry.seq == 1:
        known = _begun(known, entry, trusted)
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


def _begun(known: Known, entry: Entry, trusted: Trusted) -> Known:
    """What the first entry of a record says, which must be what is trusted."""
    key = named_by(entry)
    record = str(entry.data.get("record"))
    if entry.kind != "record" or key is None:
        raise BrokenEntryError.of(RecordCode.FIRST_ENTRY_MISSING)
    if record != trusted.record:
        raise _RefusedError(Fault.of(1, FloorCode.OTHER_RECORD, record=record[:64], known=trusted.record))
    if key.hex != trusted.key:
        raise _RefusedError(Fault.of(1, FloorCode.OTHER_KEY, known=trusted.key))
    return replace(known, record=record, key=key.hex)


def _still_due(due: Due | None, entry: Entry) -> Due | None:
    """What must still come behind an entry; _RefusedError if it should have been this one."""
    if due is None or entry.seq < due.seq:
        return due
    common = _LARGEST
    if entry.kind == "epoch" and entry.hash.startswith(due.start):
        with suppress(ValueError):
            common = read_epoch(entry).common.seq
    if common > due.common:
        raise _RefusedError(Fault.of(entry.seq, FloorCode.NOT_RESTORED))
    return None


@lru_cache(maxsize=4096)
def _key(text: str) -> PublicKey:
    return PublicKey.of_hex(text)
