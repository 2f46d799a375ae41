"""Random numbers -> described scenes: windows of a table for training, close-ups, and whole tables.

Everything is drawn from the generator handed in; nothing has a default one, so that no seed can be lost. Ranges are
wider than any real table's: a model that has seen them all has a chance to know the real ones (domain randomisation,
Tobin et al. 2017).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from datasets.scene import (
    TILE_HEIGHT_MM,
    TILE_LENGTH_MM,
    TILE_WIDTH_MM,
    Camera,
    Capture,
    Colour,
    DieObject,
    DieStyle,
    Floats,
    Lamp,
    Prop,
    Scene,
    TileObject,
    TileSet,
)

from engine.tiles import FULL_SET
from vision.faces import Maker

if TYPE_CHECKING:
    from collections.abc import Sequence

Rng = np.random.Generator

SET_FACES = tuple(str(tile) for tile in FULL_SET)
DIE_COLOURS: dict[str, Colour] = {
    "red": (0.05, 0.03, 0.5),
    "green": (0.05, 0.25, 0.04),
    "blue": (0.5, 0.1, 0.03),
    "purple": (0.3, 0.04, 0.2),
    "white": (0.78, 0.8, 0.8),
    "ivory": (0.5, 0.68, 0.75),
    "black": (0.012, 0.012, 0.012),
    "yellow": (0.03, 0.5, 0.75),
    "orange": (0.02, 0.22, 0.8),
    "pink": (0.45, 0.3, 0.8),
}


def chance(rng: Rng, p: float) -> bool:
    """Return True with probability `p`."""
    return bool(rng.random() < p)


def jitter(rng: Rng, colour: Colour, spread: float) -> Colour:
    """Scale each channel by a random factor of about `spread`."""
    b, g, r = np.clip(np.array(colour) * np.exp(rng.normal(0, spread, 3)), 0.002, 0.95)
    return float(b), float(g), float(r)


def tile_set(rng: Rng) -> TileSet:
    """Draw one maker's set."""
    maker = Maker(
        style="photo" if chance(rng, 0.7) else "small",
        teen="white-left" if chance(rng, 0.5) else "red-left",
        slash="/" if chance(rng, 0.5) else "\\",
        three_three="cross" if chance(rng, 0.7) else "diagonals",
        three="stretched" if chance(rng, 0.6) else "compact",
        four=("stretched", "even", "compact")[int(rng.integers(3))],
    )
    black: Colour = jitter(rng, (0.004, 0.004, 0.004), 0.5)
    ivory = chance(rng, 0.22)
    body = jitter(rng, (0.45, 0.65, 0.72), 0.15) if ivory else black
    if not ivory and chance(rng, 0.15):
        body = jitter(rng, (0.03, 0.02, 0.015), 0.6)
    white: Colour = jitter(rng, (0.01, 0.01, 0.01), 0.4) if ivory else jitter(rng, (0.68, 0.72, 0.66), 0.12)
    back = body
    if chance(rng, 0.45):
        back = ((0.02, 0.12, 0.01), (0.03, 0.07, 0.16), (0.2, 0.03, 0.02), (0.02, 0.02, 0.25), (0.5, 0.6, 0.6))[
            int(rng.integers(5))
        ]
        back = jitter(rng, back, 0.4)
    flat = chance(rng, 0.2)
    return TileSet(
        body=body,
        pip_plain=white,
        pip_red=jitter(rng, (0.012, 0.010, 0.22) if not ivory else (0.02, 0.015, 0.3), 0.35),
        back=back,
        maker=maker,
        pip_scale=float(rng.uniform(0.84, 1.06)),
        spread=float(rng.uniform(0.96, 1.03)),
        cone=0.0 if flat else float(rng.uniform(0.15, 0.8)),
        bowl=float(rng.uniform(0, 1)),
        gloss=float(rng.uniform(0.0, 0.3)),
        pip_gloss=float(rng.uniform(0.1, 0.9)),
        corner_mm=float(rng.uniform(0.8, 4.0)),
        bevel_mm=float(rng.uniform(0.4, 2.2)),
        back_mark=int(rng.integers(1, 1000)) if chance(rng, 0.5) else 0,
    )


