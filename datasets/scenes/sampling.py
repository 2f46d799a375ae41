"""Draw tiles, dice, light, camera faults and props at random, all from the generator handed in.

Ranges are wider than any real table's: a model that has seen them all has a chance to know the real ones (domain
randomisation, Tobin et al. 2017).
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from scipy.spatial.transform import Rotation

from datasets.scenes.scene import (
    TILE_HEIGHT_MM,
    TILE_LENGTH_MM,
    TILE_WIDTH_MM,
    Capture,
    DieObject,
    DieStyle,
    Lamp,
    LinearColour,
    Prop,
    TileObject,
    TileSet,
)
from engine.game.tiles import FULL_SET
from vision.tiles.faces import Maker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Rng = np.random.Generator
_Item = TypeVar("_Item")

SET_FACES = tuple(str(tile) for tile in FULL_SET)
DIE_COLOURS: dict[str, LinearColour] = {
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
LEANING_DEG: Final = (9.0, 40.0)
"""Angles by which a cocked die leans; a flat one is off by half a degree."""
GOLD: LinearColour = (0.06, 0.32, 0.5)
PIP_BLACK: LinearColour = (0.01, 0.01, 0.01)
SQUARE_FOUR = 0.3
"""Share of the makers that lay the 4 beside a 3, 5 or 6 as a square."""
GOLD_PIPS, BLACK_PIPS, CLEAR = 0.35, 0.12, 0.15
"""Shares of black dice with gold pips, of coloured ones with black pips, and of light casino dice that are clear."""
ANY_COLOURS, ANY_PIPS, MARBLED, DRILLED, RINGED = 0.35, 0.35, 0.25, 0.6, 0.1
"""Shares of the toy dice of any colour, of the others with pips of any colour, of a marbled body, with drilled pips,
with a ring around the one.
"""
SIX_CLOSER = 0.6
"""Share of the dice whose six has its rows closer together than the spread of the other pips."""
LEAST_CONTRAST = 0.16
"""Least distance of the colours of pip and body, in square roots of linear light."""


BACKS: tuple[LinearColour, ...] = (
    (0.02, 0.12, 0.01), (0.03, 0.07, 0.16), (0.2, 0.03, 0.02), (0.02, 0.02, 0.25), (0.5, 0.6, 0.6),
)  # fmt: skip
_OLD_DICE: Final = ("white", "ivory", "red", "black", "white", "green", "blue")
"""Colours of Chinese and toy dice, white twice as often."""


def chance(rng: Rng, p: float) -> bool:
    """Return True with probability `p`."""
    return bool(rng.random() < p)


def pick(rng: Rng, items: Sequence[_Item]) -> _Item:
    """Draw one of some, each as likely as any other."""
    return items[int(rng.integers(len(items)))]


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """Draw a number whose logarithm is spread evenly."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _leftover(value: float) -> float:
    """A number in [0, 1) from the last digits of one drawn before: what is new must not change the scene of a seed."""
    return value * 1e6 % 1


def jitter(rng: Rng, colour: LinearColour, spread: float) -> LinearColour:
    """Scale each channel by a random factor of about `spread`."""
    b, g, r = np.clip(np.array(colour) * np.exp(rng.normal(0, spread, 3)), 0.002, 0.95).tolist()
    return b, g, r


def any_colour(rng: Rng, low: float = 0.01, high: float = 0.6) -> LinearColour:
    """Draw each channel independently."""
    b, g, r = rng.uniform(low, high, 3).tolist()
    return b, g, r


def seed_of(rng: Rng) -> int:
    """Draw a seed for something that has random numbers of its own."""
    return int(rng.integers(1 << 30))


def half_turn(rng: Rng) -> float:
    """Turn something the other way round in half of the cases; radians."""
    return np.pi if chance(rng, 0.5) else 0.0


def offset(x: float, y: float, angle: float, u: float, v: float) -> tuple[float, float]:
    """The place `u` along and `v` across from a place, in axes turned counter-clockwise by `angle`, radians."""
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return x + u * c - v * s, y + u * s + v * c


def in_disc(rng: Rng, x: float, y: float, radius: float) -> tuple[float, float]:
    """Draw a place evenly from a disc."""
    r, a = radius * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
    return x + float(r * np.cos(a)), y + float(r * np.sin(a))


