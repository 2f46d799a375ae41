"""Checks of the record: writable, durable, and with a valid chain."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.record.integrity.verify import NotARecordError, examine_database
from service.record.store.database import DatabaseError, check_version, faults_as_unavailable, open_database
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import RecordUnavailableError
from service.record.store.record_settings import EVIDENCE, KEY, RecordSettings
from service.table.doctor.diagnosis import Diagnosis
from service.words.diagnoses import DiagnosisCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.record.integrity.verify import Look, Proof
    from service.system.settings import Config

_FORGETFUL: Final = frozenset({"tmpfs", "ramfs", "overlay"})
"""File systems in memory, or of a container that may be discarded."""


def record(config: Config, root: Path, beside: Mapping[str, Look] | None = None) -> Iterator[Diagnosis]:
    """Check a record without changing it."""
    yield _folder(config.record_folder, root)
    yield _chain(config, beside or {})


def _folder(folder: Path, root: Path) -> Diagnosis:
    known = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        with tempfile.TemporaryFile(dir=known) as file:
            file.write(b"x")
            os.fsync(file.fileno())
    except OSError as error:
        return Diagnosis.of(DiagnosisCode.FOLDER_NOT_WRITABLE, folder=known, why=error.strerror)
    filesystem = _filesystem(known, root)
    if filesystem in _FORGETFUL:
        return Diagnosis.of(DiagnosisCode.FOLDER_FORGETS, folder=known, filesystem=filesystem)
    return Diagnosis.of(DiagnosisCode.FOLDER_WELL, folder=folder, on=f" ({filesystem})" if filesystem else "")


def _filesystem(folder: Path, root: Path) -> str | None:
    """Return the kind of a folder's file system from the kernel's list of mounts."""
    try:
        lines = (root / "proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    mounts = [(fields[1].replace("\\040", " "), fields[2]) for line in lines if len(fields := line.split()) > 2]
    over = [(point, kind) for point, kind in mounts if folder.resolve().is_relative_to(point)]
    return max(over, key=lambda each: len(each[0]), default=(None, None))[1]


def _chain(config: Config, beside: Mapping[str, Look]) -> Diagnosis:
    settings = RecordSettings.of(config)
    try:
        database = open_database(settings.database_url)
        if database.dialect.name == "sqlite" and not Path(database.url.database or "").exists():
            key = settings.folder / KEY
            if key.exists():
                return Diagnosis.of(DiagnosisCode.RECORD_GONE, key=key)
            return Diagnosis.of(DiagnosisCode.RECORD_NONE)
        with DatabaseReader(database) as reader:
            with faults_as_unavailable():
                check_version(database)
            proof = examine_database(reader, settings.folder / EVIDENCE, settings=settings, more=beside)
    except DatabaseError as error:
        return Diagnosis.of(DiagnosisCode.RECORD_URL_WRONG, why=error)
    except (RecordUnavailableError, NotARecordError) as error:
        return Diagnosis.of(DiagnosisCode.RECORD_UNREADABLE, why=error)
    return _proven(proof)


def _proven(proof: Proof) -> Diagnosis:
    if proof.broken is not None:
        return Diagnosis.of(DiagnosisCode.RECORD_BROKEN, entry=proof.broken, why=proof.why)
    if not proof.holds:
        return Diagnosis.of(DiagnosisCode.RECORD_NOT_AS_RECORDED, why=proof.why, count=len(proof.faults))
    return Diagnosis.of(
        DiagnosisCode.RECORD_WELL, first=proof.first, last=proof.last, pictures=proof.pictures, head=proof.hash[:16]
    )
