"""A throw-away bank of coloured rectangles with spots, enough to prove that the training loops learn."""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.labels.label_files import write_labels
from datasets.labels.labels import DieLabel, PictureLabels, TileLabel
from engine.game.tiles import Tile

SIDE_PX = 384


def write_simple_bank(folder: Path, count: int, seed: int) -> None:
    """Writes windows of dark tiles (spots by face), grey backs and red dice on plain felts."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(count):
        picture, labels = simple_window(rng, f"w{index:05d}.jpg")
        cv2.imwrite(str(folder / labels.image), picture)
        write_labels(folder / f"w{index:05d}.json", labels)


def simple_window(rng: np.random.Generator, name: str) -> tuple[NDArray[np.uint8], PictureLabels]:
    picture = np.full((SIDE_PX, SIDE_PX, 3), rng.integers(30, 160, 3), np.uint8)
    objects: list[TileLabel | DieLabel] = []
    places = [(x, y) for x in (70, 190, 310) for y in (70, 190, 310)]
    for place in rng.permutation(places)[:7]:
        centre, angle = place + rng.uniform(-6, 6, 2), rng.uniform(0, 2 * np.pi)
        if rng.random() < 0.3:
            side = float(rng.uniform(16, 40))
            value, cocked = int(rng.integers(1, 7)), bool(rng.random() < 0.2)
            quad = _quad(centre, angle, side, side)
            cv2.fillConvexPoly(picture, quad.round().astype(np.int32), (30, 160, 220) if cocked else (30, 30, 190))
            _spots(picture, quad, _die_spots(value), side / 10)
            (left, top), (right, bottom) = quad.min(0), quad.max(0)
            box = (float(left), float(top), float(right), float(bottom))
            objects.append(DieLabel(value=value, cocked=cocked, role="box", polygon=_points(quad), body=box))
            continue
        long_px = float(rng.uniform(40, 98))
        quad = _quad(centre, angle, long_px, long_px * 0.4)
        up = bool(rng.random() < 0.75)
        cv2.fillConvexPoly(picture, quad.round().astype(np.int32), (15, 15, 15) if up else (150, 150, 120))
        face = list(Tile)[rng.integers(21)] if up else None
        if face is not None:
            _spots(picture, quad, _tile_spots(face), long_px / 22)
        objects.append(TileLabel(face=face, face_up=up, polygon=_points(quad), pip_contrast_min=90.0 if up else None))
    return picture, PictureLabels(image=name, size=(SIDE_PX, SIDE_PX), kind="closeup", objects=tuple(objects))


def _quad(centre: NDArray[np.float64], angle: float, long_px: float, short_px: float) -> NDArray[np.float64]:
    along = np.array([np.cos(angle), np.sin(angle)]) * long_px / 2
    across = np.array([-np.sin(angle), np.cos(angle)]) * short_px / 2
    return np.array(centre + np.stack([-along + across, -along - across, along - across, along + across]))


def _points(quad: NDArray[np.float64]) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in quad)


def _tile_spots(face: Tile) -> list[tuple[float, float]]:
    first, second = face.halves
    return [(0.07 + 0.075 * i, 0.3) for i in range(first)] + [(0.93 - 0.075 * i, 0.7) for i in range(second)]


def _die_spots(value: int) -> list[tuple[float, float]]:
    pairs = [(0.25, 0.25), (0.75, 0.75), (0.25, 0.75), (0.75, 0.25), (0.25, 0.5), (0.75, 0.5)]
    return pairs[: value // 2 * 2] + ([(0.5, 0.5)] if value % 2 else [])


def _spots(
    picture: NDArray[np.uint8], quad: NDArray[np.float64], spots: list[tuple[float, float]], radius: float
) -> None:
    along = (quad[2] + quad[3] - quad[0] - quad[1]) / 2
    across = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
    for u, v in spots:
        x, y = quad[0] + u * along + v * across
        cv2.circle(picture, (round(x * 16), round(y * 16)), round(radius * 16), (230, 230, 230), -1, cv2.LINE_AA, 4)
