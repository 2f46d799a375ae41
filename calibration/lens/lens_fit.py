"""Solving a lens from views of a board, and its file.

Every fit is also evaluated on held-out views; the third radial term is used only if it reduces that error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from calibration.codes import CalibrationCode
from calibration.files.calibration_file import CalibrationError
from calibration.files.camera_entry import LensModel, check_lens
from calibration.files.json_file import FileModel, PictureSize, parse, read_json
from calibration.files.seal import FileFormat, Seal, unseal, write_sealed
from calibration.finding import Finding, NotSolved, Param
from calibration.lens.board import BoardView
from calibration.lens.projection import Lens
from calibration.lens.view_coverage import coverage

FORMAT: Final = FileFormat("houseway-lens", version=1)
ACCEPT_PX: Final = 0.5
"""Reprojection error of a good lens; above it the technician is warned."""
REFUSE_PX: Final = 1.0
"""Reprojection error above which no lens is returned."""
_FOLDS: Final = 4
_WORTH: Final = 0.98
"""The third radial term must bring the hold-out error below this share of the error without it."""
_FOCAL_RANGE: Final = (0.3, 6.0)
_FOCAL_GUESS: Final = 0.8
"""Focal lengths relative to the picture's width: typical for a lens over a table, and medium."""
_STOP: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 100, 1e-10)


@dataclass(frozen=True, eq=False, slots=True)
class LensFit:
    """A lens and its accuracy.

    Attributes:
        size: width and height in pixels of the pictures it applies to.
        rms_px: root mean square distance between detected and projected corners.
        hold_out_px: the same on held-out views.
        per_view_px: the same for each view, with the picture's name.
        seal: date and hash of the file, None before it is written.
    """

    size: tuple[int, int]
    lens: Lens
    rms_px: float
    hold_out_px: float
    per_view_px: tuple[tuple[str, float], ...]
    seal: Seal | None = None

    @property
    def good(self) -> bool:
        """Whether both errors are within the limits for a good calibration."""
        return max(self.rms_px, self.hold_out_px) <= ACCEPT_PX


def solve_lens(views: Sequence[BoardView]) -> LensFit | NotSolved:
    """Solve the lens from views of a board, or return why that is impossible.

    At least ten views from one camera at one picture size are needed, covering the picture, some of them tilted.
    """
    if len({view.size for view in views}) > 1:
        sizes = ", ".join(sorted({f"{w} x {h}" for w, h in (view.size for view in views)}))
        return NotSolved.of(CalibrationCode.PICTURES_OF_SIZES, CalibrationCode.USE_ONE_MODE, sizes=sizes)
    covered = coverage(views)
    if not covered.enough:
        counts: dict[str, Param] = {
            "views": len(views),
            "sideways": covered.sideways,
            "forward": covered.forward,
        }
        missing: dict[str, Param] = {"missing": ", ".join(covered.missing)} if covered.missing else {}
        return NotSolved(Finding.of(CalibrationCode.LENS_NOT_COVERED, **counts, **missing), covered.advice)
    try:
        fits = [(_hold_out(views, flags), flags) for flags in (cv2.CALIB_FIX_K3, 0)]
        (plain_px, flags), (full_px, full) = fits
        hold_out_px = plain_px
        if full_px < _WORTH * plain_px:
            hold_out_px, flags = full_px, full
        lens, rms_px, errors = _fit(views, flags)
    except cv2.error as fault:
        return NotSolved.of(CalibrationCode.VIEWS_FIT_NO_LENS, CalibrationCode.TAKE_VIEWS_AGAIN, why=str(fault.err))
    per_view = tuple((view.name, float(error)) for view, error in zip(views, errors, strict=True))
    return _checked(LensFit(views[0].size, lens, rms_px, hold_out_px, per_view))


def _checked(fit: LensFit) -> LensFit | NotSolved:
    """The fit, unless it must not be used."""
    worst, worst_px = max(fit.per_view_px, key=lambda each: each[1])
    for code, error_px in (
        (CalibrationCode.LENS_ERROR, fit.rms_px),
        (CalibrationCode.LENS_HOLD_OUT_ERROR, fit.hold_out_px),
    ):
        if not error_px <= REFUSE_PX:
            return NotSolved.of(
                code,
                CalibrationCode.TAKE_WORST_VIEW_AGAIN,
                error=f"{error_px:.2f}",
                limit=f"{REFUSE_PX:.1f}",
                worst=worst,
                worst_px=f"{worst_px:.2f}",
            )
    width, height = fit.size
    fx, fy, cx, cy = (float(fit.lens.matrix[at]) for at in ((0, 0), (1, 1), (0, 2), (1, 2)))
    if not (min(fx, fy) > 0 and 0 <= cx <= width and 0 <= cy <= height):
        found = {"fx": f"{fx:.0f}", "fy": f"{fy:.0f}", "cx": f"{cx:.0f}", "cy": f"{cy:.0f}"}
        return NotSolved.of(CalibrationCode.LENS_IMPOSSIBLE, CalibrationCode.TAKE_LEANING_VIEWS, **found)
    edges = np.array([(x, y) for x in (0, width / 2, width - 1) for y in (0, height / 2, height - 1)], np.float64)
    if not np.isfinite(fit.lens.rays_from_image(edges)).all():
        return NotSolved.of(CalibrationCode.LENS_WITHOUT_CORNERS, CalibrationCode.TAKE_CORNER_VIEWS)
    return fit


