"""Solving the camera's pose over a table from measured points.

The felt, tile-top and die-top planes follow from one pose, so the error is reported on the table.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from calibration.arrays import Numbers, PointsMm, PointsPx, Rays
from calibration.codes import CalibrationCode
from calibration.finding import Finding, NotSolved
from calibration.lens.projection import Lens
from calibration.table.homography import Pose

MIN_POINTS: Final = 4
ACCEPT_MM: Final = 1.5
"""Residual achievable by careful measuring with a tape; above it the technician is warned."""
REFUSE_MM: Final = 4.0
"""Residual above which no pose is returned: a tile is 25 mm wide, and zones are a few millimetres apart."""
_MIN_HEIGHT_MM: Final = 300.0
_MIN_SPREAD_MM: Final = 300.0
"""Minimum extent of the points in their narrower direction; below it tilt and position cannot be separated."""
_RIVAL: Final = 3.0
"""A second pose whose fit is less than this factor worse makes the first one ambiguous."""
_CLEARLY: Final = 3.0
"""A single point is blamed only if removing any other helps less by this factor."""
_RIVAL_TURN_RAD: Final = 0.02


@dataclass(frozen=True, eq=False, slots=True)
class PoseFit:
    """A pose and its accuracy.

    Attributes:
        pose: the camera over the table.
        residual_mm: (n,) distance between measured and projected position of each point.
        left_out_mm: (n,) the same for each point when excluded from the fit; None below five points.
    """

    pose: Pose
    residual_mm: Numbers
    left_out_mm: Numbers | None

    @property
    def good(self) -> bool:
        """Whether all residuals are within what careful measuring allows."""
        return float(self.residual_mm.max()) <= ACCEPT_MM


def solve_pose(points_px: PointsPx, points_mm: PointsMm, lens: Lens) -> PoseFit | NotSolved:
    """Solve the pose from points of the table, (n, 3) or on the felt (n, 2), and their pixels.

    Returns:
        The fit, or the reason: too few points, points too close together or collinear, a residual above
        ``REFUSE_MM`` (with the point at fault, if it can be identified), or an impossible camera.
    """
    # Slices of a larger array are copied: OpenCV does not accept them.
    points_px = np.ascontiguousarray(points_px, np.float64).reshape(-1, 2)
    points_mm = np.asarray(points_mm, np.float64)
    if points_mm.ndim == 2 and points_mm.shape[1] == 2:
        points_mm = np.column_stack([points_mm, np.zeros(len(points_mm))])
    points_mm = np.ascontiguousarray(points_mm).reshape(-1, 3)
    if (fault := _unfit(points_px, points_mm)) is not None:
        return fault
    rays = lens.rays_from_image(points_px)
    if not np.isfinite(rays).all():
        number = int(np.flatnonzero(~np.isfinite(rays).all(axis=1))[0]) + 1
        return NotSolved.of(
            CalibrationCode.POINT_UNSEEN_BY_LENS, CalibrationCode.GIVE_AGAIN_OR_OTHER_LENS, point=number
        )
    pose = _solve(points_px, points_mm, lens)
    if isinstance(pose, NotSolved):
        outlier = _outlier(points_px, points_mm, lens, rays)
        return pose if outlier is None else _disagree(outlier.off_mm, outlier)
    residual_mm = _residual_mm(pose, rays, points_mm)
    left_out_mm = _left_out(points_px, points_mm, lens, rays) if len(points_mm) > MIN_POINTS else None
    if not float(residual_mm.max()) <= REFUSE_MM:
        return _disagree(float(residual_mm.max()), _outlier(points_px, points_mm, lens, rays), len(points_mm))
    if (fault := _refused(pose)) is not None:
        return fault
    return PoseFit(pose, residual_mm, left_out_mm)


def _unfit(points_px: PointsPx, points_mm: PointsMm) -> NotSolved | None:
    """Why these points cannot yield a pose; None if they can."""
    if len(points_px) != len(points_mm):
        counts = {"picture": len(points_px), "table": len(points_mm)}
        return NotSolved.of(CalibrationCode.UNEQUAL_POINTS, CalibrationCode.GIVE_BOTH, **counts)
    if len(points_mm) < MIN_POINTS:
        return NotSolved.of(
            CalibrationCode.FEW_POINTS, CalibrationCode.ADD_POINTS, points=len(points_mm), needed=MIN_POINTS
        )
    if not (np.isfinite(points_px).all() and np.isfinite(points_mm).all()):
        return NotSolved.of(CalibrationCode.POINT_NOT_FINITE, CalibrationCode.GIVE_POINT_AGAIN)
    # The extent of the points along their narrower direction on the table.
    flat = points_mm[:, :2] - points_mm[:, :2].mean(axis=0)
    _, _, directions = np.linalg.svd(flat)
    narrow_mm = float(np.ptp(flat @ directions[1]))
    if narrow_mm < _MIN_SPREAD_MM:
        widths = {"narrow": round(narrow_mm), "needed": round(_MIN_SPREAD_MM)}
        return NotSolved.of(CalibrationCode.POINTS_IN_LINE, CalibrationCode.USE_ALL_CORNERS, **widths)
    return None


def _solve(points_px: PointsPx, points_mm: PointsMm, lens: Lens) -> Pose | NotSolved:
    """The pose with the smallest reprojection error."""
    level = float(np.ptp(points_mm[:, 2])) < 1e-9
    method = cv2.SOLVEPNP_IPPE if level else cv2.SOLVEPNP_SQPNP
    try:
        count, turns, moves, _ = cv2.solvePnPGeneric(points_mm, points_px, lens.matrix, lens.distortion, flags=method)
    except cv2.error as fault:
        return NotSolved.of(CalibrationCode.POINTS_FIT_NO_POSE, CalibrationCode.CHECK_ORDER, why=str(fault.err))
    found: list[tuple[float, Pose]] = []
    for turn, move in zip(turns[:count], moves[:count], strict=True):
        turned, moved = cv2.solvePnPRefineLM(
            points_mm, points_px, lens.matrix, lens.distortion, turn.copy(), move.copy()
        )
        again, _ = cv2.projectPoints(points_mm, turned, moved, lens.matrix, lens.distortion)
        error = float(np.sqrt(np.square(np.asarray(again).reshape(-1, 2) - points_px).sum(axis=1).mean()))
        rotation, _ = cv2.Rodrigues(turned)
        pose = Pose(np.asarray(rotation, np.float64), np.asarray(moved, np.float64).ravel())
        if np.isfinite(error) and pose.camera_mm[2] > 0:
            found.append((error, pose))
    if not found:
        return NotSolved.of(CalibrationCode.NO_CAMERA_ABOVE, CalibrationCode.CHECK_AXES)
    found.sort(key=lambda each: each[0])
    error, best = found[0]
    for other_error, other in found[1:]:
        apart_rad = float(np.arccos(np.clip((np.trace(best.rotation.T @ other.rotation) - 1) / 2, -1, 1)))
        if apart_rad > _RIVAL_TURN_RAD and other_error < _RIVAL * max(error, 0.05):
            return NotSolved.of(CalibrationCode.TWO_POSES_FIT, CalibrationCode.USE_POINTS_FURTHER_APART)
    return best


def _residual_mm(pose: Pose, rays: Rays, points_mm: PointsMm) -> Numbers:
    """(n,): distance of each point from its measured position, on the plane at its own height."""
    seen = pose.plane_from_rays(rays, points_mm[:, 2])
    off: Numbers = np.linalg.norm(seen - points_mm[:, :2], axis=1)
    return np.where(np.isfinite(off), off, np.inf)


def _left_out(points_px: PointsPx, points_mm: PointsMm, lens: Lens, rays: Rays) -> Numbers:
    """(n,): the residual of each point under the pose from the others; infinite if they yield none."""
    off = np.full(len(points_mm), np.inf)
    for index in range(len(points_mm)):
        others = np.arange(len(points_mm)) != index
        pose = _solve(points_px[others], points_mm[others], lens)
        if not isinstance(pose, NotSolved):
            off[index] = _residual_mm(pose, rays[index : index + 1], points_mm[index : index + 1])[0]
    return off


@dataclass(frozen=True, slots=True)
class _Outlier:
    """The one point without which all others agree.

    Attributes:
        number: its number, counted from 1.
        off_mm: its distance from the position implied by the others.
    """

    number: int
    off_mm: float


def _outlier(points_px: PointsPx, points_mm: PointsMm, lens: Lens, rays: Rays) -> _Outlier | None:
    """The only point whose removal makes the rest agree; None if it does not exist or is ambiguous.

    An outlier drags the pose towards itself, so its own residual is not the largest: what counts is how well the others
    fit without it. At least four others must remain, or they always fit.
    """
    if len(points_mm) <= MIN_POINTS:
        return None
    rest_mm, off_mm = [], []
    for index in range(len(points_mm)):
        others = np.arange(len(points_mm)) != index
        pose = _solve(points_px[others], points_mm[others], lens)
        solved = not isinstance(pose, NotSolved) and _unfit(points_px[others], points_mm[others]) is None
        residual_mm = _residual_mm(pose, rays, points_mm) if solved and not isinstance(pose, NotSolved) else None
        rest_mm.append(np.inf if residual_mm is None else float(residual_mm[others].max()))
        off_mm.append(np.inf if residual_mm is None else float(residual_mm[index]))
    best, second = np.argsort(rest_mm)[:2]
    if rest_mm[best] > REFUSE_MM or rest_mm[second] < max(REFUSE_MM, _CLEARLY * rest_mm[best]):
        return None
    return _Outlier(int(best) + 1, off_mm[best])


def _disagree(off_mm: float, outlier: _Outlier | None, points: int = 0) -> NotSolved:
    """The result for points that are not where they were measured, with the outlier if it can be identified."""
    reason = Finding.of(CalibrationCode.POINTS_DISAGREE, off=f"{off_mm:.1f}", allowed=f"{REFUSE_MM:.0f}")
    if outlier is not None:
        off = f"{outlier.off_mm:.0f}"
        return NotSolved(reason, Finding.of(CalibrationCode.MEASURE_POINT_AGAIN, point=outlier.number, off=off))
    few = points <= MIN_POINTS
    return NotSolved(reason, Finding(CalibrationCode.ADD_POINT_TO_TELL if few else CalibrationCode.MEASURE_ALL_AGAIN))


def _refused(pose: Pose) -> NotSolved | None:
    """Why a pose must not be used; None if it may."""
    height_mm = float(pose.camera_mm[2])
    if height_mm < _MIN_HEIGHT_MM:
        return NotSolved.of(CalibrationCode.CAMERA_TOO_LOW, CalibrationCode.CHECK_MILLIMETRES, height=round(height_mm))
    if pose.rotation[2, 2] > -0.5:
        lean = np.degrees(np.arccos(np.clip(-pose.rotation[2, 2], -1, 1)))
        return NotSolved.of(CalibrationCode.CAMERA_LEANS, CalibrationCode.CHECK_PLACES, degrees=round(float(lean)))
    return None
