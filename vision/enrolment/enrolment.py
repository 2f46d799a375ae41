"""A table's own tiles and backs as learnt at a display check, and comparison with later ones.

Colours are relative to the felt measured in the same picture, so that a dimmer or warmer lamp has no effect (von Kries,
1902: each channel is scaled by its illumination).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.enrolment.likeness import Reference, likeness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from calibration.files.seal import Seal
    from engine.game.tiles import Tile
    from vision.arrays import Colour, Floats
    from vision.enrolment.likeness import Likeness
    from vision.reading import Verdict

LEAST_MATCH: Final = 0.88
MOST_STRETCH: Final = 0.006
MOST_GAIN: Final = 0.06
"""Minimum correlation, and maximum stretch and gain, of the table's own tiles in any light: docs/enrolment.md."""
LEAST_STRETCH: Final = 0.004
LEAST_GAIN: Final = 0.025
_OTHER_LIGHT: Final = 3.0
"""Limits of stretch and gain relative to those seen at the display, where pictures of one tile differ little."""
FOREIGN_MATCH: Final = 0.7
FOREIGN_STRETCH: Final = 0.012
FOREIGN_GAIN: Final = 0.15
"""The same limits beyond which a tile is certainly foreign."""
LEAST_BACK_MATCH: Final = 0.85
"""Minimum correlation of the table's own marked backs."""
FELT_TO_BACK: Final = (0.3, 1.8)
"""Range of a back's colour on the line from the felt's colour (0) to the enrolled back's (1)."""
MOST_ASIDE: Final = 0.45
"""Maximum distance of a back's colour from that line, as a share of its length."""
LEAST_APART: Final = 8.0
"""Difference of backs and felt in CIELAB from which their colours are distinguishable."""
LEAST_SHARP: Final = 0.6
"""Sharpness relative to the enrolment's below which the picture is out of focus."""
_FELT_STEP_MM: Final = 40.0
_DARKEST: Final = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class OwnTile:
    """One tile as seen at the display.

    Attributes:
        face: its face.
        crop: (96, 48, 3) uint8 BGR.
        reference: the crop prepared for comparison.
    """

    face: Tile
    crop: NDArray[np.uint8]
    reference: Reference

    @classmethod
    def of(cls, face: Tile, crop: NDArray[np.uint8]) -> OwnTile:
        return cls(face, crop, Reference.of(crop))


@dataclass(frozen=True, eq=False, slots=True)
class OwnBacks:
    """The backs of the set.

    Attributes:
        crops: (n, 96, 48, 3) uint8 BGR, a sample.
        references: the same prepared for comparison if the backs have a visible mark; else empty.
        colour: of the back, in the light of the enrolment.
    """

    crops: NDArray[np.uint8]
    references: tuple[Reference, ...]
    colour: Colour


@dataclass(frozen=True, slots=True)
class OwnLimits:
    """Limits of the table's own tiles, as measured at this table.

    Attributes:
        stretch: of the pip pattern, as a share.
        gain: share of the mismatch removed by stretching the pattern.
    """

    stretch: float = MOST_STRETCH
    gain: float = MOST_GAIN

    @classmethod
    def of(cls, seen: Sequence[Likeness]) -> OwnLimits:
        """From pictures of tiles compared with others of the same tiles; other light increases the difference."""
        if not seen:
            return cls()
        stretch = _OTHER_LIGHT * max(abs(each.stretch) for each in seen)
        gain = _OTHER_LIGHT * max(each.gain for each in seen)
        return cls(float(np.clip(stretch, LEAST_STRETCH, MOST_STRETCH)), float(np.clip(gain, LEAST_GAIN, MOST_GAIN)))


