"""Actions of several steps that `benchmarks.power_cut` interrupts: what each does, and what must hold afterwards."""

import io
import json
import os
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from calibration.files.picture_file import PictureFile, read_picture, write_picture
from calibration.files.seal import FileFormat, unseal, write_sealed
from service.cli.record_upkeep import accept, rotate_key
from service.record.checkpoints.checkpoint_store import keep_mark, newest_note
from service.record.integrity.export import export_record
from service.record.integrity.verify import MANIFEST, verify_database, verify_export
from service.record.store.entries import Draft, Entry, Picture
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, PUBLIC_KEY, RecordSettings
from service.record.store.signing import PublicKey

BEFORE: Final = 6
"""Entries that are there before the action."""
ENROLMENTS: Final = 4
_WHY: Final = "a try"
_FORMAT: Final = FileFormat("houseway-try", 1)


@dataclass(frozen=True, slots=True)
class Action:
    """An action on the folder ``top``, which holds ``state`` of a record and ``settings.toml``.

    Attributes:
        prepare: what happens before; it is not interrupted.
        act: what is interrupted.
        fault: returns what is half-made on a disk after an interruption, or None.
    """

    prepare: Callable[[Path], None]
    act: Callable[[Path], None]
    fault: Callable[[Path], str | None]


def settings_of(top: Path) -> RecordSettings:
    """Return where the record is; exported pictures are removed at once."""
    return RecordSettings(top / "state", keep_days=0)


def append(record: Record, number: int) -> Entry:
    """Append an entry with two pictures, and tell standard output that it was served."""
    seen = [Picture(f"{number} {which} {os.getpid()}".encode() * 150) for which in ("frame", "annotated")]
    named = [{"sha256": one.sha256, "bytes": len(one.data), "media_type": one.media_type} for one in seen]
    entry = record.append(Draft("round", {"evidence": named}, table="cut", round=f"r{number}"), pictures=seen)
    os.write(1, f"{entry.seq} {entry.hash}\n".encode())
    return entry


def _begin(top: Path) -> None:
    (top / "settings.toml").write_text(
        f'[record]\nfolder = "{top / "state"}"\n[[tables]]\nname = "cut"\n[tables.source]\nkind = "simulator"\n'
    )
    with Record(settings_of(top)) as record:
        for number in range(BEFORE):
            append(record, number)


def _nothing(_: Path) -> None: ...


def _no_fault(_: Path) -> None:
    return None


def _append_many(top: Path) -> None:
    """Create a record and append; sometimes checkpoint the WAL, as SQLite does every 1000 pages."""
    with Record(settings_of(top)) as record:
        for number in range(2 * BEFORE):
            append(record, number)
            if number % 5 == 4:
                with record.database.connect() as connection:
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")


def _rotate(top: Path) -> None:
    rotate_key(config=top / "settings.toml", reason=_WHY)


def _rotated_by_half(top: Path) -> str | None:
    """Called after the record was opened, which completes the change."""
    with Record(settings_of(top), claim=False) as record:
        head = record.head()
        key = None if head is None else record.signing_key(head.seq + 1)
    beside = PublicKey.load(top / "state" / PUBLIC_KEY)
    return None if key is not None and beside.hex == key.hex else "record.pub is of another key than the record's"


def _export(top: Path) -> None:
    with Record(settings_of(top)) as record:
        export_record(record, record.evidence, top / "export", mark_in=record)


def _exported_by_half(top: Path) -> str | None:
    if not (top / "export" / MANIFEST).exists():
        with Record(settings_of(top), claim=False) as record:
            noted = record.last_through("export") > 0
        return "the record notes an export that has no manifest" if noted else None
    proof = verify_export(top / "export")
    return None if proof.holds else f"the export has a manifest, but {proof.why}"


def _begin_and_export(top: Path) -> None:
    _begin(top)
    _export(top)
    with Record(settings_of(top)) as record:
        append(record, BEFORE)


def _retain(top: Path) -> None:
    with Record(settings_of(top)) as record:
        record.tidy()


