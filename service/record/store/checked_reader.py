"""A reader that hands out only entries that are what was appended: what is not is a fault, and is never served."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from service.record.store.chain import Entry, is_as_hashed
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import RecordUnavailableError
from service.record.store.faults import Fault, Faults
from service.record.store.signing import Checkpoint
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Engine

    from service.record.store.signing import PublicKey

_SIGNATURES_AT_ONCE: Final = 250
"""Largest batch whose signatures are checked before serving; longer reads are left to the full check of the record."""
_FARTHEST: Final = 50_000_000
"""Numbers beyond this are not remembered: a number that somebody put into the file must not take the memory."""


class KnownHashes:
    """The hashes of entries that this process appended or proved, the first 8 bytes of each."""

    def __init__(self) -> None:
        self._first = array("Q")

    def note(self, seq: int, entry_hash: str) -> None:
        """Remember an entry."""
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
        faults: what was found so far.
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
        """Names the record."""
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
