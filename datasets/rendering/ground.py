"""The background: felt or another surface, the rail and the floor around it, shadows of people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from calibration.table.sizes import TABLE_MM
from datasets.real_pictures import piece
from datasets.rendering.projected import at_height, project, rounded_outline
from datasets.rendering.textures import F32, carpet, felt_grain, keyboard, smooth_noise, wood

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from datasets.rendering.canvas import Canvas
    from datasets.scenes.scene import CameraModel, Scene


GAMMA = 2.2
"""Of a picture as stored, over the light it shows."""


def draw_ground(canvas: Canvas, camera: CameraModel, scene: Scene, scale: float) -> None:
    """Paint the felt (or wood, paper, desk, carpet ...) under everything, with its print and the light's fall."""
    h, w = canvas.owner.shape
    rng = np.random.default_rng(scene.ground_seed)
    colour = np.array(scene.ground_colour, np.float32)
    light = scene.ambient + sum(float(lamp.direction[2]) * np.array(lamp.colour) for lamp in scene.lamps)
    makers: dict[str, Callable[[], F32]] = {
        "wood": lambda: wood(rng, h, w, scene.ground_colour),
        "carpet": lambda: carpet(rng, h, w, scene.ground_colour),
        "desk": lambda: keyboard(rng, h, w),
        "plain": lambda: np.ones((h, w, 1), np.float32) * colour,
        "picture": lambda: _linear_piece(scene, (w, h), rng),
    }
    # Channel by channel: numpy is slow where the last axis is short.
    if scene.ground in makers:
        channels = [np.asarray(channel, np.float32) for channel in cv2.split(makers[scene.ground]())]
    else:
        grain = felt_grain(h, w, scene.ground_seed)
        channels = [grain * part for part in colour]
    shades = [1 + 0.05 * smooth_noise(rng, (h, w), max(8.0, max(h, w) / 5))]
    if scene.light_slope != (0.0, 0.0):
        shades.append(_light_fall(camera, scene, (h, w)))
    for channel, part in zip(channels, np.asarray(light, np.float32), strict=True):
        for factor in (shades[0], part, *shades[1:]):
            np.multiply(channel, factor, out=channel)
    if scene.layout is not None:
        _rail(canvas, channels, camera, scene, scale)
    canvas.light[:] = cv2.merge(channels)


def _linear_piece(scene: Scene, size: tuple[int, int], rng: np.random.Generator) -> F32:
    """Return a piece of the scene's real picture as linear light."""
    if scene.ground_picture is None:
        raise ValueError("a ground of kind picture needs a picture")
    return np.asarray((piece(scene.ground_picture, size, rng).astype(np.float32) / 255) ** GAMMA, np.float32)


def _light_fall(camera: CameraModel, scene: Scene, shape: tuple[int, int]) -> F32:
    """Return (h, w) brightness of the lamps' cones over the table."""
    h, w = shape
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float64)
    matrix = camera.k @ np.column_stack([camera.r[:, 0], camera.r[:, 1], camera.t])
    back = np.linalg.inv(matrix) @ np.column_stack([corners, np.ones(4)]).T
    mm = (back[:2] / back[2]).T
    values = np.clip(1 + mm @ np.array(scene.light_slope) / 1000, 0.25, 2.5).astype(np.float32)
    small = np.array([[values[0], values[1]], [values[3], values[2]]], np.float32)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def _rail(canvas: Canvas, channels: Sequence[F32], camera: CameraModel, scene: Scene, scale: float) -> None:
    """Paint the padded rail and the carpet outside it, on each channel of the sheet's light."""
    h, w = canvas.owner.shape
    rng = np.random.default_rng((scene.ground_seed, 7))
    x, y = TABLE_MM
    mask = np.zeros((h, w), np.uint8)
    outer = np.zeros((h, w), np.uint8)
    inner_mm = rounded_outline(x, y, 110, 12)
    outer_mm = rounded_outline(x + 190, y + 190, 190, 12)
    canvas.stencil(mask, project(camera, at_height(inner_mm, 0)))
    canvas.stencil(outer, project(camera, at_height(outer_mm, 20)))
    floor = carpet(rng, h, w, (rng.uniform(0, 0.2),) * 3)
    soft = cv2.GaussianBlur(outer, (0, 0), 12 * scale)
    leather = np.array(rng.uniform(0.005, 0.12, 3), np.float32)
    beyond = mask < 255  # of the felt nothing changes
    a, b = (part[beyond].astype(np.float32) / 255 for part in (outer, mask))
    ridge = 0.12 * np.exp(-(((soft[beyond].astype(np.float32) / 255) - 0.75) ** 2) / 0.02)
    for channel, dark, ground in zip(channels, leather, cv2.split(floor), strict=True):
        channel[beyond] = channel[beyond] * b + ((dark + ridge) * a + ground[beyond] * (1 - a)) * (1 - b)


def overlay(canvas: Canvas, scene: Scene) -> None:
    """Paint the top layer: soft shadows of people leaning in."""
    rng = np.random.default_rng((scene.seed, 11))
    if rng.random() < 0.75:
        return
    h, w = canvas.owner.shape
    mask = np.zeros((h // 8 + 1, w // 8 + 1), np.uint8)
    cv2.ellipse(
        mask,
        (int(rng.integers(mask.shape[1])), int(rng.integers(mask.shape[0]))),
        (int(rng.integers(5, mask.shape[1])), int(rng.integers(5, mask.shape[0]))),
        rng.uniform(0, 180), 0, 360, 255, -1,
    )  # fmt: skip
    soft = cv2.resize(cv2.GaussianBlur(mask, (0, 0), rng.uniform(1, 6)), (w, h))
    canvas.darken(soft, rng.uniform(0.15, 0.6))