def die_style(rng: Rng, *, photo: bool = False) -> DieStyle:
    """Draw one kind of die: a casino's precision die, a Chinese one, or (for plain photographs) any toy die."""
    old = photo or chance(rng, 0.45)
    name = str(rng.choice(list(DIE_COLOURS) if not old else ["white", "ivory", "red", "black", "white", "green", "blue"]))
    if not old and chance(rng, 0.5):
        name = "red"
    light = name in ("white", "ivory", "yellow", "pink")
    opaque = old or light or chance(rng, 0.35)
    pip: Colour = jitter(rng, (0.01, 0.01, 0.01), 0.3) if light else jitter(rng, (0.8, 0.82, 0.82), 0.08)
    if name == "white" and not old and chance(rng, 0.3):
        pip = (0.4, 0.05, 0.02)
    asian = light and chance(rng, 0.45)
    side = float(rng.uniform(13, 18) if old else rng.uniform(18, 20))
    return DieStyle(
        side_mm=side,
        colour=jitter(rng, DIE_COLOURS[name], 0.15),
        name=name,
        pip=pip,
        opaque=opaque,
        round_mm=side * float(rng.uniform(0.05, 0.24) if old else rng.uniform(0.01, 0.05)),
        pip_diameter=float(rng.uniform(0.16, 0.25)),
        spread=float(rng.uniform(0.2, 0.29)),
        red_one=float(rng.uniform(0.28, 0.42)) if asian else 0.0,
        red_four=asian,
        mirrored=chance(rng, 0.4),
    )


_TO_TOP: dict[int, Rotation] = {
    1: Rotation.identity(),
    6: Rotation.from_euler("x", 180, degrees=True),
    2: Rotation.from_euler("x", 90, degrees=True),
    5: Rotation.from_euler("x", -90, degrees=True),
    3: Rotation.from_euler("y", -90, degrees=True),
    4: Rotation.from_euler("y", 90, degrees=True),
}


def die(rng: Rng, style: DieStyle, x: float, y: float, *, cocked: bool = False, floor: float = 0.0) -> DieObject:
    """Throw a die: a random value and turn, and a lean when it is cocked."""
    value = int(rng.integers(1, 7))
    shown = _TO_TOP[value]
    if style.mirrored and value in (3, 4):
        shown = _TO_TOP[7 - value]
    tilt = float(rng.uniform(14, 40)) if cocked else float(abs(rng.normal(0, 0.5)))
    toward = float(rng.uniform(0, 360))
    lean = Rotation.from_euler("z", toward, degrees=True) * Rotation.from_euler("x", tilt, degrees=True)
    lean = lean * Rotation.from_euler("z", -toward, degrees=True)
    r = (lean * Rotation.from_euler("z", float(rng.uniform(0, 360)), degrees=True) * shown).as_matrix()
    lowest = float(np.abs(r[2]).sum()) * style.side_mm / 2
    return DieObject(style, r, x, y, floor + lowest, value, cocked, tilt)


def lamps(rng: Rng) -> tuple[tuple[Lamp, ...], float]:
    """Draw one to three lamps and the light from everywhere; together about one."""
    ambient = float(rng.uniform(0.25, 0.7))
    count = int(rng.integers(1, 4))
    out = []
    for _ in range(count):
        high = float(np.radians(rng.uniform(35, 85)))
        round_ = float(rng.uniform(0, 2 * np.pi))
        d = np.array([np.cos(high) * np.cos(round_), np.cos(high) * np.sin(round_), np.sin(high)])
        tint = np.exp(rng.normal(0, 0.06, 3)) * (1 - ambient) / count * float(rng.uniform(0.8, 1.3))
        out.append(Lamp(d, (float(tint[0]), float(tint[1]), float(tint[2]))))
    return tuple(out), ambient


