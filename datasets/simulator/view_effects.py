"""Effects on a finished picture: sensor noise, changed light, lost focus, a covered lens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.rendering.sensor import F32, colour_noise, with_contrast

if TYPE_CHECKING:
    from datasets.scenes.scene import Capture
    from datasets.simulator.timeline import CameraView

Pixels = NDArray[np.uint8]

NOISE_ROOM: Final = 96
"""How many pixels larger the noise sheet is than a picture, along each axis."""
_MID_LIGHT: Final = 0.15
"""Linear light at which the noise of the finished picture equals the sensor's: the felt's."""
_REFERENCE_WIDTH: Final = 2304
"""Width of a picture, pixels, in which blurs are given."""


def noise_sheet(rng: np.random.Generator, size: tuple[int, int], capture: Capture) -> NDArray[np.int16]:
    """Noise as it looks after the tone curve, which makes shot noise alike in dark and light.

    A picture gets a random window of a larger sheet: noise of two pictures has nothing in common.
    """
    w, h = size[0] + NOISE_ROOM, size[1] + NOISE_ROOM
    linear = float(np.sqrt(_MID_LIGHT * capture.shot_noise**2 + capture.read_noise**2))
    sigma = 255 / 2.2 * _MID_LIGHT ** (1 / 2.2 - 1) * linear * 0.8
    grain = colour_noise(rng.standard_normal((h, w, 3), np.float32), capture.chroma_blur_px)
    # Rounding alone would make faint noise vanish; half a grey level of dither keeps it.
    dither = rng.uniform(-0.5, 0.5, grain.shape).astype(np.float32)
    return np.asarray(np.rint(grain * np.float32(sigma) + dither), np.int16)


def apply_view(picture: Pixels, view: CameraView, capture: Capture) -> Pixels:
    """Change light, focus and what covers the lens in a finished picture."""
    out = picture
    if view.gain != (1.0, 1.0, 1.0):
        out = np.asarray(cv2.LUT(out, _tones(view.gain, capture)), np.uint8)
    if view.blur_px > 0.2:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), view.blur_px * out.shape[1] / _REFERENCE_WIDTH), np.uint8)
    if view.cover is not None:
        h, w = out.shape[:2]
        keep = 1 - cover_mask(view.cover, (w, h))
        out = np.asarray(out * keep[..., None] + np.float32(9) * (1 - keep[..., None]), np.uint8)
    return out


def _tones(gain: tuple[float, float, float], capture: Capture) -> Pixels:
    """(256, 1, 3) the grey level that each becomes when the light is `gain` times as strong."""

    def shown(light: F32) -> F32:
        s = with_contrast(np.clip(light, 0, 1) ** np.float32(1 / 2.2), capture.contrast)
        return np.asarray((capture.lift + (1 - capture.lift) * s) * 255, np.float32)

    light = np.linspace(0, 1, 4096, dtype=np.float32) ** 2
    level = shown(light)
    before = np.interp(np.arange(256), level, light).astype(np.float32)
    table = np.stack([shown(before * np.float32(g)) for g in gain], 1)
    return np.asarray(np.clip(table + 0.5, 0, 255), np.uint8)[:, None, :]


def cover_mask(cover: tuple[float, float, float], size: tuple[int, int]) -> F32:
    """(h, w) how much of the light is kept out: something dark right before the lens, out of focus."""
    w, h = size
    x, y, radius = cover
    small = np.zeros((h // 8 + 1, w // 8 + 1), np.uint8)
    cv2.circle(small, (int(x * w / 8), int(y * w / 8)), max(1, int(radius * w / 8)), 255, -1)
    soft = cv2.GaussianBlur(small, (0, 0), 0.006 * w)
    return np.asarray(cv2.resize(soft, size), np.float32) / np.float32(255)
