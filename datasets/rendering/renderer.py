"""Render a scene: its picture and labels.

A painter's renderer: everything is projected with the true camera, far and low things first, and each top face is a
lit texture laid on its projected corners.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from datasets.rendering.canvas import F32, Canvas
from datasets.rendering.dice import draw_die
from datasets.rendering.ground import draw_ground, overlay
from datasets.rendering.path_traced import trace
from datasets.rendering.picture_labels import label_objects
from datasets.rendering.projected import Points, at_height, circle, project
from datasets.rendering.props import lookalikes, objects
from datasets.rendering.props.arms import arm
from datasets.rendering.props.brush import Brush, rectangle
from datasets.rendering.sensor import expose
from datasets.rendering.tiles import TextureCache, body_points, draw_tile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from datasets.labels.labels import Label
    from datasets.scenes.scene import CameraModel, Lamp, Prop, Scene


def scaled(camera: CameraModel, factor: float) -> CameraModel:
    """Return the same camera with `factor` times as many pixels across."""
    k = camera.k.copy()
    k[:2] *= factor
    k[:2, 2] += 0.5 * factor - 0.5
    return replace(camera, k=k, size=(round(camera.size[0] * factor), round(camera.size[1] * factor)))


@dataclass(frozen=True, slots=True)
class DrawnScene:
    """A finished picture, (h, w, 3) blue-green-red, with its labels: tiles, then dice, then the rest."""

    image: NDArray[np.uint8]
    objects: tuple[Label, ...]


def render(
    scene: Scene,
    rng: np.random.Generator,
    *,
    supersample: float = 1.5,
    traced: bool = False,
    ground: F32 | None = None,
) -> DrawnScene:
    """Draw a scene, with grain and noise from `rng`, at `supersample` times the size along each axis.

    If `traced`, the dice are not painted but path-traced (`datasets.rendering.path_traced`); there are no tiles then.
    `ground` is that of `ground_of` for the same camera, ground, lamps and `supersample`; drawn by default.
    """
    supersample = 1.0 if traced else supersample
    camera = scaled(scene.camera, supersample)
    canvas = _painted(scene, camera, ground)
    if traced:
        ground = _painted(replace(scene, dice=()), camera).light
        canvas.light = trace(scene, ground, np.random.default_rng((scene.seed, 2)))
    image = expose(canvas.light, scene.capture, rng, scene.camera.size)
    return DrawnScene(image, label_objects(scene, canvas.owner, image, camera))


def ground_of(scene: Scene, *, supersample: float = 1.5) -> F32:
    """Return the linear light of a scene's ground, for several pictures of things on it."""
    camera = scaled(scene.camera, supersample)
    canvas = Canvas(camera.size)
    draw_ground(canvas, camera, scene, px_per_mm(camera, scene))
    return canvas.light


def _painted(scene: Scene, camera: CameraModel, ground: F32 | None = None) -> Canvas:
    """Paint a scene as a camera of another size sees it."""
    canvas = Canvas(camera.size)
    scale = px_per_mm(camera, scene)
    if ground is None:
        draw_ground(canvas, camera, scene, scale)
    else:
        canvas.light[:] = ground
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

    `scale` is in pixels a millimetre; `owners` are the marks on the canvas of each ``prop``, ``tile`` and ``die``.
    """
    _shadows(canvas, camera, scene, scale)
    for _, kind, index in _drawing_order(scene):
        owner = owners[kind][index]
        if kind == "prop":
            prop = scene.props[index]
            _ART[prop.kind](Brush(canvas, camera, prop, scene.brightness, scale, owner))
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


def _shadows(canvas: Canvas, camera: CameraModel, scene: Scene, scale: float) -> None:
    solids: list[tuple[Points, float]] = []
    for tile in scene.tiles:
        points = body_points(tile, scene.tile_set.corner_mm)
        solids.append((points[:, :2], float(points[:, 2].max())))
    for die in scene.dice:
        half = die.style.side_mm / 2
        corners = np.array([[x, y, 0] for x in (-half, half) for y in (-half, half)]) @ die.r.T
        solids.append((corners[:, :2] + [die.x_mm, die.y_mm], die.style.side_mm))
    for prop in scene.props:
        outline = _footprint(prop)
        if outline is not None:
            solids.append((outline, prop.z_mm + prop.height_mm))
    contact = np.zeros(canvas.light.shape[:2], np.uint8)
    for outline, _ in solids:
        flat = project(camera, at_height(outline, 0))
        canvas.stencil(contact, flat)
    canvas.darken(contact, 0.55, max(0.6, 2.0 * scale))
    for lamp in scene.lamps:
        mask = np.zeros_like(contact)
        for outline, height in solids:
            shift = -lamp.direction[:2] / max(lamp.direction[2], 0.2) * height
            swept = np.concatenate([outline, outline + shift])
            canvas.stencil(mask, project(camera, at_height(swept, 0)))
        share = float(np.mean(lamp.colour)) / (scene.ambient + sum(float(np.mean(la.colour)) for la in scene.lamps))
        canvas.darken(mask, 0.9 * share, max(0.6, _penumbra_mm(scene, lamp) * scale))


def _penumbra_mm(scene: Scene, lamp: Lamp) -> float:
    """Return how soft the edges of a lamp's shadows are: close to a table anything from a bare bulb to a window."""
    if scene.kind != "closeup":
        return 1.5
    low, high = np.log(0.15), np.log(4.0)
    return float(np.exp(np.random.default_rng((scene.seed, round(abs(lamp.direction[0]) * 1e9))).uniform(low, high)))


def _footprint(prop: Prop) -> Points | None:
    """(n, 2) outline that throws a shadow on the felt, mm; None for print and arms."""
    if prop.kind in objects.FLAT or prop.kind == "arm":
        return None
    if prop.kind in objects.ROUND:
        outline: Points = circle(prop.size_mm[0] / 2) + np.array([prop.x_mm, prop.y_mm])
        return outline
    return rectangle(prop)


_ART: Final[dict[str, Callable[[Brush], None]]] = {
    "line": objects.line, "box": objects.box, "ring": objects.ring, "emblem": objects.emblem, "text": objects.text,
    "chips": objects.chips, "marker": objects.marker, "dish": objects.dish, "dome": objects.dome,
    "glass": objects.glass, "paper": objects.paper, "aruco": objects.aruco, "rod": objects.rod,
    "float": objects.rack, "clutter": objects.clutter, "arm": arm,
    "domino": lookalikes.domino, "mahjong": lookalikes.mahjong, "card": lookalikes.card,
}  # fmt: skip
