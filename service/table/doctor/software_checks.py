"""Checks of the program: Python, libraries, its own files and its models."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement

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
    from pathlib import Path

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
