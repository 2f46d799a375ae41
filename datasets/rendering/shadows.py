"""Shadows on the ground, beneath and beside everything that stands on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from datasets.rendering.projected import at_height, project
from datasets.rendering.props.art import footprint
from datasets.rendering.tiles import body_points

if TYPE_CHECKING:
    from datasets.rendering.canvas import Canvas
    from datasets.rendering.projected import Points
    from datasets.scenes.scene import CameraModel, Scene


def shadows(canvas: Canvas, camera: CameraModel, scene: Scene, scale: float) -> None:
    """Darken the ground beneath and beside everything that stands on it."""
    solids: list[tuple[Points, float]] = []
    for tile in scene.tiles:
        points = body_points(tile, scene.tile_set.corner_mm)
        solids.append((points[:, :2], float(points[:, 2].max())))
    for die in scene.dice:
        half = die.style.side_mm / 2
        corners = np.array([[x, y, 0] for x in (-half, half) for y in (-half, half)]) @ die.r.T
        solids.append((corners[:, :2] + [die.x_mm, die.y_mm], die.style.side_mm))
    for prop in scene.props:
        outline = footprint(prop)
        if outline is not None:
            solids.append((outline, prop.z_mm + prop.height_mm))
    contact = np.zeros(canvas.light.shape[:2], np.uint8)
    for outline, _ in solids:
        flat = project(camera, at_height(outline, 0))
        canvas.stencil(contact, flat)
    blur = max(0.6, 2.0 * scale)
    canvas.darken(cv2.GaussianBlur(contact, (0, 0), blur), 0.55)
    for lamp in scene.lamps:
        mask = np.zeros_like(contact)
        for outline, height in solids:
            shift = -lamp.direction[:2] / max(lamp.direction[2], 0.2) * height
            swept = np.concatenate([outline, outline + shift])
            canvas.stencil(mask, project(camera, at_height(swept, 0)))
        share = float(np.mean(lamp.colour)) / (scene.ambient + sum(float(np.mean(la.colour)) for la in scene.lamps))
        canvas.darken(cv2.GaussianBlur(mask, (0, 0), max(0.6, 1.5 * scale)), 0.9 * share)
