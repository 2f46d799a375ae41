"""Training windows: small square pieces of a table, or of a plain photograph, packed with tiles and dice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from datasets.scenes import sampling as sample
from datasets.scenes.sampling import PRINTS, Rng, chance, jitter, log_uniform, pick, prop, seed_of
from datasets.scenes.scene import DISH_FLOOR_MM, TILE_LENGTH_MM, CameraModel, LinearColour, Prop, Scene
from datasets.scenes.tile_groups import tiles_over

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from datasets.scenes.scene import DieObject, DieStyle, TileObject

LININGS: tuple[LinearColour, ...] = (
    (0.02, 0.015, 0.08), (0.02, 0.02, 0.02), (0.05, 0.15, 0.02), (0.03, 0.08, 0.18), (0.5, 0.5, 0.5),
    (0.06, 0.3, 0.45), (0.02, 0.02, 0.35), (0.75, 0.75, 0.75),
)  # fmt: skip
"""What dice lie on in their dish: cloth, wood, brass, lacquer, china."""


TOUCHING = 0.25
"""Share of the throws in which dice come to rest against each other."""


def _beside(rng: Rng, die: DieObject, style: DieStyle) -> tuple[float, float]:
    """Draw a place against a die, for one that is turned as it happens."""
    away = (die.style.side_mm + style.side_mm) / 2 * rng.uniform(1.01, 1.3)
    turn = rng.uniform(0, 2 * np.pi)
    return die.x_mm + away * np.cos(turn), die.y_mm + away * np.sin(turn)


ON_CHIP = 0.4
"""Share of the leaning dice that lean on a chip."""


def _chip_beneath(rng: Rng, die: DieObject, floor: float) -> Prop:
    """Lay a chip under the raised side of a leaning die."""
    up = die.r[:, int(np.abs(die.r[2]).argmax())]
    downhill = up[:2] * np.sign(up[2])
    downhill = downhill / max(float(np.hypot(*downhill)), 1e-6)
    x, y = np.array([die.x_mm, die.y_mm]) - downhill * (die.style.side_mm * 0.3 + rng.uniform(10, 17))
    return replace(prop(rng, "chips", float(x), float(y)), z_mm=floor, height_mm=3.3)


def _dice(rng: Rng, x: float, y: float, *, photo: bool, leaning: float = 0.1) -> tuple[list[DieObject], list[Prop]]:
    """Throw box dice and a cut die into their dish, or any dice on the bare ground."""
    if photo:
        styles = [sample.die_style(rng, photo=True, varied=True) for _ in range(int(rng.integers(1, 3)))]
        picked = [pick(rng, styles) for _ in range(int(rng.integers(1, 9)))]
        radius = rng.uniform(20, 90)
    else:
        box = sample.die_style(rng, varied=True)
        picked = [box] * 3 + [sample.die_style(rng, varied=True)] * int(chance(rng, 0.85))
        radius = rng.uniform(22, 40)
    props = []
    floor = 0.0
    if not photo and chance(rng, 0.8):
        lining = pick(rng, LININGS)
        side = 2 * (radius + rng.uniform(14, 26))
        height, colour = rng.uniform(3, 18), jitter(rng, lining, 0.4)
        props.append(Prop("dish", x, y, 0.0, (side, side), 0.0, height, colour, seed_of(rng)))
        floor = DISH_FLOOR_MM
    out: list[DieObject] = []
    touching = chance(rng, TOUCHING)
    for style in picked:
        for _ in range(12):
            px, py = sample.in_disc(rng, x, y, radius)
            if touching and out:
                px, py = _beside(rng, pick(rng, out), style)
            apart = 0.5 if touching else 0.62
            if all(np.hypot(px - d.x_mm, py - d.y_mm) > (d.style.side_mm + style.side_mm) * apart for d in out):
                out.append(sample.die(rng, style, px, py, cocked=chance(rng, leaning), floor=floor))
                if out[-1].cocked and chance(rng, ON_CHIP):
                    props.append(_chip_beneath(rng, out[-1], floor))
                break
    if not photo and len(out) > 3:
        out = [replace(d, role="box" if i < 3 else "cut") for i, d in enumerate(out)]
    return out, props


def _prints(rng: Rng, half: float, colour: LinearColour) -> list[Prop]:
    out = []
    for _ in range(int(rng.integers(0, 7))):
        kind = str(rng.choice(["line", "box", "ring", "text", "text", "emblem"]))
        size = {
            "line": (rng.uniform(100, 900), rng.uniform(2, 7)),
            "box": (rng.uniform(60, 180), rng.uniform(40, 120)),
            "ring": (rng.uniform(50, 160), rng.uniform(2, 8)),
            "emblem": (rng.uniform(80, 200), rng.uniform(2, 6)),
            "text": (0.0, rng.uniform(10, 70)),
        }[kind]
        ink = colour if chance(rng, 0.7) else jitter(rng, pick(rng, PRINTS), 0.3)
        x, y = rng.uniform(-half, half, 2).tolist()
        out.append(Prop(kind, x, y, rng.uniform(0, 2 * np.pi), size, -1.0, 0.0, ink, seed_of(rng)))
    return out


def _props(rng: Rng, half: float, *, photo: bool) -> list[Prop]:
    kinds, weights = ["paper", "rod", "clutter", "clutter", "marker", "domino", "mahjong", "card"], np.ones(8)
    if not photo:
        kinds = ["chips", "chips", "chips", "marker", "dome", "glass", "paper", "aruco", "rod", "float", "clutter"]
        kinds += ["domino", "mahjong", "card"]
        weights = np.array([3, 3, 3, 2, 1.5, 1, 1.5, 1.5, 1, 0.7, 0.3, 0.8, 0.8, 0.8])
    out = []
    for _ in range(int(rng.integers(0, 6))):
        x, y = (rng.uniform(-half, half, 2) * 1.2).tolist()
        out.append(prop(rng, str(rng.choice(kinds, p=weights / weights.sum())), x, y))
    return [*out, prop(rng, "arm", *rng.uniform(-half, half, 2).tolist())] if chance(rng, 0.22) else out


def window_camera(rng: Rng, size: tuple[int, int], px_per_mm: float, *, photo: bool) -> CameraModel:
    """View the origin at a given scale, from vertical to clearly oblique.

    A ceiling camera keeps its sensor level with the table, so what lies off its axis shows its sides without being
    foreshortened; a hand-held one turns toward what it sees.
    """
    away = float(np.radians(rng.uniform(0, 52) if photo else abs(rng.normal(0, 18))))
    distance = float(rng.uniform(250, 900) if photo else rng.uniform(1000, 1800))
    around = rng.uniform(0, 2 * np.pi)
    spot = distance * np.array([np.sin(away) * np.cos(around), np.sin(away) * np.sin(around), np.cos(away)])
    level = np.array([0, 0, -1.0])
    axis = -spot / distance if photo or chance(rng, 0.15) else level + rng.normal(0, 0.05, 3)
    axis = axis / np.linalg.norm(axis)
    roll = rng.uniform(0, 2 * np.pi)
    side = np.cross(axis, [np.cos(roll), np.sin(roll), 0.01])
    side /= np.linalg.norm(side)
    r = np.stack([side, np.cross(axis, side), axis])
    t = -r @ spot
    focal = px_per_mm * float(t[2])
    cx, cy = (np.array(size) - 1) / 2 - focal * t[:2] / t[2]
    return CameraModel(size, np.array([[focal, 0, cx], [0, focal, cy], [0, 0, 1.0]]), np.zeros(5), r, t)


def _scale(rng: Rng, *, dice_only: bool) -> float:
    """Draw pixels a millimetre: dice of 12 to 42 pixels, or tiles of 36 to 100."""
    if dice_only:
        return log_uniform(rng, 12.5, 42) / 16
    low, high = (38, 76) if chance(rng, 0.75) else (36, 100)
    return log_uniform(rng, low, high) / TILE_LENGTH_MM


ON_PICTURE = 0.5, 0.12
"""Shares of the photographs and of the tables that lie on a real picture, where there are some."""


def _ground(rng: Rng, pictures: Sequence[Path], *, photo: bool) -> tuple[str, LinearColour]:
    if pictures and chance(rng, ON_PICTURE[0] if photo else ON_PICTURE[1]):
        return "picture", sample.felt_colour(rng)
    if not photo and chance(rng, 0.92):
        return "felt", sample.felt_colour(rng)
    ground = str(rng.choice(["wood", "plain", "carpet", "felt", "desk"], p=[0.5, 0.25, 0.08, 0.12, 0.05]))
    grey = rng.uniform(0.01, 0.85)
    colours = {"wood": jitter(rng, (0.25, 0.4, 0.55), 0.5), "plain": jitter(rng, (grey, grey, grey), 0.1)}
    return ground, colours.get(ground, sample.felt_colour(rng))


STANDING = frozenset(
    {"chips", "marker", "dome", "glass", "paper", "aruco", "float", "clutter", "domino", "mahjong", "card"}
)
"""Props that stand beside tiles and dice, never on them."""


def _thrown(rng: Rng, half: float, tiles: Sequence[TileObject], *, photo: bool) -> tuple[list[DieObject], list[Prop]]:
    dice: list[DieObject] = []
    dishes: list[Prop] = []
    for _ in range(int(rng.integers(1, 4)) if photo else 1):
        x, y = (rng.uniform(-half, half, 2) * 0.8).tolist()
        more, dish = _dice(rng, x, y, photo=photo)
        near = any(np.hypot(t.x_mm - x, t.y_mm - y) < 110 for t in tiles)
        crowded = any(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < 24 for a in dice for b in more)
        if not near and not crowded:
            dice += more
            dishes += dish
    return dice, dishes


OTHER_GAMES = 0.6
"""Share of the windows without tiles or dice that are photographs of other games."""


def bare_window(rng: Rng, size: int, pictures: Sequence[Path] = ()) -> Scene:
    """Draw a window without tiles or dice, full of what looks like them: letters, chips, sleeves, other games."""
    if chance(rng, OTHER_GAMES):
        return _other_game(rng, size, pictures)
    px_per_mm = _scale(rng, dice_only=False)
    half = size / 2 / px_per_mm
    props = [p for _ in range(int(rng.integers(1, 4))) for p in _props(rng, half, photo=False)]
    x, y = rng.uniform(-half, half, 2).tolist()
    kind = str(rng.choice(["float", "paper", "arm", "aruco", "chips", "domino", "mahjong", "card"]))
    ink = jitter(rng, pick(rng, PRINTS), 0.25)
    prints = [p for _ in range(3) for p in _prints(rng, half, ink)]
    ground = "carpet" if chance(rng, 0.2) else "felt"
    floor = (ground, sample.felt_colour(rng))
    more = _game_of_dominoes(rng, half) if kind == "domino" else [prop(rng, kind, x, y)]
    return _scene(rng, size, px_per_mm, floor, ink, [], [], [*props, *more, *prints])


def _game_of_dominoes(rng: Rng, half: float, most: int = 14) -> list[Prop]:
    """Lay many dominoes of one set, apart from each other or end to end as in the game."""
    first = prop(rng, "domino", 0.0, 0.0)
    (length, width), out = first.size_mm, list[Prop]()
    x, y = rng.uniform(-half, half, 2).tolist()
    angle, chained = float(rng.uniform(0, 2 * np.pi)), chance(rng, 0.6)
    for _ in range(int(rng.integers(3, most))):
        out.append(replace(first, x_mm=x, y_mm=y, angle=angle, seed=seed_of(rng)))
        if not chained:
            x, y = (rng.uniform(-half, half, 2) * 1.1).tolist()
            angle = float(rng.uniform(0, 2 * np.pi))
        elif chance(rng, 0.25):
            turn = pick(rng, (-1, 1))
            x, y = sample.offset(x, y, angle, (length - width) / 2, turn * (length + width) / 2)
            angle += turn * np.pi / 2
        else:
            x, y = sample.offset(x, y, angle, length * rng.uniform(1.0, 1.03), 0.0)
    if not chained:
        return out
    middle = np.mean([(each.x_mm, each.y_mm) for each in out], axis=0) - rng.uniform(-half, half, 2) / 2
    return [replace(each, x_mm=each.x_mm - middle[0], y_mm=each.y_mm - middle[1]) for each in out]


def _wall_of(rng: Rng, kind: str, half: float) -> list[Prop]:
    """Lay many mahjong tiles or cards in rows, side by side as in the game, or anyhow."""
    first = prop(rng, kind, 0.0, 0.0)
    (length, width), ordered = first.size_mm, chance(rng, 0.6)
    turn, out = float(rng.uniform(0, 2 * np.pi)), list[Prop]()
    for row in range(-3, 4):
        for column in range(-3, 4):
            if chance(rng, 0.35):
                continue
            x, y = sample.offset(0.0, 0.0, turn, column * length * 1.04, row * width * rng.uniform(1.02, 1.2))
            angle = turn
            if not ordered:
                x, y = (rng.uniform(-half, half, 2) * 1.1).tolist()
                angle = float(rng.uniform(0, 2 * np.pi))
            out.append(replace(first, x_mm=x, y_mm=y, angle=angle, seed=seed_of(rng)))
    return out


def _other_game(rng: Rng, size: int, pictures: Sequence[Path]) -> Scene:
    """Draw a photograph of other games at a scale at which their halves, spots and signs are as large as dice.

    Nothing in it is a tile or a die. Some photographs lie on one of the real pictures, if there are any.
    """
    px_per_mm = log_uniform(rng, 14, 80) / 20
    half = size / 2 / px_per_mm
    kind = str(rng.choice(["domino", "mahjong", "card", "chips"], p=[0.55, 0.2, 0.18, 0.07]))
    props = _game_of_dominoes(rng, half, 30) if kind == "domino" else _wall_of(rng, kind, half)
    ground = _ground(rng, pictures, photo=True)
    ink = jitter(rng, pick(rng, PRINTS), 0.25)
    return _scene(rng, size, px_per_mm, ground, ink, [], [], props, pictures, photo=True)


TOYS = 0.6
"""Share of the windows of dice that are photographs of any dice on any ground."""


ALIKE = 0.2
"""Share of those in which the ground has nearly the colour of a die."""


def dice_window(rng: Rng, size: int, *, near: bool = False, pictures: Sequence[Path] = ()) -> Scene:
    """Draw a window of throws, `size` pixels square, on a table with near half of the dice leaning.

    Dice are of 14 to 34 pixels under a ceiling camera; if `near`, of 14 to 100 under one close above a dish, three in
    ten seen by a hand-held one. Others are photographs of any dice on any ground, also on one of the real pictures.
    """
    toys = chance(rng, TOYS)
    photo = toys or (near and chance(rng, 0.3))
    px_per_mm = log_uniform(rng, 14, 100 if near or toys else 34) / 18
    half = size / 2 / px_per_mm
    dice: list[DieObject] = []
    dishes: list[Prop] = []
    for _ in range(40):
        x, y = (rng.uniform(-half, half, 2) * 0.9).tolist()
        if any(np.hypot(x - d.x_mm, y - d.y_mm) < 95 for d in dice):
            continue
        more, dish = _dice(rng, x, y, photo=toys, leaning=0.15 if toys else 0.45)
        if toys:  # groups of any width must not overlap
            more = [d for d in more if all(np.hypot(d.x_mm - e.x_mm, d.y_mm - e.y_mm) > 30 for e in dice)]
        dice += more
        dishes += dish
    ink = jitter(rng, pick(rng, PRINTS), 0.25)
    ground = _ground(rng, pictures, photo=True) if toys else ("felt", sample.felt_colour(rng))
    if toys and dice and chance(rng, ALIKE):
        ground = "plain", jitter(rng, dice[0].style.colour, 0.25)
    props = dishes if toys else [*dishes, *_prints(rng, half, ink)]
    return _scene(rng, size, px_per_mm, ground, ink, [], dice, props, pictures, photo=photo)


def window(rng: Rng, size: int, pictures: Sequence[Path] = ()) -> Scene:
    """Draw one training window of `size` pixels square: a piece of a table, or of a plain photograph.

    Some lie on one of the real pictures, if there are any.
    """
    photo = chance(rng, 0.22)
    dice_only = photo and chance(rng, 0.8)
    px_per_mm = _scale(rng, dice_only=dice_only)
    half = size / 2 / px_per_mm
    tiles = [] if dice_only else tiles_over(rng, half)
    dice, dishes = _thrown(rng, half, tiles, photo=dice_only) if dice_only or chance(rng, 0.5) else ([], [])
    taken = [(t.x_mm, t.y_mm) for t in tiles] + [(d.x_mm, d.y_mm) for d in dice]
    props = [
        p
        for p in _props(rng, half, photo=photo)
        if p.kind not in STANDING
        or (
            all(np.hypot(p.x_mm - x, p.y_mm - y) > max(p.size_mm) * 0.5 + 22 for x, y in taken)
            and all(np.hypot(p.x_mm - d.x_mm, p.y_mm - d.y_mm) > 100 for d in dishes)
        )
    ]
    ink = jitter(rng, pick(rng, PRINTS), 0.25)
    prints = [] if photo else _prints(rng, half, ink)
    mirrors = sample.glares(rng, half)
    shown = [sample.veiled(rng, t, mirrors) for t in tiles]
    ground = _ground(rng, pictures, photo=photo)
    return _scene(rng, size, px_per_mm, ground, ink, shown, dice, [*props, *dishes, *prints], pictures, photo=photo)


def _scene(
    rng: Rng,
    size: int,
    px_per_mm: float,
    ground: tuple[str, LinearColour],
    ink: LinearColour,
    tiles: Sequence[TileObject],
    dice: Sequence[DieObject],
    props: Sequence[Prop],
    pictures: Sequence[Path] = (),
    *,
    photo: bool = False,
) -> Scene:
    """Draw light and camera, and put the window together, on one of the real pictures if that is its ground."""
    light, ambient = sample.lamps(rng)
    return Scene(
        kind="closeup",
        camera=window_camera(rng, (size, size), px_per_mm, photo=photo),
        ground=ground[0],
        ground_colour=ground[1],
        ground_seed=seed_of(rng),
        print_colour=ink,
        tile_set=sample.tile_set(rng),
        tiles=tuple(tiles),
        dice=tuple(dice),
        props=tuple(props),
        lamps=light,
        ambient=ambient,
        capture=sample.capture(rng),
        light_slope=(rng.normal(0, 0.7), rng.normal(0, 0.7)),
        seed=seed_of(rng),
        ground_picture=pick(rng, pictures) if ground[0] == "picture" else None,
    )
