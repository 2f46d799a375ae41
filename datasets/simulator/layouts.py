"""Simulated tables: number and numbering of boxes, positions of tiles and dice.

From the books, without their drawings: crown-6.1 2.1, nz-1998 3.2(a), star-2024 2.2, uk-poster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calibration.table.places import HOUSE, Place, PlaceKind
from datasets.scenes.scene import TILE_HEIGHT_MM
from datasets.scenes.table_plan import TablePlan, draw_plan

if TYPE_CHECKING:
    from datasets.scenes.sampling import Rng
    from engine.books.book import Rulebook


class SimulatorError(ValueError):
    """An unknown simulator option; the message lists the known ones."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of table.

    Attributes:
        pitch_mm: least and most distance from box to box.
        curve_per_mm: how strongly the row of boxes bends away at its ends.
        from_right: whether box 1 is printed at the dealer's right.
        house_way: boxes at which the dealer always sets the House Way (star-2024's second diagram).
    """

    boxes: int = 8
    pitch_mm: tuple[float, float] = (212.0, 242.0)
    curve_per_mm: float = 0.00004
    from_right: bool = True
    house_way: frozenset[int] = frozenset()


PATTERNS: Final[dict[str, Pattern]] = {
    "eight": Pattern(),
    "eight-straight": Pattern(curve_per_mm=0.0),
    "eight-curved": Pattern(curve_per_mm=0.00008),
    "eight-from-left": Pattern(from_right=False),
    "house-way-places": Pattern(house_way=frozenset({7, 8})),
    "seven": Pattern(boxes=7, pitch_mm=(240.0, 262.0)),
    "seven-from-left": Pattern(boxes=7, pitch_mm=(240.0, 262.0), from_right=False),
    "six": Pattern(boxes=6, pitch_mm=(262.0, 300.0), curve_per_mm=0.00006),
    "six-from-left": Pattern(boxes=6, pitch_mm=(262.0, 300.0), curve_per_mm=0.00006, from_right=False),
}
"""The tables by name."""


def pattern(name: str) -> Pattern:
    """The table of this name.

    Raises:
        SimulatorError: there is no such layout.
    """
    if name not in PATTERNS:
        raise SimulatorError(f"no layout is called {name!r}; known: {', '.join(PATTERNS)}")
    return PATTERNS[name]


def usual(book: Rulebook) -> str:
    """The table of a book unless another is named."""
    return "seven" if book.play.boxes.value == 7 else "eight"


def fitting(book: Rulebook) -> tuple[str, ...]:
    """The tables that a book can be played on."""
    most, fewer, places = book.play.boxes.value, book.play.fewer_boxes, book.play.house_way_boxes
    return tuple(
        name
        for name, each in PATTERNS.items()
        if (each.boxes == most or (fewer and each.boxes < most)) and (not each.house_way or places is not None)
    )


def lay_out(rng: Rng, kind: Pattern) -> TablePlan:
    """Draw a table of this kind: sizes a little different each time."""
    pitch = float(rng.uniform(*kind.pitch_mm))
    curve = kind.curve_per_mm * rng.uniform(0.8, 1.2)
    return draw_plan(rng, kind.boxes, pitch, curve, from_right=kind.from_right)


def stack_spot(stack: int, level: int) -> tuple[float, float, float]:
    """Where a stack stands: x, y and the height of its tile's underside.

    Counted as ``engine.vocabulary.delivery_order.StackPlace``; the dealer's left is at negative x.
    """
    return (stack - 4.5) * 26.6, 5.0, TILE_HEIGHT_MM * (level - 1)


def chung_spot(plan: TablePlan, box: int) -> tuple[float, float]:
    """Where the chung lies while a box has the bank: beside its wagers; for the dealer's own place beside his tiles."""
    place = Place(PlaceKind.BOX, box)
    if place not in plan.boxes:
        x, y, _ = plan.places[HOUSE]
        return x + 190.0, y
    x, y, _ = plan.boxes[place]
    return x + 80.0, y - 10.0


def button_spot(plan: TablePlan, box: int) -> tuple[float, float]:
    """Where a plus or minus button lies: on the other side of the banker's box."""
    x, y, _ = plan.boxes[Place(PlaceKind.BOX, box)]
    return x - 80.0, y - 10.0


def wash_spot(cell: int) -> tuple[float, float]:
    """Middle of one of the 32 cells that the tiles are mixed in."""
    return (cell % 8 - 3.5) * 94.0, (cell // 8 - 1.5) * 76.0


def away_spot(plan: TablePlan, number: int) -> tuple[float, float, float]:
    """Where the tile put away as the `number`-th lies: upright columns, two rows, up to three high."""
    column, row, level = number % 7, number // 7 % 2, number // 14
    x, y = plan.discard_mm
    return x + (column - 3) * 26.2, y + (0.5 - row) * 66.0, TILE_HEIGHT_MM * level


def display_spot(number: int) -> tuple[float, float]:
    """Where the `number`-th tile of the full set lies when all are shown in the order of rank."""
    return (number % 16 - 7.5) * 26.9, (0.5 - number // 16) * 71.5 + 40
