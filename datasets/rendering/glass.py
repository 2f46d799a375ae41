"""Views through a transparent die: its far pips, refracted by Snell's law, and mirrored in its walls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from datasets.rendering.canvas import F32

MOST_WALLS = 6
"""Walls that a ray meets before it is lost in the body's own colour."""
REFRACTION = (1.46, 1.6)
"""Refractive index, from acetate to polyester resin."""
REFLECTED_HEAD_ON = 0.04


@dataclass(frozen=True, slots=True)
class Wall:
    """One side of the die in its own axes, whose unit is the die's side: outward normal, columns, rows, pips."""

    normal: NDArray[np.float64]
    column: NDArray[np.float64]
    row: NDArray[np.float64]
    pips: F32


@dataclass(frozen=True, slots=True)
class Glass:
    """How one transparent die passes light.

    Attributes:
        index: refractive index.
        stain: (3,) share of the light left after one side's length.
        beyond: (6, 3) light that lies outside each wall.
        paint: (3,) light that a pip sends inward.
        haze: (3,) light that the body itself sends out.
        mirrored: light that the outside sends to the eye off a face, were it a mirror.
    """

    index: float
    stain: NDArray[np.float64]
    beyond: NDArray[np.float64]
    paint: NDArray[np.float64]
    haze: NDArray[np.float64]
    mirrored: float


def glass_of(
    rng: np.random.Generator,
    colour: NDArray[np.float64],
    pip: NDArray[np.float64],
    light: float,
    beneath: NDArray[np.float64],
    downward: NDArray[np.float64],
) -> Glass:
    """Draw how clear a die is, from the colours (3,) of body and pips and the light about it and (3,) `beneath` it.

    `downward` (6,) says how far each wall faces the ground, -1 to 1.
    """
    ground = np.clip(downward, 0, 1)[:, None]
    around = light * rng.uniform(0.03, 0.9, (6, 1)) * np.ones(3)
    return Glass(
        index=float(rng.uniform(*REFRACTION)),
        stain=np.clip(colour / max(float(colour.max()), 1e-3), 0.02, 1) ** rng.uniform(0.5, 1.5),
        beyond=ground * beneath * rng.uniform(0.4, 1.3) + (1 - ground) * around,
        paint=pip * light * rng.uniform(0.1, 0.8),
        haze=colour * light * rng.uniform(0.05, 0.5),
        mirrored=light * rng.uniform(0.05, 0.9),
    )


def seen_through(walls: Sequence[Wall], facing: int, sight: NDArray[np.float64], glass: Glass) -> F32:
    """Return the (size, size, 3) light that one of the six sides, `facing`, shows beside its own pips.

    `sight` is the (3,) unit direction from the eye to the die, in the die's own axes.
    """
    wall = walls[facing]
    size = len(wall.pips)
    steps = (np.arange(size) + 0.5) / size - 0.5
    across, down = (grid.reshape(-1, 1) for grid in np.meshgrid(steps, steps))
    at = 0.5 * wall.normal + across * wall.column + down * wall.row
    head_on = float(np.clip(-sight @ wall.normal, 1e-3, 1))
    inside = np.sqrt(1 - (1 - head_on**2) / glass.index**2)
    way = np.tile(sight / glass.index + (head_on / glass.index - inside) * wall.normal, (len(at), 1))
    normals = np.stack([each.normal for each in walls])
    critical = np.sqrt(1 - 1 / glass.index**2)
    shown = np.tile(glass.haze, (len(at), 1))
    path = np.zeros(len(at))
    going = np.arange(len(at))
    for _ in range(MOST_WALLS):
        toward = way[going] @ normals.T
        ahead = 0.5 - at[going] @ normals.T
        steps_to = np.where(toward > 1e-9, ahead / np.maximum(toward, 1e-9), np.inf)
        met = steps_to.argmin(1)
        length = np.maximum(steps_to[np.arange(len(going)), met], 0)
        at[going] += length[:, None] * way[going]
        path[going] += length
        painted = _painted(walls, met, at[going])[:, None]
        out = toward[np.arange(len(going)), met] > critical
        reached = painted * glass.paint + (1 - painted) * np.where(out[:, None], glass.beyond[met], 0)
        ends = out | (painted[:, 0] > 0.5)
        done = going[ends]
        shown[done] += reached[ends] * glass.stain ** path[done, None]
        mirror = normals[met[~ends]]
        going = going[~ends]
        way[going] -= 2 * np.sum(way[going] * mirror, 1, keepdims=True) * mirror
    off_the_face = REFLECTED_HEAD_ON + (1 - REFLECTED_HEAD_ON) * (1 - head_on) ** 5
    light = shown * (1 - off_the_face) + off_the_face * glass.mirrored
    return np.asarray(light.reshape(size, size, 3), np.float32)


def _painted(walls: Sequence[Wall], met: NDArray[np.intp], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far a pip covers each place (n, 3) on the wall met there."""
    cover = np.zeros(len(at))
    for number, wall in enumerate(walls):
        here = met == number
        size = len(wall.pips)
        x = np.clip(((at[here] @ wall.column + 0.5) * size).astype(int), 0, size - 1)
        y = np.clip(((at[here] @ wall.row + 0.5) * size).astype(int), 0, size - 1)
        cover[here] = wall.pips[y, x]
    return cover
