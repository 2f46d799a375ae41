"""Checks of the program and its record: Python, libraries, files, models; the record's folder and its chain."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement

from service.record.integrity.verify import NotARecordError, examine_database
from service.record.projections.compare import compare_own
from service.record.store.database import DatabaseError, check_version, faults_as_unavailable, open_database
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import RecordUnavailableError
from service.record.store.record_settings import EVIDENCE, KEY, RecordSettings
from service.system.versions import ROOT, SEAL, code_state
from service.table.doctor.diagnosis import Diagnosis
from service.table.learning.tile_model import own_tiles
from service.words.diagnoses import DiagnosisCode
from vision.learning.errors import LearningError
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import ModelError, card_path, read_card, sha256_of
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.record.integrity.verify import Proof
    from service.system.settings import Config


LEAST_PYTHON: Final = (3, 11)
_MOST_FILES_NAMED: Final = 5


def python(version: tuple[int, ...] = sys.version_info[:3]) -> Diagnosis:
    return Diagnosis.of(
        DiagnosisCode.PYTHON_TOO_OLD if version < LEAST_PYTHON else DiagnosisCode.PYTHON_WELL,
        implementation=platform.python_implementation(),
        version=".".join(map(str, version)),
        machine=platform.machine(),
    )


def libraries(distribution: str = "houseway") -> Diagnosis:
    """Check that the installed libraries meet the program's requirements."""
    try:
        required = [Requirement(text) for text in metadata.requires(distribution) or ()]
    except metadata.PackageNotFoundError:
        return Diagnosis.of(DiagnosisCode.LIBRARIES_NOT_INSTALLED, distribution=distribution)
    needed = [one for one in required if one.marker is None or one.marker.evaluate({"extra": ""})]
    if wrong := tuple(_wrong(needed)):
        return Diagnosis.of(DiagnosisCode.LIBRARIES_DIFFER, faults="; ".join(wrong))
    return Diagnosis.of(DiagnosisCode.LIBRARIES_WELL, count=len(needed), opencv=metadata.version("opencv-python"))


def _wrong(needed: Sequence[Requirement]) -> Iterator[str]:
    for one in needed:
        try:
            found = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            yield f"{one.name} is missing"
        else:
            if not one.specifier.contains(found, prereleases=True):
                yield f"{one.name} is {found}, {one.specifier} is needed"


def code(root: Path = ROOT) -> Diagnosis:
    """Check that the program's files are the installed ones."""
    state = code_state(root)
    sha256 = state.sha256[:16]
    if state.differing:
        more = len(state.differing) - _MOST_FILES_NAMED
        files = ", ".join(state.differing[:_MOST_FILES_NAMED]) + (f" and {more} more" if more > 0 else "")
        return Diagnosis.of(DiagnosisCode.CODE_DIFFERS, sha256=sha256, files=files)
    found = DiagnosisCode.CODE_WELL if state.sealed else DiagnosisCode.CODE_NOT_SEALED
    return Diagnosis.of(found, sha256=sha256, seal=SEAL)


def models(weights: Path | None = None, own: Path | None = None) -> Diagnosis:
    """Check that the models are the files that their cards describe.

    Args:
        weights: their folder; None for the default.
        own: folder of the tile models adopted at the table; None for the shipped one.
    """
    folder = weights or default_weights()
    found = sorted(folder.glob("*.onnx"))
    try:
        put_in_use = None if own is None else own_tiles(own)
    except LearningError as error:
        return Diagnosis.of(DiagnosisCode.MODELS_UNREADABLE, why=error)
    if put_in_use is not None:
        found = [path for path in found if path.name != TILE_MODEL] + [put_in_use / TILE_MODEL]
    if not found:
        return Diagnosis.of(DiagnosisCode.MODELS_MISSING, folder=folder)
    known = []
    for path in found:
        try:
            card = read_card(card_path(path))
            sha256 = sha256_of(path)
        except (ModelError, OSError) as error:
            return Diagnosis.of(DiagnosisCode.MODELS_UNREADABLE, why=error)
        if sha256 != card.sha256:
            return Diagnosis.of(DiagnosisCode.MODELS_DIFFERS, path=path, found=sha256[:12], expected=card.sha256[:12])
        known.append(f"{card.name} {sha256[:8]}")
    return Diagnosis.of(DiagnosisCode.MODELS_WELL, models=", ".join(known))


_FORGETFUL: Final = frozenset({"tmpfs", "ramfs", "overlay"})
"""File systems in memory, or of a container that may be discarded."""


def record(config: Config, root: Path) -> Iterator[Diagnosis]:
    """Check a record without changing it."""
    yield _folder(config.record_folder, root)
    yield _chain(config)


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


def _chain(config: Config) -> Diagnosis:
    settings = RecordSettings.of(config)
    try:
        database = open_database(settings.database_url)
        if database.dialect.name == "sqlite" and not Path(database.url.database or "").exists():
            key = settings.folder / KEY
            if key.exists():
                return Diagnosis.of(DiagnosisCode.RECORD_MISSING, key=key)
            return Diagnosis.of(DiagnosisCode.RECORD_NONE)
        with DatabaseReader(database) as reader:
            evidence, more = settings.folder / EVIDENCE, {"projections": compare_own}
            with faults_as_unavailable():
                check_version(database)
            proof = examine_database(reader, evidence, settings=settings, more=more)
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
