"""Whole tables: the ceiling camera, dealt hands, throws and displays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibration.table.places import DISCARD, DISPLAY, HOUSE, Place, PlaceKind
from datasets.scenes import sampling as sample
from datasets.scenes.scene import (
    DISH_FLOOR_MM,
    TILE_HEIGHT_MM,
    TILE_LENGTH_MM,
    TILE_WIDTH_MM,
    CameraModel,
    Scene,
    TileObject,
)
from datasets.scenes.table_plan import Placement, TablePlan, dish, draw_plan, felt_print, furniture
from engine.vocabulary.play import Lie

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.labels.labels import HandHalf
    from datasets.scenes.sampling import Rng
    from datasets.scenes.scene import DieObject, DieStyle, Prop

_UP = True
TableKind = Literal["round", "dice", "display", "hard", "heaps"]

DISPLAY_GAP_MM = 1.5
HAND_REACH_MM = 66.0
"""Distance between the middles of the low and the high pair of a hand."""


def ceiling_camera(rng: Rng, size: tuple[int, int]) -> tuple[CameraModel, str]:
    """Hang a camera over the middle of the table; return it and the side of the picture where the dealer is."""
    w, h = size
    height = rng.uniform(1250, 1650)
    span = rng.uniform(2250, 2500)
    focal = w * height / span
    spot = np.array([*rng.normal(0, 40, 2), height])
    aim = np.array([*rng.normal(0, 25, 2), 0.0])
    axis = (aim - spot) / np.linalg.norm(aim - spot)
    flipped = bool(rng.random() < 0.3)
    right = np.array([-1.0 if flipped else 1.0, rng.normal(0, 0.03), 0.0])
    right -= axis * (right @ axis)
    right /= np.linalg.norm(right)
    r = np.stack([right, np.cross(axis, right), axis])
    k = np.array([[focal, 0, w / 2 + rng.normal(0, 8)], [0, focal, h / 2 + rng.normal(0, 8)], [0, 0, 1.0]])
    dist = np.array([rng.normal(-0.02, 0.03), rng.normal(0, 0.01), *rng.normal(0, 0.0006, 2), 0.0])
    return CameraModel(size, k, dist, r, -r @ spot), ("top of image" if flipped else "bottom of image")


def lay_hand(
    rng: Rng,
    place: Place,
    spot: Placement,
    low: Sequence[str],
    high: Sequence[str],
    mess: float,
    low_hand: Lie = Lie.VERTICAL,
) -> list[TileObject]:
    """Lay four tiles as a dealer does: one pair upright to his left, the other lying to his right."""
    x, y, turn = spot
    out = []
    pairs: tuple[tuple[HandHalf, Sequence[str], Lie], ...] = (("low", low, low_hand), ("high", high, low_hand.other))
    for hand, faces, lies in pairs:
        upright = lies is Lie.VERTICAL
        off, lie = (-HAND_REACH_MM / 2, np.pi / 2) if upright else (HAND_REACH_MM / 2, 0.0)
        for side, face in zip((-0.5, 0.5), faces, strict=True):
            step = side * (TILE_WIDTH_MM + rng.exponential(0.6))
            along, across = (off + step, 0.0) if upright else (off, step)
            tile_x, tile_y = sample.offset(x, y, turn, along, across)
            wobble_x, wobble_y = rng.normal(0, 0.5, 2).tolist()
            angle = turn + lie + rng.normal(0, mess) + float(np.pi * rng.integers(2))
            at = tile_x + wobble_x, tile_y + wobble_y
            out.append(TileObject(face, _UP, *at, angle, place=place, hand=hand))
    return out


def push_together(rng: Rng, place: Place, spot: Placement, faces: Sequence[str]) -> list[TileObject]:
    """Lay four tiles as hands lie that were pushed together: two on the felt, each with another half upon it."""
    x, y, turn = spot
    out: list[TileObject] = []
    for side, below, above in zip((-0.5, 0.5), faces[::2], faces[1::2], strict=True):
        at = sample.offset(x, y, turn, HAND_REACH_MM * side, 0.0)
        lower = TileObject(below, _UP, *at, turn + np.pi / 2 + rng.normal(0, 0.3) + float(np.pi * rng.integers(2)))
        out += [replace(tile, place=place) for tile in (lower, sample.upon(rng, lower, above))]
    return out


def face_down(
    rng: Rng, faces: Sequence[str], spot: tuple[float, float], columns: int, place: Place
) -> list[TileObject]:
    """Stack tiles face down in upright columns side by side."""
    out = []
    for n, face in enumerate(faces):
        column, level = n % columns, n // columns
        wobble_x, wobble_y = rng.normal(0, 0.4, 2).tolist()
        x = spot[0] + (column - (columns - 1) / 2) * (TILE_WIDTH_MM + 0.5) + wobble_x
        y, angle = spot[1] + wobble_y, np.pi / 2 + rng.normal(0, 0.01)
        out.append(TileObject(face, not _UP, x, y, angle, TILE_HEIGHT_MM * level, place=place))
    return out


def dice_styles(rng: Rng) -> tuple[DieStyle, DieStyle]:
    """Draw the looks of a table's box dice and of its cut die."""
    box, cut = sample.die_style(rng), sample.die_style(rng)
    while cut.name == box.name:
        cut = sample.die_style(rng)
    return box, cut


