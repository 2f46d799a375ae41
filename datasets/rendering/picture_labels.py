"""Labels of a rendered picture: objects, positions, and visibility."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from datasets.labels.labels import DieLabel, Label, OtherLabel, PictureLabels, TileLabel
from datasets.rendering.dice import die_corners
from datasets.rendering.projected import Points, at_height, circle, project
from datasets.rendering.props.brush import rectangle
from datasets.rendering.props.objects import FLAT
from datasets.rendering.textures import FACES_OF_A_DIE, die_pips, pips_of
from datasets.rendering.tiles import tile_frame, tile_top
from datasets.scenes.scene import TILE_HEIGHT_MM, TILE_LENGTH_MM, TILE_WIDTH_MM
from engine.game.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from datasets.scenes.scene import CameraModel, DieObject, Prop, Scene, TileObject


def label_objects(
    scene: Scene, owners: NDArray[np.int16], image: NDArray[np.uint8], big: CameraModel
) -> tuple[Label, ...]:
    """Label tiles, then dice, then the rest but print.

    `owners` (h, w) are the numbers of the tile or die at each pixel, dice after tiles, negative for all else; `big` is
    the camera at that size.
    """
    tiles = [_label_tile(scene, owners, tile, index, big, image) for index, tile in enumerate(scene.tiles)]
    dice = [_label_die(scene, owners, die, len(scene.tiles) + n, big, image) for n, die in enumerate(scene.dice)]
    others = [
        _label_prop(scene, owners, prop, -2 - n, big) for n, prop in enumerate(scene.props) if prop.kind not in FLAT
    ]
    return (*tiles, *dice, *others)


def label_picture(name: str, scene: Scene, objects: tuple[Label, ...], spec: Mapping[str, object]) -> PictureLabels:
    """Labels of a full picture; `spec` describes how it was made."""
    return PictureLabels(
        image=name,
        size=scene.camera.size,
        kind=scene.kind,
        objects=objects,
        camera=scene.camera.to_json(),
        layout=scene.layout,
        dealer_side=scene.dealer_side,
        tileset={"style": scene.tile_set.maker.style},
        spec=spec,
    )


def _label_prop(scene: Scene, owners: NDArray[np.int16], prop: Prop, owner: int, big: CameraModel) -> OtherLabel:
    data: dict[str, object] = {
        "center_mm": [round(prop.x_mm, 1), round(prop.y_mm, 1)],
        "size_mm": list(prop.size_mm),
    }
    top, middle = prop.z_mm + prop.height_mm, np.array((prop.x_mm, prop.y_mm))
    if prop.means:
        rings = [circle(prop.size_mm[0] * share / 2, 24) + middle for share in (0.3, 0.6, 0.9)]
        data |= {"subtype": prop.means, "height_mm": prop.height_mm, "place": prop.place or None}
    elif prop.kind in LOOKALIKES:
        rings = [(rectangle(prop) - middle) * share + middle for share in (0.3, 0.6, 0.9, 1.0)]
    else:
        return OtherLabel(prop.kind, data)
    visible = _visible(owners, project(big, at_height(np.concatenate(rings), top)), owner)
    outline = _polygon(project(scene.camera, at_height(rings[-1], top)))
    return OtherLabel(prop.kind, {**data, "visible": visible, "polygon": [list(each) for each in outline]})


LOOKALIKES: Final = ("domino", "mahjong", "card")
"""Kinds of props whose outline is labelled, because parts of them look like dice."""


CONTRAST_RING = 1.22
"""Where the body beside a pip is sampled, in pip radii; samples inside another pip are dropped."""
GREY = np.array([0.114, 0.587, 0.299], np.float32)
"""Shares of blue, green and red in a grey picture (ITU-R BT.601)."""
_GRID: Final = np.stack(np.meshgrid(np.linspace(-0.46, 0.46, 19), np.linspace(-0.44, 0.44, 9)), -1).reshape(-1, 2)
"""(171, 2) points spread over a tile's face, in lengths and widths."""


def _visible(owners: NDArray[np.int16], points_px: Points, owner: int) -> float:
    at = np.rint(points_px).astype(int)
    h, w = owners.shape
    inside = (at[:, 0] >= 0) & (at[:, 0] < w) & (at[:, 1] >= 0) & (at[:, 1] < h)
    return float(np.sum(owners[at[inside, 1], at[inside, 0]] == owner) / len(at))


def _inside(points_px: Points, camera: CameraModel) -> bool:
    w, h = camera.size
    return bool((points_px >= -0.5).all() and (points_px[:, 0] < w - 0.5).all() and (points_px[:, 1] < h - 0.5).all())


def _polygon(points_px: Points) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in points_px)


def _label_tile(
    scene: Scene, owners: NDArray[np.int16], tile: TileObject, owner: int, big: CameraModel, image: NDArray[np.uint8]
) -> TileLabel:
    axes, centre = tile_frame(tile)
    grid = at_height(_GRID * [TILE_LENGTH_MM, TILE_WIDTH_MM], TILE_HEIGHT_MM / 2)
    corners = project(scene.camera, tile_top(tile))
    top = centre + axes[:, 2] * TILE_HEIGHT_MM / 2
    face = Tile.parse(tile.face)
    in_grey, in_colour = _pip_contrast(scene, tile, axes, centre, image) if tile.face_up else (None, None)
    return TileLabel(
        face=face if tile.face_up else None,
        face_up=tile.face_up,
        polygon=_polygon(corners),
        visible=_visible(owners, project(big, grid @ axes.T + centre), owner),
        pip_contrast_min=in_grey,
        pip_colour_contrast_min=in_colour,
        px_per_mm=float(np.linalg.norm(corners[1] - corners[2])) / TILE_LENGTH_MM,
        in_frame=_inside(corners, scene.camera),
        place=None if tile.place is None else str(tile.place),
        hand=tile.hand,
        angle_deg=float(np.degrees(tile.angle)) % (360 if tile.face_up else 180),
        first_half=tile.face[0] if tile.face_up else None,
        center_mm=(float(top[0]), float(top[1])),
        z_mm=tile.z_mm,
        top_center_z_mm=float(top[2]),
        tilt_deg=float(np.degrees(np.hypot(*tile.lean))) if any(tile.lean) else None,
        leaning=any(tile.lean),
        hidden_face=None if tile.face_up else face,
    )


