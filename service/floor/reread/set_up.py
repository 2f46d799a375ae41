"""How tables were set up when a round was read: calibrations and enrolments, found by the hash that was recorded."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import load_calibration
from vision.enrolment.enrolment_file import FORMAT, load_enrolment

if TYPE_CHECKING:
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from vision.capture.images import Image
    from vision.enrolment.enrolment import Enrolment


@dataclass(frozen=True, eq=False, slots=True)
class SetUps:
    """The files of a folder and all folders in it, such as copies of the tables' own with their ``history``.

    Attributes:
        calibrations: files by their SHA-256, as results name them.
        enrolments: files by the hash of their seal.
    """

    calibrations: dict[str, Path] = field(default_factory=dict)
    enrolments: dict[str, Path] = field(default_factory=dict)

    @classmethod
    def found_in(cls, folder: Path) -> Self:
        """Look through a folder; OSError if it cannot be read."""
        found = cls()
        for path in sorted(folder.rglob("*.json")):
            data = path.read_bytes()
            told = _object(data)
            if told.get("format") == FORMAT.name:
                found.enrolments.setdefault(f"sha256:{told.get('sha256')}", path)
            elif told:
                found.calibrations.setdefault(f"sha256:{hashlib.sha256(data).hexdigest()}", path)
        return found

    def calibration(self, version: str) -> tuple[TableCalibration, Image | None] | None:
        """A calibration with its picture of the empty table; None if it is not here. CalibrationError."""
        path = self.calibrations.get(version)
        return None if path is None else _calibration(path)

    def enrolment(self, version: str) -> Enrolment | None:
        """An enrolment; None if it is not here. EnrolmentError."""
        path = self.enrolments.get(version)
        return None if path is None else _enrolment(path)


@lru_cache(maxsize=8)
def _calibration(path: Path) -> tuple[TableCalibration, Image | None]:
    found = load_calibration(path)
    return found, load_reference(path, found)


@lru_cache(maxsize=8)
def _enrolment(path: Path) -> Enrolment:
    return load_enrolment(path)


def _object(data: bytes) -> dict[str, Any]:
    try:
        told = json.loads(data)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
