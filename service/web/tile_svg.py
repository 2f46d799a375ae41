"""Tile faces as drawings for the page and for print, from the same pip layout the reader measures with."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from vision.tiles.faces import FACE_NAMES, LENGTH_OVER_WIDTH, Maker, pips_of

if TYPE_CHECKING:
    from collections.abc import Collection

FACE_WIDTH = 40.0
FACE_LENGTH = FACE_WIDTH * LENGTH_OVER_WIDTH
"""Of a face drawn upright, in SVG units."""
_MAKER = Maker()
_BODY, _RED, _WHITE = "#1b1f20", "#ee4b45", "#edf1ef"


@cache
def tile_svg(face: str, *, lying: bool = False) -> Markup:
    """One face as an inline SVG picture, upright or lying on its side.

    Args:
        face: for example ``6-5``.
        lying: turned a quarter turn, as the tiles of a high hand lie at most tables.

    Raises:
        KeyError: if there is no such face.
    """
    return _picture(face, _face(face), lying=lying)


@cache
def tile_symbols() -> Markup:
    """All faces once, hidden, for a document that draws each of them many times with `tile_use`."""
    symbols = "".join(f'<g id="tile-{face}">{_face(face)}</g>' for face in FACE_NAMES)
    return Markup(f'<svg width="0" height="0" aria-hidden="true"><defs>{symbols}</defs></svg>')  # noqa: S704  as below


@cache
def tile_use(face: str, *, lying: bool = False) -> Markup:
    """As `tile_svg`, but pointing to the face among `tile_symbols`, which stand in the same document."""
    if face not in FACE_NAMES:
        raise KeyError(face)
    return _picture(face, f'<use href="#tile-{face}"/>', lying=lying)


@cache
def tile_group(face: str) -> Markup:
    """One face upright, as the inside of an SVG group, `FACE_WIDTH` by `FACE_LENGTH`."""
    return Markup(_face(face))  # noqa: S704  as below


_FEWEST_BOXES: Final = 6


def table_svg(boxes: Collection[int], hand: str) -> Markup:
    """A table seen from above, with its boxes and the House hand; `tile_symbols` stand in the same document.

    Args:
        boxes: numbers of the boxes with hands.
        hand: the House hand as LOW / HIGH; empty to draw none.
    """
    low, _, high = (part.split() for part in hand.partition("/"))
    shown = max((*boxes, _FEWEST_BOXES))
    spots = ""
    for box in range(1, shown + 1):
        angle = math.pi * (box - 0.5) / shown
        x, y = 80 - 66 * math.cos(angle), 12 + 52 * math.sin(angle)
        taken = ' class="taken"' if box in boxes else ""
        spots += f'<circle{taken} cx="{x:.1f}" cy="{y:.1f}" r="7"/><text x="{x:.1f}" y="{y + 3:.1f}">{box}</text>'
    placed = [(face, f"translate({53 + 12 * place} 5) scale(.27)") for place, face in enumerate(low)]
    lying = f"scale(.27) translate(0 {FACE_WIDTH:g}) rotate(-90)"
    placed += [(face, f"translate(80 {7 + 12 * place}) {lying}") for place, face in enumerate(high)]
    tiles = "".join(f'<use href="#tile-{face}" transform="{at}"/>' for face, at in placed if face in FACE_NAMES)
    return Markup(  # noqa: S704  numbers and names of faces
        f'<svg class="drawn-table" viewBox="0 0 160 76" aria-hidden="true">'
        f'<path d="M3 3H157A77 70 0 0 1 3 3Z"/>{spots}{tiles}</svg>'
    )


def _face(face: str) -> str:
    circles = "".join(
        f'<circle class="pip {"red" if pip.red else "white"}" fill="{_RED if pip.red else _WHITE}" '
        f'cx="{pip.v * FACE_WIDTH:.1f}" cy="{pip.u * FACE_LENGTH:.1f}" '
        f'r="{pip.diameter * FACE_WIDTH / 2:.2f}"/>'
        for pip in pips_of(face, _MAKER)
    )
    return (
        f'<rect class="body" fill="{_BODY}" x="0.75" y="0.75" width="{FACE_WIDTH - 1.5}" '
        f'height="{FACE_LENGTH - 1.5}" rx="5"/>'
        f"{circles}"
    )


def _picture(face: str, body: str, *, lying: bool) -> Markup:
    width, height = (FACE_LENGTH, FACE_WIDTH) if lying else (FACE_WIDTH, FACE_LENGTH)
    turned = f'<g transform="translate(0 {FACE_WIDTH:g}) rotate(-90)">{body}</g>' if lying else body
    return Markup(  # noqa: S704  nothing but numbers and a face's name, which is checked, goes in
        f'<svg class="tile{" lying" if lying else ""}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{face}">{turned}</svg>'
    )
