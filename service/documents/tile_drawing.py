"""Tiles as vector drawings for print, from the pip layout that the page draws from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reportlab.graphics.shapes import Circle, Drawing, Group, Rect
from reportlab.lib.colors import HexColor

from vision.tiles.faces import LENGTH_OVER_WIDTH, Maker, pips_of

if TYPE_CHECKING:
    from reportlab.lib.colors import Color

    from service.rounds.reports import FacePair

_MAKER: Final = Maker()
_BODY: Final[Color] = HexColor("#1d1f24")
_RED: Final[Color] = HexColor("#e0524d")
_WHITE: Final[Color] = HexColor("#f4f1e8")


def draw_setting(first: tuple[FacePair, bool], second: tuple[FacePair, bool], width: float) -> Drawing:
    """Two pairs side by side as the dealer sees them.

    Args:
        first: the pair at his left, and whether its tiles lie across.
        second: the pair at his right, likewise.
        width: of the drawing, points.
    """
    unit = width / (2 * 2 * LENGTH_OVER_WIDTH + 1.5)
    drawing = Drawing(width, 2 * LENGTH_OVER_WIDTH * unit)
    drawing.add(_pair(*first, unit, 0))
    drawing.add(_pair(*second, unit, width / 2 + 0.5 * unit))
    return drawing


def _pair(faces: FacePair, lying: bool, unit: float, left: float) -> Group:  # noqa: FBT001  of a pair of values
    length = LENGTH_OVER_WIDTH * unit
    made = Group()
    for number, face in enumerate(faces):
        tile = _tile(face, unit)
        if lying:  # the second below the first
            tile.translate(left, length + (1 - number) * 1.15 * unit - 0.15 * unit)
            tile.rotate(-90)
            tile.translate(-unit, 0)
        else:
            tile.translate(left + number * 1.15 * unit, length / 2)
        made.add(tile)
    return made


def _tile(face: str, unit: float) -> Group:
    """A tile upright with its lower left corner at the origin, as wide as ``unit``."""
    length = LENGTH_OVER_WIDTH * unit
    made = Group(Rect(0, 0, unit, length, rx=unit / 8, ry=unit / 8, fillColor=_BODY, strokeColor=None))
    for pip in pips_of(face, _MAKER):
        x, y = pip.v * unit, length - pip.u * length
        made.add(Circle(x, y, pip.diameter * unit / 2, fillColor=_RED if pip.red else _WHITE, strokeColor=None))
    return made
