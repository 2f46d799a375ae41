"""A table's own tiles, backs and dice as they were learnt at a display check, and how later ones are held against them.

This is a reader beside the network and the pips that knows nothing of what faces mean: only how these very tiles look.
Colours are told relative to the felt, whose colour is known from the same picture, so that a dimmer or warmer lamp does
not make another tile of one (von Kries, 1902: each channel scaled by what the light does to it).
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
    from vision.reading import Role, Verdict

LEAST_MATCH: Final = 0.88
MOST_STRETCH: Final = 0.006
MOST_GAIN: Final = 0.06
"""A tile of this table matches so well in any light, and its pips are not spread wider or closer by more than this with
so much gained by saying so. docs/enrolment.md has what these figures keep and what they stop."""
LEAST_STRETCH: Final = 0.004
LEAST_GAIN: Final = 0.025
_OTHER_LIGHT: Final = 3.0
"""Where pictures of one tile differ little, as in good light, neither may another's: by so many times as much as at the
display, and no less than this."""
FOREIGN_MATCH: Final = 0.7
FOREIGN_STRETCH: Final = 0.012
FOREIGN_GAIN: Final = 0.15
"""The same beyond which it is not only doubted but told that the tile is not the table's own."""
LEAST_BACK_MATCH: Final = 0.85
"""The same for backs that bear a mark."""
FELT_TO_BACK: Final = (0.3, 1.8)
"""How far from the felt's colour towards the own backs' one a back lies: 0 is felt, 1 a back in the light of old."""
MOST_ASIDE: Final = 0.45
"""How far it may lie to the side of that way, over its length."""
LEAST_APART: Final = 8.0
"""Difference of colour (CIELAB) of backs and felt from which colour tells one from the other."""
ROLE_SPLIT: Final = 0.35
"""How near to one enrolled colour, as a share of the way to the other, a die must lie to have its role."""
MOST_DIE_ASIDE: Final = 0.6
LEAST_SHARP: Final = 0.6
"""Sharpness over that at enrolment below which the picture is out of focus."""
_FELT_STEP_MM: Final = 40.0
_DARKEST: Final = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class OwnTile:
    """One tile as it lay at the display.

    Attributes:
        face: what it bears.
        crop: (96, 48, 3) uint8 BGR.
        reference: the same, made ready.
    """

    face: Tile
    crop: NDArray[np.uint8]
    reference: Reference

    @classmethod
    def of(cls, face: Tile, crop: NDArray[np.uint8]) -> OwnTile:
        """From a crop."""
        return cls(face, crop, Reference.of(crop))


@dataclass(frozen=True, eq=False, slots=True)
class OwnBacks:
    """The backs of the set.

    Attributes:
        crops: (n, 96, 48, 3) uint8 BGR, a few of them.
        references: the same made ready if the backs bear a mark that the camera sees; else empty.
        colour: of the back, under the light of the enrolment.
    """

    crops: NDArray[np.uint8]
    references: tuple[Reference, ...]
    colour: Colour


@dataclass(frozen=True, slots=True)
class OwnDice:
    """Colours of the dice, under the light of the enrolment.

    Attributes:
        box: of the dice that are alike.
        cut: of the odd one; None if the table plays without.
    """

    box: Colour
    cut: Colour | None


@dataclass(frozen=True, slots=True)
class OwnLimits:
    """By how much the pips of an own tile may seem to be spread at this table.

    Attributes:
        stretch: wider or closer, as a share.
        gain: how much of what did not match is gained by saying so.
    """

    stretch: float = MOST_STRETCH
    gain: float = MOST_GAIN

    @classmethod
    def of(cls, seen: Sequence[Likeness]) -> OwnLimits:
        """From pictures of tiles held against others of the same tiles; in other light they differ by more."""
        if not seen:
            return cls()
        stretch = _OTHER_LIGHT * max(abs(each.stretch) for each in seen)
        gain = _OTHER_LIGHT * max(each.gain for each in seen)
        return cls(float(np.clip(stretch, LEAST_STRETCH, MOST_STRETCH)), float(np.clip(gain, LEAST_GAIN, MOST_GAIN)))


