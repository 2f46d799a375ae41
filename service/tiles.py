"""Tile faces as drawings for the page, from the same pip layout the reader measures with."""

from __future__ import annotations

from functools import cache

from markupsafe import Markup

from vision.faces import LENGTH_OVER_WIDTH, Maker, pips_of

_WIDTH = 40.0
_LENGTH = _WIDTH * LENGTH_OVER_WIDTH
_MAKER = Maker()


@cache
def tile_svg(face: str, *, lying: bool = False) -> Markup:
    """One face as an inline SVG picture, upright or lying on its side.

    Args:
        face: for example ``6-5``.
        lying: turned a quarter turn, as the tiles of a high hand lie.

    Raises:
        KeyError: if there is no such face.
    """
    circles = "".join(
        f'<circle class="pip {"red" if pip.red else "white"}" cx="{pip.v * _WIDTH:.1f}" cy="{pip.u * _LENGTH:.1f}" '
        f'r="{pip.diameter * _WIDTH / 2:.2f}"/>'
        for pip in pips_of(face, _MAKER)
    )
    body = f'<rect class="body" x="0.75" y="0.75" width="{_WIDTH - 1.5}" height="{_LENGTH - 1.5}" rx="5"/>{circles}'
    width, height = (_LENGTH, _WIDTH) if lying else (_WIDTH, _LENGTH)
    turned = f'<g transform="translate(0 {_WIDTH:g}) rotate(-90)">{body}</g>' if lying else body
    return Markup(  # noqa: S704  nothing but numbers and a face's name, which pips_of() has checked, goes in
        f'<svg class="tile{" lying" if lying else ""}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{face}">{turned}</svg>'
    )