def capture(rng: Rng, *, soft: float = 1.0) -> Capture:
    """Draw a camera's faults; `soft` scales the blurs."""
    dark = chance(rng, 0.2)
    exposure = float(np.exp(rng.normal(-0.9 if dark else 0.1, 0.35)))
    warm = float(rng.normal(0, 0.16))
    noisy = chance(rng, 0.45)
    moving = chance(rng, 0.12)
    turn = float(rng.uniform(0, 2 * np.pi))
    length = float(rng.uniform(1, 4.0)) if moving else 0.0
    return Capture(
        exposure=exposure,
        white_balance=(float(np.exp(-warm)), float(np.exp(rng.normal(0, 0.03))), float(np.exp(warm))),
        vignette=float(rng.uniform(0, 0.4)),
        bloom=float(rng.uniform(0, 0.06)),
        defocus_px=soft * float(rng.uniform(0.0, 0.7) if chance(rng, 0.85) else rng.uniform(0.7, 1.15)),
        motion_px=(length * np.cos(turn), length * np.sin(turn)),
        shot_noise=float(rng.uniform(0.01, 0.07) if noisy else rng.uniform(0.002, 0.015)),
        read_noise=float(rng.uniform(0.002, 0.012) if noisy else rng.uniform(0, 0.003)),
        chroma_blur_px=float(rng.uniform(0.5, 2.2)),
        noise_reduction=float(rng.uniform(0, 1)) if chance(rng, 0.6) else 0.0,
        sharpen=float(rng.uniform(0, 1.2)) if chance(rng, 0.7) else 0.0,
        contrast=float(rng.uniform(-0.1, 0.6)),
        saturation=float(rng.uniform(0.7, 1.25)),
        lift=float(rng.uniform(0, 0.04)),
        jpeg=int(rng.integers(60, 98)),
    )


FELTS: tuple[Colour, ...] = (
    (0.06, 0.2, 0.01), (0.2, 0.05, 0.01), (0.03, 0.02, 0.22), (0.12, 0.16, 0.01), (0.02, 0.1, 0.01),
    (0.1, 0.02, 0.08), (0.02, 0.02, 0.02), (0.35, 0.1, 0.02), (0.05, 0.12, 0.2), (0.2, 0.2, 0.2),
)  # fmt: skip
PRINTS: tuple[Colour, ...] = ((0.1, 0.5, 0.7), (0.75, 0.75, 0.75), (0.6, 0.5, 0.15), (0.05, 0.05, 0.5), (0.02, 0.02, 0.02))
SKINS: tuple[Colour, ...] = ((0.25, 0.36, 0.6), (0.1, 0.17, 0.33), (0.04, 0.07, 0.14), (0.3, 0.42, 0.7))


def felt_colour(rng: Rng) -> Colour:
    """Draw the cloth's colour: a usual one, or any."""
    if chance(rng, 0.75):
        return jitter(rng, FELTS[int(rng.integers(len(FELTS)))], 0.35)
    b, g, r = rng.uniform(0.01, 0.6, 3)
    return float(b), float(g), float(r)


@dataclass(frozen=True, slots=True)
class _Glare:
    """Where a lamp's mirror image lies on the table, and how strong it is."""

    x: float
    y: float
    radius: float
    strength: float

    def at(self, x: float, y: float, tilt: float) -> float:
        d = float(np.hypot(x - self.x, y - self.y)) / self.radius
        return self.strength * float(np.exp(-(d**2))) * tilt


def _glares(rng: Rng, half_mm: float) -> tuple[_Glare, ...]:
    if chance(rng, 0.5):
        return ()
    return tuple(
        _Glare(
            float(rng.uniform(-half_mm, half_mm) * 1.3),
            float(rng.uniform(-half_mm, half_mm) * 1.3),
            float(rng.uniform(0.25, 0.9) * half_mm),
            float(np.exp(rng.normal(-1.6, 1.0))),
        )
        for _ in range(int(rng.integers(1, 4)))
    )


def _veiled(rng: Rng, tile: TileObject, glares: Sequence[_Glare]) -> TileObject:
    """Let each lamp's image veil a tile; a hair of tilt makes neighbours differ."""
    veil = sum(g.at(tile.x_mm, tile.y_mm, float(np.exp(rng.normal(0, 0.7)))) for g in glares)
    if chance(rng, 0.04):
        veil += float(rng.uniform(0.1, 1.2))
    if veil < 0.01:  # noqa: PLR2004 - nothing anyone could see
        return tile
    fall = rng.uniform(-0.6, 1.0, 2)
    return replace(tile, veil=min(veil, 2.0), veil_fall=(float(np.clip(fall[0], 0, 1)), float(np.clip(fall[1], 0, 1))))


