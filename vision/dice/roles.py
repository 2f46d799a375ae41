"""What dice are called and what they are for: names of body colours, and which die is the cut die."""

from __future__ import annotations

import colorsys
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.crops import DIE_FACE, in_sides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.detect.detector import Detections
    from vision.pip_matching import Colour, Floats
    from vision.reading import Role

# Upper ends of the hues in degrees. Orange is not a colour dice are told apart by; it is a red in warm light.
_HUES: Final = ((32, "red"), (70, "yellow"), (168, "green"), (255, "blue"), (330, "purple"), (360, "red"))

CUT_SHIFT: Final = 0.05
"""How far to the side of where it is a die is cut out besides, in sides: what is believed must hold there too."""
CUTS: Final = ((0, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
CUT_WEIGHTS: Final = (1 / 3, *[1 / 6] * 4)
"""Where a die is cut out, in such steps, and what each cut counts: as the mean of nine cuts on a grid, in five. Of 1424
answers of both networks on tables and photographs 13 fell on another side of what is asked than with nine."""
BETWEEN_SIDES: Final = 0.9
CLOSEST_SIDES: Final = 0.75
"""Distance of the middles of two dice, in sides of the larger, below which they may be one, and must be."""
DWARFED: Final = 0.5
SURE: Final = 0.9
"""Of two that are one, the smaller is pips of the other's side if it has less than this of that one's side, and that
one a value at least so likely: on two photographs three pips of a slanted side passed for a six of their own."""
SIDE_MM: Final = (12.0, 22.0)
USUAL_SIDE_MM: Final = 19.0
"""Side of a die: the smallest and largest believed, and where to begin."""
ODD_AT_LEAST: Final = 10.0
"""Difference of colour (CIELAB, lightness discounted) of the cut die from each box die."""
ODD_OVER_SPREAD: Final = 1.5
"""The same over the largest difference among the other three. On 75 of our tables they named 49, none wrongly."""
LIGHTNESS_COUNTS: Final = 0.3
"""What lightness counts beside hue: a lamp mirrored in one of three alike changes it most."""
PALE: Final = 200.0
"""Value of a die's darkest colour from which a coloured die may lie there in which a lamp is mirrored."""
PALE_SPREAD: Final = 8.0
"""Difference of colour up to which three dice, two of them pale, are of one colour all the same. Two red ones that
mirrored a lamp had been taken for white beside a white cut die, 13 apart, and so the third red one for the cut die."""
ODD_SIZE: Final = 0.15
"""Least difference (as a logarithm) of a die's side from each of three others that differ by less than half as much:
then it is the cut die, or none can be told. Of 139 sets named rightly by colour none contradicts this."""
MOST_COLOURED: Final = slice(0.5, 0.9)
"""Pixels, in order of saturation, that say the body's colour: neither the lamp mirrored in it nor its pips."""
WALL_PX: Final = (4, 14)
"""Rows below the upper face on a crop that show a die's wall: fewer say nothing, more may be the ground."""
_WALL_COLUMNS: Final = slice(26, 54)
"""Columns of a crop that show the wall, whether the foot lies straight below the face or more to the right."""


def body_colour(crop: NDArray[np.uint8]) -> Colour:
    """Blue, green and red of a die crop's (80, 80, 3) upper face where it is neither pip nor mirrored lamp."""
    return _most_coloured(crop[DIE_FACE, DIE_FACE])


def wall_colour(crop: NDArray[np.uint8], foot: Floats) -> Colour | None:
    """Blue, green and red of the wall below a die's upper face on its crop (80, 80, 3); None if hardly any can be seen.

    Args:
        crop: cut out with the foot below (``facing``).
        foot: (2,) where the die would stand, right and down in sides; nan if that is not known.
    """
    seen_px = np.nan_to_num(foot[1]) * (DIE_FACE.stop - DIE_FACE.start)
    if seen_px < WALL_PX[0]:
        return None
    # The row next to the face shows its edge, the last one the ground.
    return _most_coloured(crop[DIE_FACE.stop + 1 : DIE_FACE.stop + min(int(seen_px), WALL_PX[1]), _WALL_COLUMNS])


def seen_colours(crops: NDArray[np.uint8], feet: Floats) -> tuple[list[Colour], list[Colour | None]]:
    """Colours of the upper faces and of the walls of dice, from their crops (n, 80, 80, 3) and feet (n, 2)."""
    walls = [wall_colour(crop, foot) for crop, foot in zip(crops, feet, strict=True)]
    return [body_colour(crop) for crop in crops], walls


def _most_coloured(part: NDArray[np.uint8]) -> Colour:
    """Blue, green and red of a part (rows, columns, 3) of a die, without lamps mirrored in it and without pips."""
    pixels = part.reshape(-1, 3)
    order = np.argsort(np.ptp(pixels, axis=1), kind="stable")
    body = order[round(MOST_COLOURED.start * len(order)) : round(MOST_COLOURED.stop * len(order))]
    blue, green, red = np.median(pixels[body], axis=0).tolist()
    return blue, green, red


def colour_name(bgr: Colour) -> str:
    """Name a body colour.

    >>> colour_name((30, 25, 150)), colour_name((235, 240, 238))
    ('red', 'white')
    >>> colour_name((30, 30, 32)), colour_name((190, 225, 235))
    ('black', 'ivory')
    """
    blue, green, red = bgr
    hue, saturation, value = colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)
    if value < 0.17 or (value < 0.3 and saturation < 0.35):
        return "black"
    if saturation < 0.16:
        return "white" if value > 0.5 else "grey"
    if saturation < 0.38 and value > 0.55 and 20 <= hue * 360 <= 65:
        return "ivory"
    return next(name for end, name in _HUES if hue * 360 <= end)


def roles(colours: Sequence[Colour]) -> list[Role | None]:
    """Which dice are the three of one colour (box) and which is the odd one (cut); None if the dice do not say.

    Args:
        colours: blue, green and red of each die's body.

    >>> roles([(30, 25, 150), (40, 30, 160), (30, 20, 140), (230, 235, 235)])
    ['box', 'box', 'box', 'cut']
    """
    nothing: list[Role | None] = [None] * len(colours)
    if len(colours) != 4:
        return nothing
    distance, spread, odd = _odd_one(_points(colours))
    if distance < ODD_AT_LEAST or distance < ODD_OVER_SPREAD * spread:
        return nothing
    pale = sum(min(colour) >= PALE for index, colour in enumerate(colours) if index != odd)
    if pale >= 2 and spread > PALE_SPREAD:
        return nothing
    names = [colour_name(colour) for colour in colours]
    other_names = {name for index, name in enumerate(names) if index != odd}
    # Distance alone is fooled by dice of hardly any colour: the odd one must bear a name of its own.
    if names[odd] in other_names:
        return nothing
    return ["cut" if index == odd else "box" for index in range(4)]


def roles_by_both(faces: Sequence[Colour], walls: Sequence[Colour | None]) -> list[Role | None]:
    """What dice are for by the colours of their upper faces and of their walls together; None if these do not say.

    One of the two must name the cut die, and for the other the same die must be the odd one, if not by so much. What
    deceives one seldom deceives the other: a lamp mirrored in a face, the pips behind it, the ground seen through it.
    Of 341 throws on tables and frames 254 are told so and none wrongly, by the faces alone 227 and 2.

    Args:
        faces: blue, green and red of each die's upper face.
        walls: the same of each die's wall; None where none is seen, and then the faces alone say.

    >>> red, pale, ivory = (30, 25, 150), (195, 215, 250), (190, 225, 235)
    >>> roles_by_both([red, red, red, ivory], [red, red, red, ivory])
    ['box', 'box', 'box', 'cut']
    >>> roles_by_both([red, red, red, pale], [red, ivory, red, red])
    [None, None, None, None]
    """
    seen = [wall for wall in walls if wall is not None]
    if len(faces) != 4 or len(seen) != 4:
        return roles(faces)
    for said, other in ((roles(faces), seen), (roles(seen), faces)):
        if None not in said:
            distance, spread, odd = _odd_one(_points(other))
            if distance >= spread and said[odd] == "cut":
                return said
    return [None] * 4


def _points(colours: Sequence[Colour]) -> NDArray[np.float32]:
    """Places (n, 3) of colours where distances are as large as they look, lightness discounted."""
    points = cv2.cvtColor(np.array(colours, np.float32)[None] / 255, cv2.COLOR_BGR2LAB)[0]
    points[:, 0] *= LIGHTNESS_COUNTS
    return np.asarray(points, np.float32)


def without_contradiction(
    said: Sequence[Role | None], quads_px: NDArray[np.floating], may_lean: Sequence[bool]
) -> list[Role | None]:
    """What dice are for, if that can be: one cut die, three box dice at most, and none but the cut die odd in size.

    Args:
        said: what each die is for by its colour.
        quads_px: (n, 4, 2) outlines of the dice.
        may_lean: whether each may lean, and so may look odd in size without being so.

    >>> square = np.array([(0, 0), (18, 0), (18, 18), (0, 18)])
    >>> flat = [False] * 4
    >>> without_contradiction(["box", "cut", "box", "box"], np.stack([square, square, square, square]), flat)
    ['box', 'cut', 'box', 'box']
    >>> without_contradiction(["box", "cut", "box", "box"], np.stack([square, square, square, 0.7 * square]), flat)
    [None, None, None, None]
    >>> without_contradiction(["cut", "cut", "box"], np.stack([square, square, square]), flat[:3])
    [None, None, None]
    """
    contradicted = said.count("cut") > 1 or said.count("box") > 3
    if len(said) == 4:
        sides = np.log(np.maximum(areas(quads_px), 1)) / 2
        distance, spread, odd = _odd_one(sides[:, None])
        contradicted |= distance > ODD_SIZE and spread < distance / 2 and said[odd] == "box" and not may_lean[odd]
    return [None] * len(said) if contradicted else list(said)


def _odd_one(points: NDArray[np.floating]) -> tuple[float, float, int]:
    """Which of four dice differs most from three alike (4, d): by how much at least, how far these are apart, which."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    candidates = []
    for odd in range(4):
        others = [index for index in range(4) if index != odd]
        candidates.append((float(apart[odd, others].min()), float(apart[np.ix_(others, others)].max()), odd))
    return max(candidates, key=lambda entry: entry[0] - entry[1])


def with_between(found: Detections) -> Detections:
    """The dice found, and one more half-way between any two too close to be two.

    The sides of a transparent die show pips beside those of its upper face, and the detector takes either half of what
    it sees for a die of its own. `distinct` keeps the one that reads best.
    """
    one, other = np.triu_indices(len(found), 1)
    apart = np.linalg.norm(found.centre_px[one] - found.centre_px[other], axis=1)
    close = apart < BETWEEN_SIDES * np.maximum(found.size_px[one, 0], found.size_px[other, 0])
    one, other = one[close], other[close]
    middle = found.take(np.where(found.score[one] >= found.score[other], one, other))
    middle = replace(
        middle,
        centre_px=(found.centre_px[one] + found.centre_px[other]) / 2,
        body_px=(found.body_px[one] + found.body_px[other]) / 2,
    )
    return type(found)(
        *(np.concatenate([getattr(of, field.name) for of in (found, middle)]) for field in fields(found))
    )


def areas(quads_px: NDArray[np.floating]) -> NDArray[np.floating]:
    """Areas (n,) of square outlines (n, 4, 2), in square pixels."""
    right, down = quads_px[:, 1] - quads_px[:, 0], quads_px[:, 3] - quads_px[:, 0]
    return np.asarray(np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]))


def foot_of(quads_px: Floats, calibration: TableCalibration | None) -> Floats:
    """Where each die would stand if it lay flat, as the camera sees it.

    A flat die's sides stand upright, so its lower face is the same square a side further down; which way that is in
    the picture, and how far, depends on where the camera hangs.

    Args:
        quads_px: (n, 4, 2) outlines of the upper faces.
        calibration: of the camera; None if unknown.

    Returns:
        (n, 2) from the middle of the upper face to that of the lower, in pixels; nan without a calibration.
    """
    if calibration is None or not len(quads_px):
        return np.full((len(quads_px), 2), np.nan, np.float32)
    quads = quads_px.astype(np.float64)
    middle, side_px = quads.mean(1), np.sqrt(areas(quads))
    height = np.full(len(quads), USUAL_SIDE_MM)
    for _ in range(2):  # the scale depends on the height, the height on the scale
        table = calibration.to_plane(middle, height)
        height = np.clip(side_px / calibration.px_per_mm(np.column_stack([table, height])), *SIDE_MM)
    return np.asarray(calibration.project(np.column_stack([table, np.zeros(len(table))])) - middle, np.float32)


def moved(quads_px: Floats, moves: Floats) -> Floats:
    """Square outlines moved onto what they are meant for.

    Args:
        quads_px: (n, 4, 2) outlines.
        moves: (n, 4) right and down by so many sides, growth as a logarithm, and turn from right to down in radians.

    Returns:
        (n, 4, 2) outlines.
    """
    right, down = quads_px[:, 1] - quads_px[:, 0], quads_px[:, 3] - quads_px[:, 0]
    middle = quads_px.mean(1) + moves[:, :1] * right + moves[:, 1:2] * down
    along, across = (np.exp(moves[:, 2]) / 2 * wave(moves[:, 3]) for wave in (np.cos, np.sin))
    half_right = along[:, None] * right + across[:, None] * down
    half_down = along[:, None] * down - across[:, None] * right
    corners = [-half_right - half_down, half_right - half_down, half_right + half_down, half_down - half_right]
    return np.asarray(middle[:, None] + np.stack(corners, 1), np.float32)


def facing(quads_px: Floats, feet_px: Floats) -> Floats:
    """Outlines (n, 4, 2) with their corners renamed so that each die's foot (n, 2) lies down, and if anything right.

    Crops cut so show every flat die alike, mirrored where need be: the side that the camera sees most of lies below.
    An outline whose foot is not known (nan) stays as it is.
    """
    right, down = in_sides(quads_px, feet_px).T
    quads = quads_px
    for turn_over, order in (
        (right < 0, [1, 0, 3, 2]),
        (down < 0, [3, 2, 1, 0]),
        (np.abs(right) > np.abs(down), [0, 3, 2, 1]),
    ):
        quads = np.where(turn_over[:, None, None], quads[:, order], quads)
    return np.asarray(quads, np.float32)


def shifted(quads_px: Floats) -> Floats:
    """Each outline (n, 4, 2) as it is and moved a little to all corners, (n, 5, 4, 2), in the order of ``CUTS``."""
    right, down = quads_px[:, 1] - quads_px[:, 0], quads_px[:, 3] - quads_px[:, 0]
    moves = np.stack([CUT_SHIFT * (across * right + along * down) for across, along in CUTS], 1)
    return np.asarray(quads_px[:, None] + moves[:, :, None], np.float32)


def over_cuts(answers: Floats) -> Floats:
    """The mean of what is said of the cuts of each die, (n, 5, ...) to (n, ...)."""
    return np.asarray(np.average(answers, axis=1, weights=CUT_WEIGHTS), np.float32)


def distinct(quads_px: Floats, sureness: Floats) -> NDArray[np.bool_]:
    """Which of the dice (n,) are dice of their own: two solid dice never lie closer than most of a side.

    Args:
        quads_px: (n, 4, 2) outlines of the upper faces.
        sureness: (n,) of two that are one, the surer stays; but pips of a die's side, seen as a die far smaller than
            one that is sure, do not.
    """
    middles = quads_px.mean(1)
    sides = np.linalg.norm(quads_px[:, 1] - quads_px[:, 0], axis=1)
    apart = np.linalg.norm(middles[:, None] - middles, axis=2)
    close = apart < CLOSEST_SIDES * np.maximum(sides[:, None], sides)
    dwarfed = close & (sides[:, None] < DWARFED * sides) & (sureness >= SURE)
    kept: NDArray[np.bool_] = ~dwarfed.any(1)
    np.fill_diagonal(close, val=False)
    for one in np.argsort(-sureness):
        if kept[one]:
            kept &= ~close[one]
    return kept