def _label_die(
    scene: Scene, owners: NDArray[np.int16], die: DieObject, owner: int, big: CameraModel, image: NDArray[np.uint8]
) -> DieLabel:
    faces = [die_corners(die, n, c, r) for _, _, n, c, r in FACES_OF_A_DIE]
    top = max(faces, key=lambda corners: float(corners.mean(0)[2]))
    u = np.linspace(-0.44, 0.44, 9) + 0.5
    a, b = (g.reshape(-1, 1) for g in np.meshgrid(u, u))
    grid = top[0] + a * (top[1] - top[0]) + b * (top[3] - top[0])
    polygon = project(scene.camera, top)
    if cv2.contourArea(polygon.astype(np.float32), oriented=True) < 0:
        polygon = polygon[::-1]
    body = project(scene.camera, np.concatenate(faces))
    low, high = body.min(0), body.max(0)
    return DieLabel(
        value=die.value,
        polygon=_polygon(polygon),
        cocked=die.cocked,
        role=die.role,
        colour=die.style.name,
        material="opaque" if die.style.opaque else "transparent",
        body=(float(low[0]), float(low[1]), float(high[0]), float(high[1])),
        visible=_visible(owners, project(big, grid), owner),
        pip_contrast_min=_die_pip_contrast(scene, die, top, image),
        tilt_deg=die.tilt_deg,
        size_mm=die.style.side_mm,
        center_mm=(die.x_mm, die.y_mm),
        z_mm=die.z_mm,
    )


def _pip_contrast(
    scene: Scene, tile: TileObject, axes: Points, centre: Points, image: NDArray[np.uint8]
) -> tuple[float, float]:
    """Return the faintest pip's RMS difference from the body around it, 0..255: in grey, and over the three colours."""
    pips = pips_of(tile.face, scene.tile_set)
    where = np.array([[(0.5 - p.u) * TILE_LENGTH_MM, (0.5 - p.v) * TILE_WIDTH_MM] for p in pips])
    radius = np.array([p.diameter for p in pips]) * TILE_WIDTH_MM / 2
    off, _ = _off_body(scene, image, where, radius, lambda flat: at_height(flat, TILE_HEIGHT_MM / 2) @ axes.T + centre)
    in_grey, in_colour = ((off @ GREY) ** 2).mean(1), (off**2).mean((1, 2))
    return float(np.sqrt(in_grey.min())), float(np.sqrt(in_colour.min()))


def _die_pip_contrast(scene: Scene, die: DieObject, top: Points, image: NDArray[np.uint8]) -> float:
    """Return the faintest pip's RMS difference from the body around it over the three colours, 0..255.

    The variation of the body around it is subtracted: pips do not stand out from veins of marble, nor from noise.
    """
    turn = next(turned for value, turned, *_ in FACES_OF_A_DIE if value == die.value)
    diameter, _, places = die_pips(die.value, die.style, turn=turn)
    corner, along, across = top[0], top[1] - top[0], top[3] - top[0]
    off, spread = _off_body(
        scene,
        image,
        np.array(places) + 0.5,
        np.full(len(places), diameter / 2),
        lambda flat: corner + flat[:, :1] * along + flat[:, 1:] * across,
    )
    return float(np.sqrt(np.maximum((off**2).mean(1) - spread, 0.0).mean(1).min()))


def _off_body(
    scene: Scene,
    image: NDArray[np.uint8],
    where: Points,
    radius: NDArray[np.float64],
    placed: Callable[[Points], Points],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Differences of pips (n, 7, 3) from the body around each, and the body's own variance there (n, 3).

    Args:
        scene: with the camera.
        image: the finished picture.
        where: (n, 2) middles of the pips on their face.
        radius: (n,) of the pips.
        placed: gives the points (m, 3) in the table frame of points (m, 2) on the face.
    """
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn)], 1)
    disc = np.concatenate([ring[::2] * 0.55, np.zeros((1, 2))])
    inner = where[:, None] + disc[None] * radius[:, None, None]
    outer = where[:, None] + ring[None] * radius[:, None, None] * CONTRAST_RING
    crowded = (np.linalg.norm(outer[:, :, None] - where[None, None], axis=3) < radius * 1.1).any(2)
    values = []
    for points in (inner, outer):
        at = project(scene.camera, placed(points.reshape(-1, 2))).astype(np.float32)
        sampled = cv2.remap(image, at[:, 0], at[:, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        values.append(np.asarray(sampled, np.float32).reshape(*points.shape[:2], 3))
    inside, around = values
    weight = np.where(crowded, 0.0, 1.0)[..., None]  # not where another pip lies
    total = np.maximum(weight.sum(1), 1)
    level = (around * weight).sum(1) / total
    return inside - level[:, None], (((around - level[:, None]) * weight) ** 2).sum(1) / total