@dataclass(frozen=True, eq=False, slots=True)
class Enrolment:
    """What one table's own things look like.

    Attributes:
        tiles: all 32, in the order of rank.
        felt: colour of the felt when they were learnt.
        sharpness: of the tiles' pictures then (``vision.checks.sharpness``).
        limits: what tells them from others' tiles.
        order: in which order they lay, a name of ``engine.game.display_order.LAID``.
        pictures: how many pictures of the display they were chosen from.
        calibration: hash of the calibration then; None if it had none.
        backs: None if no backs were shown.
        dice: None if no dice were shown.
        seal: date and hash of the file; None if it was not read from one.
    """

    tiles: tuple[OwnTile, ...]
    felt: Colour
    sharpness: float
    order: str
    pictures: int
    calibration: str | None
    backs: OwnBacks | None = None
    dice: OwnDice | None = None
    limits: OwnLimits = OwnLimits()
    seal: Seal | None = None
    _by_face: dict[Tile, list[Reference]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Sort the references by face."""
        for tile in self.tiles:
            self._by_face.setdefault(tile.face, []).append(tile.reference)

    @property
    def version(self) -> str:
        """What readings made with it say of it."""
        return "not saved" if self.seal is None else f"sha256:{self.seal.sha256}"

    def likeness(self, crop: NDArray[np.uint8], face: Tile) -> Likeness:
        """How much a crop (96, 48, 3) looks like the table's own tiles of a face."""
        return likeness(crop, self._by_face[face])

    def judge(self, crop: NDArray[np.uint8], face: Tile) -> Verdict:
        """Whether a crop (96, 48, 3) shows one of the table's own tiles of a face."""
        return judged(self.likeness(crop, face), self.limits)

    def own_back(self, crop: NDArray[np.uint8], felt: Colour) -> bool:
        """Whether a crop (96, 48, 3) shows a back of this set; felt as ``felt_colour`` finds it in the same picture.

        Without backs enrolled nothing can be said against it.
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

    def role(self, colour: Colour, felt: Colour) -> Role | None:
        """What a die of this body colour is for; None if it is neither like the box dice nor like the cut die."""
        dice = self.dice
        if dice is None or dice.cut is None:
            return None
        share, aside = _along(_lab(self._as_then(colour, felt)), _lab(dice.box), _lab(dice.cut))
        if aside > MOST_DIE_ASIDE:
            return None
        return "box" if share <= ROLE_SPLIT else "cut" if share >= 1 - ROLE_SPLIT else None

    def _as_then(self, colour: Colour, felt: Colour) -> Colour:
        """A colour as it would have been in the light of the enrolment."""
        blue, green, red = (
            each * then / max(now, _DARKEST) for each, then, now in zip(colour, self.felt, felt, strict=True)
        )
        return blue, green, red


def judged(seen: Likeness, limits: OwnLimits = OwnLimits()) -> Verdict:
    """What a likeness to the table's own tiles of the same face means."""
    if seen.match < FOREIGN_MATCH or (abs(seen.stretch) > FOREIGN_STRETCH and seen.gain > FOREIGN_GAIN):
        return "foreign"
    if seen.match < LEAST_MATCH or (abs(seen.stretch) > limits.stretch and seen.gain > limits.gain):
        return "unlike"
    return "own"


def face_colour(crop: NDArray[np.uint8]) -> Colour:
    """Median colour of the tile in a crop (96, 48, 3), its rim left out."""
    blue, green, red = np.median(crop[12:84, 10:38].reshape(-1, 3), axis=0).tolist()
    return blue, green, red


def felt_colour(image: NDArray[np.uint8], calibration: TableCalibration) -> Colour:
    """Median colour of the playing surface in a picture: what the light does to it, it does to all that lies there."""
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
    """CIELAB of a colour."""
    pixel = np.array(colour, np.float32).reshape(1, 1, 3).clip(0, 255) / 255
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_BGR2LAB)[0, 0], np.float32)


def _along(point: Floats, start: Floats, end: Floats) -> tuple[float, float]:
    """How far a point lies along the way from start to end, and how far aside, both over the way's length."""
    way = end - start
    length = max(float(np.linalg.norm(way)), 1e-6)
    share = float((point - start) @ way) / length**2
    return share, float(np.linalg.norm(point - start - share * way)) / length