@dataclass(frozen=True, eq=False, slots=True)
class Enrolment:
    """The appearance of one table's own tiles and backs.

    Attributes:
        tiles: all 32, in rank order.
        felt: colour of the felt at the enrolment.
        sharpness: of the tiles' pictures (``vision.checks.sharpness``).
        limits: of the table's own tiles.
        order: their order, a name of ``engine.game.display_order.LAID``.
        pictures: number of pictures of the display they were chosen from.
        calibration: hash of the calibration in use; None if there was none.
        backs: None if no backs were shown.
        seal: date and hash of the file; None if not read from one.
    """

    tiles: tuple[OwnTile, ...]
    felt: Colour
    sharpness: float
    order: str
    pictures: int
    calibration: str | None
    backs: OwnBacks | None = None
    limits: OwnLimits = OwnLimits()
    seal: Seal | None = None

    @property
    def version(self) -> str:
        return "not saved" if self.seal is None else f"sha256:{self.seal.sha256}"

    def likeness(self, crop: NDArray[np.uint8], face: Tile) -> Likeness:
        """Likeness of a crop (96, 48, 3) to the table's own tiles of a face."""
        return likeness(crop, [tile.reference for tile in self.tiles if tile.face is face])

    def judge(self, crop: NDArray[np.uint8], face: Tile) -> Verdict:
        """Whether a crop (96, 48, 3) shows one of the table's own tiles of a face."""
        return judged(self.likeness(crop, face), self.limits)

    def own_back(self, crop: NDArray[np.uint8], felt: Colour) -> bool:
        """Whether a crop (96, 48, 3) shows a back of this set; ``felt`` is the ``felt_colour`` of the same picture.

        True if no backs were enrolled.
        """
        backs = self.backs
        if backs is None:
            return True
        if backs.references and likeness(crop, backs.references).match < LEAST_BACK_MATCH:
            return False
        here, own, ground = (_lab(each) for each in (self._as_then(face_colour(crop), felt), backs.colour, self.felt))
        if float(np.linalg.norm(own - ground)) < LEAST_APART:
            return bool(backs.references)
        share, aside = _along(here, ground, own)
        return FELT_TO_BACK[0] <= share <= FELT_TO_BACK[1] and aside <= MOST_ASIDE

    def _as_then(self, colour: Colour, felt: Colour) -> Colour:
        blue, green, red = (
            each * then / max(now, _DARKEST) for each, then, now in zip(colour, self.felt, felt, strict=True)
        )
        return blue, green, red


def judged(seen: Likeness, limits: OwnLimits = OwnLimits()) -> Verdict:
    """The verdict on a likeness to the table's own tiles of the same face."""
    if seen.match < FOREIGN_MATCH or (abs(seen.stretch) > FOREIGN_STRETCH and seen.gain > FOREIGN_GAIN):
        return "foreign"
    if seen.match < LEAST_MATCH or (abs(seen.stretch) > limits.stretch and seen.gain > limits.gain):
        return "unlike"
    return "own"


def face_colour(crop: NDArray[np.uint8]) -> Colour:
    """Median colour of the tile in a crop (96, 48, 3), without its rim."""
    blue, green, red = np.median(crop[12:84, 10:38].reshape(-1, 3), axis=0).tolist()
    return blue, green, red


def felt_colour(image: NDArray[np.uint8], calibration: TableCalibration) -> Colour:
    """Median colour of the playing surface in a picture."""
    width, depth = calibration.layout.table_mm or (1200.0, 600.0)
    x, y = np.meshgrid(
        np.arange(-width / 2 + _FELT_STEP_MM, width / 2, _FELT_STEP_MM),
        np.arange(-depth / 2 + _FELT_STEP_MM, depth / 2, _FELT_STEP_MM),
    )
    points = calibration.project(np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]))
    size = np.array(calibration.size)
    points = np.round(points[np.isfinite(points).all(axis=1)]).astype(int)
    points = points[((points >= 0) & (points < size)).all(axis=1)]
    pixels = image[points[:, 1], points[:, 0]] if len(points) else image[::16, ::16].reshape(-1, 3)
    blue, green, red = np.median(pixels, axis=0).tolist()
    return blue, green, red


def _lab(colour: Colour) -> Floats:
    pixel = np.array(colour, np.float32).reshape(1, 1, 3).clip(0, 255) / 255
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_BGR2LAB)[0, 0], np.float32)


def _along(point: Floats, start: Floats, end: Floats) -> tuple[float, float]:
    """Position of a point along the line from start to end, and distance from it, as shares of its length."""
    way = end - start
    length = max(float(np.linalg.norm(way)), 1e-6)
    share = float((point - start) @ way) / length**2
    return share, float(np.linalg.norm(point - start - share * way)) / length
