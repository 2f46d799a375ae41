"""The lens that a table's calibration is made with: the one it has, or one whose file was made since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibration.files.calibration_file import Quality, TableCalibration
from calibration.lens.lens_fit import load_lens

if TYPE_CHECKING:
    from pathlib import Path

    from calibration.files.calibration_file import Marker
    from calibration.lens.lens_fit import LensFit
    from calibration.lens.projection import Lens
    from calibration.table.table_fit import PoseFit
    from calibration.table.zones import Layout


@dataclass(frozen=True, slots=True)
class LensQuality:
    """The lens that a calibration is made with, and how well it is known.

    Attributes:
        lens: the lens.
        size: width and height of the pictures it is for, pixels.
        sha256: of its file.
        rms_px: its error on its own views; None if nobody knows.
        hold_out_px: its error on views it was not made from; None if nobody knows.
    """

    lens: Lens
    size: tuple[int, int]
    sha256: str
    rms_px: float | None
    hold_out_px: float | None

    @classmethod
    def of(cls, fit: LensFit) -> LensQuality:
        """Of a lens file."""
        return cls(fit.lens, fit.size, fit.seal.sha256 if fit.seal else "", fit.rms_px, fit.hold_out_px)

    @classmethod
    def within(cls, known: TableCalibration) -> LensQuality:
        """Of a calibration that was made before."""
        if (said := known.quality) is None:
            return cls(known.lens, known.size, "", None, None)
        return cls(known.lens, known.size, said.lens_sha256, said.lens_rms_px, said.lens_hold_out_px)


def lens_for(file: Path | None, known: TableCalibration | None) -> LensQuality | None:
    """The lens to calibrate the table with.

    Args:
        file: where a lens is kept that was calibrated in the page; it need not be there.
        known: the calibration in use.

    Returns:
        The file's, unless the calibration is newer; None if there is neither.

    Raises:
        CalibrationError: the file is no lens, or was changed.
    """
    fit = None if file is None or not file.exists() else load_lens(file)
    if known is None:
        return None if fit is None else LensQuality.of(fit)
    newer = fit is not None and (known.seal is None or (fit.seal is not None and fit.seal.made_at > known.seal.made_at))
    return LensQuality.of(fit) if newer and fit is not None else LensQuality.within(known)


def calibrated(known: LensQuality, fit: PoseFit, layout: Layout, markers: tuple[Marker, ...] = ()) -> TableCalibration:
    """A calibration from a lens, the camera's place over the table, and the table's places; without a picture yet."""
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
