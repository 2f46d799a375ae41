"""Detailed comparison of a marker's face with a learnt one: the same print, or a similar one.

Two words that differ in one letter are similar in most places, so no global likeness distinguishes them in every light.
Here the face is registered to the learnt one, brought to the same sharpness, and the largest local residual is
examined. The tolerance depends on the detail of the print: a word that is only a bar in the picture cannot be judged.
All computations are in linear light, in which blur and brightness affect white and black letters alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Floats

SIDE: Final = 64
"""Width and height of a face in pixels."""
MOST_LEFT: Final = 0.65
_BY_DETAIL: Final = 1.5
_BY_HEIGHT: Final = 0.5
"""Maximum local residual for letters ten millimetres high in a fully detailed print, and its exponents for detail and
letter height. Of 963 drawn look-alikes the closest had 1.1 times that: GUT for OUT, in letters so bold that people
could not distinguish them either.
"""
LEAST_PRINT_PX: Final = 4.5
"""Minimum letter height in the picture for distinguishing words, as measured by ``Face.print_mm``."""
LEAST_DETAIL: Final = 0.1
"""Detail below which a print is too blurred to read."""
_USUAL_PRINT_MM: Final = 10.0
_FAINT: Final = 0.1
"""Share of the strongest print's energy below which a region is not print."""
_REACH: Final = 0.9
"""Extent of a face in radii of its marker; the rim is not learnt."""
_STEP: Final = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1).astype(np.float32) * np.float32(_REACH)
_X, _Y = np.meshgrid(_STEP, -_STEP)
_WINDOW: Final = np.clip((0.82 - np.hypot(_X, _Y)) / 0.05, 0, 1).astype(np.float32)
"""Print area of a face, with a soft edge."""
_ROOT: Final = np.sqrt(_WINDOW).reshape(-1, 1)
_SLOPES: Final = np.stack([np.ones_like(_X), _X, _Y], -1).reshape(-1, 3)
_TO_SLOPES: Final = np.linalg.pinv(_SLOPES * _ROOT).astype(np.float32)
_BLURS: Final = (0.5, 0.8, 1.1, 1.4, 1.8, 2.3, 2.8, 3.4)
"""Standard deviations in pixels for blurring the sharper of two faces until both match."""
_PIECE: Final = 5.0
_SMOOTH: Final = 0.65
"""Standard deviations in pixels of a region, about a letter, and of the residual: a different stroke has a residual of
one sign, a slightly displaced edge has both.
"""
_EVERYWHERE_LEFT: Final = 1.3
"""Multiple of the mean residual (noise) that does not count as a difference between letters."""
_DETAIL_MM: Final = 1.0
_LEVELS: Final = np.arange(256) / 255
_LIGHT: Final = 255 * np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
"""Linear light, 0 to 255, for each level of a camera (sRGB, IEC 61966-2-1)."""
_ROUGH: Final = 1.5
"""Standard deviation in pixels up to which faces are blurred before registration."""
_EVERYWHERE: Final = np.full((SIDE, SIDE), 255, np.uint8)
_STEPS: Final = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-5)


def take_face(
    image: NDArray[np.uint8],
    calibration: TableCalibration,
    center_mm: tuple[float, float],
    radius_mm: float,
    z_mm: float,
    turn: float = 0.0,
) -> Floats:
    """The face of a marker, (SIDE, SIDE, 3) float32, around its centre on the plane ``z_mm``, rotated by an angle."""
    points = np.array(center_mm) + np.array([(0, 0), (radius_mm, 0), (0, radius_mm)])
    middle, right, up = calibration.project(np.column_stack([points, np.full(3, z_mm)]))
    cosine, sine = np.cos(turn), np.sin(turn)
    x, y = (_X * cosine - _Y * sine)[..., None], (_X * sine + _Y * cosine)[..., None]
    where = np.nan_to_num(middle + x * (right - middle) + y * (up - middle), nan=-9.0).astype(np.float32)
    return np.asarray(cv2.remap(image, where[..., 0], where[..., 1], cv2.INTER_LINEAR), np.float32)


@dataclass(frozen=True, slots=True)
class Compared:
    """A face compared with a learnt one.

    Attributes:
        likeness: correlation of both, registered and equally sharp.
        left: largest local residual beyond the mean residual of the entire print, relative to the strongest print.
        detail: share of the print finer than a millimetre at the compared sharpness; low for a blurred word.
        print_mm: height of the learnt print; large letters differ by more than small ones.
        print_px: the same in the picture.
    """

    likeness: float
    left: float
    detail: float
    print_mm: float = 0.0
    print_px: float = 0.0

    @property
    def same(self) -> bool:
        return self.legible and self.share_left <= 1

    @property
    def share_left(self) -> float:
        """The residual as a share of the tolerance."""
        most = MOST_LEFT * self.detail**_BY_DETAIL * (self.print_mm / _USUAL_PRINT_MM) ** _BY_HEIGHT
        return float(self.left / max(most, 1e-6))

    @property
    def legible(self) -> bool:
        """Whether it is large and sharp enough in the picture to identify the print with certainty."""
        return self.detail >= LEAST_DETAIL and self.print_px >= LEAST_PRINT_PX


