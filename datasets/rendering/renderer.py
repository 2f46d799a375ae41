"""Render a scene: its picture and labels.

A painter's renderer: everything is projected with the true camera, far and low things first, and each top face is a
lit texture laid on its projected corners. It is an approximation of light, made to be fast and varied, not exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from datasets.rendering.canvas import Canvas
from datasets.rendering.dice import draw_die
from datasets.rendering.ground import draw_ground, overlay
from datasets.rendering.path_traced import trace
from datasets.rendering.picture_labels import label_objects
from datasets.rendering.projected import project
from datasets.rendering.props import art
from datasets.rendering.sensor import expose
from datasets.rendering.shadows import shadows
from datasets.rendering.tiles import TextureCache, draw_tile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from datasets.labels.labels import Label
    from datasets.scenes.scene import CameraModel, Scene


def scaled(camera: CameraModel, factor: float) -> CameraModel:
    """Return the same camera with `factor` times as many pixels across."""
    k = camera.k.copy()
    k[:2] *= factor
    k[:2, 2] += 0.5 * factor - 0.5
    return replace(camera, k=k, size=(round(camera.size[0] * factor), round(camera.size[1] * factor)))


@dataclass(frozen=True, slots=True)
class Drawn:
    """A finished picture with its labels."""

    image: NDArray[np.uint8]
    """(h, w, 3) blue-green-red."""
    objects: tuple[Label, ...]
    """What lies in it: tiles, then dice, then the rest."""


def render(scene: Scene, rng: np.random.Generator, *, supersample: float = 1.5, traced: bool = False) -> Drawn:
    """Draw a scene.

    Args:
        scene: what lies on the table, and how it is seen.
        rng: for grain and noise only; what lies where is the scene's.
        supersample: pixels drawn per pixel of the result, along each axis.
        traced: whether the dice are path-traced and not painted, see `datasets.rendering.path_traced`; there are no
        tiles then.
    """
    supersample = 1.0 if traced else supersample
    camera = scaled(scene.camera, supersample)
    canvas = _painted(scene, camera)
    if traced:
        ground = _painted(replace(scene, dice=()), camera).light
        canvas.light = trace(scene, ground, np.random.default_rng((scene.seed, 2)))
    image = expose(canvas.light, scene.capture, rng, scene.camera.size)
    return Drawn(image, label_objects(scene, canvas.owner, image, camera))


def _painted(scene: Scene, camera: CameraModel) -> Canvas:
    """Paint a scene as a camera of another size sees it."""
    canvas = Canvas(camera.size)
    scale = px_per_mm(camera, scene)
    draw_ground(canvas, camera, scene, scale)
    first_die, end = len(scene.tiles), len(scene.tiles) + len(scene.dice)
    owners = {"prop": range(-2, -2 - len(scene.props), -1), "tile": range(first_die), "die": range(first_die, end)}
    draw_objects(canvas, camera, scene, scale, textures(scene, scale), owners)
    overlay(canvas, scene)
    return canvas


def textures(scene: Scene, scale: float) -> TextureCache:
    """Tile textures, fine enough for a scale in pixels a millimetre."""
    return TextureCache(scene, float(np.clip(scale * 1.1, 0.6, 8)))


def draw_objects(
    canvas: Canvas,
    camera: CameraModel,
    scene: Scene,
    scale: float,
    faces: TextureCache,
    owners: Mapping[str, Sequence[int]],
) -> None:
    """Paint shadows, then props, tiles and dice from the lowest and farthest on.

    Args:
        canvas: to paint on.
        camera: at the canvas's size.
        scene: what lies there.
        scale: pixels a millimetre.
        faces: textures of the tiles.
        owners: mark on the canvas of each ``prop``, ``tile`` and ``die``.
    """
    shadows(canvas, camera, scene, scale)
    for _, kind, index in _drawing_order(scene):
        owner = owners[kind][index]
        if kind == "prop":
            art.draw(canvas, camera, scene, scene.props[index], scale, owner)
        elif kind == "tile":
            draw_tile(canvas, camera, scene, scene.tiles[index], owner, faces)
        else:
            draw_die(canvas, camera, scene, scene.dice[index], owner, scale)


def px_per_mm(camera: CameraModel, scene: Scene) -> float:
    """Return the scale at the middle of the tiles and dice (or of the table when there are none)."""
    places = [(t.x_mm, t.y_mm) for t in scene.tiles] + [(d.x_mm, d.y_mm) for d in scene.dice] or [(0.0, 0.0)]
    x, y = np.mean(places, axis=0)
    ends = project(camera, np.array([[x - 10, y, 0], [x + 10, y, 0], [x, y - 10, 0], [x, y + 10, 0]]))
    return float(max(np.linalg.norm(ends[1] - ends[0]), np.linalg.norm(ends[3] - ends[2])) / 20)


def _drawing_order(scene: Scene) -> list[tuple[tuple[float, float], str, int]]:
    """Sort by height of the underside, then from far to near the lens's foot point."""
    foot = scene.camera.position_mm

    def key(x: float, y: float, z: float) -> tuple[float, float]:
        return (round(z, 1), -float(np.hypot(x - foot[0], y - foot[1])))

    out = [(key(p.x_mm, p.y_mm, p.z_mm), "prop", i) for i, p in enumerate(scene.props)]
    out += [(key(t.x_mm, t.y_mm, t.z_mm), "tile", i) for i, t in enumerate(scene.tiles)]
    out += [(key(d.x_mm, d.y_mm, d.z_mm - d.style.side_mm / 2), "die", i) for i, d in enumerate(scene.dice)]
    return sorted(out)