def throw(
    rng: Rng, plan: TablePlan, styles: tuple[DieStyle, DieStyle] | None = None, *, cocked: bool = False
) -> tuple[list[DieObject], Prop]:
    """Throw three box dice and the cut die into the cup's base; without styles, dice of any look."""
    dice: list[DieObject] = []
    box, cut = styles or dice_styles(rng)
    for n, style in enumerate((box, box, box, cut)):
        for _ in range(50):
            x, y = sample.in_disc(rng, *plan.dice_mm, 34)
            if all(np.hypot(x - d.x_mm, y - d.y_mm) > 27 for d in dice):
                break
        thrown = sample.die(rng, style, x, y, cocked=cocked and n == 1, floor=DISH_FLOOR_MM)
        dice.append(replace(thrown, role="cut" if n == 3 else "box"))
    return dice, dish(rng, plan)


@dataclass(frozen=True, slots=True)
class TableSetup:
    """Everything constant over a round; `bare` is the scene of the empty table."""

    plan: TablePlan
    bare: Scene

    def changed(self, **fields: Any) -> TableSetup:  # noqa: ANN401 - fields of the scene
        """The same table with some fields of its scene changed."""
        return replace(self, bare=replace(self.bare, **fields))

    def scene(
        self, kind: TableKind, tiles: Sequence[TileObject], dice: Sequence[DieObject], props: Sequence[Prop]
    ) -> Scene:
        bare = self.bare
        printed = felt_print(self.plan, bare.print_colour, bare.seed)
        return replace(bare, kind=kind, tiles=tuple(tiles), dice=tuple(dice), props=(*printed, *props))


def setup(rng: Rng, size: tuple[int, int]) -> TableSetup:
    """Draw a table that a round can be played on."""
    camera, side = ceiling_camera(rng, size)
    lamps, ambient = sample.lamps(rng)
    pitch, curve = rng.uniform(212, 242), rng.uniform(0, 0.00008)
    plan = draw_plan(rng, 8, pitch, curve)
    bare = Scene(
        kind="round",
        camera=camera,
        ground="felt",
        ground_colour=sample.felt_colour(rng),
        print_colour=sample.jitter(rng, sample.PRINTS[int(rng.integers(3))], 0.2),
        tile_set=sample.tile_set(rng),
        lamps=lamps,
        ambient=ambient,
        light_slope=(rng.normal(0, 0.15), rng.normal(0, 0.2)),
        capture=sample.capture(rng, soft=0.8),
        layout=plan.to_json(),
        dealer_side=side,
    )
    seed = sample.seed_of(rng)
    return TableSetup(plan, bare).changed(ground_seed=seed, seed=seed)


def sample_setup(rng: Rng, size: tuple[int, int]) -> TableSetup:
    """Draw the table of the bundled sample: green cloth, black tiles, a decent camera in good light."""
    drawn = setup(rng, size)
    capture = replace(
        drawn.bare.capture,
        exposure=1.0,
        white_balance=(0.97, 1.0, 1.04),
        defocus_px=0.35,
        motion_px=(0.0, 0.0),
        shot_noise=0.006,
        read_noise=0.001,
        noise_reduction=0.0,
        sharpen=0.4,
        contrast=0.3,
        saturation=1.0,
        lift=0.01,
        bloom=0.015,
        vignette=0.15,
    )
    tiles = sample.tile_set(rng)
    while min(tiles.pip_plain) < 0.3 or tiles.maker.style != "photo":
        tiles = sample.tile_set(rng)
    return drawn.changed(
        ground_colour=(0.05, 0.17, 0.015),
        print_colour=(0.1, 0.5, 0.7),
        capture=capture,
        tile_set=tiles,
        light_slope=(0.05, -0.1),
    )