def tile_set(rng: Rng) -> TileSet:
    """Draw one maker's set."""
    maker = Maker(
        style="photo" if chance(rng, 0.7) else "small",
        teen="white-left" if chance(rng, 0.5) else "red-left",
        slash="/" if chance(rng, 0.5) else "\\",
        three_three="cross" if chance(rng, 0.7) else "diagonals",
        three="stretched" if chance(rng, 0.6) else "compact",
        four=pick(rng, ("stretched", "even", "compact")),
    )
    black: LinearColour = jitter(rng, (0.004, 0.004, 0.004), 0.5)
    ivory = chance(rng, 0.22)
    body = jitter(rng, (0.45, 0.65, 0.72), 0.15) if ivory else black
    if not ivory and chance(rng, 0.15):
        body = jitter(rng, (0.03, 0.02, 0.015), 0.6)
    white: LinearColour = jitter(rng, (0.01, 0.01, 0.01), 0.4) if ivory else jitter(rng, (0.68, 0.72, 0.66), 0.12)
    back = body
    if chance(rng, 0.45):
        back = jitter(rng, pick(rng, BACKS), 0.4)
    flat = chance(rng, 0.2)
    drawn = TileSet(
        body=body,
        pip_plain=white,
        pip_red=jitter(rng, (0.012, 0.010, 0.22) if not ivory else (0.02, 0.015, 0.3), 0.35),
        back=back,
        maker=maker,
        pip_scale=rng.uniform(0.84, 1.06),
        spread=rng.uniform(0.96, 1.03),
        cone=0.0 if flat else rng.uniform(0.15, 0.8),
        bowl=rng.uniform(0, 1),
        gloss=rng.uniform(0.0, 0.3),
        pip_gloss=rng.uniform(0.1, 0.9),
        corner_mm=rng.uniform(0.8, 4.0),
        bevel_mm=rng.uniform(0.4, 2.2),
        back_mark=int(rng.integers(1, 1000)) if chance(rng, 0.5) else 0,
    )
    if _leftover(drawn.spread) < SQUARE_FOUR:
        drawn = replace(drawn, maker=replace(maker, high_four="square"))
    return drawn


def _any_paint(rng: Rng) -> LinearColour:
    """Draw a colour of any hue, dark ones as often as light ones; a dark body may have dull pips of another hue."""
    hue, saturation = rng.uniform(), float(rng.beta(1.2, 0.9))
    r, g, b = log_uniform(rng, 0.02, 0.85) * np.array(colorsys.hsv_to_rgb(hue, saturation, 1.0)) ** 1.6
    return jitter(rng, (float(b), float(g), float(r)), 0.1)


def _pip_colour(rng: Rng, body: LinearColour, usual: LinearColour) -> LinearColour:
    """Draw a pip's colour that shows on a body; the usual one if none is found."""
    for _ in range(8):
        paint = pick(rng, (*DIE_COLOURS.values(), GOLD, PIP_BLACK)) if chance(rng, 0.5) else _any_paint(rng)
        drawn = jitter(rng, paint, 0.2)
        if np.linalg.norm(np.sqrt(drawn) - np.sqrt(body)) >= LEAST_CONTRAST:
            return drawn
    return usual


def _as_made(style: DieStyle, *, toy: bool) -> DieStyle:
    """Return the style with what makers do differently; its own random numbers leave the scenes of all seeds alike."""
    rng = np.random.default_rng(int(style.side_mm * 1e9))
    made = replace(style, seed=seed_of(rng))
    if chance(rng, SIX_CLOSER):
        made = replace(made, six_across=float(rng.uniform(0.5, 0.95)))
    if not toy:
        return made
    round_mm = style.side_mm * float(rng.uniform(0.02, 0.38))
    made = replace(made, round_mm=round_mm, pip_diameter=float(rng.uniform(0.13, 0.27)))
    made = replace(made, spread=float(min(rng.uniform(0.17, 0.3), 0.47 - made.pip_diameter / 2)))
    if chance(rng, 0.3):
        made = replace(made, side_mm=float(rng.uniform(12, 25)))
        made = replace(made, round_mm=round_mm * made.side_mm / style.side_mm)
    if any_colour := chance(rng, ANY_COLOURS):
        made = replace(made, colour=_any_paint(rng), name="any")
    if any_colour or chance(rng, ANY_PIPS):
        made = replace(made, pip=_pip_colour(rng, made.colour, made.pip))
    if chance(rng, DRILLED):
        made = replace(made, hollow=float(rng.uniform(0.2, 1.0)))
    if chance(rng, MARBLED):
        vein = jitter(rng, pick(rng, tuple(DIE_COLOURS.values())), 0.3)
        made = replace(made, vein=vein if chance(rng, 0.7) else jitter(rng, made.colour, 0.9))
    if chance(rng, RINGED):
        made = replace(made, ring_diameter=float(rng.uniform(0.5, 0.8)))
    return made


