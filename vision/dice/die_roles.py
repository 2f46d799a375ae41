"""Body colours of dice, and identification of the cut die."""

import colorsys
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Colour, DieCrops, Floats, Pixels
from vision.crops import DIE_FACE
from vision.dice.outlines import areas
from vision.levels import percentiles
from vision.reading import Role

# Upper ends of the hues in degrees. Dice are not distinguished by orange; it is red in warm light.
_HUES: Final = ((32, "red"), (70, "yellow"), (168, "green"), (255, "blue"), (330, "purple"), (360, "red"))

MIN_ODD_DISTANCE_LAB: Final = 10.0
"""Minimum colour distance (CIELAB, lightness discounted) of the cut die from each box die; box dice differ by less."""
MIN_ODD_OVER_SPREAD: Final = 1.5
"""Minimum ratio of that distance to the largest one among the other three, so that uneven light creates no cut die."""
MIN_ALIKE_OVER_SPREAD: Final = 1.5
MIN_ALIKE_WALL_DISTANCE_LAB: Final = 8.0
"""If names do not distinguish the dice, as for two shades of red: both ratios, of faces and walls, and the walls'
distance.
"""
MIN_FACES_OVER_SPREAD: Final = 6.0
"""The same ratio for faces if no wall is visible."""
LIGHTNESS_WEIGHT: Final = 0.3
"""Weight of lightness relative to hue: a lamp's reflection on one die changes it most."""
MIN_PALE_LEVEL: Final = 200.0
"""Level of a die's darkest channel from which a coloured die may have a lamp's reflection there."""
MAX_PALE_SPREAD_LAB: Final = 8.0
"""Colour distance up to which three dice, two of them pale, have one colour: reflections make red dice white."""
MIN_ODD_SIZE_LOG: Final = 0.15
"""Minimum log ratio of a die's side to each of three others of similar size, from which it is the cut die or not a
die.
"""
BODY_QUANTILES: Final = slice(0.5, 0.9)
"""Quantiles of saturation whose pixels show the body's colour: neither reflections nor pips."""
WALL_ROWS_PX: Final = (4, 14)
"""Rows below the upper face in a crop that show a die's wall: fewer are insufficient, more may include the ground."""
_WALL_COLUMNS: Final = slice(26, 54)
"""Columns of a crop that show the wall, whether the foot is straight below the face or further to the right."""


def wall_colour(crop: Pixels, foot: Floats) -> Colour | None:
    """Colour of the wall below a die's upper face in its crop (80, 80, 3); None if hardly any is visible.

    The crop is oriented with the foot (2,), in sides, below (``facing``).
    """
    wall_px = np.nan_to_num(foot[1]) * (DIE_FACE.stop - DIE_FACE.start)
    if wall_px < WALL_ROWS_PX[0]:
        return None
    # The row next to the face shows its edge, the last one the ground.
    return body_colour(crop[DIE_FACE.stop + 1 : DIE_FACE.stop + min(int(wall_px), WALL_ROWS_PX[1]), _WALL_COLUMNS])


def die_colours(crops: DieCrops, feet: Floats) -> tuple[list[Colour], list[Colour | None]]:
    """Colours of the upper faces and the walls of dice, given their feet (n, 2)."""
    walls = [wall_colour(crop, foot) for crop, foot in zip(crops, feet, strict=True)]
    return [body_colour(crop[DIE_FACE, DIE_FACE]) for crop in crops], walls


def body_colour(part: Pixels) -> Colour:
    """Colour of a part (rows, columns, 3) of a die, excluding reflections and pips."""
    planes = np.array([plane.reshape(-1) for plane in cv2.split(part)], np.uint8)
    order = np.argsort(planes.max(0) - planes.min(0), kind="stable")
    body = order[round(BODY_QUANTILES.start * len(order)) : round(BODY_QUANTILES.stop * len(order))]
    blue, green, red = percentiles(planes[:, body], 50)[0].tolist()
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


def roles_by_colour(colours: Sequence[Colour]) -> list[Role | None]:
    """Roles of dice: three of one colour are box dice, the odd one is the cut die; None if the colours are ambiguous.

    >>> roles_by_colour([(30, 25, 150), (40, 30, 160), (30, 20, 140), (230, 235, 235)])
    ['box', 'box', 'box', 'cut']
    """
    nothing: list[Role | None] = [None] * len(colours)
    if len(colours) != 4:
        return nothing
    distance, spread, odd = _odd_one(_lab(colours))
    if distance < MIN_ODD_DISTANCE_LAB or distance < MIN_ODD_OVER_SPREAD * spread:
        return nothing
    pale = sum(min(colour) >= MIN_PALE_LEVEL for index, colour in enumerate(colours) if index != odd)
    if pale >= 2 and spread > MAX_PALE_SPREAD_LAB:
        return nothing
    names = [colour_name(colour) for colour in colours]
    other_names = {name for index, name in enumerate(names) if index != odd}
    # Distance alone is misled by dice of low saturation: the odd one must have its own colour name.
    if names[odd] in other_names:
        return nothing
    return _roles(odd)


