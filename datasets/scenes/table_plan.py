"""The plan of a table: boxes, places, print and furniture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from calibration.table.places import HOUSE, Place, PlaceKind
from calibration.table.sizes import TABLE_MM
from datasets.scenes import sampling as sample
from datasets.scenes.scene import LinearColour, Prop

if TYPE_CHECKING:
    from datasets.scenes.sampling import Rng

Placement = tuple[float, float, float]
"""Place on the table: x and y in millimetres, and the turn of its own axes in radians, counter-clockwise."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What is printed on one table, and where things go.

    Attributes:
        boxes: where each box's wagers lie.
        places: where the tiles of each box and of the house lie.
        dice_mm: middle of the cup's base.
        discard_mm: middle of the tiles put away.
        float_rect: middle, width and depth of the float, mm.
        box1_at_right: whether box 1 is at the dealer's right.
    """

    boxes: dict[Place, Placement]
    places: dict[Place, Placement]
    dice_mm: tuple[float, float]
    discard_mm: tuple[float, float]
    float_rect: tuple[float, float, float, float]
    box1_at_right: bool

    def to_json(self) -> dict[str, object]:
        """Return the `layout` object of a label or calibration file (angles in degrees)."""

        def spot(place: Placement) -> list[float]:
            x, y, angle = place
            return [round(x, 2), round(y, 2), round(float(np.degrees(angle)), 2)]

        boxes, places = (
            {str(place.box): spot(at) for place, at in each.items() if place.box is not None}
            for each in (self.boxes, self.places)
        )
        return {
            "boxes": boxes,
            "tile_places": places,
            "house": spot(self.places[HOUSE]),
            "dice": [round(v, 2) for v in self.dice_mm],
            "discard": [round(v, 2) for v in self.discard_mm],
            "float_rect": [round(v, 2) for v in self.float_rect],
            "box1_at_dealers_right": self.box1_at_right,
            "table_mm": list(TABLE_MM),
        }


def draw_plan(
    rng: Rng, boxes: int, pitch_mm: float, curve_per_mm: float, *, from_right: bool | None = None
) -> TablePlan:
    """Draw a plan: boxes on a shallow arc at the players' side, the house before the float.

    The row of `boxes`, `pitch_mm` from one to the next, bends away at its ends by `curve_per_mm`; `from_right` says
    whether box 1 is at the dealer's right, None to draw that too.
    """
    top, inner = rng.uniform(405, 440), rng.uniform(145, 175)
    right = bool(rng.random() < 0.5) if from_right is None else from_right
    betting: dict[Place, Placement] = {}
    places: dict[Place, Placement] = {}
    for n in range(boxes):
        x = ((boxes - 1) / 2 - n) * pitch_mm * (1 if right else -1)
        turn = -2 * curve_per_mm * x
        box = Place(PlaceKind.BOX, n + 1)
        betting[box] = (x, top - curve_per_mm * x * x, turn)
        places[box] = (x * 0.975, top - inner - curve_per_mm * x * x, turn)
    side = 1.0 if rng.random() < 0.5 else -1.0
    places[HOUSE] = (rng.uniform(-40, 40), rng.uniform(-250, -225), 0.0)
    return TablePlan(
        betting,
        places,
        dice_mm=(side * rng.uniform(500, 620), rng.uniform(-290, -240)),
        discard_mm=(-side * rng.uniform(560, 680), rng.uniform(-300, -250)),
        float_rect=(rng.uniform(-40, 40), -432.0, rng.uniform(500, 580), 176.0),
        box1_at_right=right,
    )


def felt_print(plan: TablePlan, ink: LinearColour, seed: int) -> list[Prop]:
    """Print the boxes, emblems, letters and frames."""

    def at(kind: str, spot: Placement, size: tuple[float, float], n: int) -> Prop:
        return Prop(kind, *spot, size, -1.0, 0.0, ink, seed + n)

    return [
        *(at("box", spot, (108.0, 76.0), 3 * n) for n, spot in enumerate(plan.boxes.values())),
        at("box", plan.places[HOUSE], (150.0, 84.0), 3 * list(plan.places).index(HOUSE)),
        at("ring", (*plan.dice_mm, 0.0), (118.0, 3.0), 1),
        at("box", (*plan.discard_mm, 0.0), (160.0, 115.0), 3),
        *(at("emblem", (x, 40.0, 0.0), (150.0, 3.0), 5) for x in (-640.0, 640.0)),
        at("text", (0.0, 60.0, np.pi), (0.0, 55.0), 9),
        at("box", (0.0, 0.0, 0.0), (TABLE_MM[0] - 70, TABLE_MM[1] - 70), 1),
    ]


def float_and_chips(rng: Rng, plan: TablePlan) -> list[Prop]:
    """Set the float, and chips in most boxes."""
    x, y, w, h = plan.float_rect
    out = [replace(sample.prop(rng, "float", x, y), angle=0.0, size_mm=(w, h))]
    for bx, by, _ in plan.boxes.values():
        if rng.random() < 0.7:
            jx, jy = rng.normal(0, 8, 2).tolist()
            out.append(sample.prop(rng, "chips", bx + jx, by + jy))
    return out


def furniture(rng: Rng, plan: TablePlan, *, clutter: bool) -> list[Prop]:
    """Set the float, chips, the chung, the cup beside the dice and, when asked, drinks, slips and hands."""
    out = float_and_chips(rng, plan)
    chung_x, chung_y, _ = plan.boxes[Place(PlaceKind.BOX, int(rng.integers(1, 9)))]
    out.append(sample.prop(rng, "marker", chung_x + 85, chung_y - 20))
    dome_x = plan.dice_mm[0] - float(np.sign(plan.dice_mm[0])) * 135
    out.append(sample.prop(rng, "dome", dome_x, plan.dice_mm[1] + 30))
    if clutter:
        out.append(sample.prop(rng, "paper", float(rng.choice([-880.0, 880.0])), -420.0))
        out.append(sample.prop(rng, "glass", rng.uniform(-800, 800), 515.0))
        for _ in range(int(rng.integers(1, 4))):
            arm = sample.prop(rng, "arm", rng.uniform(-800, 800), rng.uniform(300, 430))
            out.append(replace(arm, angle=float(np.pi / 2 + rng.normal(0, 0.4))))
    return out


def dish(rng: Rng, plan: TablePlan) -> Prop:
    """The base of the dice cup, in its place."""
    base = replace(sample.prop(rng, "marker", *plan.dice_mm), kind="dish", size_mm=(104.0, 104.0), height_mm=8.0)
    return replace(base, colour=sample.jitter(rng, (0.03, 0.02, 0.09), 0.4))