def die_style(rng: Rng, *, photo: bool = False, varied: bool = False) -> DieStyle:
    """Draw one kind of die: a casino's precision die, a Chinese one, or (for plain photographs) any toy die.

    If `varied`, as makers differ more than one table's dice do.
    """
    old = photo or chance(rng, 0.4)
    name = str(rng.choice(_OLD_DICE if old else list(DIE_COLOURS)))
    if not old and chance(rng, 0.5):
        name = "red"
    light = name in ("white", "ivory", "yellow", "pink")
    opaque = old or light or chance(rng, 0.2)
    pip: LinearColour = jitter(rng, (0.01, 0.01, 0.01), 0.3) if light else jitter(rng, (0.8, 0.82, 0.82), 0.08)
    if name == "white" and not old and chance(rng, 0.3):
        pip = (0.4, 0.05, 0.02)
    asian = light and chance(rng, 0.45)
    side = float(rng.uniform(13, 18) if old else rng.uniform(18, 20))
    luck = _leftover(side)
    if name == "black" and luck < GOLD_PIPS:
        pip = GOLD
    elif name in ("red", "green", "blue") and luck < BLACK_PIPS:
        pip = PIP_BLACK
    elif light and not photo and luck < CLEAR:
        opaque = False  # A clear die, through which the pips of its lower faces show.
    drawn = DieStyle(
        side_mm=side,
        colour=jitter(rng, DIE_COLOURS[name], 0.15),
        name=name,
        pip=pip,
        opaque=opaque,
        round_mm=side * float(rng.uniform(0.05, 0.24) if old else rng.uniform(0.01, 0.05)),
        pip_diameter=rng.uniform(0.16, 0.25),
        spread=rng.uniform(0.2, 0.29),
        red_one=rng.uniform(0.28, 0.42) if asian else 0.0,
        red_four=asian,
        mirrored=chance(rng, 0.4),
    )
    return _as_made(drawn, toy=old and opaque) if varied else drawn


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
    tilt = rng.uniform(*LEANING_DEG) if cocked else float(abs(rng.normal(0, 0.5)))
    toward = rng.uniform(0, 360)
    lean = Rotation.from_euler("z", toward, degrees=True) * Rotation.from_euler("x", tilt, degrees=True)
    lean = lean * Rotation.from_euler("z", -toward, degrees=True)
    r = (lean * Rotation.from_euler("z", rng.uniform(0, 360), degrees=True) * shown).as_matrix()
    lowest = float(np.abs(r[2]).sum()) * style.side_mm / 2
    return DieObject(style, r, x, y, floor + lowest, value, cocked, tilt)


def lamps(rng: Rng) -> tuple[tuple[Lamp, ...], float]:
    """Draw one to three lamps and the light from everywhere; together about one."""
    ambient = rng.uniform(0.25, 0.7)
    count = int(rng.integers(1, 4))
    out = []
    for _ in range(count):
        high = float(np.radians(rng.uniform(35, 85)))
        round_ = rng.uniform(0, 2 * np.pi)
        d = np.array([np.cos(high) * np.cos(round_), np.cos(high) * np.sin(round_), np.sin(high)])
        b, g, r = (np.exp(rng.normal(0, 0.06, 3)) * (1 - ambient) / count * rng.uniform(0.8, 1.3)).tolist()
        out.append(Lamp(d, (b, g, r)))
    return tuple(out), ambient


