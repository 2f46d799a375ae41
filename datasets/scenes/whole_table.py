"""Whole tables: the printed layout, the ceiling camera, dealt hands, throws, displays, and a round as a short film."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from datasets.scenes import sampling as sample
from datasets.scenes.scene import DISH_FLOOR_MM, TILE_LENGTH_MM, TILE_WIDTH_MM, CameraModel, Prop, Scene, TileObject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from datasets.scenes.sampling import Rng
    from datasets.scenes.scene import Capture, DieObject, DieStyle, Lamp, LinearColour, TileSet
    from engine.game.tiles import Tile

TableKind = Literal["round", "dice", "display", "hard", "heaps"]
Placement = tuple[float, float, float]
"""Place on the table: x and y in millimetres, and the turn of its own axes in radians, counter-clockwise."""

TABLE_MM = (2104.0, 1104.0)
DISPLAY_GAP_MM = 1.5
HAND_REACH_MM = 66.0
"""Distance between the middles of the low and the high pair of a hand."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What is printed on one table, and where things go."""

    boxes: dict[str, Placement]
    """Betting boxes by name, box1..box8."""
    places: dict[str, Placement]
    """Where the tiles of each box and of the house lie."""
    dice_mm: tuple[float, float]
    discard_mm: tuple[float, float]
    float_rect: tuple[float, float, float, float]
    box1_at_right: bool

    def to_json(self) -> dict[str, object]:
        """Return the `layout` object of a label or calibration file (angles in degrees)."""

        def spots(prefix: Mapping[str, Placement]) -> dict[str, list[float]]:
            return {
                name.removeprefix("box"): [round(x, 2), round(y, 2), round(float(np.degrees(a)), 2)]
                for name, (x, y, a) in prefix.items()
                if name.startswith("box")
            }

        x, y, a = self.places["house"]
        return {
            "boxes": spots(self.boxes),
            "tile_places": spots(self.places),
            "house": [round(x, 2), round(y, 2), round(float(np.degrees(a)), 2)],
            "dice": [round(v, 2) for v in self.dice_mm],
            "discard": [round(v, 2) for v in self.discard_mm],
            "float_rect": [round(v, 2) for v in self.float_rect],
            "box1_at_dealers_right": self.box1_at_right,
            "table_mm": list(TABLE_MM),
        }


def layout(rng: Rng) -> TablePlan:
    """Draw a table's print: eight boxes on a shallow arc at the players' side, the house before the float."""
    pitch = float(rng.uniform(212, 242))
    curve = float(rng.uniform(0, 0.00008))
    top, inner = float(rng.uniform(405, 440)), float(rng.uniform(145, 175))
    right = bool(rng.random() < 0.5)
    boxes, places = {}, {}
    for n in range(8):
        x = (3.5 - n) * pitch * (1 if right else -1)
        turn = -2 * curve * x
        boxes[f"box{n + 1}"] = (x, top - curve * x * x, turn)
        places[f"box{n + 1}"] = (x * 0.975, top - inner - curve * x * x, turn)
    side = 1.0 if rng.random() < 0.5 else -1.0
    places["house"] = (float(rng.uniform(-40, 40)), float(rng.uniform(-250, -225)), 0.0)
    return TablePlan(
        boxes,
        places,
        (side * float(rng.uniform(500, 620)), float(rng.uniform(-290, -240))),
        (-side * float(rng.uniform(560, 680)), float(rng.uniform(-300, -250))),
        (float(rng.uniform(-40, 40)), -432.0, float(rng.uniform(500, 580)), 176.0),
        right,
    )


def ceiling_camera(rng: Rng, size: tuple[int, int]) -> tuple[CameraModel, str]:
    """Hang a camera over the middle of the table; return it and the side of the picture where the dealer is."""
    w, h = size
    height = float(rng.uniform(1250, 1650))
    span = float(rng.uniform(2250, 2500))
    focal = w * height / span
    spot = np.array([*rng.normal(0, 40, 2), height])
    aim = np.array([*rng.normal(0, 25, 2), 0.0])
    axis = (aim - spot) / np.linalg.norm(aim - spot)
    flipped = bool(rng.random() < 0.3)
    right = np.array([-1.0 if flipped else 1.0, float(rng.normal(0, 0.03)), 0.0])
    right -= axis * (right @ axis)
    right /= np.linalg.norm(right)
    r = np.stack([right, np.cross(axis, right), axis])
    k = np.array([[focal, 0, w / 2 + rng.normal(0, 8)], [0, focal, h / 2 + rng.normal(0, 8)], [0, 0, 1.0]])
    dist = np.array([rng.normal(-0.02, 0.03), rng.normal(0, 0.01), *rng.normal(0, 0.0006, 2), 0.0])
    return CameraModel(size, k, dist, r, -r @ spot), ("top of image" if flipped else "bottom of image")


