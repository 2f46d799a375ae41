"""The calibration that a table is read by, and those in its history."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calibration.files.calibration_file import CalibrationError, TableCalibration, load_calibration
from calibration.files.seal import HISTORY

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from calibration.files.calibration_file import Quality

_KEPT_SHOWN: Final = 20


@dataclass(frozen=True, eq=False, slots=True)
class InUse:
    """What the table is read by.

    Attributes:
        calibration: the calibration.
        version: SHA-256 of its file, as the results name it; empty without a file.
    """

    calibration: TableCalibration
    version: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A calibration that was used before.

    Attributes:
        name: of its file in ``history``.
        made_at: when it was made, UTC; None if it does not say.
        quality: how well it was known; None if it does not say.
    """

    name: str
    made_at: datetime | None
    quality: Quality | None


def kept_beside(path: Path | None) -> tuple[Kept, ...]:
    """The calibrations that a file replaced, newest first."""
    if path is None:
        return ()
    files = sorted((path.parent / HISTORY).glob(f"{path.stem}-*{path.suffix}"), reverse=True)
    return tuple(map(_kept_in, files[:_KEPT_SHOWN]))


def version_of(path: Path | None) -> str:
    """SHA-256 of a calibration's file; empty without one that can be read."""
    try:
        return "" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _kept_in(file: Path) -> Kept:
    try:
        known = load_calibration(file)
    except CalibrationError:
        return Kept(file.name, None, None)
    return Kept(file.name, None if known.seal is None else known.seal.made_at, known.quality)