class _Shoe:
    """Deals faces of one set without ever giving a face more often than the set holds it."""

    def __init__(self, rng: Rng) -> None:
        self._left = [SET_FACES[i] for i in rng.permutation(len(SET_FACES))]

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
                True,
                x - off * np.sin(angle) + float(rng.normal(0, 0.5)),
                y + off * np.cos(angle) + float(rng.normal(0, 0.5)),
                turn,
            ),
        )
    return out


def _hand(rng: Rng, shoe: _Shoe, x: float, y: float, base: float) -> list[TileObject]:
    """Lay a set hand: one pair across, one along, as a dealer does, more or less neatly."""
    mess = float(rng.choice([0.02, 0.06, 0.15], p=[0.5, 0.35, 0.15]))
    reach = float(rng.uniform(48, 75))
    out = _pair(rng, shoe, x - reach / 2 * np.cos(base), y - reach / 2 * np.sin(base), base + np.pi / 2 + float(rng.normal(0, mess)), float(rng.exponential(1.2)))
    out += _pair(rng, shoe, x + reach / 2 * np.cos(base), y + reach / 2 * np.sin(base), base + float(rng.normal(0, mess)), float(rng.exponential(1.2)))
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
                TileObject(shoe.draw(), chance(rng, 0.93), x + u * np.cos(base) - v * np.sin(base), y + u * np.sin(base) + v * np.cos(base), turn),
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
        below = [t for t in out if np.hypot(t.x_mm - px, t.y_mm - py) < 45]  # noqa: PLR2004 - could touch
        z = max((t.z_mm for t in below), default=-TILE_HEIGHT_MM) + TILE_HEIGHT_MM
        lean = (0.0, 0.0)
        if below and chance(rng, 0.5):
            lean = (float(rng.normal(0, 0.12)), float(rng.normal(0, 0.08)))
        out.append(
            TileObject(shoe.draw(), chance(rng, 0.75), px, py, float(rng.uniform(0, 2 * np.pi)), z_mm=z, lean=lean),
        )
    return out


def _clear(tiles: list[TileObject], more: list[TileObject]) -> list[TileObject]:
    """Keep the newcomers only if none would lie through a tile that is there."""
    for new in more:
        for old in tiles:
            if abs(new.z_mm - old.z_mm) < TILE_HEIGHT_MM and np.hypot(new.x_mm - old.x_mm, new.y_mm - old.y_mm) < 62:  # noqa: PLR2004
                return tiles
    return tiles + more


def _dice(rng: Rng, x: float, y: float, *, photo: bool) -> tuple[list[DieObject], list[Prop]]:
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
        lining: Colour = ((0.02, 0.015, 0.08), (0.02, 0.02, 0.02), (0.05, 0.15, 0.02), (0.03, 0.08, 0.18), (0.5, 0.5, 0.5))[int(rng.integers(5))]
        size = 2 * (radius + float(rng.uniform(14, 26)))
        props.append(Prop("dish", x, y, 0.0, (size, size), 0.0, float(rng.uniform(3, 18)), jitter(rng, lining, 0.4), int(rng.integers(1 << 30))))
        floor = 2.0
    out: list[DieObject] = []
    for style in picked:
        for _ in range(12):
            r, a = radius * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
            px, py = x + float(r * np.cos(a)), y + float(r * np.sin(a))
            if all(np.hypot(px - d.x_mm, py - d.y_mm) > (d.style.side_mm + style.side_mm) * 0.62 for d in out):
                out.append(die(rng, style, px, py, cocked=chance(rng, 0.1), floor=floor))
                break
    if not photo and len(out) > 3:  # noqa: PLR2004 - three box dice come first, then the cut die
        out = [replace(d, role="box" if i < 3 else "cut") for i, d in enumerate(out)]  # noqa: PLR2004
    return out, props


def _prints(rng: Rng, half: float, colour: Colour) -> list[Prop]:
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
        out.append(Prop(kind, float(x), float(y), float(rng.uniform(0, 2 * np.pi)), size, -1.0, 0.0, ink, int(rng.integers(1 << 30))))
    return out


