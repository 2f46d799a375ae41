"""Visibility of tiles and dice from geometry alone, occluded by hands, the cup and higher tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from datasets.rendering.props.arms import limbs
from datasets.scenes.scene import TILE_HEIGHT_MM, TILE_LENGTH_MM, TILE_WIDTH_MM, CameraModel, Prop

if TYPE_CHECKING:
    from datasets.simulator.timeline import CameraView, Instant

Floats = NDArray[np.float64]

_U, _V = np.meshgrid(np.linspace(-0.46, 0.46, 11), np.linspace(-0.44, 0.44, 5))
GRID: Final = np.column_stack([_U.ravel() * TILE_LENGTH_MM, _V.ravel() * TILE_WIDTH_MM])
"""(55, 2) points spread over a tile's face, in its own axes, mm."""


def capsules(hand: Prop, camera: CameraModel, plane_mm: float) -> Floats:
    """What a hand covers of a level plane.

    Returns:
        (n, 5) ends and radius of rounded strips on the plane, mm.
    """
    eye = camera.position_mm
    z = hand.z_mm + hand.height_mm
    grow = (eye[2] - plane_mm) / (eye[2] - z)
    out = []
    for a, b, width in limbs(hand).strips:
        p, q = (eye[:2] + (end - eye[:2]) * grow for end in (a, b))
        out.append((*p, *q, width / 2))
    return np.array(out)


def _within(points: Floats, strips: Floats) -> NDArray[np.bool_]:
    """Which of the points (n, 2) lie in any of the strips (m, 5)."""
    inside = np.zeros(len(points), np.bool_)
    px, py = points[:, 0], points[:, 1]
    for ax, ay, bx, by, radius in strips.tolist():
        dx, dy = bx - ax, by - ay
        rx, ry = px - ax, py - ay
        share = np.clip((rx * dx + ry * dy) / max(dx * dx + dy * dy, 1e-9), 0, 1)
        inside |= (rx - share * dx) ** 2 + (ry - share * dy) ** 2 < radius * radius
    return inside


def visible_tiles(now: Instant) -> Floats:
    """The share of each of the 32 upper faces that the camera sees, (32,) in [0, 1]."""
    poses = np.array([(t.x_mm, t.y_mm, t.angle, t.z_mm) for t in now.tiles])
    c, s = np.cos(poses[:, 2:3]), np.sin(poses[:, 2:3])
    x = poses[:, 0:1] + c * GRID[:, 0] - s * GRID[:, 1]
    y = poses[:, 1:2] + s * GRID[:, 0] + c * GRID[:, 1]
    seen = np.ones(x.shape, np.bool_)
    near = np.hypot(poses[:, None, 0] - poses[None, :, 0], poses[:, None, 1] - poses[None, :, 1]) < 70
    above = poses[None, :, 3] > poses[:, None, 3] + TILE_HEIGHT_MM / 2
    low, high = np.nonzero(near & above)
    if len(low):
        dx, dy = x[low] - poses[high, :1], y[low] - poses[high, 1:2]
        u, v = dx * c[high] + dy * s[high], dy * c[high] - dx * s[high]
        beside = (np.abs(u) > TILE_LENGTH_MM / 2) | (np.abs(v) > TILE_WIDTH_MM / 2)
        np.logical_and.at(seen, low, beside)
    for hand in now.hands:
        strips = capsules(hand, now.view.camera, TILE_HEIGHT_MM)
        middle = np.array([hand.x_mm, hand.y_mm])
        # Only tiles that the hand or its sleeve can reach are looked at.
        way = np.array([np.cos(hand.angle), np.sin(hand.angle)])
        rel = poses[:, :2] - middle
        ahead, aside = rel @ way, np.abs(rel @ np.array([-way[1], way[0]]))
        reach = np.flatnonzero((ahead > -120) & (aside < 210))
        if len(reach):
            points = np.column_stack([x[reach].ravel(), y[reach].ravel()])
            seen[reach] &= ~_within(points, strips).reshape(len(reach), -1)
    share = seen.mean(1)
    return np.asarray(share * _uncovered(now.view, x.mean(1), y.mean(1)))


def visible_dice(now: Instant) -> Floats:
    """The share of each die that the camera sees, (n,) in [0, 1]."""
    spots = np.array([(d.x_mm, d.y_mm) for d in now.dice]).reshape(-1, 2)
    if not len(spots) or np.hypot(*(spots - (now.cup.x_mm, now.cup.y_mm)).T).max() < now.cup.size_mm[0] / 4:
        return np.zeros(len(spots))
    top = float(np.mean([d.z_mm for d in now.dice])) + 8
    grid = np.array([(u, v) for u in (-6.0, 0.0, 6.0) for v in (-6.0, 0.0, 6.0)])
    points = (spots[:, None] + grid).reshape(-1, 2)
    hidden = np.hypot(points[:, 0] - now.cup.x_mm, points[:, 1] - now.cup.y_mm) < now.cup.size_mm[0] / 2
    for hand in now.hands:
        hidden |= _within(points, capsules(hand, now.view.camera, top))
    share = 1 - hidden.reshape(len(spots), -1).mean(1)
    return np.asarray(share * _uncovered(now.view, spots[:, 0], spots[:, 1]))


def visible_share(now: Instant, marker: Prop) -> float:
    """The share of a marker's upper face that the camera sees, in [0, 1]."""
    top = marker.z_mm + marker.height_mm
    turns = np.arange(12) * np.pi / 6
    rings = [np.stack([np.cos(turns), np.sin(turns)], 1) * marker.size_mm[0] / 2 * share for share in (0.3, 0.6, 0.9)]
    points = np.concatenate(rings) + np.array([marker.x_mm, marker.y_mm])
    hidden = np.zeros(len(points), np.bool_)
    for hand in now.hands:
        hidden |= _within(points, capsules(hand, now.view.camera, top))
    uncovered = _uncovered(now.view, points[:, :1].mean(0), points[:, 1:].mean(0))
    return float((1 - hidden.mean()) * uncovered[0])


def _uncovered(view: CameraView, x: Floats, y: Floats) -> Floats:
    """1 where the lens is free above these points, 0 where it is covered."""
    if view.cover is None:
        return np.ones(len(x))
    camera = view.camera
    points = np.column_stack([x, y, np.zeros(len(x))]) @ camera.r.T + camera.t
    pixels = points[:, :2] / points[:, 2:] * np.diag(camera.k)[:2] + camera.k[:2, 2]
    return np.asarray(1.0 - _under_cover(view, pixels))


def covered_share(view: CameraView, grid: tuple[int, int]) -> float:
    """The share of a picture that is covered, by the middles of its cells, columns and rows; 0 if the lens is free."""
    if view.cover is None:
        return 0.0
    cells = np.stack(np.meshgrid(*map(np.arange, grid)), -1).reshape(-1, 2)
    return float(_under_cover(view, (cells + 0.5) / grid * view.camera.size).mean())


def _under_cover(view: CameraView, pixels: Floats) -> NDArray[np.bool_]:
    """Which pixels (n, 2) the cover of the lens hides."""
    cx, cy, radius = np.array(view.cover) * view.camera.size[0]
    return np.asarray(np.hypot(pixels[:, 0] - cx, pixels[:, 1] - cy) <= radius)
