"""The face of a marker held against another, piece by piece: the same print, or one that only looks like it.

Two words of which one letter differs are alike in most places, so no likeness of the whole tells them apart in every
light. Here the face is laid onto the learnt one, brought to the same sharpness, and what is left over is looked at
where it is largest. How much may be left depends on how much detail the print shows: of a word that is only a bar in
the picture nothing can be said. All of it is done in linear light, in which blur and brightness act alike on white
letters and on black ones.
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
"""What may be left over where most is, of letters ten millimetres high in a print that is all detail; and the powers of
its detail and of the letters' height that it goes with. Of 963 drawn look-alikes the nearest came to 1.1 of that: GUT
for OUT, in letters so bold that people could not tell them apart either."""
LEAST_PRINT_PX: Final = 4.5
"""Height of letters in the picture from which words are told apart, as ``Face.print_mm`` measures it."""
LEAST_DETAIL: Final = 0.1
"""Detail below which a print is too blurred to be read."""
_USUAL_PRINT_MM: Final = 10.0
_FAINT: Final = 0.1
"""Share of the strongest print's energy below which something is no print."""
_REACH: Final = 0.9
"""What a face shows, in radii of its marker; of the rim alone nothing is learnt."""
_STEP: Final = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1).astype(np.float32) * np.float32(_REACH)
_X, _Y = np.meshgrid(_STEP, -_STEP)
_WINDOW: Final = np.clip((0.82 - np.hypot(_X, _Y)) / 0.05, 0, 1).astype(np.float32)
"""Which part of a face bears print, with a soft edge."""
_ROOT: Final = np.sqrt(_WINDOW).reshape(-1, 1)
_SLOPES: Final = np.stack([np.ones_like(_X), _X, _Y], -1).reshape(-1, 3)
_TO_SLOPES: Final = np.linalg.pinv(_SLOPES * _ROOT).astype(np.float32)
_BLURS: Final = (0.5, 0.8, 1.1, 1.4, 1.8, 2.3, 2.8, 3.4)
"""Standard deviations in pixels by which one of two faces is blurred until both are equally sharp."""
_PIECE: Final = 5.0
_SMOOTH: Final = 0.65
"""Standard deviations in pixels of a piece, about a letter, and of what is left over: of a stroke that is another all
of it has one sign, along an edge that lies a little beside it both have."""
_EVERYWHERE_LEFT: Final = 1.3
"""How many times what is left over on all of the print, which noise is, is no difference between two letters."""
_DETAIL_MM: Final = 1.0
_LEVELS: Final = np.arange(256) / 255
_LIGHT: Final = 255 * np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
"""Light, 0 to 255, that a camera shows as each of its levels (sRGB, IEC 61966-2-1)."""
_ROUGH: Final = 1.5
"""Standard deviation in pixels up to which faces are blurred before one is laid onto the other."""
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
    """The face of a marker, (SIDE, SIDE, 3) float32, around its middle on the plane ``z_mm``, turned by an angle."""
    points = np.array(center_mm) + np.array([(0, 0), (radius_mm, 0), (0, radius_mm)])
    middle, right, up = calibration.project(np.column_stack([points, np.full(3, z_mm)]))
    cosine, sine = np.cos(turn), np.sin(turn)
    x, y = (_X * cosine - _Y * sine)[..., None], (_X * sine + _Y * cosine)[..., None]
    where = np.nan_to_num(middle + x * (right - middle) + y * (up - middle), nan=-9.0).astype(np.float32)
    return np.asarray(cv2.remap(image, where[..., 0], where[..., 1], cv2.INTER_LINEAR), np.float32)