def prop(rng: Rng, kind: str, x: float, y: float) -> Prop:
    """Draw one thing that is not read."""
    size: tuple[float, float] = (40.0, 40.0)
    height, z = 1.0, 0.0
    colour: Colour = jitter(rng, (0.3, 0.3, 0.3), 0.8)
    match kind:
        case "chips":
            d = float(rng.uniform(37, 44))
            size, height = (d, d), 3.3 * int(rng.integers(1, 13))
            colour = tuple(float(c) for c in rng.uniform(0.01, 0.6, 3))  # type: ignore[assignment]
        case "marker":
            d = float(rng.uniform(38, 70))
            size, height = (d, d), float(rng.uniform(3, 10))
            colour = (0.75, 0.75, 0.75) if chance(rng, 0.5) else (0.02, 0.02, 0.02)
        case "dome":
            d = float(rng.uniform(70, 110))
            size, height = (d, d), float(rng.uniform(50, 100))
            colour = jitter(rng, (0.02, 0.02, 0.02) if chance(rng, 0.5) else (0.25, 0.25, 0.25), 0.5)
        case "glass":
            d = float(rng.uniform(55, 80))
            size, height = (d, d), float(rng.uniform(70, 150))
            colour = jitter(rng, (0.1, 0.3, 0.5), 0.7)
        case "paper":
            size, height = (float(rng.uniform(60, 250)), float(rng.uniform(50, 200))), float(rng.uniform(0.2, 6))
            colour = jitter(rng, (0.7, 0.75, 0.78), 0.12)
        case "aruco":
            size, height, colour = (80.0, 80.0), 0.4, (0.75, 0.75, 0.75)
        case "rod":
            cable = chance(rng, 0.3)
            size = (float(rng.uniform(250, 700)) if cable else float(rng.uniform(110, 150)), float(rng.uniform(4, 9)))
            height, colour = size[1], jitter(rng, (0.02, 0.02, 0.02), 1.0)
        case "float":
            size, height = (float(rng.uniform(350, 600)), float(rng.uniform(130, 190))), float(rng.uniform(2, 20))
            colour = jitter(rng, (0.05, 0.09, 0.14), 0.9)
        case "clutter":
            size, height = (float(rng.uniform(80, 350)), float(rng.uniform(60, 250))), float(rng.uniform(5, 25))
            colour = jitter(rng, (0.2, 0.2, 0.2), 1.0)
        case "arm":
            z, height = 20.0, float(rng.uniform(5, 60))
            colour = jitter(rng, SKINS[int(rng.integers(len(SKINS)))], 0.2)
    return Prop(kind, x, y, float(rng.uniform(0, 2 * np.pi)), size, z, height, colour, int(rng.integers(1 << 30)))


def _props(rng: Rng, half: float, *, photo: bool) -> list[Prop]:
    kinds = ["paper", "rod", "clutter", "clutter", "marker"] if photo else ["chips", "chips", "chips", "marker", "dome", "glass", "paper", "aruco", "rod", "float", "clutter"]
    weights = np.ones(len(kinds)) if photo else np.array([3, 3, 3, 2, 1.5, 1, 1.5, 1.5, 1, 0.7, 0.3])
    out = []
    for _ in range(int(rng.integers(0, 6))):
        x, y = rng.uniform(-half, half, 2) * 1.2
        out.append(prop(rng, str(rng.choice(kinds, p=weights / weights.sum())), float(x), float(y)))
    if chance(rng, 0.22):
        x, y = rng.uniform(-half, half, 2)
        out.append(prop(rng, "arm", float(x), float(y)))
    return out


def window_camera(rng: Rng, size: tuple[int, int], px_per_mm: float, *, photo: bool) -> Camera:
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


def aimed(rng: Rng, size: tuple[int, int], spot_mm: Floats, axis: Floats, px_per_mm: float) -> Camera:
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
    return Camera(size, k, np.zeros(5), r, t)