def capture(rng: Rng, *, soft: float = 1.0) -> Capture:
    """Draw a camera's faults; `soft` scales the blurs."""
    dark = chance(rng, 0.2)
    exposure = float(np.exp(rng.normal(-0.9 if dark else 0.1, 0.35)))
    warm = rng.normal(0, 0.16)
    noisy = chance(rng, 0.45)
    moving = chance(rng, 0.12)
    turn = rng.uniform(0, 2 * np.pi)
    length = rng.uniform(1, 4.0) if moving else 0.0
    return Capture(
        exposure=exposure,
        white_balance=(float(np.exp(-warm)), float(np.exp(rng.normal(0, 0.03))), float(np.exp(warm))),
        vignette=rng.uniform(0, 0.4),
        bloom=rng.uniform(0, 0.06),
        defocus_px=soft * float(rng.uniform(0.0, 0.7) if chance(rng, 0.85) else rng.uniform(0.7, 1.15)),
        motion_px=(length * np.cos(turn), length * np.sin(turn)),
        shot_noise=float(rng.uniform(0.01, 0.07) if noisy else rng.uniform(0.002, 0.015)),
        read_noise=float(rng.uniform(0.002, 0.012) if noisy else rng.uniform(0, 0.003)),
        chroma_blur_px=rng.uniform(0.5, 2.2),
        noise_reduction=rng.uniform(0, 1) if chance(rng, 0.6) else 0.0,
        sharpen=rng.uniform(0, 1.2) if chance(rng, 0.7) else 0.0,
        contrast=rng.uniform(-0.1, 0.6),
        saturation=rng.uniform(0.7, 1.25),
        lift=rng.uniform(0, 0.04),
        jpeg=int(rng.integers(60, 98)),
    )


FELTS: tuple[LinearColour, ...] = (
    (0.06, 0.2, 0.01), (0.2, 0.05, 0.01), (0.03, 0.02, 0.22), (0.12, 0.16, 0.01), (0.02, 0.1, 0.01),
    (0.1, 0.02, 0.08), (0.02, 0.02, 0.02), (0.35, 0.1, 0.02), (0.05, 0.12, 0.2), (0.2, 0.2, 0.2),
)  # fmt: skip
PRINTS: tuple[LinearColour, ...] = (
    (0.1, 0.5, 0.7), (0.75, 0.75, 0.75), (0.6, 0.5, 0.15), (0.05, 0.05, 0.5), (0.02, 0.02, 0.02),
)  # fmt: skip
SKINS: tuple[LinearColour, ...] = ((0.25, 0.36, 0.6), (0.1, 0.17, 0.33), (0.04, 0.07, 0.14), (0.3, 0.42, 0.7))


def felt_colour(rng: Rng) -> LinearColour:
    """Draw the cloth's colour: a usual one, or any."""
    return jitter(rng, pick(rng, FELTS), 0.35) if chance(rng, 0.75) else any_colour(rng)


@dataclass(frozen=True, slots=True)
class Glare:
    """Where a lamp's mirror image lies on the table, and how strong it is."""

    x: float
    y: float
    radius: float
    strength: float

    def at(self, x: float, y: float, tilt: float) -> float:
        """Return the light it throws back at a place; `tilt` is the luck of how the tile lies."""
        d = float(np.hypot(x - self.x, y - self.y)) / self.radius
        return self.strength * float(np.exp(-(d**2))) * tilt


def glares(rng: Rng, half_mm: float) -> tuple[Glare, ...]:
    """Draw the lamps' images over a table of the given half width."""
    if chance(rng, 0.5):
        return ()
    return tuple(
        Glare(
            rng.uniform(-half_mm, half_mm) * 1.3,
            rng.uniform(-half_mm, half_mm) * 1.3,
            rng.uniform(0.25, 0.9) * half_mm,
            float(np.exp(rng.normal(-1.6, 1.0))),
        )
        for _ in range(int(rng.integers(1, 4)))
    )


def veiled(rng: Rng, tile: TileObject, glares: Sequence[Glare]) -> TileObject:
    """Let each lamp's image veil a tile; a hair of tilt makes neighbours differ."""
    veil = sum(g.at(tile.x_mm, tile.y_mm, float(np.exp(rng.normal(0, 0.7)))) for g in glares)
    if chance(rng, 0.04):
        veil += rng.uniform(0.1, 1.2)
    if veil < 0.01:
        return tile
    along, across = np.clip(rng.uniform(-0.6, 1.0, 2), 0, 1).tolist()
    return replace(tile, veil=min(veil, 2.0), veil_fall=(along, across))


ABOVE_MM: Final = 0.2
"""Height of what leans on another tile down to the felt: drawn after it, and not floating."""


