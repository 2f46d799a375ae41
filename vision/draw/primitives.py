"""Drawing primitives for pictures that people check: text, cards, outlines, and ideal faces of tiles.

All draw in place on (h, w, 3) uint8 blue-green-red pictures; coordinates are pixels, colours blue-green-red.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.game.tiles import Tile
from vision.arrays import Box
from vision.capture.images import Image
from vision.tiles.faces import LENGTH_OVER_WIDTH, Maker, pips_of

Bgr: TypeAlias = tuple[int, int, int]

INK: Final[Bgr] = (245, 245, 245)
FAINT: Final[Bgr] = (185, 185, 185)
CARD: Final[Bgr] = (62, 56, 50)
STRIP: Final[Bgr] = (30, 27, 24)
GREEN: Final[Bgr] = (110, 230, 90)
AMBER: Final[Bgr] = (40, 175, 255)
RED: Final[Bgr] = (80, 80, 255)
GREY: Final[Bgr] = (150, 150, 150)

_BODY: Final[Bgr] = (14, 12, 12)
_EDGE: Final[Bgr] = (120, 116, 112)
_WHITE_PIP: Final[Bgr] = (235, 235, 235)
_RED_PIP: Final[Bgr] = (45, 45, 225)
_SPRITE_WIDTH: Final = 96
_FINE: Final = 4
"""Fractional bits of coordinates in OpenCV's drawing calls."""


@cache
def _font() -> cv2.FontFace:
    """OpenCV's built-in sans-serif: the same on every machine."""
    return cv2.FontFace("sans")


@cache
def text_width(text: str, size: int, weight: int = 400) -> int:
    if not text:
        return 0
    box = cv2.getTextSize((0, 0), text, (0, 0), _font(), size, weight)
    return int(box[2])


def put_text(image: Image, text: str, at: tuple[int, int], size: int, colour: Bgr, weight: int = 400) -> None:
    """Write one line; ``at`` is the left end of its baseline."""
    if text:
        cv2.putText(image, text, at, colour, _font(), size, weight)


def wrap(text: str, size: int, width: int, weight: int = 400) -> tuple[str, ...]:
    """Split a text into lines of limited width at word boundaries; a single longer word is not split."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, weight) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return tuple(lines)


def card(image: Image, box: Box, edge: Bgr, line_px: int) -> None:
    """Draw a dark, nearly opaque card with a coloured edge."""
    height, width = image.shape[:2]
    x0, y0, x1, y1 = max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3])
    if x1 <= x0 or y1 <= y0:
        return
    under = image[y0:y1, x0:x1]
    under[:] = (0.1 * under + 0.9 * np.array(CARD)).astype(np.uint8)
    cv2.rectangle(image, (x0, y0), (x1 - 1, y1 - 1), edge, line_px, cv2.LINE_AA)


def outline(image: Image, polygon: Sequence[tuple[float, float]], colour: Bgr, line_px: int) -> None:
    """Draw a closed line with a dark casing, visible on felt of any colour."""
    points = [np.round(np.array(polygon) * (1 << _FINE)).astype(np.int32).reshape(-1, 1, 2)]
    for bgr, thickness in (((0, 0, 0), line_px + 2), (colour, line_px)):
        cv2.polylines(image, points, True, bgr, thickness, cv2.LINE_AA, _FINE)  # noqa: FBT003


def leader(image: Image, start: tuple[float, float], end: tuple[float, float], colour: Bgr) -> None:
    """Draw a thin line from a card to its target."""
    ends = [tuple(round(v * (1 << _FINE)) for v in point) for point in (start, end)]
    for bgr, thickness in (((0, 0, 0), 3), (colour, 1)):
        cv2.line(image, ends[0], ends[1], bgr, thickness, cv2.LINE_AA, _FINE)


@cache
def ideal_face(face: Tile | None) -> NDArray[np.uint8]:
    """Draw a face, (240, 96, 3), in ideal form, larger count on top; a question mark for None."""
    width, length = _SPRITE_WIDTH, round(_SPRITE_WIDTH * LENGTH_OVER_WIDTH)
    sprite = np.full((length, width, 3), _BODY, np.uint8)
    cv2.rectangle(sprite, (0, 0), (width - 1, length - 1), _EDGE, 4)
    if face is None:
        put_text(sprite, "?", (width // 2 - text_width("?", 90, 700) // 2, length // 2 + 32), 90, AMBER, 700)
        return sprite
    for pip in pips_of(str(face), Maker()):
        at = (round(pip.v * width * (1 << _FINE)), round(pip.u * length * (1 << _FINE)))
        radius = round(pip.diameter * width / 2 * (1 << _FINE))
        cv2.circle(sprite, at, radius, _RED_PIP if pip.red else _WHITE_PIP, -1, cv2.LINE_AA, _FINE)
    return sprite


def put_face(image: Image, face: Tile | None, centre: tuple[float, float], length: float, angle: float) -> None:
    """Draw an ideal face, or a question mark, on a picture.

    Args:
        image: the picture.
        face: the face; None for a question mark.
        centre: of the tile, in pixels.
        length: of its long side, in pixels.
        angle: of its larger end from up, clockwise, in radians.
    """
    width = max(4, round(length / LENGTH_OVER_WIDTH))
    small = cv2.resize(ideal_face(face), (width, max(8, round(length))), interpolation=cv2.INTER_AREA)
    middle = (small.shape[1] / 2 - 0.5, small.shape[0] / 2 - 0.5)
    turn = cv2.getRotationMatrix2D(middle, -np.degrees(angle), 1.0)
    reach = int(np.ceil(np.hypot(*small.shape[:2]) / 2)) + 1
    left, top = round(centre[0]) - reach, round(centre[1]) - reach
    turn[:, 2] += np.array(centre) - (left, top) - middle
    side = 2 * reach + 1
    colours = cv2.warpAffine(small, turn, (side, side), flags=cv2.INTER_LINEAR)
    share = cv2.warpAffine(np.ones(small.shape[:2], np.float32), turn, (side, side), flags=cv2.INTER_LINEAR)
    height, breadth = image.shape[:2]
    x0, y0, x1, y1 = max(0, left), max(0, top), min(breadth, left + side), min(height, top + side)
    if x1 <= x0 or y1 <= y0:
        return
    cut = np.s_[y0 - top : y1 - top, x0 - left : x1 - left]
    alpha = share[cut][..., None]
    under = image[y0:y1, x0:x1]
    under[:] = (under * (1 - alpha) + np.asarray(colours)[cut] * alpha).astype(np.uint8)