def lay_hand(
    rng: Rng, place: str, spot: Placement, low: Sequence[str], high: Sequence[str], mess: float
) -> list[TileObject]:
    """Lay four tiles as a dealer does: the low pair upright to his left, the high pair lying to his right."""
    x, y, turn = spot
    out = []
    pairs = (("low", low, -HAND_REACH_MM / 2, np.pi / 2), ("high", high, HAND_REACH_MM / 2, 0.0))
    for hand, faces, off, lie in pairs:
        for side, face in zip((-0.5, 0.5), faces, strict=True):
            step = side * (TILE_WIDTH_MM + float(rng.exponential(0.6)))
            dx, dy = (off + step, 0.0) if hand == "low" else (off, step)
            wobble = rng.normal(0, 0.5, 2)
            out.append(
                TileObject(
                    face=face,
                    face_up=True,
                    x_mm=x + dx * float(np.cos(turn)) - dy * float(np.sin(turn)) + float(wobble[0]),
                    y_mm=y + dx * float(np.sin(turn)) + dy * float(np.cos(turn)) + float(wobble[1]),
                    angle=turn + lie + float(rng.normal(0, mess)) + float(np.pi * rng.integers(2)),
                    place=place,
                    hand="low" if hand == "low" else "high",
                ),
            )
    return out


def push_together(rng: Rng, place: str, spot: Placement, faces: Sequence[str]) -> list[TileObject]:
    """Lay four tiles as hands lie that were pushed together: two on the felt, each with another half upon it."""
    x, y, turn = spot
    out: list[TileObject] = []
    for side, below, above in zip((-0.5, 0.5), faces[::2], faces[1::2], strict=True):
        off = HAND_REACH_MM * side
        lower = TileObject(
            below,
            face_up=True,
            x_mm=x + off * float(np.cos(turn)),
            y_mm=y + off * float(np.sin(turn)),
            angle=turn + np.pi / 2 + float(rng.normal(0, 0.3)) + float(np.pi * rng.integers(2)),
        )
        out += [replace(tile, place=place) for tile in (lower, sample.upon(rng, lower, above))]
    return out


def face_down(rng: Rng, faces: Sequence[str], spot: tuple[float, float], columns: int, place: str) -> list[TileObject]:
    """Stack tiles face down in upright columns side by side."""
    out = []
    for n, face in enumerate(faces):
        column, level = n % columns, n // columns
        wobble = rng.normal(0, 0.4, 2)
        x = spot[0] + (column - (columns - 1) / 2) * (TILE_WIDTH_MM + 0.5) + float(wobble[0])
        angle = np.pi / 2 + float(rng.normal(0, 0.01))
        y = spot[1] + float(wobble[1])
        out.append(TileObject(face, face_up=False, x_mm=x, y_mm=y, angle=angle, z_mm=9.5 * level, place=place))
    return out


def felt_print(plan: TablePlan, ink: LinearColour, seed: int) -> list[Prop]:
    """Print the boxes, numerals, arc and emblems."""

    def at(kind: str, spot: Placement, size: tuple[float, float], n: int) -> Prop:
        return Prop(kind, spot[0], spot[1], spot[2], size, -1.0, 0.0, ink, seed + n)

    out = [at("box", s, (108.0, 76.0), 3 * n) for n, s in enumerate(plan.boxes.values())]
    out += [at("box", s, (150.0, 84.0), 3 * n) for n, (name, s) in enumerate(plan.places.items()) if name == "house"]
    out.append(at("ring", (*plan.dice_mm, 0.0), (118.0, 3.0), 1))
    out.append(at("box", (*plan.discard_mm, 0.0), (160.0, 115.0), 3))
    out += [at("emblem", (x, 40.0, 0.0), (150.0, 3.0), 5) for x in (-640.0, 640.0)]
    out.append(at("text", (0.0, 60.0, np.pi), (0.0, 55.0), 9))
    out += [at("box", (0.0, 0.0, 0.0), (TABLE_MM[0] - 70, TABLE_MM[1] - 70), 1)]
    return out