def upon(rng: Rng, below: TileObject, face: str, *, face_up: bool = True) -> TileObject:
    """Lay a tile half upon one on the felt, as in hands pushed together: nearly along it, or across it and aslant."""
    turned = bool(rng.integers(2))
    crossing = chance(rng, 0.25)
    along = rng.uniform(-0.35, 0.35) * TILE_LENGTH_MM
    z_mm, pitch = below.z_mm + TILE_HEIGHT_MM, 0.0
    if crossing:
        across = rng.uniform(-1.5, 1.5) * TILE_WIDTH_MM
        angle = below.angle + np.pi / 2 + rng.normal(0, 0.2)
        out = abs(across) - TILE_WIDTH_MM / 2
        if out > 0:  # It tips over the edge of the lower one, down to the felt.
            z_mm = below.z_mm + ABOVE_MM
            pitch = float(np.arctan2(TILE_HEIGHT_MM, out + TILE_LENGTH_MM / 2) * np.sign(across))
    else:
        across = float(rng.uniform(0.1, 0.55) * rng.choice([-1, 1])) * TILE_WIDTH_MM
        angle = below.angle + rng.normal(0, 0.15)
    x, y = offset(below.x_mm, below.y_mm, below.angle, along, across)
    lean = (0.0, -pitch if turned else pitch)
    return TileObject(face, face_up, x, y, angle + np.pi * turned, z_mm, lean)


def _coin(rng: Rng, low: float, high: float) -> tuple[float, float]:
    d = rng.uniform(low, high)
    return d, d


def _oblong(rng: Rng, length: tuple[float, float], width: tuple[float, float]) -> tuple[float, float]:
    return float(rng.uniform(*length)), float(rng.uniform(*width))


def prop(rng: Rng, kind: str, x: float, y: float) -> Prop:
    """Draw one thing that is not read."""
    size, height, colour = _PROPS[kind](rng)
    lifted = 20.0 if kind == "arm" else 0.0
    return Prop(kind, x, y, rng.uniform(0, 2 * np.pi), size, lifted, height, colour, seed_of(rng))


def _rod(rng: Rng) -> _Looks:
    length = float(rng.uniform(250, 700) if chance(rng, 0.3) else rng.uniform(110, 150))
    thick = rng.uniform(4, 9)
    return (length, thick), thick, jitter(rng, (0.02, 0.02, 0.02), 1.0)


_Looks = tuple[tuple[float, float], float, LinearColour]
_BLACK: LinearColour = (0.02, 0.02, 0.02)
_GREY: LinearColour = (0.25, 0.25, 0.25)
_WHITE: LinearColour = (0.75, 0.75, 0.75)


def _slab_colour(rng: Rng) -> LinearColour:
    """Draw the colour of a western domino: ivory, black or any."""
    colours: tuple[LinearColour, ...] = ((0.55, 0.7, 0.75), _WHITE, _WHITE, _BLACK, any_colour(rng))
    return jitter(rng, pick(rng, colours), 0.15)


_PROPS: dict[str, Callable[[Rng], _Looks]] = {
    "chips": lambda r: (_coin(r, 37, 44), 3.3 * int(r.integers(1, 13)), any_colour(r)),
    "marker": lambda r: (_coin(r, 38, 70), r.uniform(3, 10), _WHITE if chance(r, 0.5) else _BLACK),
    "dome": lambda r: (_coin(r, 70, 110), r.uniform(50, 100), jitter(r, _BLACK if chance(r, 0.5) else _GREY, 0.5)),
    "glass": lambda r: (_coin(r, 55, 80), r.uniform(70, 150), jitter(r, (0.1, 0.3, 0.5), 0.7)),
    "paper": lambda r: (_oblong(r, (60, 250), (50, 200)), r.uniform(0.2, 6), jitter(r, (0.7, 0.75, 0.78), 0.12)),
    "aruco": lambda _: ((80.0, 80.0), 0.4, _WHITE),
    "rod": _rod,
    "float": lambda r: (_oblong(r, (350, 600), (130, 190)), r.uniform(2, 20), jitter(r, (0.05, 0.09, 0.14), 0.9)),
    "clutter": lambda r: (_oblong(r, (80, 350), (60, 250)), r.uniform(5, 25), jitter(r, (0.2, 0.2, 0.2), 1.0)),
    "domino": lambda r: (_oblong(r, (40, 58), (20, 29)), r.uniform(5, 12), _slab_colour(r)),
    "mahjong": lambda r: (_oblong(r, (22, 32), (30, 42)), r.uniform(12, 22), jitter(r, (0.5, 0.68, 0.75), 0.12)),
    "card": lambda r: (_oblong(r, (55, 130), (60, 190)), r.uniform(0.2, 1.0), jitter(r, _WHITE, 0.15)),
    "arm": lambda r: ((200.0, 40.0), r.uniform(5, 60), jitter(r, pick(r, SKINS), 0.2)),
}
"""How each kind is drawn at random: size over the table, height, colour."""
