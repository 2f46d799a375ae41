"""Pip layouts of the 21 faces and their variations between manufacturers, measured on real sets (docs/sources.md).

Coordinates are fractions of the outer face, rounded edge included: ``u`` runs along the length from the end with the
larger count (0) to the other end (1), ``v`` across the width from left to right with the larger count on top.

>>> [round(pip.u, 3) for pip in pips_of("2-1", Maker())]
[0.136, 0.136, 0.864]
>>> sum(pip.red for pip in pips_of("6-6", Maker()))
6
"""

from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias, get_args

FACE_NAMES: tuple[str, ...] = (
    "6-6", "1-1", "4-4", "3-1", "5-5", "3-3", "2-2", "6-5", "6-4", "6-1", "5-1",
    "6-3", "5-4", "6-2", "5-3", "5-2", "4-3", "4-1", "3-2", "2-1", "4-2",
)  # fmt: skip
"""Names of the faces, larger half first: the eleven civil ones, then the ten military ones."""

LENGTH_OVER_WIDTH = 2.5
"""Length of a face over its width (63.5 mm by 25.4 mm)."""

Style: TypeAlias = Literal["photo", "small"]
Slash: TypeAlias = Literal["/", "\\"]
Teen: TypeAlias = Literal["white-left", "red-left"]
ThreeThree: TypeAlias = Literal["cross", "diagonals"]
Three: TypeAlias = Literal["stretched", "compact"]
Four: TypeAlias = Literal["stretched", "even", "compact"]
HighFour: TypeAlias = Literal["even", "square"]


@dataclass(frozen=True, slots=True)
class Pip:
    """One pip of a face: its middle, and its diameter in widths of the tile.

    Pips that are not red are white on a black body and black on an ivory one.
    """

    u: float
    v: float
    red: bool
    diameter: float


@dataclass(frozen=True, slots=True)
class Maker:
    """A manufacturer's layout conventions; a set comes from one manufacturer.

    Attributes:
        style: ``photo`` for large, nearly touching pips and a single 1 of the same size, ``small`` for small pips
            spread wider and a larger single 1.
        teen: the red side of the 6-6's larger-count end with that end on top.
        slash: direction of the diagonal of a 3.
        three_three: 3-3 as 1-1-2-1-1 down the middle, or as two diagonals.
        three: whether the 3 beside a 1 or a 2 extends to the mid line or stays in its half.
        four: second row of a 4 beside a 1 or a 2.
        high_four: the 4 beside a 3, a 5 or a 6 as an oblong or as a square.
    """

    style: Style = "photo"
    teen: Teen = "white-left"
    slash: Slash = "/"
    three_three: ThreeThree = "cross"
    three: Three = "stretched"
    four: Four = "stretched"
    high_four: HighFour = "even"


@dataclass(frozen=True, slots=True)
class _Grid:
    """Rows and columns of one style in the upper half; the lower half is rotated by 180 degrees.

    Attributes:
        rows: outer, middle and inner row (u).
        side: distance of the side columns from the middle (v).
        inner_four: second row of a 4, by stretch.
        stretched_three: rows of a stretched 3, beside a 1 and beside a 2.
        cross: rows of the upper half of the 3-3 laid as a cross.
        diameter, single: of a pip and of the single red 1, relative to the width.
    """

    rows: tuple[float, float, float]
    side: float
    inner_four: dict[Four, float]
    stretched_three: dict[int, tuple[float, float, float]]
    cross: tuple[float, float, float]
    diameter: float
    single: float


_GRIDS: dict[Style, _Grid] = {
    "photo": _Grid(
        rows=(0.136, 0.282, 0.428),
        side=0.197,
        inner_four={"stretched": 0.428, "even": 0.381, "compact": 0.282},
        stretched_three={1: (0.134, 0.316, 0.499), 2: (0.134, 0.335, 0.534)},
        cross=(0.136, 0.319, 0.5),
        diameter=0.33,
        single=0.33,
    ),
    "small": _Grid(
        rows=(0.1, 0.244, 0.388),
        side=0.245,
        inner_four={"stretched": 0.43, "even": 0.388, "compact": 0.244},
        stretched_three={1: (0.1, 0.3, 0.5), 2: (0.1, 0.317, 0.534)},
        cross=(0.1, 0.25, 0.5),
        diameter=0.21,
        single=0.32,
    ),
}

_MIDDLE = 0.5
_HIGH = (3, 5, 6)
"""Counts next to which a 4 may be a square."""


def halves(face: str) -> tuple[int, int]:
    """The two counts of a face.

    >>> halves("6-5")
    (6, 5)
    """
    large, small = face.split("-")
    return int(large), int(small)


def pips_of(face: str, maker: Maker) -> tuple[Pip, ...]:
    """Pips of a face in a manufacturer's layout, larger count on top; KeyError if there is no such face."""
    if face not in FACE_NAMES:
        raise KeyError(face)
    grid = _GRIDS[maker.style]
    large, small = halves(face)
    if face == "6-6":
        half = tuple(
            Pip(row, _MIDDLE + side, (side > 0) == (maker.teen == "white-left"), grid.diameter)
            for row in grid.rows
            for side in (-grid.side, grid.side)
        )
        return half + _turned(half)
    if face == "3-3" and maker.three_three == "cross":
        upper = tuple(Pip(row, _MIDDLE, red=False, diameter=grid.diameter) for row in grid.cross[:2])
        pair = tuple(Pip(grid.cross[2], _MIDDLE + side, False, grid.diameter) for side in (-grid.side, grid.side))  # noqa: FBT003
        return upper + pair + _turned(upper)
    return _half(large, small, grid, maker) + _turned(_half(small, large, grid, maker))


def layouts(face: str) -> tuple[tuple[Pip, ...], ...]:
    """All different layouts of a face by any manufacturer, larger count on top.

    >>> len(layouts("6-2"))  # large and small pips
    2
    """
    habits = product(*(get_args(kind) for kind in (Style, Teen, Slash, ThreeThree, Three, Four, HighFour)))
    return tuple(dict.fromkeys(pips_of(face, Maker(*each)) for each in habits))


def _turned(pips: tuple[Pip, ...]) -> tuple[Pip, ...]:
    """The pips after a rotation of the tile by 180 degrees."""
    return tuple(Pip(1 - pip.u, 1 - pip.v, pip.red, pip.diameter) for pip in pips)


def _half(count: int, other: int, grid: _Grid, maker: Maker) -> tuple[Pip, ...]:
    """Pips of the upper half with ``count`` pips, next to a half with ``other``."""
    outer, middle, inner = grid.rows
    pair = (-grid.side, grid.side)
    beside_low = other in grid.stretched_three
    places: list[tuple[float, float]]
    if count == 1:
        return (Pip(outer, _MIDDLE, red=True, diameter=grid.single),)
    if count == 2:
        places = [(outer, side) for side in pair]
    elif count == 3:
        rows = grid.stretched_three[other] if beside_low and maker.three == "stretched" else grid.rows
        first = grid.side if maker.slash == "/" else -grid.side
        places = list(zip(rows, (first, 0.0, -first), strict=True))
    elif count == 4:
        square = maker.high_four == "square" and other in _HIGH
        second = middle if square else grid.inner_four[maker.four if beside_low else "even"]
        places = [(row, side) for row in (outer, second) for side in pair]
    elif count == 5:
        places = [(outer, side) for side in pair] + [(middle, 0.0)] + [(inner, side) for side in pair]
    else:
        places = [(row, side) for row in grid.rows for side in pair]
    return tuple(Pip(u, _MIDDLE + side, count == 4, grid.diameter) for u, side in places)