@dataclass(frozen=True, slots=True)
class Compared:
    """A face held against a learnt one.

    Attributes:
        likeness: correlation of both, laid onto each other and equally sharp.
        left: what is left over in the piece where it is largest, beyond the noise that is left over on all of the
            print, against the print where it is strongest.
        detail: share of the print finer than a millimetre, as sharp as it is compared; little of a blurred word.
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
        """Whether it is surely the same print."""
        return self.legible and self.share_left <= 1

    @property
    def share_left(self) -> float:
        """What is left over as a share of what may be."""
        most = MOST_LEFT * self.detail**_BY_DETAIL * (self.print_mm / _USUAL_PRINT_MM) ** _BY_HEIGHT
        return float(self.left / max(most, 1e-6))

    @property
    def legible(self) -> bool:
        """Whether it is so large and sharp in the picture that the same print can be known for sure."""
        return self.detail >= LEAST_DETAIL and self.print_px >= LEAST_PRINT_PX


UNLIKE: Final = Compared(0.0, 1.0, 0.0)
"""What has nothing in common."""


@dataclass(frozen=True, eq=False, slots=True)
class Face:
    """A learnt face.

    Attributes:
        picture: (SIDE, SIDE, 3) float32 BGR.
        radius_mm: of its marker.
        print_mm: height of what it bears: of a word its letters, across the direction in which it is written.
    """

    picture: Floats
    radius_mm: float
    print_mm: float = field(init=False)
    _colour: Floats = field(init=False, repr=False)
    _print: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find the colour that the print has against the marker."""
        flat = _flattened(_light(self.picture))
        colour = np.linalg.eigh(np.einsum("yxc,yxd->cd", flat, flat))[1][:, -1].astype(np.float32)
        object.__setattr__(self, "_colour", colour)
        object.__setattr__(self, "_print", flat @ colour)
        object.__setattr__(self, "print_mm", _height(self._print) * self.radius_mm)

    def compared(self, others: Iterable[Floats], px_per_mm: float) -> Compared:
        """The best that comes of pictures (SIDE, SIDE, 3) of one and the same face, turned in different ways."""
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
    """How far print reaches across the direction in which it is longest, in radii: of a bar its width."""
    ink = ((printed - np.median(printed[_WINDOW > 0])) * _WINDOW) ** 2
    ink = np.where(ink >= _FAINT * ink.max(), ink, 0.0)
    weights = ink.ravel() / max(float(ink.sum()), 1e-6)
    spread = np.cov(np.stack([_X.ravel(), _Y.ravel()]), aweights=weights, ddof=0)
    return float(np.sqrt(12 * max(float(np.linalg.eigvalsh(spread)[0]), 0.0)))


def _light(picture: Floats) -> Floats:
    """The light of a picture in levels of a camera."""
    return np.asarray(np.interp(picture, np.arange(256), _LIGHT), np.float32)


def _flattened(light: Floats) -> Floats:
    """Light (SIDE, SIDE, ...) without its mean and the slope of a lamp to one side, nought outside the print."""
    flat = light.reshape(SIDE * SIDE, -1)
    slopes = _SLOPES @ (_TO_SLOPES @ (flat * _ROOT))
    return np.asarray((flat - slopes) * _WINDOW.reshape(-1, 1), np.float32).reshape(light.shape)


def _blurred(what: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(what, (0, 0), sigma), np.float32)


def _laid_onto(own: Floats, other: Floats) -> Floats | None:
    """Light moved, turned and stretched a little so that its print lies on the own one; None if it finds no hold.

    It is flattened where it then lies, or of a disc whose middle is not well known the rim would be left over.
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
    except cv2.error:  # it does not converge, for the two have nothing in common
        return None
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return _flattened(np.asarray(cv2.warpAffine(other, warp, (SIDE, SIDE), flags=flags), np.float32))


def _equally_sharp(own: Floats, other: Floats) -> Iterable[tuple[float, Floats, Floats]]:
    """Correlation of two prints, and both, as they are and with either of them blurred."""
    for blur_own, blur_other in ((0.0, 0.0), *((each, 0.0) for each in _BLURS), *((0.0, each) for each in _BLURS)):
        one = (_blurred(own, blur_own) if blur_own else own) * _WINDOW
        two = (_blurred(other, blur_other) if blur_other else other) * _WINDOW
        size = float(np.sqrt((one * one).sum() * (two * two).sum()))
        yield float((one * two).sum()) / max(size, 1e-6), one, two