def furniture(rng: Rng, plan: TablePlan, *, clutter: bool) -> list[Prop]:
    """Set the float, chips in the boxes and, when asked, drinks, slips and hands."""
    x, y, w, h = plan.float_rect
    float_ = sample.prop(rng, "float", x, y)
    out = [replace(float_, angle=0.0, size_mm=(w, h))]
    for bx, by, _ in plan.boxes.values():
        if rng.random() < 0.7:
            jx, jy = rng.normal(0, 8, 2)
            out.append(sample.prop(rng, "chips", bx + float(jx), by + float(jy)))
    chung_x, chung_y, _ = plan.boxes[f"box{int(rng.integers(1, 9))}"]
    out.append(sample.prop(rng, "marker", chung_x + 85, chung_y - 20))
    dome_x = plan.dice_mm[0] - float(np.sign(plan.dice_mm[0])) * 135
    out.append(sample.prop(rng, "dome", dome_x, plan.dice_mm[1] + 30))
    if clutter:
        out.append(sample.prop(rng, "paper", float(rng.choice([-880.0, 880.0])), -420.0))
        out.append(sample.prop(rng, "glass", float(rng.uniform(-800, 800)), 515.0))
        for _ in range(int(rng.integers(1, 4))):
            arm = sample.prop(rng, "arm", float(rng.uniform(-800, 800)), float(rng.uniform(300, 430)))
            out.append(replace(arm, angle=float(np.pi / 2 + rng.normal(0, 0.4))))
    return out


def dice_styles(rng: Rng) -> tuple[DieStyle, DieStyle]:
    """Return what a table's box dice look like, and its cut die."""
    box = sample.die_style(rng)
    cut = sample.die_style(rng)
    while cut.name == box.name:
        cut = sample.die_style(rng)
    return box, cut


def throw(
    rng: Rng, plan: TablePlan, styles: tuple[DieStyle, DieStyle] | None = None, *, cocked: bool = False
) -> tuple[list[DieObject], Prop]:
    """Throw three box dice and the cut die into the cup's base; without styles, dice of any look."""
    dice: list[DieObject] = []
    box, cut = styles or dice_styles(rng)
    cx, cy = plan.dice_mm
    for n, style in enumerate((box, box, box, cut)):
        for _ in range(50):
            r, a = 34 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
            x, y = cx + float(r * np.cos(a)), cy + float(r * np.sin(a))
            if all(np.hypot(x - d.x_mm, y - d.y_mm) > 27 for d in dice):
                break
        thrown = sample.die(rng, style, x, y, cocked=cocked and n == 1, floor=DISH_FLOOR_MM)
        dice.append(replace(thrown, role="cut" if n == 3 else "box"))
    dish = replace(sample.prop(rng, "marker", cx, cy), kind="dish", size_mm=(104.0, 104.0), height_mm=8.0)
    return dice, replace(dish, colour=sample.jitter(rng, (0.03, 0.02, 0.09), 0.4))


@dataclass(frozen=True, slots=True)
class TableSetup:
    """All that stays the same over a round: table, camera, set of tiles and light."""

    plan: TablePlan
    camera: CameraModel
    dealer_side: str
    cloth: LinearColour
    ink: LinearColour
    tiles: TileSet
    lamps: tuple[Lamp, ...]
    ambient: float
    slope: tuple[float, float]
    capture: Capture
    seed: int

    def scene(
        self, kind: TableKind, tiles: Sequence[TileObject], dice: Sequence[DieObject], props: Sequence[Prop]
    ) -> Scene:
        """Return the scene with these things on the table."""
        return Scene(
            kind=kind,
            camera=self.camera,
            ground="felt",
            ground_colour=self.cloth,
            ground_seed=self.seed,
            print_colour=self.ink,
            tile_set=self.tiles,
            tiles=tuple(tiles),
            dice=tuple(dice),
            props=(*felt_print(self.plan, self.ink, self.seed), *props),
            lamps=self.lamps,
            ambient=self.ambient,
            capture=self.capture,
            light_slope=self.slope,
            layout=self.plan.to_json(),
            dealer_side=self.dealer_side,
            seed=self.seed,
        )


