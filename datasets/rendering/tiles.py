"""Draw tiles: their sides and lit faces, and the shade beneath them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from datasets.rendering.projected import Points, at_height, project, rounded_outline
from datasets.rendering.textures import F32, tile_face
from datasets.scenes.scene import TILE_HEIGHT_MM, TILE_LENGTH_MM, TILE_WIDTH_MM, CameraModel, Lamp, Scene, TileObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.rendering.canvas import Canvas

SIDE_LIGHT = 0.6
"""Light on an upright side, relative to a face that looks up."""


def tile_frame(tile: TileObject) -> tuple[Points, Points]:
    """Return (3, 3) axes of a tile as columns and (3,) the centre of its body, table frame.

    Local x runs along the length to the larger half, local y across, local z up.
    """
    c, s = np.cos(tile.angle), np.sin(tile.angle)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    roll, pitch = tile.lean
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    lean = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]) @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    axes = turn @ lean
    half = np.array([TILE_LENGTH_MM, TILE_WIDTH_MM, TILE_HEIGHT_MM]) / 2
    lowest = -np.abs(axes[2]) @ half
    return axes, np.array([tile.x_mm, tile.y_mm, tile.z_mm - lowest])


def local_lamps(lamps: Sequence[Lamp], angle: float) -> tuple[Lamp, ...]:
    """Turn lamp directions into the axes of a texture whose columns run at `angle` and rows to its right."""
    c, s = np.cos(angle), np.sin(angle)
    turned = ((lamp.direction, lamp.colour) for lamp in lamps)
    return tuple(Lamp(np.array([c * x + s * y, s * x - c * y, z]), colour) for (x, y, z), colour in turned)


class TextureCache:
    """Tile textures of one set under one light, kept by face and by eighth of a turn.

    The fan of light in the pips depends on how the tile lies to the lamps; eight directions are enough to learn from.
    """

    def __init__(self, scene: Scene, px_per_mm: float) -> None:
        self._scene = scene
        self._scale = px_per_mm
        self._made: dict[tuple[str | None, int], tuple[F32, F32]] = {}

    def get(self, face: str | None, angle: float) -> tuple[F32, F32]:
        """Return (light, (coverage, gloss)) of a face lying at `angle`."""
        eighth = round(angle / (np.pi / 4)) % 8
        key = (face, eighth)
        if key not in self._made:
            lamps = local_lamps(self._scene.lamps, eighth * np.pi / 4)
            self._made[key] = tile_face(face, self._scene.tile_set, lamps, self._scene.ambient, self._scale)
        return self._made[key]


def body_points(tile: TileObject, corner_mm: float, low: float = 0.0) -> Points:
    """Return (32, 3) outline points of the tile's body above `low`, a share of its thickness."""
    axes, centre = tile_frame(tile)
    flat = rounded_outline(TILE_LENGTH_MM, TILE_WIDTH_MM, corner_mm)
    levels = (np.array([low, 1.0]) - 0.5) * TILE_HEIGHT_MM
    local = np.concatenate([at_height(flat, z) for z in levels])
    return np.asarray(local @ axes.T + centre)


def tile_top(tile: TileObject) -> Points:
    """Return (4, 3) corners of the upper face; 0-1 is the end of the larger half, clockwise seen from above."""
    axes, centre = tile_frame(tile)
    x, y, z = TILE_LENGTH_MM / 2, TILE_WIDTH_MM / 2, TILE_HEIGHT_MM / 2
    return np.asarray(np.array([[x, y, z], [x, -y, z], [-x, -y, z], [-x, y, z]]) @ axes.T + centre)


CONTACT_MM = (4.0, 2.4, 1.0)
"""Widths of the contact shadow around a tile that lies on others, laid over each other."""


def draw_tile(
    canvas: Canvas, camera: CameraModel, scene: Scene, tile: TileObject, owner: int, textures: TextureCache
) -> None:
    """Paint one tile: its sides, then the lit texture of its upper face."""
    style = scene.tile_set
    light = scene.ambient + SIDE_LIGHT * 0.5
    if tile.z_mm > 0:
        _shade_beneath(canvas, camera, scene, tile)
    below, above = (style.back, style.body) if tile.face_up else (style.body, style.back)
    canvas.fill(project(camera, body_points(tile, style.corner_mm)), np.array(below) * light, owner)
    canvas.fill(project(camera, body_points(tile, style.corner_mm, 0.45)), np.array(above) * light, owner)
    texture, mask = textures.get(tile.face if tile.face_up else None, tile.angle)
    # texture columns run from the larger half (left) to the smaller; its rows to the right of that direction
    corners = project(camera, tile_top(tile))
    quad = corners[[0, 3, 2, 1]]
    if tile.veil > 0:
        h, w = mask.shape[:2]
        along = np.linspace(1, 1 - tile.veil_fall[0], w, dtype=np.float32)[None, :]
        across = np.linspace(1, 1 - tile.veil_fall[1], h, dtype=np.float32)[:, None]
        texture = texture + (tile.veil * along * across * mask[..., 1])[..., None] * np.float32(1)
    canvas.lay(texture, mask[..., 0], quad, owner, gain=scene.light_at(tile.x_mm, tile.y_mm))


def _shade_beneath(canvas: Canvas, camera: CameraModel, scene: Scene, tile: TileObject) -> None:
    """Darken the tiles that this one lies on: close around it, and where it stands in a lamp's light."""
    axes, centre = tile_frame(tile)
    corner = scene.tile_set.corner_mm
    shade = np.zeros(3)

    def spread(by_mm: float, away: Points) -> Points:
        flat = rounded_outline(TILE_LENGTH_MM + 2 * by_mm, TILE_WIDTH_MM + 2 * by_mm, corner + by_mm)
        underside = at_height(flat, -TILE_HEIGHT_MM / 2) @ axes.T + centre
        return project(camera, np.concatenate([underside, underside + away]))

    for reach in CONTACT_MM:
        canvas.fill(spread(reach, np.zeros(3)), shade, None, opacity=0.17)
    strength = scene.ambient + sum(float(np.mean(lamp.colour)) for lamp in scene.lamps)
    for lamp in scene.lamps:
        x, y, z = lamp.direction
        away = -np.array([x, y, 0.0]) / max(z, 0.2) * TILE_HEIGHT_MM
        canvas.fill(spread(0.0, away), shade, None, opacity=0.7 * float(np.mean(lamp.colour)) / strength)
