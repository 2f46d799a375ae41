"""Compare a verified record with checkpoints and cursors kept elsewhere: ``houseway record verify --seen``."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.record.checkpoints.checkpoint_store import witnessed_notes
from service.record.checkpoints.epochs import read_epoch
from service.record.checkpoints.note import WitnessKey
from service.record.checkpoints.seen import NothingSeenError, compare, read_seen, signed_by
from service.record.integrity.verify import ENTRIES, WITNESSED, lines_of, manifest_of
from service.record.store.all_logs import LogsReader
from service.record.store.entries import BrokenEntryError, Entry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.record.checkpoints.epochs import EpochStart
    from service.record.checkpoints.seen import Comparison, Seen
    from service.record.integrity.verify import Proof
    from service.record.store.database_reader import DatabaseReader


@dataclass(frozen=True, slots=True)
class SeenCheck:
    """Whether a record extends the checkpoints kept elsewhere.

    Attributes:
        comparison: by entry.
        witnesses: by name, the numbers of valid and of invalid signatures.
        epochs: the restores that the record names, each with its entry; empty for an export.
    """

    comparison: Comparison
    witnesses: dict[str, tuple[int, int]]
    epochs: tuple[tuple[Entry, EpochStart], ...] = field(default=())

    @property
    def holds(self) -> bool:
        """Whether the record extends every checkpoint, and each named witness has only valid signatures."""
        return self.comparison.holds and all(good and not bad for good, bad in self.witnesses.values())


def check_seen_in_database(
    reader: DatabaseReader, proof: Proof, given: list[str] | None, keys: list[str] | None
) -> SeenCheck | None:
    """Compare a record in its database with what was given; None if nothing was.

    Args:
        reader: of the database.
        proof: of the record.
        given: checkpoints, cursors, or files of them.
        keys: public keys of witnesses, whose signatures are verified as well.

    Raises:
        NothingSeenError: there is no checkpoint in what was given.
        NoteError: a key is invalid.
    """
    if not given and not keys:
        return None
    logs = LogsReader(reader)

    def hash_of(seq: int) -> str | None:
        entry = reader.entry(seq)
        return None if entry is None else entry.hash

    def number_at(position: int, start: str) -> int | None:
        held = logs.at(position)
        if held is None or not held.entry.hash.startswith(start):
            return None
        return held.entry.seq if held.own else logs.own_number_before(position)

    kept = [one for text in witnessed_notes(reader, 0, proof.last) for one in read_seen(text)] if keys else []
    epochs = tuple((entry, read_epoch(entry)) for entry in reversed(reader.last(("epoch",), count=100)))
    return _checked(proof, given, keys, kept, hash_of, number_at, epochs)


def check_seen_in_export(
    folder: Path, proof: Proof, given: list[str] | None, keys: list[str] | None
) -> SeenCheck | None:
    """Compare an export with what was given, as `check_seen_in_database` does."""
    if not given and not keys:
        return None
    manifest = manifest_of(folder)
    hashes = {int(manifest["first"]) - 1: str(manifest["previous"])}
    for line in lines_of(folder / ENTRIES):
        with suppress(BrokenEntryError):  # already reported by the proof
            entry = Entry.of_line(line)
            hashes[entry.seq] = entry.hash
    kept: list[Seen] = []
    if keys and (folder / WITNESSED).exists():
        with suppress(NothingSeenError):
            kept = list(read_seen(str(folder / WITNESSED)))

    def number_at(_: int, start: str) -> int | None:
        return next((seq for seq, found in hashes.items() if found.startswith(start)), None)

    return _checked(proof, given, keys, kept, hashes.get, number_at)


def _checked(
    proof: Proof,
    given: list[str] | None,
    keys: list[str] | None,
    kept: list[Seen],
    hash_of: Callable[[int], str | None],
    number_at: Callable[[int, str], int | None],
    epochs: tuple[tuple[Entry, EpochStart], ...] | None = None,
) -> SeenCheck:
    witnesses = [WitnessKey.of_text(key) for key in keys or ()]
    seen = [one for each in given or () for one in read_seen(each)] + (kept if keys else [])
    comparison = compare(seen, proof.record, (proof.first, proof.last), hash_of, number_at, all_logs=epochs is not None)
    return SeenCheck(comparison, signed_by(seen, witnesses), epochs or ())