def setup(rng: Rng, size: tuple[int, int]) -> TableSetup:
    """Draw a table that a round can be played on."""
    camera, side = ceiling_camera(rng, size)
    lamps, ambient = sample.lamps(rng)
    return TableSetup(
        plan=layout(rng),
        camera=camera,
        dealer_side=side,
        cloth=sample.felt_colour(rng),
        ink=sample.jitter(rng, sample.PRINTS[int(rng.integers(3))], 0.2),
        tiles=sample.tile_set(rng),
        lamps=lamps,
        ambient=ambient,
        slope=(float(rng.normal(0, 0.15)), float(rng.normal(0, 0.2))),
        capture=sample.capture(rng, soft=0.8),
        seed=int(rng.integers(1 << 30)),
    )


def sample_setup(rng: Rng, size: tuple[int, int]) -> TableSetup:
    """Draw the table of the bundled sample: green cloth, black tiles, a decent camera in good light."""
    at = setup(rng, size)
    capture = replace(
        at.capture,
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
    cloth = (0.05, 0.17, 0.015)
    return replace(at, cloth=cloth, ink=(0.1, 0.5, 0.7), capture=capture, tiles=tiles, slope=(0.05, -0.1))


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
        played = [
            "house",
            *(f"box{n}" for n in sorted(rng.choice(np.arange(1, 9), int(rng.integers(2, 7)), replace=False))),
        ]
        for name in played:
            four = [shoe.pop() for _ in range(4)]
            spot = at.plan.places[name]
            if kind == "heaps":
                tiles += push_together(rng, name, spot, four)
            else:
                tiles += lay_hand(rng, name, spot, four[:2], four[2:], mess)
    tiles = [sample.veiled(rng, t, glares) for t in tiles]
    tiles += face_down(rng, shoe[: int(rng.integers(4, 13))], at.plan.discard_mm, 4, "discard")
    return at.scene(kind, tiles, dice, [*props, dish])


def display(rng: Rng, faces: Sequence[str]) -> list[TileObject]:
    """Lay all 32 tiles face up in two rows in the middle of the table."""
    out = []
    for n, face in enumerate(faces):
        column, row = n % 16, n // 16
        x = (column - 7.5) * (TILE_WIDTH_MM + DISPLAY_GAP_MM) + float(rng.normal(0, 0.5))
        y = (0.5 - row) * (TILE_LENGTH_MM + 8) + 40 + float(rng.normal(0, 0.8))
        angle = np.pi / 2 + float(rng.normal(0, 0.01)) + float(np.pi * rng.integers(2))
        out.append(TileObject(face, face_up=True, x_mm=x, y_mm=y, angle=angle, place="display"))
    return out


@dataclass(frozen=True, slots=True)
class DealtHand:
    """Four tiles at a place, as they are to be laid."""

    place: str
    low: tuple[Tile, Tile]
    high: tuple[Tile, Tile]


def film(rng: Rng, at: TableSetup, hands: Sequence[DealtHand]) -> list[Scene]:
    """Play one round: tiles dealt face down, a hand reaching in, hands laid open, table cleared and dice covered.

    Frames of one state differ by the sensor's noise alone, which the renderer draws.
    """
    props = furniture(rng, at.plan, clutter=False)
    dice, dish = throw(rng, at.plan, dice_styles(np.random.default_rng(at.seed)))
    set_down = [*props, dish]
    cup_x, cup_y = at.plan.dice_mm
    covered = [replace(p, x_mm=cup_x, y_mm=cup_y, size_mm=dish.size_mm) if p.kind == "dome" else p for p in props]
    open_: list[TileObject] = []
    hidden: list[TileObject] = []
    used: list[str] = []
    for hand in hands:
        spot = at.plan.places[hand.place]
        faces = [str(tile) for tile in (*hand.low, *hand.high)]
        used += faces
        open_ += lay_hand(rng, hand.place, spot, faces[:2], faces[2:], 0.012)
        hidden += face_down(rng, faces, (spot[0], spot[1]), 2, hand.place)
    rest = list(sample.SET_FACES)
    for face in used:
        rest.remove(face)
    wall = face_down(rng, rest, at.plan.discard_mm, 4, "discard")
    x, y, _ = at.plan.places["house"]
    arm = replace(sample.prop(rng, "arm", x + 40, y - 15), angle=-np.pi / 2 + 0.3)
    thrown = at.scene("dice", wall + hidden, dice, set_down)
    shown = at.scene("round", open_ + wall, dice, set_down)
    cleared = at.scene("dice", [], [], covered)
    return [thrown, at.scene("hard", open_ + wall, dice, [*set_down, arm]), *[shown] * 5, *[cleared] * 3]
