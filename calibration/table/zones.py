"""Places on the felt: the house's, the boxes', the discard and the dice place, and which of them a point lies in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final

TILE_MM: Final = (63.5, 25.4, 9.5)
"""Length, width and thickness of a tile."""
TILE_TOP_MM: Final = TILE_MM[2]
"""Height of the face of a tile that lies on the felt."""

PLACE_NAMES: Final = ("house", *(f"box{number}" for number in range(1, 9)), "discard", "dice")
HOUSE_SIZE_MM: Final = (260.0, 150.0)
BOX_SIZE_MM: Final = (220.0, 210.0)
DISCARD_SIZE_MM: Final = (190.0, 190.0)
DICE_SIZE_MM: Final = (170.0, 170.0)
"""Sizes used where a file gives only the middle of a place: two hands of tiles laid with a hand's breadth to spare."""
_BOX_GAP_MM: Final = 4.0


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle on the felt, at any angle.

    Attributes:
        name: ``house``, ``box1`` .. ``box8``, ``discard`` or ``dice``.
        center_mm: its middle.
        size_mm: its sides along and across ``angle_deg``.
        angle_deg: direction of the first side, counter-clockwise from +x seen from above.
    """

    name: str
    center_mm: tuple[float, float]
    size_mm: tuple[float, float]
    angle_deg: float = 0.0

    def depth(self, x_mm: float, y_mm: float) -> float:
        """How far out a point is: 0 in the middle, 1 on the edge, more outside."""
        along, across = self._local(x_mm, y_mm)
        return max(abs(along) / (self.size_mm[0] / 2), abs(across) / (self.size_mm[1] / 2))

    @property
    def corners_mm(self) -> tuple[tuple[float, float], ...]:
        """The 4 corners, counter-clockwise seen from above."""
        cosine, sine = math.cos(math.radians(self.angle_deg)), math.sin(math.radians(self.angle_deg))
        half_x, half_y = self.size_mm[0] / 2, self.size_mm[1] / 2
        x, y = self.center_mm
        return tuple(
            (x + u * cosine - v * sine, y + u * sine + v * cosine)
            for u, v in ((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y))
        )

    def _local(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """The point along and across the place."""
        cosine, sine = math.cos(math.radians(self.angle_deg)), math.sin(math.radians(self.angle_deg))
        dx, dy = x_mm - self.center_mm[0], y_mm - self.center_mm[1]
        return dx * cosine + dy * sine, dy * cosine - dx * sine


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of one table.

    Attributes:
        places: each name once.
        table_mm: width and depth of the playing surface; None if not known.
        float_mm: the float as a place without a part in the game; None if not known.
        display_mm: where the 32 tiles are laid out to be checked; it lies over other places, so it is none of them.
            None if not known.
    """

    places: tuple[Place, ...]
    table_mm: tuple[float, float] | None = None
    float_mm: Place | None = None
    display_mm: Place | None = None

    def place(self, name: str) -> Place | None:
        """The place of this name, if the table has it."""
        return next((each for each in self.places if each.name == name), None)

    def place_of(self, x_mm: float, y_mm: float) -> str | None:
        """The name of the place a point of the felt lies in; where two overlap, the one it lies deeper in."""
        depths = [(place.depth(x_mm, y_mm), place.name) for place in self.places]
        depth, name = min(depths, default=(math.inf, ""))
        return name if depth <= 1 else None


def box_places(centers: dict[int, tuple[float, float, float]]) -> tuple[Place, ...]:
    """The tile places of the betting boxes, as wide as their neighbours allow.

    Args:
        centers: by box number, ``(x, y, angle)`` in millimetres and degrees.
    """
    spacing = min((math.dist(one[:2], other[:2]) for one, other in combinations(centers.values(), 2)), default=math.inf)
    width = min(BOX_SIZE_MM[0], max(spacing - _BOX_GAP_MM, TILE_MM[0]))
    return tuple(
        Place(f"box{number}", (x, y), (width, BOX_SIZE_MM[1]), angle)
        for number, (x, y, angle) in sorted(centers.items())
    )
