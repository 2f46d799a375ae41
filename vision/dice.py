"""What dice are called and what they are for: names of body colours, and which die is the cut die."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.reading import Role

_FACE: Final = slice(12, 52)
"""Rows and columns of a die crop (64, 64) that the upper face covers."""

# Upper ends of the hues in degrees. Orange is not a colour dice are told apart by; it is a red in warm light.
_HUES: Final = ((32, "red"), (70, "yellow"), (168, "green"), (255, "blue"), (330, "purple"), (360, "red"))

ODD_AT_LEAST: Final = 30.0
"""Distance in BGR levels of the cut die from the box dice; three of one colour differ by less under one lamp."""
ODD_OVER_SPREAD: Final = 1.8
"""The same over the spread of the other three."""


def body_colour(crop: NDArray[np.uint8]) -> tuple[float, float, float]:
    """Median blue, green and red of a die crop's (64, 64, 3) upper face; pips cover too little of it to matter."""
    blue, green, red = np.median(crop[_FACE, _FACE].reshape(-1, 3), axis=0).tolist()
    return blue, green, red


def colour_name(bgr: tuple[float, float, float]) -> str:
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


def roles(colours: Sequence[tuple[float, float, float]]) -> list[Role | None]:
    """Which dice are the three of one colour (box) and which is the odd one (cut); None if the dice do not say.

    Args:
        colours: blue, green and red of each die's body.

    >>> roles([(30, 25, 150), (40, 30, 160), (30, 20, 140), (230, 235, 235)])
    ['box', 'box', 'box', 'cut']
    """
    nothing: list[Role | None] = [None] * len(colours)
    if len(colours) != 4:
        return nothing
    points = np.array(colours)
    candidates = []
    for odd in range(4):
        others = np.delete(points, odd, axis=0)
        spread = float(np.linalg.norm(others - others.mean(0), axis=1).max())
        candidates.append((float(np.linalg.norm(points[odd] - others.mean(0))), spread, odd))
    distance, spread, odd = max(candidates, key=lambda entry: entry[0] - ODD_OVER_SPREAD * entry[1])
    if distance < ODD_AT_LEAST or distance < ODD_OVER_SPREAD * spread:
        return nothing
    return ["cut" if index == odd else "box" for index in range(4)]
