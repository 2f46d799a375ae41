"""Which key signs which entry: the one that entry 1 names, until an entry signed with it names another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.codes import RecordCode
from service.record.store.chain import BrokenEntryError
from service.record.store.signing import PublicKey

if TYPE_CHECKING:
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader


def named_by(entry: Entry) -> PublicKey | None:
    """The key that signs what follows an entry, if that entry names one; BrokenEntryError if what it names is none."""
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
