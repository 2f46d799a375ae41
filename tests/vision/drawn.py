"""Tiles and dice drawn plainly, as upright crops, for tests that need to know exactly what they show."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.die_pips import DiePipReading, read_dice
from vision.tiles.faces import Pip
from vision.tiles.pips import PipReading, read_tiles

BLACK = {"felt": (60, 110, 20), "body": (20, 18, 16), "plain": (225, 228, 222), "red": (35, 30, 150)}
DARK_RED = {"felt": (60, 110, 20), "body": (36, 34, 34), "plain": (192, 195, 190), "red": (28, 26, 78)}
DARKEST_RED = {"felt": (60, 110, 20), "body": (36, 34, 34), "plain": (192, 195, 190), "red": (34, 32, 56)}
GREYED = {"felt": (60, 110, 20), "body": (128, 126, 124), "plain": (245, 245, 240), "red": (62, 58, 140)}
IVORY = {"felt": (60, 110, 20), "body": (205, 232, 240), "plain": (30, 28, 26), "red": (40, 35, 190)}


def tile(
    pips: Sequence[Pip],
    colours: dict[str, tuple[int, int, int]] = BLACK,
    *,
    turned: bool = False,
    missing: Sequence[int] = (),
    rng: np.random.Generator | None = None,
) -> NDArray[np.uint8]:
    """A crop (96, 48, 3) BGR of a tile, slightly blurred and noisy if ``rng`` is given; some pips may be omitted."""
    fine = 8
    crop = np.empty((96 * fine, 48 * fine, 3), np.uint8)
    crop[:] = colours["felt"]
    cv2.rectangle(crop, (8 * fine, 8 * fine), (40 * fine - 1, 88 * fine - 1), colours["body"], -1)
    for index, pip in enumerate(pips):
        if index in missing:
            continue
        u, v = (1 - pip.u, 1 - pip.v) if turned else (pip.u, pip.v)
        centre = (round((8 + 32 * v) * fine), round((8 + 80 * u) * fine))
        colour = colours["red" if pip.red else "plain"]
        cv2.circle(crop, centre, round(pip.diameter * 16 * fine), colour, -1, cv2.LINE_AA)
    return _photographed(crop, (48, 96), rng)


def die(
    value: int,
    body: tuple[int, int, int],
    pip: tuple[int, int, int],
    *,
    turn_deg: float = 0.0,
    rng: np.random.Generator | None = None,
    rows_apart: float = 1.0,
) -> NDArray[np.uint8]:
    """A crop (80, 80, 3) BGR of a die's upper face, turned by an angle; the rows of a six may lie closer together."""
    patterns: dict[int, list[tuple[float, float]]] = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
        5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
        6: [(x * rows_apart, y) for x in (-1, 1) for y in (-1, 0, 1)],
    }
    fine, angle = 8, np.deg2rad(turn_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    crop = np.empty((80 * fine, 80 * fine, 3), np.uint8)
    crop[:] = (90, 120, 60)
    corners = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]]) @ turn.T + 40
    cv2.fillConvexPoly(crop, np.rint(corners * fine).astype(np.int32), body)
    for place in patterns[value]:
        x, y = turn @ np.array(place) * 10 + 40
        cv2.circle(crop, (round(x * fine), round(y * fine)), round(4 * fine), pip, -1, cv2.LINE_AA)
    return _photographed(crop, (80, 80), rng)


def _photographed(fine: NDArray[np.uint8], size: tuple[int, int], rng: np.random.Generator | None) -> NDArray[np.uint8]:
    """A drawing brought to its size, slightly blurred, and noisy if ``rng`` is given."""
    small = cv2.GaussianBlur(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), (0, 0), 0.8).astype(np.float64)
    if rng is not None:
        small += rng.normal(0, 4, small.shape)
    return np.clip(small, 0, 255).astype(np.uint8)


def read_tile(crop: NDArray[np.uint8]) -> PipReading:
    return read_tiles(crop[None])[0]


def read_die(crop: NDArray[np.uint8]) -> DiePipReading:
    return read_dice(crop[None])[0]
