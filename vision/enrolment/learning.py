"""From pictures to an enrolment: of a display, verified tile by tile, and of throws of the dice.

A face is learnt only if both readers and the place in the rank order agree on it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.game.display_order import LAID
from vision.checks import sharpness
from vision.crops import tile_crops
from vision.dice.die_look import looks
from vision.dice.outlines import areas
from vision.enrolment.display_check import Display, read_display
from vision.enrolment.enrolment import (
    Enrolment,
    OwnBacks,
    OwnLimits,
    OwnTile,
    face_colour,
    felt_colour,
    judged,
)
from vision.enrolment.likeness import Reference, likeness
from vision.enrolment.own_dice import MOST_THROWS, THROWN, OwnDice, OwnThrow
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from engine.game.tiles import Tile
    from vision.arrays import Colour
    from vision.enrolment.display_check import DisplayFault
    from vision.enrolment.likeness import Likeness
    from vision.reading import DieReading, Reading, TileReading

FEWEST_SHOWN: Final = 16
"""Number of open tiles from which a picture is one of a display."""
FEWEST_THROWN: Final = 3
"""Dice of a throw where there is no cut die."""
FEWEST_BACKS: Final = 6
MOST_OPEN: Final = 4
"""Verified backs from which, and open tiles up to which, a picture is one of backs."""
BACKS_KEPT: Final = 4
SELF_MATCH: Final = 0.9
"""Likeness among the backs from which they have a visible mark."""
LEAST_OWN_MATCH: Final = 0.93
"""Minimum correlation of pictures of one tile at rest; with less, noise or blur would hide a foreign tile."""
ODD_BODY: Final = 14.0
"""Difference of a tile's body from its neighbours' (CIELAB, lightness counted half) from which it is foreign."""
NEIGHBOURS: Final = 6


@dataclass(frozen=True, eq=False, slots=True)
class ReadPicture:
    """A picture and its reading.

    Attributes:
        image: (height, width, 3) uint8 BGR.
        reading: calibrated.
    """

    image: NDArray[np.uint8]
    reading: Reading

    @property
    def shows_faces(self) -> bool:
        return sum(tile.face_up for tile in self.reading.tiles) >= FEWEST_SHOWN

    @property
    def shows_backs(self) -> bool:
        """Whether it is a picture of the set face down."""
        open_ones = sum(tile.face_up for tile in self.reading.tiles)
        return open_ones <= MOST_OPEN and len(self.backs) >= FEWEST_BACKS

    @property
    def backs(self) -> list[TileReading]:
        """The verified face-down tiles."""
        return [tile for tile in self.reading.tiles if not tile.face_up and tile.status == "verified"]

    def crops(self, tiles: Iterable[TileReading]) -> NDArray[np.uint8]:
        """Cut out tiles (n, 96, 48, 3)."""
        return tile_crops(self.image, np.array([tile.polygon for tile in tiles], np.float32).reshape(-1, 4, 2))


@dataclass(frozen=True, slots=True)
class NotEnrolled:
    """Why the set was not enrolled.

    Attributes:
        reason: the obstacle.
        faults: of the display, by place.
    """

    reason: Finding
    faults: tuple[DisplayFault, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class _Laid:
    """A picture of the display with the tile at each place.

    Attributes:
        shot: the picture.
        display: its tiles in order.
        crops: by place, 1 to 32, of those that were read.
        middles: by place, on the table.
    """

    shot: ReadPicture
    display: Display
    crops: dict[int, NDArray[np.uint8]]
    middles: dict[int, tuple[float, float]]

    @classmethod
    def of(cls, shot: ReadPicture) -> _Laid:
        display = read_display(shot.reading.tiles)
        found = {
            place: shot.reading.tiles[number]
            for place, number in enumerate(display.tiles, 1)
            if number is not None and shot.reading.tiles[number].face is not None
        }
        crops = dict(zip(found, shot.crops(found.values()), strict=True))
        return cls(shot, display, crops, {place: tile.center_mm or (0.0, 0.0) for place, tile in found.items()})

    @property
    def ordered(self) -> bool:
        """Whether most tiles are in rank order."""
        return all(fault.code is not Code.NOT_IN_RANK_ORDER for fault in self.display.faults)

    def tile(self, place: int) -> TileReading | None:
        number = self.display.tiles[place - 1]
        return None if number is None else self.shot.reading.tiles[number]

    def faults(self, own: Enrolment | None) -> list[DisplayFault]:
        return [*self.display.faults, *(self._unlike(own) if own is not None else self._odd())]

    def _unlike(self, own: Enrolment) -> list[DisplayFault]:
        """The tiles that do not look like the enrolled ones."""
        found = []
        for place, crop in self.crops.items():
            tile = self.tile(place)
            if tile is not None and tile.face is not None and own.judge(crop, tile.face) != "own":
                found.append(self.display.fault(Code.FOREIGN_TILE, place, face=str(tile.face)))
        return found

    def _odd(self) -> list[DisplayFault]:
        """The tiles that do not look like the rest of a new set."""
        found = []
        bodies = {place: _body(crop) for place, crop in self.crops.items()}
        for place, middle in self.middles.items():
            others = sorted((each for each in self.middles if each != place), key=lambda each: _far(self, each, middle))
            if not others:
                continue
            usual = np.median([bodies[each] for each in others[:NEIGHBOURS]], axis=0)
            if float(np.linalg.norm(bodies[place] - usual)) > ODD_BODY:
                found.append(self.display.fault(Code.FOREIGN_TILE, place))
        odd = {place for fault in found for place in fault.places}
        for one, other in pairwise(range(1, len(self.display.tiles) + 1)):
            first, second = self.tile(one), self.tile(other)
            if first is None or second is None or first.face is None or first.face is not second.face:
                continue
            seen = likeness(self.crops[one], [Reference.of(self.crops[other])])
            if judged(seen) == "foreign" and not odd & {one, other}:
                found.append(self.display.fault(Code.FOREIGN_TILE, one, other, both=str(first.face)))
        return found


def check_display(shots: Sequence[ReadPicture], own: Enrolment | None = None) -> tuple[DisplayFault, ...]:
    """The faults of a displayed set that occur in most of its pictures.

    Args:
        shots: pictures of the same display.
        own: the expected tiles; None for a set not enrolled yet, whose tiles are compared with each other.
    """
    return agreed([faults_of(shot, own) for shot in shots])


def faults_of(shot: ReadPicture, own: Enrolment | None = None) -> tuple[DisplayFault, ...]:
    """The faults in one picture of a display, see :func:`check_display`."""
    return tuple(_Laid.of(shot).faults(own))


def agreed(found: Sequence[Sequence[DisplayFault]]) -> tuple[DisplayFault, ...]:
    """The faults in most pictures of a display, by place."""
    keyed = [{(fault.code, fault.places): fault for fault in each} for each in found]
    counts = Counter(key for each in keyed for key in each)
    faults = {key: fault for each in keyed for key, fault in each.items()}
    return tuple(faults[key] for key in sorted(counts, key=lambda key: key[1]) if 2 * counts[key] > len(found))


def enrol(shots: Sequence[ReadPicture], calibration: TableCalibration) -> Enrolment | NotEnrolled:
    """Learn a table's own tiles and backs.

    Args:
        shots: independent pictures of the display (some seconds apart), and optionally of the set face down.
        calibration: of the camera.
    """
    laid = [_Laid.of(shot) for shot in shots if shot.shows_faces]
    shown = [each for each in laid if each.ordered] or laid
    if not shown:
        return NotEnrolled(Finding(Code.NO_DISPLAY))
    if any(np.array_equal(one.shot.image, other.shot.image) for one, other in pairwise(shown)):
        return NotEnrolled(Finding(Code.SAME_PICTURE_TWICE))
    if faults := check_display([each.shot for each in shown]):
        return NotEnrolled(Finding(Code.SET_NOT_WHOLE), faults)
    tiles = []
    matches = []
    again: list[Likeness] = []
    for place, kind in enumerate(LAID[shown[0].display.order], 1):
        seen = [
            (tile.face, each.crops[place])
            for each in shown
            if (tile := each.tile(place)) is not None and tile.face is not None and tile.face.kind is kind
        ]
        face, crop, match = _most_typical(seen)
        tiles.append(OwnTile.of(face, crop))
        matches.append(match)
        again += [likeness(other, [tiles[-1].reference]) for each, other in seen if each is face and other is not crop]
    if len(shown) > 1 and median(matches) < LEAST_OWN_MATCH:
        return NotEnrolled(Finding.of(Code.PICTURES_UNLIKE, match=f"{median(matches):.2f}"))
    felts = [felt_colour(each.shot.image, calibration) for each in shown]
    sharp = median(sharpness(np.stack(list(each.crops.values()))) for each in shown)
    felt = _median_colour(felts)
    return Enrolment(
        tiles=tuple(tiles),
        felt=felt,
        sharpness=sharp,
        order=shown[0].display.order,
        pictures=len(shown),
        calibration=calibration.seal.sha256 if calibration.seal else None,
        backs=_own_backs([shot for shot in shots if shot.shows_backs], felt, calibration),
        limits=OwnLimits.of(again),
    )


def learn_dice(
    shots: Sequence[ReadPicture], calibration: TableCalibration, cut_value: int | None = None
) -> OwnDice | NotEnrolled:
    """Learn a table's own dice from pictures of throws; several pictures of one throw count once.

    Args:
        shots: pictures of the dice lying flat.
        calibration: of the camera.
        cut_value: what the cut die shows in the first throw, where no other die may show it; None to find it out.
    """
    found = [(shot, dice) for shot in shots if len(dice := _flat(shot.reading.dice)) in (FEWEST_THROWN, THROWN)]
    usual = max((len(dice) for _, dice in found), default=0)
    throws: list[OwnThrow] = []
    last: Sequence[DieReading] = ()
    for shot, dice in found:
        if len(dice) != usual or lie_alike(dice, last):
            continue
        last = dice
        cut = None
        if not throws and cut_value is not None:
            showing = [n for n, die in enumerate(dice) if die.value == cut_value]
            if len(showing) != 1:
                return NotEnrolled(Finding.of(Code.CUT_DIE_NOT_THERE, value=cut_value, dice=len(showing)))
            cut = showing[0]
        throws.append(thrown(shot.image, dice, calibration, cut))
    if not throws:
        return NotEnrolled(Finding(Code.NO_THROW))
    sealed = calibration.seal.sha256 if calibration.seal else None
    own = OwnDice(tuple(throws[-MOST_THROWS:]), sealed).learnt()
    if (strange := own.strange_throw) is not None:
        number = max(len(throws) - MOST_THROWS, 0) + strange + 1
        return NotEnrolled(Finding.of(Code.STRANGE_DIE_THROWN, throw=number, throws=len(throws)))
    return own


def thrown(
    image: NDArray[np.uint8], dice: Sequence[DieReading], calibration: TableCalibration, cut: int | None = None
) -> OwnThrow:
    """The dice of a throw as seen in a picture; only certain values are learnt, also of dice unlike those before."""
    values = [die.value if die.status == "verified" or die.own == "foreign" else None for die in dice]
    found = looks(image, [die.polygon for die in dice], values, calibration, felt_colour(image, calibration))
    return OwnThrow(tuple(found), cut)


def _flat(dice: Sequence[DieReading]) -> list[DieReading]:
    """The dice of a picture, if all lie flat and can be recognised as dice."""
    return [] if any(die.cocked or die.value is None for die in dice) else list(dice)


def lie_alike(dice: Sequence[DieReading], before: Sequence[DieReading]) -> bool:
    """Whether dice lie where others did in another picture, so that nobody has thrown them in between."""
    then = np.array([die.polygon for die in before], np.float32).reshape(-1, 4, 2)
    now = np.array([die.polygon for die in dice], np.float32).reshape(-1, 4, 2)
    if len(then) != len(now):
        return False
    apart = np.linalg.norm(then.mean(1)[:, None] - now.mean(1), axis=2).min(0)
    return bool((apart < np.sqrt(areas(now)) / 2).all())


def _most_typical(seen: Sequence[tuple[Tile, NDArray[np.uint8]]]) -> tuple[Tile, NDArray[np.uint8], float]:
    """Of several pictures of one tile the most typical one, and its similarity to the others."""
    face = Counter(each for each, _ in seen).most_common(1)[0][0]
    crops = [crop for each, crop in seen if each is face]
    if len(crops) == 1:
        return face, crops[0], 1.0
    matches = [
        median(likeness(other, [Reference.of(crop)]).match for other in crops if other is not crop) for crop in crops
    ]
    best = int(np.argmax(matches))
    return face, crops[best], matches[best]


def _own_backs(shots: Sequence[ReadPicture], felt: Colour, calibration: TableCalibration) -> OwnBacks | None:
    """The backs, if any were visible."""
    crops: list[NDArray[np.uint8]] = []
    colours: list[Colour] = []
    for shot in shots:
        here = felt_colour(shot.image, calibration)
        for crop in shot.crops(shot.backs):
            crops.append(crop)
            colours.append(_in_light(face_colour(crop), here, felt))
    if not crops:
        return None
    chosen = [crops[round(n)] for n in np.linspace(0, len(crops) - 1, min(BACKS_KEPT, len(crops)))]
    references = tuple(Reference.of(crop) for crop in chosen)
    others = [crop for crop in crops if not any(crop is each for each in chosen)]
    marked = bool(others) and median(likeness(crop, references).match for crop in others) >= SELF_MATCH
    return OwnBacks(np.stack(chosen), references if marked else (), _median_colour(colours))


def _in_light(colour: Colour, now: Colour, then: Colour) -> Colour:
    """A colour seen beside one felt, converted to another."""
    blue, green, red = (c * t / max(n, 1.0) for c, n, t in zip(colour, now, then, strict=True))
    return blue, green, red


def _median_colour(colours: Sequence[Colour]) -> Colour:
    blue, green, red = np.median(np.array(colours), axis=0).tolist()
    return blue, green, red


def _body(crop: NDArray[np.uint8]) -> NDArray[np.float32]:
    """CIELAB, lightness halved, of the strips along a tile's sides, where no manufacturer puts a pip."""
    sides = np.concatenate([crop[14:82, 10:12], crop[14:82, 36:38]], axis=1).reshape(-1, 3)
    pixel = np.median(sides, axis=0).astype(np.float32).reshape(1, 1, 3) / 255
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_BGR2LAB)[0, 0] * np.array((0.5, 1, 1), np.float32), np.float32)


def _far(laid: _Laid, place: int, middle: tuple[float, float]) -> float:
    x, y = laid.middles[place]
    return float(np.hypot(x - middle[0], y - middle[1]))