def roles_by_faces_and_walls(faces: Sequence[Colour], walls: Sequence[Colour | None]) -> list[Role | None]:
    """Roles of dice by the colours of upper faces and walls together; None if these are ambiguous.

    One of the two must identify the cut die, and in the other the same die must be the odd one; or the same die is
    clearly odd in both. They are seldom both misleading: a reflection on a face, pips behind it, the ground visible
    through it. If a wall is not visible, the faces alone decide.

    >>> red, pale, ivory = (30, 25, 150), (195, 215, 250), (190, 225, 235)
    >>> roles_by_faces_and_walls([red, red, red, ivory], [red, red, red, ivory])
    ['box', 'box', 'box', 'cut']
    >>> roles_by_faces_and_walls([red, red, red, pale], [red, ivory, red, red])
    [None, None, None, None]
    """
    visible = [wall for wall in walls if wall is not None]
    if len(faces) != 4:
        return [None] * len(faces)
    distance, spread, odd = _odd_one(_lab(faces))
    if len(visible) != 4:
        named = roles_by_colour(faces)
        alike = distance >= max(MIN_ODD_DISTANCE_LAB, MIN_FACES_OVER_SPREAD * spread)
        return _roles(odd) if None in named and alike else named
    wall_distance, wall_spread, wall_odd = _odd_one(_lab(visible))
    if odd != wall_odd:
        return [None] * 4
    by_faces = None not in roles_by_colour(faces) and wall_distance >= wall_spread
    by_walls = None not in roles_by_colour(visible) and distance >= spread
    by_both = distance >= max(MIN_ODD_DISTANCE_LAB, MIN_ALIKE_OVER_SPREAD * spread)
    by_both &= wall_distance >= max(MIN_ALIKE_WALL_DISTANCE_LAB, MIN_ALIKE_OVER_SPREAD * wall_spread)
    return _roles(odd) if by_faces or by_walls or by_both else [None] * 4


def _roles(cut: int) -> list[Role | None]:
    """Roles of four dice of which one is the cut die."""
    return ["cut" if index == cut else "box" for index in range(4)]


def _lab(colours: Sequence[Colour]) -> NDArray[np.float32]:
    """Colours (n, 3) in CIELAB, lightness discounted, where distances are perceptual."""
    points = cv2.cvtColor(np.array(colours, np.float32)[None] / 255, cv2.COLOR_BGR2LAB)[0]
    points[:, 0] *= LIGHTNESS_WEIGHT
    return np.asarray(points, np.float32)


def consistent_roles(
    proposed: Sequence[Role | None], quads_px: NDArray[np.floating], may_lean: Sequence[bool]
) -> list[Role | None]:
    """The proposed roles if they are possible: one cut die, three box dice at most, only the cut die of odd size.

    The size of a die that may lean is not checked.

    >>> square = np.array([(0, 0), (18, 0), (18, 18), (0, 18)])
    >>> flat = [False] * 4
    >>> consistent_roles(["box", "cut", "box", "box"], np.stack([square, square, square, square]), flat)
    ['box', 'cut', 'box', 'box']
    >>> consistent_roles(["box", "cut", "box", "box"], np.stack([square, square, square, 0.7 * square]), flat)
    [None, None, None, None]
    >>> consistent_roles(["cut", "cut", "box"], np.stack([square, square, square]), flat[:3])
    [None, None, None]
    """
    impossible = proposed.count("cut") > 1 or proposed.count("box") > 3
    if len(proposed) == 4:
        sides = np.log(np.maximum(areas(quads_px), 1)) / 2
        distance, spread, odd = _odd_one(sides[:, None])
        odd_in_size = distance > MIN_ODD_SIZE_LOG and spread < distance / 2
        impossible |= odd_in_size and proposed[odd] == "box" and not may_lean[odd]
    return [None] * len(proposed) if impossible else list(proposed)


def _odd_one(points: NDArray[np.floating]) -> tuple[float, float, int]:
    """The one of four dice (4, d) that differs most from the others: minimum distance, spread of the three, index."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    candidates = []
    for odd in range(4):
        others = [index for index in range(4) if index != odd]
        candidates.append((float(apart[odd, others].min()), float(apart[np.ix_(others, others)].max()), odd))
    return max(candidates, key=lambda entry: entry[0] - entry[1])
