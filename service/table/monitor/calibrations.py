"""Calibrations of a table: the one in use, earlier ones, and the lens to calibrate with."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calibration.files.calibration_file import CalibrationError, Quality, TableCalibration, load_calibration
from calibration.files.seal import HISTORY
from calibration.lens.lens_fit import load_lens

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from calibration.files.calibration_file import Marker
    from calibration.lens.lens_fit import LensFit
    from calibration.lens.projection import Lens
    from calibration.table.table_fit import PoseFit
    from calibration.table.zones import Layout

_MOST_EARLIER: Final = 20


@dataclass(frozen=True, eq=False, slots=True)
class CalibrationInUse:
    """The calibration that a table is read with.

    Attributes:
        calibration: the calibration.
        version: SHA-256 of its file, as named in results; empty without a file.
    """

    calibration: TableCalibration
    version: str


@dataclass(frozen=True, slots=True)
class EarlierCalibration:
    """A calibration that was used before.

    Attributes:
        name: of its file in ``history``.
        made_at: when it was made, UTC; None if unknown.
        quality: its quality; None if unknown.
    """

    name: str
    made_at: datetime | None
    quality: Quality | None


def earlier_calibrations(path: Path | None) -> tuple[EarlierCalibration, ...]:
    """Return the newest calibrations that a file replaced, newest first."""
    if path is None:
        return ()
    files = sorted((path.parent / HISTORY).glob(f"{path.stem}-*{path.suffix}"), reverse=True)
    return tuple(map(_earlier, files[:_MOST_EARLIER]))


def file_version(path: Path | None) -> str:
    """Return the SHA-256 of a calibration's file; empty if it is missing or unreadable."""
    try:
        return "" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _earlier(file: Path) -> EarlierCalibration:
    try:
        known = load_calibration(file)
    except CalibrationError:
        return EarlierCalibration(file.name, None, None)
    return EarlierCalibration(file.name, None if known.seal is None else known.seal.made_at, known.quality)


@dataclass(frozen=True, slots=True)
class LensQuality:
    """A lens with its quality.

    Attributes:
        lens: the lens.
        size: width and height of its pictures, pixels.
        sha256: of its file.
        rms_px: its error on its own views; None if unknown.
        hold_out_px: its error on views that were not used to fit it; None if unknown.
    """

    lens: Lens
    size: tuple[int, int]
    sha256: str
    rms_px: float | None
    hold_out_px: float | None

    @classmethod
    def of(cls, fit: LensFit) -> LensQuality:
        return cls(fit.lens, fit.size, fit.seal.sha256 if fit.seal else "", fit.rms_px, fit.hold_out_px)

    @classmethod
    def within(cls, known: TableCalibration) -> LensQuality:
        if (quality := known.quality) is None:
            return cls(known.lens, known.size, "", None, None)
        return cls(known.lens, known.size, quality.lens_sha256, quality.lens_rms_px, quality.lens_hold_out_px)


def lens_for(file: Path | None, known: TableCalibration | None) -> LensQuality | None:
    """Return the lens to calibrate the table with.

    Args:
        file: file of a lens calibrated in the page; need not exist.
        known: the calibration in use.

    Returns:
        The file's lens, unless the calibration is newer; None without either.

    Raises:
        CalibrationError: the file is not a lens, or was altered.
    """
    fit = None if file is None or not file.exists() else load_lens(file)
    if known is None:
        return None if fit is None else LensQuality.of(fit)
    newer = fit is not None and (known.seal is None or (fit.seal is not None and fit.seal.made_at > known.seal.made_at))
    return LensQuality.of(fit) if newer and fit is not None else LensQuality.within(known)


def calibrated(known: LensQuality, fit: PoseFit, layout: Layout, markers: tuple[Marker, ...] = ()) -> TableCalibration:
    """Return a calibration from a lens, the camera's pose, and the table's places; without a reference picture."""
    left_out = None if fit.left_out_mm is None else float(fit.left_out_mm.max())
    worst, quality = float(fit.residual_mm.max()), None
    if known.rms_px is not None and known.hold_out_px is not None:
        quality = Quality(known.sha256, known.rms_px, known.hold_out_px, len(fit.residual_mm), worst, left_out)
    return TableCalibration(
        size=known.size,
        lens=known.lens,
        pose=fit.pose,
        layout=layout,
        dealer_side=fit.pose.dealer_side,
        markers=markers,
        quality=quality,
    )
