"""The part of ``houseway record verify`` that holds a proven record against what others kept of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import plain_errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.record.checkpoints.seen import Comparison, Seen
    from service.record.store.database_reader import DatabaseReader
    from service.record.verify import Proof

SeenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--seen",
        metavar="CHECKPOINT",
        help="A checkpoint or cursor kept elsewhere, or a file of them: verifies that the record extends each. May "
        "be repeated.",
    ),
]
WitnessOption = Annotated[
    list[str] | None,
    typer.Option(
        "--witness",
        metavar="KEY",
        help="The public key of a witness (NAME+ID+KEY): verifies its signatures. May be repeated.",
    ),
]

_SAYS = {
    "gone": "the record ends before it",
    "other": "the record has another entry of this number",
    "before": "this export begins behind it, and cannot show it",
    "foreign": "it is of another record",
}


@dataclass(frozen=True, slots=True)
class SeenResult:
    """What came of it.

    Attributes:
        comparison: entry by entry.
        witnesses: of each witness how many of its signatures hold, and how many do not.
        epochs: how the record says that it was restored.
    """

    comparison: Comparison
    witnesses: dict[str, tuple[int, int]]
    epochs: tuple[str, ...] = field(default=())

    @property
    def holds(self) -> bool:
        """Whether all of it is extended, and every witness that was named signed something and nothing false."""
        return self.comparison.holds and all(good and not bad for good, bad in self.witnesses.values())

    def json(self) -> dict[str, Any]:
        """For programs."""
        each = [
            {"entry": one.seen.seq, "hash": one.seen.start, "whence": one.seen.whence, "outcome": one.outcome}
            for one in self.comparison.compared
        ]
        signed = {name: {"good": good, "bad": bad} for name, (good, bad) in self.witnesses.items()}
        return {"seen": each, "parts_behind": self.comparison.common, "witnesses": signed, "extends": self.holds}

    def lines(self) -> list[str]:
        """For people."""
        compared = self.comparison.compared
        extended = [one.seen.seq for one in compared if one.outcome == "extended"]
        lines = []
        if extended:
            many = len(extended)
            lines.append(f"{many} checkpoint{'s' * (many > 1)} from elsewhere, up to entry {max(extended)}: extended")
        lines += [
            f"NOT EXTENDED: entry {one.seen.seq} ({one.seen.start[:16]}..., {one.seen.whence}): {_SAYS[one.outcome]}"
            for one in compared
            if one.outcome != "extended"
        ]
        if self.comparison.common is not None:
            lines.append(f"they part behind entry {self.comparison.common}")
            lines += self.epochs
        for name, (good, bad) in self.witnesses.items():
            lines.append(f"witness {name}: {good} signatures hold" + (f", {bad} DO NOT" if bad else ""))
        return lines


def hold_against(
    proof: Proof,
    given: list[str] | None,
    keys: list[str] | None,
    kept: list[Seen],
    hash_of: Callable[[int], str | None],
    epochs: tuple[str, ...] = (),
) -> SeenResult | None:
    """Hold a proven record against what was given, and what witnesses signed; None if nothing was given."""
    from service.record.checkpoints.note import NoteError, WitnessKey
    from service.record.checkpoints.seen import NothingSeenError, compare, read_seen, signed_by

    if not given and not keys:
        return None
    with plain_errors(NothingSeenError, NoteError):
        witnesses = [WitnessKey.of_text(key) for key in keys or ()]
        seen = [one for each in given or () for one in read_seen(each)] + (kept if keys else [])
    comparison = compare(seen, proof.record, proof.first, proof.last, hash_of)
    return SeenResult(comparison, signed_by(seen, witnesses), epochs)


def of_database(
    reader: DatabaseReader, proof: Proof, given: list[str] | None, keys: list[str] | None
) -> SeenResult | None:
    """The same of a record in its database."""
    from service.record.checkpoints.epochs import begun
    from service.record.checkpoints.seen import read_seen
    from service.record.checkpoints.witnessed import witnessed_notes

    def hash_of(seq: int) -> str | None:
        entry = reader.entry(seq)
        return None if entry is None else entry.hash

    if not given and not keys:
        return None
    kept = [one for text in witnessed_notes(reader, 0, proof.last) for one in read_seen(text)] if keys else []
    epochs = []
    for entry in reversed(reader.last(("epoch",), count=100)):
        said = begun(entry)
        who = f"{said.by}: {said.reason}" if said.by else "as the service found out"
        epochs.append(f"entry {entry.seq} of {entry.at[:19]}Z says: goes on from entry {said.common.seq} ({who})")
    return hold_against(proof, given, keys, kept, hash_of, tuple(epochs))


def of_export(folder: Path, proof: Proof, given: list[str] | None, keys: list[str] | None) -> SeenResult | None:
    """The same of an export."""
    import json

    from service.record.checkpoints.seen import NothingSeenError, read_seen
    from service.record.store.chain import BrokenEntryError, Entry
    from service.record.verify import ENTRIES, MANIFEST, WITNESSED

    if not given and not keys:
        return None
    manifest = json.loads((folder / MANIFEST).read_text())
    hashes = {int(manifest["first"]) - 1: str(manifest["previous"])}
    for line in (folder / ENTRIES).read_text(encoding="ascii").splitlines():
        with suppress(BrokenEntryError):  # the proof tells of it
            entry = Entry.of_line(line)
            hashes[entry.seq] = entry.hash
    kept: list[Seen] = []
    if keys and (folder / WITNESSED).exists():
        with suppress(NothingSeenError):
            kept = list(read_seen(str(folder / WITNESSED)))
    return hold_against(proof, given, keys, kept, hashes.get)
