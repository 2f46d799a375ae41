"""Epochs: a record that was restored from a copy, or lost its end, goes on in a new one, and says so.

An entry of kind ``epoch`` names the last common entry, ``from``. All later entries belong to the new epoch; later
entries of an earlier epoch, which others may have received, are no longer in the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from service.record.store.entries import NO_HASH
from service.rounds.reports import FrozenModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry


class EntryNamed(FrozenModel):
    """An entry by its number and hash.

    Attributes:
        seq: its number; 0 stands for the beginning of the record.
        hash: of the entry.
    """

    seq: int
    hash: str


START = EntryNamed(seq=0, hash=NO_HASH)


class EpochStart(FrozenModel):
    """That the record goes on in a new epoch.

    Attributes:
        common: the last entry that is known to be common; the record goes on from it.
        lost: the newest entry that was signed and is not in the record any more, as far as known.
        known_from: who remembered it: the mark file, subscribers, witnesses, programs that poll.
        by: who reported that the record was restored; empty if the service detected it.
        reason: why.
        accepted: names of faults that the restore explains, for which that person answers with it.
    """

    common: EntryNamed
    lost: EntryNamed | None
    known_from: tuple[str, ...]
    by: str
    reason: str
    accepted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Epoch:
    """One epoch of a record.

    Attributes:
        first: the entry that started it; entry 1 for the first.
        since: entries after this number belong to it.
        by: who declared it; empty if nobody has yet.
    """

    first: EntryNamed
    at: str
    since: int
    by: str = ""

    @property
    def name(self) -> str:
        """A permanent name: number and hash prefix of the entry that started the epoch."""
        return f"{self.first.seq}-{self.first.hash[:16]}"

    def sequence(self, seq: int, part: int) -> str:
        """A text that sorts behind those of all earlier epochs, and within one by number and part."""
        behind = f"{seq:012d}.{part:04d}"
        if self.since == 0 and self.first.seq == 1:
            return behind
        # Letters sort behind digits, and moments in their order.
        return f"e{datetime.fromisoformat(self.at):%Y%m%dT%H%M%SZ}.{behind}"


def epochs_of(reader: DatabaseReader) -> tuple[Epoch, ...]:
    """Return the epochs of a record, oldest first; empty if the record has no entries. RecordUnavailableError."""
    first = reader.entry(1)
    return () if first is None else epochs_from(first, reader.last(("epoch",), count=1_000)[::-1])


def epochs_from(first: Entry, later: Iterable[Entry]) -> tuple[Epoch, ...]:
    """Return the epochs of a record, oldest first, from its first entry and its ``epoch`` entries."""
    return (Epoch(_named(first), first.at, 0), *map(_epoch, later))


def epoch_at(epochs: Sequence[Epoch], seq: int) -> Epoch:
    return next((each for each in reversed(epochs) if each.since < seq), epochs[0])


def common_with(epochs: Sequence[Epoch], seq: int) -> int | None:
    """Return the last entry that a holder of the lost entry ``seq`` certainly shares with this record.

    None if no epoch accounts for the loss.
    """
    return min((each.since for each in epochs[1:] if each.since < seq), default=None)


def read_epoch(entry: Entry) -> EpochStart:
    return EpochStart.model_validate(entry.data)


def _named(entry: Entry) -> EntryNamed:
    return EntryNamed(seq=entry.seq, hash=entry.hash)


def _epoch(entry: Entry) -> Epoch:
    start = read_epoch(entry)
    return Epoch(_named(entry), entry.at, start.common.seq, start.by)
