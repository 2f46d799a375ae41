"""Which key signs which entry: the one that entry 1 names, until an entry signed with it names another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.record.store.chain import BrokenEntryError, hash_of
from service.record.store.signing import Checkpoint, PublicKey
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader


def named_by(entry: Entry) -> PublicKey | None:
    """Return the key that an entry names for later entries, if any; BrokenEntryError if it is not a valid key."""
    if entry.kind not in {"record", "signing_key"}:
        return None
    try:
        return PublicKey.of_hex(str(entry.data["public_key"]))
    except (KeyError, ValueError):
        raise BrokenEntryError.of(RecordCode.NO_SUCH_KEY, entry=entry.seq) from None


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
    """The key to hold the signature of entry ``first`` against.

    A key that the owner gives may be any that signs some entry: those before it are in that entry's hash. With one that
    signs none, nothing will hold. BrokenEntryError, RecordUnavailableError.
    """
    head = reader.head()
    signing = keys_of(reader)
    if head is not None and head.kind == "signing_key":
        signing = signing[:-1]  # it has signed nothing yet
    if given is not None and given.hex not in {key.hex for key in signing}:
        return given
    return key_of(reader, first)


def follow(key: PublicKey, record: str, rotations: Iterable[tuple[Entry, str]]) -> PublicKey:
    """The key that is in force behind some changes of it, each with its signature; BrokenEntryError if one fails."""
    for entry, signature in rotations:
        named = named_by(entry) if entry.kind == "signing_key" else None
        if hash_of(entry) != entry.hash:
            raise BrokenEntryError.of(RecordCode.HASH_WRONG)
        if named is None or not key.holds(Checkpoint(record, entry.seq, entry.hash, entry.at, signature)):
            raise BrokenEntryError.of(RecordCode.SIGNED_WITH_ANOTHER_KEY)
        key = named
    return key


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