def _fit(views: Sequence[BoardView], flags: int) -> tuple[Lens, float, NDArray[np.float64]]:
    """The lens, its error and the error of each view, pixels."""
    objects = [np.column_stack([view.points_mm, np.zeros(len(view.points_mm))]).astype(np.float32) for view in views]
    images = [view.points_px.astype(np.float32) for view in views]
    width, height = views[0].size
    first = np.asarray(cv2.initCameraMatrix2D(objects, images, (width, height)), np.float64)
    focal = float(first[0, 0])
    if not _FOCAL_RANGE[0] * width <= focal <= _FOCAL_RANGE[1] * width:
        focal = _FOCAL_GUESS * width
    guess = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
    rms_px, matrix, distortion, _, _, _, _, errors = cv2.calibrateCameraExtended(
        objects,
        images,
        (width, height),
        guess,
        np.zeros(5),
        flags=flags | cv2.CALIB_USE_INTRINSIC_GUESS,
        criteria=_STOP,
    )
    lens = Lens(np.asarray(matrix, np.float64), np.asarray(distortion, np.float64).ravel()[:5])
    return lens, float(rms_px), np.asarray(errors, np.float64).ravel()


def _hold_out(views: Sequence[BoardView], flags: int) -> float:
    """The error on held-out views: on every other corner, with the board's pose fitted to the rest."""
    squared: list[NDArray[np.float64]] = []
    for fold in range(_FOLDS):
        lens, _, _ = _fit([view for index, view in enumerate(views) if index % _FOLDS != fold], flags)
        for view in views[fold::_FOLDS]:
            points = np.column_stack([view.points_mm, np.zeros(len(view.points_mm))])
            fitted_mm, fitted_px = points[::2].copy(), view.points_px[::2].copy()
            found, turn, move = cv2.solvePnP(fitted_mm, fitted_px, lens.matrix, lens.distortion)
            if not found:
                return float("inf")
            again, _ = cv2.projectPoints(points[1::2].copy(), turn, move, lens.matrix, lens.distortion)
            off = np.asarray(again, np.float64).reshape(-1, 2) - view.points_px[1::2]
            squared.append(np.square(off).sum(axis=1))
    return float(np.sqrt(np.concatenate(squared).mean()))


def save_lens(path: Path, fit: LensFit) -> Seal:
    """Write a lens with date and hash; the replaced file is kept."""
    return write_sealed(
        path,
        FORMAT,
        {
            "size": fit.size,
            "camera": {"K": fit.lens.matrix.tolist(), "dist": fit.lens.distortion.tolist()},
            "rms_px": fit.rms_px,
            "hold_out_px": fit.hold_out_px,
            "per_view_px": [{"name": name, "rms_px": error} for name, error in fit.per_view_px],
            "opencv": cv2.__version__,
        },
    )


class _ViewModel(FileModel):
    name: str
    rms_px: float


class _LensFileModel(FileModel):
    size: PictureSize
    camera: LensModel
    rms_px: float
    hold_out_px: float
    per_view_px: tuple[_ViewModel, ...]
    opencv: str

    @model_validator(mode="after")
    def _can_be_used(self) -> Self:
        check_lens(self.camera, self.size)
        for key, error_px in (("rms_px", self.rms_px), ("hold_out_px", self.hold_out_px)):
            if error_px > REFUSE_PX:
                raise ValueError(f"{key}: is {error_px:.2f}, above {REFUSE_PX:.1f}: calibrate the lens again")
        return self


def load_lens(path: Path) -> LensFit:
    """Read a lens; CalibrationError if the file is invalid, was modified, or its error is too large."""
    content, seal = unseal(read_json(path, CalibrationError), FORMAT, path.name, CalibrationError)
    found = parse(_LensFileModel, content, path.name, CalibrationError)
    views = tuple((view.name, view.rms_px) for view in found.per_view_px)
    return LensFit(found.size, found.camera.lens(), found.rms_px, found.hold_out_px, views, seal)