def _begin_and_restore(top: Path) -> None:
    """Put a copy of the database that lacks the newest entries back, as from a backup."""
    _begin(top)
    file = top / "state" / DATABASE
    earlier = file.read_bytes()
    with Record(settings_of(top)) as record:
        record.append(Draft("round", {"evidence": []}, table="cut", round="gone"))
        note = newest_note(record)
    if note is not None:
        keep_mark(settings_of(top).mark_file, note)
    file.write_bytes(earlier)


def _restore(top: Path) -> None:
    accept(_WHY, restored=True, config=top / "settings.toml")


def _restored_by_half(top: Path) -> str | None:
    """Whether a second try completes it."""
    _restore(top)
    with Record(settings_of(top), claim=False) as record:
        epochs = len(record.last(("epoch",), count=10))
        return None if record.state.ok and epochs else "the restored record has no new epoch"


def _begin_and_lose(top: Path) -> None:
    _begin(top)
    for file in (top / "state").glob(f"{DATABASE}*"):
        file.unlink()


def _replace(top: Path) -> None:
    accept(_WHY, lost=True, config=top / "settings.toml")


def _replaced_by_half(top: Path) -> str | None:
    """Whether a record takes the lost one's place and names it; a second try completes a missing one."""
    with Record(settings_of(top)) as record:
        there = record.state.ok
    if not there:
        _replace(top)
    with Record(settings_of(top), claim=False) as record:
        if not record.state.ok:
            return record.state.message
        first = record.entry(1)
        named = None if first is None else first.data.get("instead_of")
    old = [PublicKey.load(file).hex for file in (top / "state").glob(f"{PUBLIC_KEY}.*")]
    return None if named in old else f"the new record follows {named}, and not the lost one"


def _enrol(top: Path) -> None:
    chance = np.random.default_rng(1)
    for number in range(ENROLMENTS):
        picture = write_picture(top / "set.json", "try", chance.integers(0, 256, (64, 64, 3), np.uint8))
        write_sealed(top / "set.json", _FORMAT, {"number": number, "name": picture.name, "hash": picture.sha256})
        os.write(1, f"0 {number}\n".encode())


def _enrolled_by_half(top: Path) -> str | None:
    """Whether the file is the old one or the new one, with its picture."""
    if not (top / "set.json").exists():
        return None
    try:
        content, _ = unseal(json.loads((top / "set.json").read_text()), _FORMAT, "set.json", ValueError)
        read_picture(top / "set.json", PictureFile(str(content["name"]), str(content["hash"])))
    except (ValueError, OSError) as error:
        return f"the enrolment is broken: {error}"
    return None


ACTIONS: Final = {
    "append": Action(_nothing, _append_many, _no_fault),
    "rotate": Action(_begin, _rotate, _rotated_by_half),
    "export": Action(_begin, _export, _exported_by_half),
    "retain": Action(_begin_and_export, _retain, _no_fault),
    "restore": Action(_begin_and_restore, _restore, _restored_by_half),
    "replace": Action(_begin_and_lose, _replace, _replaced_by_half),
    "enrol": Action(_begin, _enrol, _enrolled_by_half),
}
NEW_RECORD: Final = frozenset({"replace"})
"""After these, the entries are those of another record."""


def fault_of(top: Path, action: str, served: dict[int, str]) -> str | None:
    """Return the fault of a disk after an interruption, or None."""
    with redirect_stdout(io.StringIO()):  # commands say what they do
        if action in NEW_RECORD:
            return ACTIONS[action].fault(top) or _fault_of_record(top, {})
        return _fault_of_record(top, served) or ACTIONS[action].fault(top)


def _fault_of_record(top: Path, served: dict[int, str]) -> str | None:
    with Record(settings_of(top)) as record:
        if not record.state.ok:
            return record.state.message
        kept = {entry.seq: entry.hash for entry in record.all_entries()}
        if lost := [seq for seq, entry_hash in served.items() if kept.get(seq) != entry_hash]:
            return f"entries {lost} were served and are lost"
        if record.append(Draft("round", {"evidence": []}, table="cut", round="next")).seq != max(kept) + 1:
            return "the next entry is not the next"
        proof = verify_database(record, record.evidence.folder)
        return None if proof.holds else f"entry {proof.broken}: {proof.why}"
