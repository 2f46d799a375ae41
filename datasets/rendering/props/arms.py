"""Hands and arms that reach over the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from datasets.rendering.projected import Points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from datasets.rendering.props.brush import Brush
    from datasets.scenes.scene import Prop

Limb = tuple[Points, Points, float]
"""A rounded strip seen from above: both ends on the table, (2,) mm each, and its width."""


@dataclass(frozen=True, slots=True)
class Limbs:
    """The parts of an arm: palm, forearm and fingers; the sleeve over the forearm, and its colour (3,)."""

    skin: tuple[Limb, ...]
    sleeve: Limb
    cloth: Points

    @property
    def strips(self) -> tuple[Limb, ...]:
        """Every strip, skin first."""
        return *self.skin, self.sleeve


@dataclass(frozen=True, slots=True)
class _Build:
    bend: float
    curl: float
    spread: tuple[float, ...]
    cuff: float
    sleeve: float
    cloth: tuple[float, float, float]


@lru_cache(maxsize=64)
def _build(seed: int) -> _Build:
    rng = np.random.default_rng(seed)
    bend, curl = rng.uniform(-90, 90), rng.uniform(0.5, 1.0)
    spread = tuple(rng.uniform(2, 9) for _ in range(4))
    cuff, sleeve = rng.uniform(30, 220), rng.uniform(80, 125)
    b, g, r = rng.uniform(0.005, 0.25, 3) if rng.random() < 0.8 else (0.6, 0.6, 0.6)
    return _Build(bend, curl, spread, cuff, sleeve, (float(b), float(g), float(r)))


def limbs(prop: Prop) -> Limbs:
    """Build an arm: its hand lies at the prop's place, its body in the direction of the prop's angle.

    The prop's length is that of the upper arm.
    """
    build = _build(prop.seed)
    tip = np.array([prop.x_mm, prop.y_mm])
    along = np.array([np.cos(prop.angle), np.sin(prop.angle)])
    across = np.array([-along[1], along[0]])
    side = 1 if prop.seed % 2 else -1
    palm = tip + along * 75
    wrist = tip + along * 125
    elbow = wrist + along * 330 + across * build.bend
    skin: list[Limb] = [(palm, palm + along * 20, 72), (wrist, elbow, 58)]
    for finger, spread in enumerate(build.spread):
        root = palm + across * (finger - 1.5) * 21 * side - along * 18
        aside = across * (finger - 1.5) * spread * side
        skin.append((root, root - along * (62 - 7 * abs(finger - 1.4)) * build.curl + aside, 17))
    skin.append((palm + across * 30 * side, palm + across * 62 * side - along * 40 * build.curl, 20))
    sleeve = (wrist + along * build.cuff, elbow + along * prop.size_mm[0], build.sleeve)
    return Limbs(tuple(skin), sleeve, np.array(build.cloth))


def arm(brush: Brush) -> None:
    """Reach in with a sleeve, a forearm and a hand; its soft shadow falls on what lies below."""
    canvas, scale, built = brush.canvas, brush.scale, limbs(brush.prop)
    z = brush.prop.z_mm + brush.prop.height_mm
    side = 1 if brush.prop.seed % 2 else -1
    h, w = canvas.owner.shape
    skin_mask, sleeve_mask = np.zeros((h, w), np.uint8), np.zeros((h, w), np.uint8)
    for mask, strips in ((skin_mask, built.skin), (sleeve_mask, (built.sleeve,))):
        for a, b, width_mm in strips:
            ends = brush.pixels(np.array([a, b]), z)
            p, q = np.rint(np.clip(ends, -4000, 8000) * 16).astype(int).tolist()
            cv2.line(mask, p, q, 255, max(1, round(width_mm * scale)), cv2.LINE_AA, 4)
    shadow = _softened(np.maximum(skin_mask, sleeve_mask), max(1.0, 8 * scale))
    shift = np.array([[1, 0, 14 * scale * side], [0, 1, 12 * scale]], np.float32)
    canvas.darken(cv2.warpAffine(shadow, shift, (w, h)), 0.45)
    tones = (brush.colour, built.cloth)
    for mask, tone in zip((skin_mask, sleeve_mask), tones, strict=True):
        x, y, wide, high = cv2.boundingRect(mask)
        if not wide:
            continue
        part = np.s_[y : y + high, x : x + wide]
        soft = _softened(mask, max(0.8, 6 * scale)).astype(np.float32) / 255
        gx = cv2.Sobel(soft, cv2.CV_32F, 1, 0)[part]
        gy = cv2.Sobel(soft, cv2.CV_32F, 0, 1)[part]
        lit = 0.45 + 0.6 * soft[part] + np.clip((gx * 0.6 + gy * side) * 6 * scale, -0.25, 0.25)
        alpha = mask[part].astype(np.float32) / 255
        colour = np.asarray(cv2.merge([lit * np.float32(c * brush.light) for c in tone]), np.float32)
        canvas.blend((x, y, x + wide, y + high), colour, alpha, brush.owner)


def _softened(mask: NDArray[np.uint8], sigma: float) -> NDArray[np.uint8]:
    """Blur a mask; a wide blur is worked out at a quarter of the size."""
    if sigma < 6:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), np.uint8)
    h, w = mask.shape
    small = cv2.resize(mask, (-(-w // 4), -(-h // 4)), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(cv2.GaussianBlur(small, (0, 0), sigma / 4), (w, h)), np.uint8)
