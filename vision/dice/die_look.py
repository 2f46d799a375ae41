"""How one die looks: its size, the colours of its body and pips, and the drawing of its upper face.

Two drawings are compared by their correlation. The outline of a die lies along its sides, and a crop may be mirrored
(``vision.dice.outlines.facing``), so a face has eight positions; small shifts allow for errors of the outline.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import cv2
import numpy as np

from calibration.files.calibration_file import TableCalibration
from vision.arrays import Colour, Floats, Mask, Pixels
from vision.crops import DIE_FACE, die_crops, in_sides
from vision.dice.die_roles import body_colour, wall_colour
from vision.dice.outlines import foot_of, sides_mm
from vision.reading import Polygon

PIP_AREA: Final = 0.02
"""Share of the upper face that certainly belongs to each pip."""
FACE, WALL, PIPS = range(3)
"""Rows of the colours of a look."""
_SIDE: Final = 20
"""Pixels of a drawing along a side, half those of a crop."""
_SHIFTS: Final = (-1.5, -0.75, 0.0, 0.75, 1.5)
_REACH: Final = 0.42
_DIAGONAL_REACH: Final = 0.5
"""Half the measured part of a face, in sides: straight and diagonally."""
_MOST_OVER_MEAN: Final = 2.5
"""Contrast, relative to the mean, at which it is clipped."""
_DARKEST: Final = 4.0


@dataclass(frozen=True, eq=False)
class DieLook:
    """One die as seen in one picture.

    Attributes:
        crop: (80, 80, 3) uint8 BGR, the foot below.
        foot: (2,) of a flat die, right and down in sides.
        side_mm: length of an edge.
        felt: colour of the felt in the same picture.
        value: as read; None if uncertain.
    """

    crop: Pixels
    foot: Floats
    side_mm: float
    felt: Colour
    value: int | None

    @cached_property
    def colours(self) -> Floats:
        """Colours (3, 3) BGR of upper face, wall and pips, the felt's taken as grey; nan if unknown."""
        face = body_colour(self.crop[DIE_FACE, DIE_FACE])
        parts = (face, wall_colour(self.crop, self.foot), self._pip_colour(face))
        found = np.array([(np.nan,) * 3 if part is None else part for part in parts], np.float32)
        return np.asarray(found / np.maximum(np.array(self.felt, np.float32), _DARKEST), np.float32)

    def _pip_colour(self, body: Colour) -> Colour | None:
        """Median of the pixels that differ most from the body, as many as the pips of the value have."""
        if self.value is None:
            return None
        pixels = self.crop[DIE_FACE, DIE_FACE][4:-4, 4:-4].reshape(-1, 3).astype(np.float32)
        far = np.linalg.norm(pixels - np.array(body, np.float32), axis=1)
        most = np.argsort(-far)[: max(round(PIP_AREA * self.value * len(pixels)), 8)]
        blue, green, red = np.median(pixels[most], axis=0).tolist()
        return blue, green, red

    @cached_property
    def drawings(self) -> Floats:
        """The upper face, shifted a little in all directions, as drawings (25, pixels)."""
        return _drawn(self._shifted)

    @cached_property
    def _shifted(self) -> Floats:
        half = cv2.resize(self.crop, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA).astype(np.float32)
        start = (half.shape[0] - _SIDE) / 2
        moved = [
            cv2.warpAffine(
                half,
                np.array([[1, 0, start + right], [0, 1, start + down]], np.float32),
                (_SIDE, _SIDE),
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            )
            for down in _SHIFTS
            for right in _SHIFTS
        ]
        return np.asarray(moved, np.float32)


def mean_drawing(dice: Sequence[DieLook]) -> Floats:
    """The usual upper face of some dice of one kind and value, as drawings (8, pixels) in all its positions."""
    mean = np.asarray(dice[0]._shifted[len(_SHIFTS) ** 2 // 2])  # noqa: SLF001 - of this module
    for _ in range(2):
        fitting = []
        for die in dice:
            shift = int((_drawn(_positions(mean)) @ die.drawings.T).max(0).argmax())
            ways = _positions(die._shifted[shift])  # noqa: SLF001
            best = ways[int((_drawn(ways) @ _drawn(mean[None])[0]).argmax())]
            fitting.append((best - best.mean((0, 1))) / (best.std() + 1e-3))
        mean = np.asarray(np.mean(fitting, axis=0), np.float32)
    return _drawn(_positions(mean))


def match(die: DieLook, usual: Floats) -> float:
    """Correlation of a die with a :func:`mean_drawing`, in the best position."""
    return float((usual @ die.drawings.T).max())


def looks(
    image: Pixels,
    outlines: Sequence[Polygon],
    values: Sequence[int | None],
    calibration: TableCalibration,
    felt: Colour,
) -> list[DieLook]:
    """How the dice with these outlines and values look in a picture."""
    quads = np.array(outlines, np.float32).reshape(-1, 4, 2)
    if not len(quads):
        return []
    feet = in_sides(quads, foot_of(quads, calibration))
    found = zip(die_crops(image, quads), feet, sides_mm(quads, calibration).tolist(), values, strict=True)
    return [DieLook(crop, foot, side, felt, value) for crop, foot, side, value in found]


def _positions(face: Floats) -> Floats:
    """A face in the eight positions of a square."""
    ways = [np.rot90(way, turns) for way in (face, face[:, ::-1]) for turns in range(4)]
    return np.ascontiguousarray(np.stack(ways))


def _drawn(faces: Floats) -> Floats:
    """Drawings (n, pixels) with unit norm of faces (n, rows, columns, 3).

    The light's mean and slope are removed from each colour, and the excess of a lamp's reflection is clipped.
    """
    within, slope = _measured()
    part = faces[:, within]
    part = part - slope @ (slope.T @ part)
    most = _MOST_OVER_MEAN * np.abs(part).mean((1, 2), keepdims=True)
    rows = np.clip(part, -most, most).reshape(len(faces), -1)
    return np.asarray(rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-3), np.float32)


@cache
def _measured() -> tuple[Mask, Floats]:
    """The measured part of a face, without its edges and corners, and an orthonormal basis (pixels, 3) of slopes."""
    down, right = np.mgrid[0:_SIDE, 0:_SIDE] - (_SIDE - 1) / 2
    within = np.maximum(np.abs(down), np.abs(right)) <= _REACH * _SIDE
    within &= np.hypot(down, right) <= _DIAGONAL_REACH * _SIDE
    basis = np.linalg.qr(np.stack([np.ones(within.sum()), right[within], down[within]], 1))[0]
    return within, np.asarray(basis, np.float32)
