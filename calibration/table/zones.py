"""The zones of the felt for the house's hand, the boxes, discard and dice, and lookup of points."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Final, TypeAlias

from pydantic import Field, PlainValidator

from calibration.table.places import DICE, DISCARD, HOUSE, Place, PlaceKind
from calibration.table.sizes import TABLE_MM, TILE_MM, rectangle_corners

BOX_SIZE_MM: Final = (220.0, 210.0)
USUAL_SIZE_MM: Final = {HOUSE: (260.0, 150.0), DISCARD: (190.0, 190.0), DICE: (170.0, 170.0)}
"""Default sizes if a file gives only the centre of a zone: two hands of tiles with a hand's breadth to spare."""
_BOX_GAP_MM: Final = 4.0

SizeMm: TypeAlias = Annotated[float, Field(gt=0.1, le=100_000)]
"""A side of a zone, in millimetres."""
_Mm: TypeAlias = Annotated[float, Field(ge=-100_000, le=100_000)]
_Degrees: TypeAlias = Annotated[float, Field(ge=-360, le=360)]


def _place(name: object) -> Place:
    if not isinstance(name, str):
        raise ValueError("expected the name of a place, such as box1")  # noqa: TRY004 - a fault of a file's value
    return Place.parse(name)


@dataclass(frozen=True, slots=True)
class Zone:
    """A rectangle on the felt, with a size along and across ``angle_deg``: counter-clockwise from +x in top view."""

    place: Annotated[Place, Field(alias="name"), PlainValidator(_place)]
    center_mm: tuple[_Mm, _Mm]
    size_mm: tuple[SizeMm, SizeMm]
    angle_deg: _Degrees = 0.0

    @property
    def name(self) -> str:
        """Name of the place: ``house``, ``box1`` ..."""
        return str(self.place)

    def depth(self, x_mm: float, y_mm: float) -> float:
        """Relative distance of a point from the centre: 0 in the middle, 1 on the edge, more outside."""
        cosine, sine = math.cos(math.radians(self.angle_deg)), math.sin(math.radians(self.angle_deg))
        dx, dy = x_mm - self.center_mm[0], y_mm - self.center_mm[1]
        along, across = dx * cosine + dy * sine, dy * cosine - dx * sine
        return max(abs(along) / (self.size_mm[0] / 2), abs(across) / (self.size_mm[1] / 2))

    @property
    def corners_mm(self) -> tuple[tuple[float, float], ...]:
        """The 4 corners, counter-clockwise seen from above."""
        (corners,) = rectangle_corners(self.center_mm, math.radians(self.angle_deg), self.size_mm)
        return tuple((x, y) for x, y in corners[[2, 1, 0, 3]].tolist())


@dataclass(frozen=True, slots=True)
class Layout:
    """The zones of one table; None for unknown values.

    Attributes:
        zones: those used in the game, each place once.
        table_mm: width and depth of the playing surface.
        chip_float: the dealer's chip float.
        display: where the 32 tiles are displayed for the check; it overlaps other zones.
        box1_at_dealers_right: whether the felt numbers its boxes from the dealer's right, according to the layout; see
            `numbered_from_right`.
    """

    zones: tuple[Zone, ...]
    table_mm: tuple[float, float] | None = None
    chip_float: Zone | None = None
    display: Zone | None = None
    box1_at_dealers_right: bool | None = None

    @property
    def all_zones(self) -> tuple[Zone, ...]:
        """All zones, chip float and display included."""
        return tuple(each for each in (*self.zones, self.chip_float, self.display) if each is not None)

    def zone(self, place: Place) -> Zone | None:
        """The zone of a place; None if the table does not have it."""
        return next((each for each in self.all_zones if each.place == place), None)

    @property
    def boxes_counter_clockwise(self) -> tuple[int, ...]:
        """The numbers of the boxes from the dealer's right to the left, by the positions of their zones."""
        _, deep = self.table_mm or TABLE_MM
        boxes = {each.place.box: each.center_mm for each in self.zones if each.place.box is not None}
        # From the dealer's position, so that boxes around the corners of the table are in order too.
        return tuple(sorted(boxes, key=lambda box: math.atan2(boxes[box][1] + deep / 2, boxes[box][0])))

    @property
    def numbered_from_right(self) -> bool | None:
        """Whether the boxes are numbered from the dealer's right.

        None if their numbers do not go round in one direction, or not in the one stated by the layout.
        """
        turn, stated = list(self.boxes_counter_clockwise), self.box1_at_dealers_right
        if len(turn) < 2:
            return stated is not False
        for from_right in (True, False):
            if turn == sorted(turn, reverse=not from_right):
                return from_right if stated in (None, from_right) else None
        return None

    def place_at(self, x_mm: float, y_mm: float) -> Place | None:
        """The place containing a point of the felt; if two overlap, the one it is deeper in."""
        nearest = min(self.zones, key=lambda zone: zone.depth(x_mm, y_mm), default=None)
        return nearest.place if nearest is not None and nearest.depth(x_mm, y_mm) <= 1 else None


def box_zones(centers: dict[int, tuple[float, float, float]]) -> tuple[Zone, ...]:
    """The zones of the boxes, as wide as their neighbours allow, by number from (x, y, angle) in mm and degrees."""
    spacing = min((math.dist(one[:2], other[:2]) for one, other in combinations(centers.values(), 2)), default=math.inf)
    width = min(BOX_SIZE_MM[0], max(spacing - _BOX_GAP_MM, TILE_MM[0]))
    return tuple(
        Zone(Place(PlaceKind.BOX, number), (x, y), (width, BOX_SIZE_MM[1]), angle)
        for number, (x, y, angle) in sorted(centers.items())
    )
