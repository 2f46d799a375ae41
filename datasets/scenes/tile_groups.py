"""Groups of tiles for training windows: hands, rows, stacks, piles, single tiles and ones half upon others.

Every group takes faces from a deck, so that no face lies there more often than the set holds it.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from datasets.scenes.sampling import SET_FACES, Rng, chance, half_turn, offset, upon
from datasets.scenes.scene import TILE_HEIGHT_MM, TILE_LENGTH_MM, TILE_WIDTH_MM, TileObject

_CLEAR_MM = 62.0
"""Distance of middles at which two tiles of one height cannot meet but at a corner."""


def tiles_over(rng: Rng, half: float) -> list[TileObject]:
    """Lay groups over a window of the given half width, mm; overlapping groups are omitted."""
    deck = [SET_FACES[i] for i in rng.permutation(len(SET_FACES))]
    out: list[TileObject] = []
    groups = (_hand, _row, _stack, _pile, _single, _slipped)
    for _ in range(int(rng.integers(2, 9))):
        x, y = (rng.uniform(-half, half, 2) * 0.95).tolist()
        base = rng.uniform(0, 2 * np.pi)
        more = groups[int(rng.choice(6, p=[0.31, 0.16, 0.17, 0.08, 0.13, 0.15]))](rng, deck, x, y, base)
        if not any(_collide(new, old) for new, old in product(more, out)):
            out += more
    return out


def _collide(one: TileObject, other: TileObject) -> bool:
    level = abs(one.z_mm - other.z_mm) < TILE_HEIGHT_MM
    return level and np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm) < _CLEAR_MM


def _pair(
    rng: Rng, deck: list[str], at: tuple[float, float], angle: float, gap: float, *, face_up: bool
) -> list[TileObject]:
    """Lay two tiles side by side, long sides together."""
    out = []
    for side in (-0.5, 0.5)[: len(deck)]:
        turn = angle + rng.normal(0, 0.02) + half_turn(rng)
        x, y = offset(*at, angle, 0.0, side * (TILE_WIDTH_MM + gap))
        out.append(TileObject(deck.pop(), face_up, x + rng.normal(0, 0.5), y + rng.normal(0, 0.5), turn))
    return out


def _hand(rng: Rng, deck: list[str], x: float, y: float, base: float) -> list[TileObject]:
    """Lay a set hand: one pair across, one along, as a dealer does, more or less neatly; some lie face down yet."""
    face_up = not chance(rng, 0.25)
    mess = float(rng.choice([0.02, 0.06, 0.15], p=[0.5, 0.35, 0.15]))
    reach = rng.uniform(48, 75)
    out: list[TileObject] = []
    for side, turn in ((-reach / 2, np.pi / 2), (reach / 2, 0.0)):
        angle = base + turn + rng.normal(0, mess)
        gap = rng.exponential(1.2)
        out += _pair(rng, deck, offset(x, y, base, side, 0.0), angle, gap, face_up=face_up)
    return out


def _row(rng: Rng, deck: list[str], x: float, y: float, base: float) -> list[TileObject]:
    """Lay a display: one to three rows of tiles side by side."""
    gap = rng.exponential(1.0)
    out = []
    rows, columns = int(rng.integers(1, 4)), int(rng.integers(3, 10))
    for r, c in list(product(range(rows), range(columns)))[: len(deck)]:
        u = (c - columns / 2) * (TILE_WIDTH_MM + gap) + rng.normal(0, 0.4)
        v = (r - rows / 2) * (TILE_LENGTH_MM + gap + 2) + rng.normal(0, 0.8)
        turn = base + np.pi / 2 + rng.normal(0, 0.015) + half_turn(rng)
        out.append(TileObject(deck.pop(), chance(rng, 0.93), *offset(x, y, base, u, v), turn))
    return out


def _stack(rng: Rng, deck: list[str], x: float, y: float, base: float) -> list[TileObject]:
    """Build a wall of face-down tiles, one to four high, the odd one face up on top."""
    out = []
    columns = int(rng.integers(1, 6))
    high = int(rng.integers(1, 5))
    along = chance(rng, 0.3)
    turn = 0.0 if along else np.pi / 2
    for c in range(columns):
        step = (c - columns / 2) * ((TILE_LENGTH_MM if along else TILE_WIDTH_MM) + rng.exponential(0.5))
        column_x, column_y = offset(x, y, base, step, 0.0)
        for level in range(high if chance(rng, 0.8) else max(1, high - 1))[: len(deck)]:
            wobble_x, wobble_y = rng.normal(0, 0.7, 2)
            face, face_up, angle = deck.pop(), chance(rng, 0.08), base + turn + rng.normal(0, 0.015)
            tile_x, tile_y = column_x + wobble_x, column_y + wobble_y
            out.append(TileObject(face, face_up, tile_x, tile_y, angle, level * TILE_HEIGHT_MM))
    return out


def _pile(rng: Rng, deck: list[str], x: float, y: float, base: float) -> list[TileObject]:
    """Drop tiles at random: some apart, some over others, some leaning."""
    del base
    out: list[TileObject] = []
    for _ in range(int(rng.integers(1, 9)))[: len(deck)]:
        px, py = x + rng.uniform(-70, 70), y + rng.uniform(-70, 70)
        below = [t for t in out if np.hypot(t.x_mm - px, t.y_mm - py) < 45]
        z = max((t.z_mm for t in below), default=-TILE_HEIGHT_MM) + TILE_HEIGHT_MM
        lean = (0.0, 0.0)
        if below and chance(rng, 0.5):
            lean = (rng.normal(0, 0.12), rng.normal(0, 0.08))
        face, face_up = deck.pop(), chance(rng, 0.75)
        out.append(TileObject(face, face_up, px, py, rng.uniform(0, 2 * np.pi), z_mm=z, lean=lean))
    return out


def _single(rng: Rng, deck: list[str], x: float, y: float, base: float) -> list[TileObject]:
    return [TileObject(deck.pop(), chance(rng, 0.85), x, y, base)] if deck else []


def _slipped(rng: Rng, deck: list[str], x: float, y: float, base: float) -> list[TileObject]:
    """Push a hand together: one or two tiles side by side or apart, each with another half upon it."""
    out: list[TileObject] = []
    count = int(rng.integers(1, 3))
    apart = rng.uniform(30, 60)
    for n in range(count):
        if not deck:
            break
        face, face_up = deck.pop(), chance(rng, 0.85)
        angle = base + np.pi / 2 + rng.normal(0, 0.25) + half_turn(rng)
        below = TileObject(face, face_up, *offset(x, y, base, (n - (count - 1) / 2) * apart, 0.0), angle)
        out.append(below)
        if deck and chance(rng, 0.85):
            out.append(upon(rng, below, deck.pop(), face_up=chance(rng, 0.85)))
    return out
