"""Exporting a record: JSON lines, pictures, signatures and the public key in a folder that proves itself offline."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibration.files.seal import sync_folder
from service.record.checkpoints.checkpoint_store import witnessed_notes
from service.record.integrity.verify import (
    CHECKPOINTS,
    ENTRIES,
    MANIFEST,
    PICTURES,
    PUBLIC_KEY,
    WITNESSED,
    NotARecordError,
)
from service.record.integrity.walk import named_in
from service.record.store.entries import NO_HASH, Draft, RecordUnavailableError
from service.record.store.files import make_folder, sync_file, write_durably
from service.record.store.signing import PublicKey

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import TextIOWrapper
    from pathlib import Path

    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.record.store.evidence import EvidenceStore
    from service.record.store.record import Record


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds.

    Attributes:
        lacking: pictures missing or spoilt, not removed after an earlier export; with any, nothing is marked so.
        unmarked: why the record does not say that this was exported; None if it does.
    """

    first: int
    last: int
    pictures: int
    lacking: tuple[str, ...]
    unmarked: str | None


def export_record(
    reader: DatabaseReader,
    evidence: EvidenceStore,
    folder: Path,
    *,
    since: int = 0,
    mark_in: Record | None = None,
    rename_to: Path | None = None,
) -> Exported:
    """Write all entries beyond number ``since`` to a new folder, with what proves them; the last one notes the export.

    It is noted only once the export proves itself and has its name, since exported pictures may be removed.
    NotARecordError if there is nothing to export or the folder is in use, RecordUnavailableError, OSError; what was
    written until then has no manifest, so it proves nothing.
    """
    started, before = reader.entry(1), reader.entry(since)
    if started is None or (since and before is None):
        raise NotARecordError(
            "there is no record in this database" if started is None else f"there is no entry {since}"
        )
    make_folder(folder)
    if any(folder.iterdir()):
        raise NotARecordError(f"{folder} is not empty: name a new folder")
    make_folder(folder / PICTURES)
    with (
        (folder / ENTRIES).open("w", encoding="ascii", newline="\n") as entries,
        (folder / CHECKPOINTS).open("w", encoding="ascii", newline="\n") as checkpoints,
    ):
        previous = NO_HASH if before is None else before.hash
        writer = _Writer(reader, evidence, folder, started, previous, since, entries, checkpoints)
        writer.write(reader.all_entries(since))
        if writer.last == since:
            raise NotARecordError(f"there is nothing after entry {since}")
        writer.finish()
        if rename_to is not None:
            folder.rename(rename_to)
            sync_folder(rename_to.parent)
            writer.folder = rename_to
        unmarked = _mark(mark_in, writer)
        if unmarked is None:
            writer.write(reader.all_entries(writer.last))
            writer.finish()
    return Exported(since + 1, writer.last, len(writer.copied), tuple(sorted(writer.lacking)), unmarked)


def _rotations(reader: DatabaseReader, record: str, since: int) -> list[dict[str, str]]:
    """The changes of the signing key up to an entry, oldest first, each with its signature by the key before."""
    changes = reversed(reader.last(("signing_key",), before=since + 1, count=10_000))
    signed = ((entry, reader.checkpoint(record, entry)) for entry in changes)
    return [{"entry": entry.line(), "signature": made.signature} for entry, made in signed if made is not None]


@dataclass(slots=True)
class _Writer:
    reader: DatabaseReader
    evidence: EvidenceStore
    folder: Path
    started: Entry
    previous: str
    since: int
    entries: TextIOWrapper
    checkpoints: TextIOWrapper
    last: int = field(init=False)
    hash: str = NO_HASH
    copied: set[str] = field(default_factory=set)
    lacking: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.last = self.since

    @property
    def record(self) -> str:
        return str(self.started.data["record"])

    def write(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.entries.write(entry.line() + "\n")
            if (checkpoint := self.reader.checkpoint(self.record, entry)) is not None:
                self.checkpoints.write(checkpoint.line() + "\n")
            for sha256 in named_in(entry.data) - self.copied:
                self._copy(sha256, entry.seq)
            self.last, self.hash = entry.seq, entry.hash

    def _copy(self, sha256: str, seq: int) -> None:
        data = self.evidence.get(sha256)
        if data is None:
            if seq > self.reader.last_through("pictures_removed"):
                self.lacking.add(sha256)
            return
        target = self.folder / PICTURES / sha256[:2] / sha256
        make_folder(target.parent)
        write_durably(target, data)
        self.copied.add(sha256)

    def finish(self) -> None:
        """Write what proves the entries written so far."""
        for file in (self.entries, self.checkpoints):
            sync_file(file)
        sync_folder(self.folder)
        key = self.started.data["public_key"]
        write_durably(self.folder / PUBLIC_KEY, PublicKey.of_hex(key).pem)
        manifest = {
            "record": self.record,
            "public_key": key,
            "rotations": _rotations(self.reader, self.record, self.since),
            "first": self.since + 1,
            "previous": self.previous,
            "last": self.last,
            "hash": self.hash,
            "pictures": len(self.copied),
        }
        notes = witnessed_notes(self.reader, self.since, self.last)
        write_durably(self.folder / WITNESSED, "\n".join(notes).encode())
        write_durably(self.folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())


def _mark(record: Record | None, writer: _Writer) -> str | None:
    """Note in the record what was exported; returns why that was not done."""
    if record is None:
        return "the record is not open for writing"
    if writer.lacking:
        return "pictures are missing or damaged"
    body = {"through": writer.last, "hash": writer.hash, "pictures": len(writer.copied)}
    try:
        record.append(Draft("export", body))
    except RecordUnavailableError as error:
        return str(error)
    return None