def window(rng: Rng, size: int) -> Scene:
    """Draw one training window of `size` pixels square: a piece of a table, or of a plain photograph."""
    photo = chance(rng, 0.22)
    dice_only = photo and chance(rng, 0.8)
    if dice_only:
        # a die of 12 to 42 pixels
        px_per_mm = float(np.exp(rng.uniform(np.log(12.5), np.log(42)))) / 16
    else:
        px_per_mm = float(np.exp(rng.uniform(np.log(38), np.log(76)) if chance(rng, 0.75) else rng.uniform(np.log(36), np.log(100)))) / TILE_LENGTH_MM
    camera = window_camera(rng, (size, size), px_per_mm, photo=photo)
    half = size / 2 / px_per_mm
    shoe = _Shoe(rng)
    tiles: list[TileObject] = []
    dice: list[DieObject] = []
    props = _props(rng, half, photo=photo)
    if not dice_only:
        for _ in range(int(rng.integers(2, 9))):
            x, y = (float(v) for v in rng.uniform(-half, half, 2) * 0.95)
            base = float(rng.uniform(0, 2 * np.pi))
            what = int(rng.choice(5, p=[0.4, 0.2, 0.15, 0.1, 0.15]))
            if what == 0:
                tiles = _clear(tiles, _hand(rng, shoe, x, y, base))
            elif what == 1:
                tiles = _clear(tiles, _row(rng, shoe, x, y, base))
            elif what == 2:  # noqa: PLR2004
                tiles = _clear(tiles, _stack(rng, shoe, x, y, base))
            elif what == 3:  # noqa: PLR2004
                tiles = _clear(tiles, _pile(rng, shoe, x, y, 70))
            elif len(shoe):
                tiles = _clear(tiles, [TileObject(shoe.draw(), chance(rng, 0.85), x, y, base)])
    if dice_only or chance(rng, 0.5):
        for _ in range(int(rng.integers(1, 4)) if dice_only else 1):
            x, y = (float(v) for v in rng.uniform(-half, half, 2) * 0.8)
            more, dish = _dice(rng, x, y, photo=dice_only)
            near = any(np.hypot(t.x_mm - x, t.y_mm - y) < 110 for t in tiles)  # noqa: PLR2004 - in the dish
            crowded = any(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < 24 for a in dice for b in more)  # noqa: PLR2004
            if not near and not crowded:
                dice += more
                props = [p for p in props if p.kind == "arm" or np.hypot(p.x_mm - x, p.y_mm - y) > 100] + dish  # noqa: PLR2004
    # what stands on the table does not stand on tiles, but may touch them
    solid = {"chips", "marker", "dome", "glass", "paper", "aruco", "float", "clutter"}
    props = [
        p
        for p in props
        if p.kind not in solid
        or all(np.hypot(p.x_mm - o.x_mm, p.y_mm - o.y_mm) > max(p.size_mm) * 0.5 + 22 for o in (*tiles, *dice))
    ]
    ink = jitter(rng, PRINTS[int(rng.integers(len(PRINTS)))], 0.25)
    if not photo:
        props += _prints(rng, half, ink)
    glares = _glares(rng, half)
    light, ambient = lamps(rng)
    ground = "felt"
    colour = felt_colour(rng)
    if photo or chance(rng, 0.08):
        ground = str(rng.choice(["wood", "wood", "plain", "carpet", "felt", "desk"], p=[0.3, 0.2, 0.25, 0.08, 0.12, 0.05]))
        if ground == "wood":
            colour = jitter(rng, (0.25, 0.4, 0.55), 0.5)
        elif ground == "plain":
            grey = float(rng.uniform(0.01, 0.85))
            colour = jitter(rng, (grey, grey, grey), 0.1)
    return Scene(
        kind="closeup",
        camera=camera,
        ground=ground,
        ground_colour=colour,
        ground_seed=int(rng.integers(1 << 30)),
        print_colour=ink,
        tile_set=tile_set(rng),
        tiles=tuple(_veiled(rng, t, glares) for t in tiles),
        dice=tuple(dice),
        props=tuple(props),
        lamps=light,
        ambient=ambient,
        capture=capture(rng),
        light_slope=(float(rng.normal(0, 0.7)), float(rng.normal(0, 0.7))),
        seed=int(rng.integers(1 << 30)),
    )