def table(rng: Rng, kind: TableKind, size: tuple[int, int] = (2304, 1296)) -> Scene:
    """Draw a whole table: a round laid open, a throw, the display of the full set, a hard mixture, hands in heaps."""
    at = setup(rng, size)
    shoe = list(sample.SET_FACES)
    rng.shuffle(shoe)
    props = furniture(rng, at.plan, clutter=kind == "hard" or bool(rng.random() < 0.4))
    if kind == "display":
        return at.scene(kind, display(rng, sample.SET_FACES), [], props[:1])
    tiles: list[TileObject] = []
    dice, dish = throw(rng, at.plan, cocked=bool(rng.random() < 0.15))
    glares = sample.glares(rng, 700.0)
    if kind != "dice":
        mess = 0.06 if kind == "hard" else 0.015
        boxes = sorted(rng.choice(np.arange(1, 9), int(rng.integers(2, 7)), replace=False))
        for place in (HOUSE, *(Place(PlaceKind.BOX, int(n)) for n in boxes)):
            four = [shoe.pop() for _ in range(4)]
            spot = at.plan.places[place]
            if kind == "heaps":
                tiles += push_together(rng, place, spot, four)
            else:
                tiles += lay_hand(rng, place, spot, four[:2], four[2:], mess)
    tiles = [sample.veiled(rng, t, glares) for t in tiles]
    tiles += face_down(rng, shoe[: int(rng.integers(4, 13))], at.plan.discard_mm, 4, DISCARD)
    return at.scene(kind, tiles, dice, [*props, dish])


def throws(
    rng: Rng, styles: tuple[DieStyle, DieStyle], count: int, stranger: DieStyle, size: tuple[int, int] = (2304, 1296)
) -> list[Scene]:
    """Draw throws of one table's own four dice, in slightly different light; in the last third one is a stranger."""
    at = setup(rng, size)
    capture, scenes = at.bare.capture, []
    for number in range(count):
        dice, under = throw(rng, at.plan, styles)
        if 3 * number >= 2 * count:
            n = int(rng.integers(4))
            other = sample.die(rng, stranger, dice[n].x_mm, dice[n].y_mm, floor=DISH_FLOOR_MM)
            dice[n] = replace(other, role=None)
        b, g, r = (gain * float(np.exp(rng.normal(0, 0.02))) for gain in capture.white_balance)
        light = replace(capture, exposure=capture.exposure * float(np.exp(rng.normal(0, 0.1))), white_balance=(b, g, r))
        scene = at.scene("dice", [], dice, [*furniture(rng, at.plan, clutter=False)[:1], under])
        scenes.append(replace(scene, capture=light, seed=sample.seed_of(rng)))
    return scenes


def own_dice(rng: Rng) -> tuple[DieStyle, DieStyle, DieStyle]:
    """Draw a house's box dice, its cut die and a stranger: of two colours, of two shades or sizes, or all alike."""
    box, stranger = (sample.die_style(rng, varied=True) for _ in range(2))
    if sample.chance(rng, 0.7):
        cut = sample.die_style(rng, varied=True)
        return box, cut, stranger
    side = box.side_mm * float(rng.choice([0.8, 1.0, 1.0, 1.15]))
    cut = replace(box, side_mm=side, round_mm=box.round_mm * side / box.side_mm)
    return box, replace(cut, colour=sample.jitter(rng, box.colour, 0.25)), stranger


def display(rng: Rng, faces: Sequence[str]) -> list[TileObject]:
    """Lay all 32 tiles face up in two rows in the middle of the table."""
    out = []
    for n, face in enumerate(faces):
        column, row = n % 16, n // 16
        x = (column - 7.5) * (TILE_WIDTH_MM + DISPLAY_GAP_MM) + rng.normal(0, 0.5)
        y = (0.5 - row) * (TILE_LENGTH_MM + 8) + 40 + rng.normal(0, 0.8)
        angle = np.pi / 2 + rng.normal(0, 0.01) + float(np.pi * rng.integers(2))
        out.append(TileObject(face, face_up=True, x_mm=x, y_mm=y, angle=angle, place=DISPLAY))
    return out
