"""Training windows: small square pieces of a table, or of a plain photograph, packed with tiles and dice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from datasets.scenes.sampling import (
    PRINTS,
    SET_FACES,
    capture,
    chance,
    die,
    die_style,
    felt_colour,
    glares,
    jitter,
    lamps,
    prop,
    tile_set,
    upon,
    veiled,
)
from datasets.scenes.scene import (
    DISH_FLOOR_MM,
    TILE_HEIGHT_MM,
    TILE_LENGTH_MM,
    TILE_WIDTH_MM,
    CameraModel,
    DieObject,
    Floats,
    LinearColour,
    Prop,
    Scene,
    TileObject,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.scenes.sampling import Rng


class _Shoe:
    """Deals faces of one set without ever giving a face more often than the set holds it."""

    def __init__(self, rng: Rng) -> None:
        self._left: list[str] = [SET_FACES[i] for i in rng.permutation(len(SET_FACES))]

    def __len__(self) -> int:
        return len(self._left)

    def draw(self) -> str:
        return self._left.pop()


def _pair(
    rng: Rng,
    shoe: _Shoe,
    x: float,
    y: float,
    angle: float,
    gap: float,
    *,
    face_up: bool,
) -> list[TileObject]:
    """Lay two tiles side by side, long sides together."""
    out = []
    for side in (-0.5, 0.5):
        if not len(shoe):
            break
        off = side * (TILE_WIDTH_MM + gap)
        turn = angle + float(rng.normal(0, 0.02)) + (np.pi if chance(rng, 0.5) else 0.0)
        out.append(
            TileObject(
                shoe.draw(),
                face_up=face_up,
                x_mm=x - off * np.sin(angle) + float(rng.normal(0, 0.5)),
                y_mm=y + off * np.cos(angle) + float(rng.normal(0, 0.5)),
                angle=turn,
            ),
        )
    return out


def _hand(rng: Rng, shoe: _Shoe, x: float, y: float, base: float) -> list[TileObject]:
    """Lay a set hand: one pair across, one along, as a dealer does, more or less neatly; some lie face down yet."""
    face_up = not chance(rng, 0.25)
    mess = float(rng.choice([0.02, 0.06, 0.15], p=[0.5, 0.35, 0.15]))
    reach = float(rng.uniform(48, 75))
    out = _pair(
        rng,
        shoe,
        x - reach / 2 * np.cos(base),
        y - reach / 2 * np.sin(base),
        base + np.pi / 2 + float(rng.normal(0, mess)),
        float(rng.exponential(1.2)),
        face_up=face_up,
    )
    out += _pair(
        rng,
        shoe,
        x + reach / 2 * np.cos(base),
        y + reach / 2 * np.sin(base),
        base + float(rng.normal(0, mess)),
        float(rng.exponential(1.2)),
        face_up=face_up,
    )
    return out


def _row(rng: Rng, shoe: _Shoe, x: float, y: float, base: float) -> list[TileObject]:
    """Lay a display: one or two rows of tiles shoulder to shoulder."""
    gap = float(rng.exponential(1.0))
    out = []
    rows, columns = int(rng.integers(1, 4)), int(rng.integers(3, 10))
    for r in range(rows):
        for c in range(columns):
            if not len(shoe):
                break
            u = (c - columns / 2) * (TILE_WIDTH_MM + gap) + float(rng.normal(0, 0.4))
            v = (r - rows / 2) * (TILE_LENGTH_MM + gap + 2) + float(rng.normal(0, 0.8))
            turn = base + np.pi / 2 + float(rng.normal(0, 0.015)) + (np.pi if chance(rng, 0.5) else 0.0)
            out.append(
                TileObject(
                    shoe.draw(),
                    chance(rng, 0.93),
                    x + u * np.cos(base) - v * np.sin(base),
                    y + u * np.sin(base) + v * np.cos(base),
                    turn,
                ),
            )
    return out


def _stack(rng: Rng, shoe: _Shoe, x: float, y: float, base: float) -> list[TileObject]:
    """Build a wall of face-down tiles, one to four high, the odd one face up on top."""
    out = []
    columns = int(rng.integers(1, 6))
    high = int(rng.integers(1, 5))
    along = chance(rng, 0.3)
    for c in range(columns):
        step = (c - columns / 2) * ((TILE_LENGTH_MM if along else TILE_WIDTH_MM) + float(rng.exponential(0.5)))
        turn = 0.0 if along else np.pi / 2
        for level in range(high if chance(rng, 0.8) else max(1, high - 1)):
            if not len(shoe):
                break
            wobble = rng.normal(0, 0.7, 2)
            out.append(
                TileObject(
                    shoe.draw(), chance(rng, 0.08),
                    x + step * np.cos(base) + wobble[0], y + step * np.sin(base) + wobble[1],
                    base + turn + float(rng.normal(0, 0.015)), z_mm=level * TILE_HEIGHT_MM,
                ),
            )  # fmt: skip
    return out


def _pile(rng: Rng, shoe: _Shoe, x: float, y: float, half: float) -> list[TileObject]:
    """Drop tiles at random: some apart, some over others, some leaning."""
    out: list[TileObject] = []
    for _ in range(int(rng.integers(1, 9))):
        if not len(shoe):
            break
        px, py = x + float(rng.uniform(-half, half)), y + float(rng.uniform(-half, half))
        below = [t for t in out if np.hypot(t.x_mm - px, t.y_mm - py) < 45]
        z = max((t.z_mm for t in below), default=-TILE_HEIGHT_MM) + TILE_HEIGHT_MM
        lean = (0.0, 0.0)
        if below and chance(rng, 0.5):
            lean = (float(rng.normal(0, 0.12)), float(rng.normal(0, 0.08)))
        out.append(
            TileObject(shoe.draw(), chance(rng, 0.75), px, py, float(rng.uniform(0, 2 * np.pi)), z_mm=z, lean=lean),
        )
    return out


def _slipped(rng: Rng, shoe: _Shoe, x: float, y: float, base: float) -> list[TileObject]:
    """Push a hand together: one or two tiles side by side or apart, each with another half upon it."""
    out: list[TileObject] = []
    count = int(rng.integers(1, 3))
    apart = float(rng.uniform(30, 60))
    for n in range(count):
        if not len(shoe):
            break
        off = (n - (count - 1) / 2) * apart
        below = TileObject(
            shoe.draw(),
            chance(rng, 0.85),
            x + off * float(np.cos(base)),
            y + off * float(np.sin(base)),
            base + np.pi / 2 + float(rng.normal(0, 0.25)) + (np.pi if chance(rng, 0.5) else 0.0),
        )
        out.append(below)
        if len(shoe) and chance(rng, 0.85):
            out.append(upon(rng, below, shoe.draw(), face_up=chance(rng, 0.85)))
    return out


def _clear(tiles: list[TileObject], more: list[TileObject]) -> list[TileObject]:
    """Keep the newcomers only if none would lie through a tile that is there."""
    for new in more:
        for old in tiles:
            if abs(new.z_mm - old.z_mm) < TILE_HEIGHT_MM and np.hypot(new.x_mm - old.x_mm, new.y_mm - old.y_mm) < 62:
                return tiles
    return tiles + more


def _dice(rng: Rng, x: float, y: float, *, photo: bool, leaning: float = 0.1) -> tuple[list[DieObject], list[Prop]]:
    """Throw box dice and a cut die into their dish, or any dice on the bare ground."""
    if photo:
        styles = [die_style(rng, photo=True) for _ in range(int(rng.integers(1, 3)))]
        count = int(rng.integers(1, 9))
        picked = [styles[int(rng.integers(len(styles)))] for _ in range(count)]
        radius = float(rng.uniform(20, 90))
    else:
        box = die_style(rng)
        picked = [box] * 3 + [die_style(rng)] * int(chance(rng, 0.85))
        radius = float(rng.uniform(22, 40))
    props = []
    floor = 0.0
    if not photo and chance(rng, 0.8):
        lining: LinearColour = (
            (0.02, 0.015, 0.08),
            (0.02, 0.02, 0.02),
            (0.05, 0.15, 0.02),
            (0.03, 0.08, 0.18),
            (0.5, 0.5, 0.5),
        )[int(rng.integers(5))]
        size = 2 * (radius + float(rng.uniform(14, 26)))
        props.append(
            Prop(
                "dish",
                x,
                y,
                0.0,
                (size, size),
                0.0,
                float(rng.uniform(3, 18)),
                jitter(rng, lining, 0.4),
                int(rng.integers(1 << 30)),
            )
        )
        floor = DISH_FLOOR_MM
    out: list[DieObject] = []
    for style in picked:
        for _ in range(12):
            r, a = radius * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
            px, py = x + float(r * np.cos(a)), y + float(r * np.sin(a))
            if all(np.hypot(px - d.x_mm, py - d.y_mm) > (d.style.side_mm + style.side_mm) * 0.62 for d in out):
                out.append(die(rng, style, px, py, cocked=chance(rng, leaning), floor=floor))
                break
    if not photo and len(out) > 3:
        out = [replace(d, role="box" if i < 3 else "cut") for i, d in enumerate(out)]
    return out, props


def _prints(rng: Rng, half: float, colour: LinearColour) -> list[Prop]:
    out = []
    for _ in range(int(rng.integers(0, 7))):
        kind = str(rng.choice(["line", "box", "ring", "text", "text", "emblem"]))
        size = {
            "line": (float(rng.uniform(100, 900)), float(rng.uniform(2, 7))),
            "box": (float(rng.uniform(60, 180)), float(rng.uniform(40, 120))),
            "ring": (float(rng.uniform(50, 160)), float(rng.uniform(2, 8))),
            "emblem": (float(rng.uniform(80, 200)), float(rng.uniform(2, 6))),
            "text": (0.0, float(rng.uniform(10, 70))),
        }[kind]
        ink = colour if chance(rng, 0.7) else jitter(rng, PRINTS[int(rng.integers(len(PRINTS)))], 0.3)
        x, y = rng.uniform(-half, half, 2)
        out.append(
            Prop(
                kind,
                float(x),
                float(y),
                float(rng.uniform(0, 2 * np.pi)),
                size,
                -1.0,
                0.0,
                ink,
                int(rng.integers(1 << 30)),
            )
        )
    return out


def _props(rng: Rng, half: float, *, photo: bool) -> list[Prop]:
    kinds = (
        ["paper", "rod", "clutter", "clutter", "marker"]
        if photo
        else ["chips", "chips", "chips", "marker", "dome", "glass", "paper", "aruco", "rod", "float", "clutter"]
    )
    weights = np.ones(len(kinds)) if photo else np.array([3, 3, 3, 2, 1.5, 1, 1.5, 1.5, 1, 0.7, 0.3])
    out = []
    for _ in range(int(rng.integers(0, 6))):
        x, y = rng.uniform(-half, half, 2) * 1.2
        out.append(prop(rng, str(rng.choice(kinds, p=weights / weights.sum())), float(x), float(y)))
    if chance(rng, 0.22):
        x, y = rng.uniform(-half, half, 2)
        out.append(prop(rng, "arm", float(x), float(y)))
    return out


def window_camera(rng: Rng, size: tuple[int, int], px_per_mm: float, *, photo: bool) -> CameraModel:
    """Look at the origin with a given scale, from straight above to well off the axis.

    A ceiling camera keeps its sensor level with the table, so what lies off its axis shows its sides without being
    foreshortened; a hand-held one turns toward what it sees.
    """
    away = float(np.radians(rng.uniform(0, 48) if photo else abs(rng.normal(0, 18))))
    distance = float(rng.uniform(250, 900) if photo else rng.uniform(1000, 1800))
    around = float(rng.uniform(0, 2 * np.pi))
    spot = distance * np.array([np.sin(away) * np.cos(around), np.sin(away) * np.sin(around), np.cos(away)])
    level = np.array([0, 0, -1.0])
    axis = -spot / distance if photo or chance(rng, 0.15) else level + rng.normal(0, 0.05, 3)
    return aimed(rng, size, spot, axis, px_per_mm)


def aimed(rng: Rng, size: tuple[int, int], spot_mm: Floats, axis: Floats, px_per_mm: float) -> CameraModel:
    """Build a camera at `spot_mm` along `axis` with the origin in the middle of the picture at a given scale."""
    axis = axis / np.linalg.norm(axis)
    roll = float(rng.uniform(0, 2 * np.pi))
    side = np.cross(axis, [np.cos(roll), np.sin(roll), 0.01])
    side /= np.linalg.norm(side)
    r = np.stack([side, np.cross(axis, side), axis])
    t = -r @ spot_mm
    focal = px_per_mm * float(t[2])
    w, h = size
    cx, cy = (w - 1) / 2 - focal * t[0] / t[2], (h - 1) / 2 - focal * t[1] / t[2]
    k = np.array([[focal, 0, cx], [0, focal, cy], [0, 0, 1.0]])
    return CameraModel(size, k, np.zeros(5), r, t)


def _scale(rng: Rng, *, dice_only: bool) -> float:
    """Draw pixels a millimetre: dice of 12 to 42 pixels, or tiles of 36 to 100."""
    if dice_only:
        return float(np.exp(rng.uniform(np.log(12.5), np.log(42)))) / 16
    low, high = (38, 76) if chance(rng, 0.75) else (36, 100)
    return float(np.exp(rng.uniform(np.log(low), np.log(high)))) / TILE_LENGTH_MM


def _tiles(rng: Rng, half: float) -> list[TileObject]:
    """Lay hands, rows, stacks, piles, single tiles and ones half upon others over the window."""
    shoe = _Shoe(rng)
    out: list[TileObject] = []
    for _ in range(int(rng.integers(2, 9))):
        x, y = (float(v) for v in rng.uniform(-half, half, 2) * 0.95)
        base = float(rng.uniform(0, 2 * np.pi))
        groups = (
            lambda x=x, y=y, base=base: _hand(rng, shoe, x, y, base),
            lambda x=x, y=y, base=base: _row(rng, shoe, x, y, base),
            lambda x=x, y=y, base=base: _stack(rng, shoe, x, y, base),
            lambda x=x, y=y: _pile(rng, shoe, x, y, 70),
            lambda x=x, y=y, base=base: _single(rng, shoe, x, y, base),
            lambda x=x, y=y, base=base: _slipped(rng, shoe, x, y, base),
        )
        out = _clear(out, groups[int(rng.choice(6, p=[0.31, 0.16, 0.17, 0.08, 0.13, 0.15]))]())
    return out


def _single(rng: Rng, shoe: _Shoe, x: float, y: float, base: float) -> list[TileObject]:
    return [TileObject(shoe.draw(), chance(rng, 0.85), x, y, base)] if len(shoe) else []


def _ground(rng: Rng, *, photo: bool) -> tuple[str, LinearColour]:
    """Draw what everything lies on."""
    if not photo and chance(rng, 0.92):
        return "felt", felt_colour(rng)
    ground = str(rng.choice(["wood", "plain", "carpet", "felt", "desk"], p=[0.5, 0.25, 0.08, 0.12, 0.05]))
    grey = float(rng.uniform(0.01, 0.85))
    colours = {"wood": jitter(rng, (0.25, 0.4, 0.55), 0.5), "plain": jitter(rng, (grey, grey, grey), 0.1)}
    return ground, colours.get(ground, felt_colour(rng))


STANDING = frozenset({"chips", "marker", "dome", "glass", "paper", "aruco", "float", "clutter"})
"""Props that stand beside tiles and dice, never on them."""


def _thrown(rng: Rng, half: float, tiles: Sequence[TileObject], *, photo: bool) -> tuple[list[DieObject], list[Prop]]:
    """Throw dice where no tiles lie."""
    dice: list[DieObject] = []
    dishes: list[Prop] = []
    for _ in range(int(rng.integers(1, 4)) if photo else 1):
        x, y = (float(v) for v in rng.uniform(-half, half, 2) * 0.8)
        more, dish = _dice(rng, x, y, photo=photo)
        near = any(np.hypot(t.x_mm - x, t.y_mm - y) < 110 for t in tiles)
        crowded = any(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < 24 for a in dice for b in more)
        if not near and not crowded:
            dice += more
            dishes += dish
    return dice, dishes


def bare_window(rng: Rng, size: int) -> Scene:
    """Draw a window without tiles or dice, full of what could be taken for them: letters, chips, sleeves, carpet."""
    px_per_mm = _scale(rng, dice_only=False)
    half = size / 2 / px_per_mm
    props = [p for _ in range(int(rng.integers(1, 4))) for p in _props(rng, half, photo=False)]
    x, y = (float(v) for v in rng.uniform(-half, half, 2))
    kind = str(rng.choice(["float", "paper", "arm", "aruco", "chips"]))
    ink = jitter(rng, PRINTS[int(rng.integers(len(PRINTS)))], 0.25)
    prints = [p for _ in range(3) for p in _prints(rng, half, ink)]
    ground = "carpet" if chance(rng, 0.2) else "felt"
    return _scene(
        rng, size, px_per_mm, (ground, felt_colour(rng)), ink, [], [], [*props, prop(rng, kind, x, y), *prints]
    )


def dice_window(rng: Rng, size: int, *, near: bool = False) -> Scene:
    """Draw a window of throws, near half of the dice leaning.

    Args:
        rng: what to draw by.
        size: width and height in pixels.
        near: dice of 14 to 100 pixels, three in ten as a hand-held camera sees them, and not all of 14 to 34 under a
            ceiling camera.
    """
    photo = near and chance(rng, 0.3)
    px_per_mm = float(np.exp(rng.uniform(np.log(14), np.log(100 if near else 34)))) / 18
    half = size / 2 / px_per_mm
    dice: list[DieObject] = []
    dishes: list[Prop] = []
    for _ in range(40):
        x, y = (float(v) for v in rng.uniform(-half, half, 2) * 0.9)
        if any(np.hypot(x - d.x_mm, y - d.y_mm) < 95 for d in dice):
            continue
        more, dish = _dice(rng, x, y, photo=False, leaning=0.45)
        dice += more
        dishes += dish
    ink = jitter(rng, PRINTS[int(rng.integers(len(PRINTS)))], 0.25)
    props = [*dishes, *_prints(rng, half, ink)]
    return _scene(rng, size, px_per_mm, ("felt", felt_colour(rng)), ink, [], dice, props, photo=photo)


def window(rng: Rng, size: int) -> Scene:
    """Draw one training window of `size` pixels square: a piece of a table, or of a plain photograph."""
    photo = chance(rng, 0.22)
    dice_only = photo and chance(rng, 0.8)
    px_per_mm = _scale(rng, dice_only=dice_only)
    half = size / 2 / px_per_mm
    tiles = [] if dice_only else _tiles(rng, half)
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
    ink = jitter(rng, PRINTS[int(rng.integers(len(PRINTS)))], 0.25)
    prints = [] if photo else _prints(rng, half, ink)
    mirrors = glares(rng, half)
    shown = [veiled(rng, t, mirrors) for t in tiles]
    ground = _ground(rng, photo=photo)
    return _scene(rng, size, px_per_mm, ground, ink, shown, dice, [*props, *dishes, *prints], photo=photo)


def _scene(
    rng: Rng,
    size: int,
    px_per_mm: float,
    ground: tuple[str, LinearColour],
    ink: LinearColour,
    tiles: Sequence[TileObject],
    dice: Sequence[DieObject],
    props: Sequence[Prop],
    *,
    photo: bool = False,
) -> Scene:
    """Draw light and camera, and put the window together."""
    light, ambient = lamps(rng)
    return Scene(
        kind="closeup",
        camera=window_camera(rng, (size, size), px_per_mm, photo=photo),
        ground=ground[0],
        ground_colour=ground[1],
        ground_seed=int(rng.integers(1 << 30)),
        print_colour=ink,
        tile_set=tile_set(rng),
        tiles=tuple(tiles),
        dice=tuple(dice),
        props=tuple(props),
        lamps=light,
        ambient=ambient,
        capture=capture(rng),
        light_slope=(float(rng.normal(0, 0.7)), float(rng.normal(0, 0.7))),
        seed=int(rng.integers(1 << 30)),
    )