UNLIKE: Final = Compared(0.0, 1.0, 0.0)
"""No similarity."""


@dataclass(frozen=True, eq=False, slots=True)
class Face:
    """A learnt face.

    Attributes:
        picture: (SIDE, SIDE, 3) float32 BGR.
        radius_mm: of its marker.
        print_mm: height of its print; for a word of its letters, across the writing direction.
    """

    picture: Floats
    radius_mm: float
    print_mm: float = field(init=False)
    _colour: Floats = field(init=False, repr=False)
    _print: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Determine the colour difference between print and marker."""
        flat = _flattened(_light(self.picture))
        colour = np.linalg.eigh(np.einsum("yxc,yxd->cd", flat, flat))[1][:, -1].astype(np.float32)
        object.__setattr__(self, "_colour", colour)
        object.__setattr__(self, "_print", flat @ colour)
        object.__setattr__(self, "print_mm", _height(self._print) * self.radius_mm)

    def compared(self, others: Iterable[Floats], px_per_mm: float) -> Compared:
        """The best result over pictures (SIDE, SIDE, 3) of the same face at different rotations."""
        found = (self._compared(_light(each) @ self._colour) for each in others)
        best = max(found, key=lambda each: each.likeness, default=UNLIKE)
        return replace(best, print_mm=self.print_mm, print_px=self.print_mm * px_per_mm)

    def _compared(self, other: Floats) -> Compared:
        laid = _laid_onto(self._print, other)
        if laid is None:
            return UNLIKE
        likeness, own, laid = max(_equally_sharp(self._print, laid), key=lambda each: each[0])
        gain = float((own * laid).sum() / max(float((own * own).sum()), 1e-6))
        if gain <= 0:
            return Compared(likeness, 1.0, 0.0)
        own = own * gain
        strength = _blurred(own * own, _PIECE)
        over = _blurred(_blurred(laid - own, _SMOOTH) ** 2, _PIECE)
        everywhere = float((over * strength).sum() / strength.sum())
        left = float(np.sqrt(max(float(over.max()) - _EVERYWHERE_LEFT * everywhere, 0.0) / float(strength.max())))
        step_mm = 2 * _REACH * self.radius_mm / SIDE
        fine = own - _blurred(own, _DETAIL_MM / step_mm)
        return Compared(likeness, left, float(np.sqrt((fine * fine).sum() / (own * own).sum())))


def _height(printed: Floats) -> float:
    """Extent of the print across its longest direction, in radii: for a bar its width."""
    ink = ((printed - np.median(printed[_WINDOW > 0])) * _WINDOW) ** 2
    ink = np.where(ink >= _FAINT * ink.max(), ink, 0.0)
    weights = ink.ravel() / max(float(ink.sum()), 1e-6)
    spread = np.cov(np.stack([_X.ravel(), _Y.ravel()]), aweights=weights, ddof=0)
    return float(np.sqrt(12 * max(float(np.linalg.eigvalsh(spread)[0]), 0.0)))


def _light(picture: Floats) -> Floats:
    return np.asarray(np.interp(picture, np.arange(256), _LIGHT), np.float32)


def _flattened(light: Floats) -> Floats:
    """Light (SIDE, SIDE, ...) without its mean and the slope of side lighting, zero outside the print."""
    flat = light.reshape(SIDE * SIDE, -1)
    slopes = _SLOPES @ (_TO_SLOPES @ (flat * _ROOT))
    return np.asarray((flat - slopes) * _WINDOW.reshape(-1, 1), np.float32).reshape(light.shape)


def _blurred(what: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(what, (0, 0), sigma), np.float32)


def _laid_onto(own: Floats, other: Floats) -> Floats | None:
    """Light shifted, rotated and slightly stretched so that its print matches; None if registration fails.

    It is flattened after registration; otherwise the rim of a disc with an uncertain centre would leave a residual.
    """
    rough, its = _blurred(own, _ROUGH), _blurred(_flattened(other), _ROUGH)
    spread = float(rough.std()), float(its.std())
    if min(spread) < 1e-3:
        return None
    try:
        _, warp = cv2.findTransformECC(
            rough / spread[0],
            its / spread[1],
            np.eye(2, 3, dtype=np.float32),
            cv2.MOTION_AFFINE,
            _STEPS,
            _EVERYWHERE,
            1,
        )
    except cv2.error:  # it does not converge, since the two have nothing in common
        return None
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return _flattened(np.asarray(cv2.warpAffine(other, warp, (SIDE, SIDE), flags=flags), np.float32))


def _equally_sharp(own: Floats, other: Floats) -> Iterable[tuple[float, Floats, Floats]]:
    """Correlation of two prints, with both prints, unblurred and with either of them blurred."""
    for blur_own, blur_other in ((0.0, 0.0), *((each, 0.0) for each in _BLURS), *((0.0, each) for each in _BLURS)):
        one = (_blurred(own, blur_own) if blur_own else own) * _WINDOW
        two = (_blurred(other, blur_other) if blur_other else other) * _WINDOW
        size = float(np.sqrt((one * one).sum() * (two * two).sum()))
        yield float((one * two).sum()) / max(size, 1e-6), one, two
