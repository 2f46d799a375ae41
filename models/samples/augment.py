"""Photometric augmentation: light, colour, sharpness, noise and compression; labels stay true under all of them.

Pictures are (height, width, 3) uint8 BGR.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Pixels

_NOISE_SIDE = 640
_NOISE_SPREAD = 32.0
_RAMP = np.arange(256, dtype=np.float32) / 255.0


@dataclass(frozen=True, slots=True)
class Photometry:
    """Chances and strengths of the changes."""

    colour: float  # spread of hue and saturation changes
    shade: float  # chance of uneven light over the picture
    veil: float  # chance of a bright reflection over part of the picture
    veil_most: float  # largest share of white in that reflection
    blur: float  # chance of defocus
    blur_most_px: float  # largest spread of the defocus
    motion: float  # chance of a camera shake
    sharpen: float  # chance of the sharpening that cameras do
    noise: float  # chance of sensor noise
    noise_most: float  # largest spread of the noise in grey levels
    jpeg: float  # chance of being compressed and read back


WINDOWS = Photometry(
    colour=0.35,
    shade=0.3,
    veil=0.1,
    veil_most=0.5,
    blur=0.25,
    blur_most_px=1.1,
    motion=0.12,
    sharpen=0.15,
    noise=0.6,
    noise_most=12.0,
    jpeg=0.25,
)
CROPS = replace(
    WINDOWS, colour=0.4, veil=0.25, veil_most=0.55, blur=0.3, blur_most_px=1.5, motion=0.15, noise_most=14.0, jpeg=0.08
)


def recolour(picture: Pixels, rng: np.random.Generator, strength: float) -> Pixels:
    """Change exposure, gamma, white balance, black level, and at times hue and saturation."""
    gamma, exposure, warmth, green, contrast = np.exp(rng.normal(0.0, (0.25, 0.22, 0.14, 0.05, 0.14)))
    lift = rng.uniform(0.0, 0.25) if rng.random() < 0.2 else rng.uniform(-0.03, 0.03)
    mean, spread = cv2.meanStdDev(picture)
    bright = float((np.asarray(mean) + 1.2 * np.asarray(spread)).max()) / 255.0
    # A camera's exposure control would not burn out what is bright already.
    exposure = min(exposure, max(1.0, 1.05 / max(bright, 1e-3) ** gamma))
    gains = np.array([warmth, green, 1.0 / warmth], np.float32) * exposure
    ramp = (_RAMP**gamma)[:, None] * gains
    ramp = (ramp - 0.4) * contrast + 0.4
    ramp = lift + (1.0 - lift) * ramp
    table = np.clip(ramp * 255.0 + 0.5, 0, 255).astype(np.uint8).reshape(1, 256, 3)
    picture = _bytes(cv2.LUT(picture, table))
    if rng.random() < strength:
        picture = _bytes(cv2.transform(picture, _hue_matrix(rng.normal(0.0, 0.25), rng.uniform(0.3, 1.5))))
    return picture


def relight(picture: Pixels, rng: np.random.Generator, chances: Photometry) -> Pixels:
    """Shade the picture unevenly, or lay a reflection over a part of it."""
    height, width = picture.shape[:2]
    if rng.random() < chances.shade:
        light = np.exp(rng.normal(0.0, 0.3, (3, 3))).astype(np.float32)
        field = cv2.resize(light, (width, height), interpolation=cv2.INTER_CUBIC)
        picture = _bytes(cv2.multiply(picture, cv2.merge([field] * 3), dtype=cv2.CV_8U))
    if rng.random() < chances.veil:
        knots = rng.uniform(-0.6, 1.0, (4, 4)).astype(np.float32) * rng.uniform(0.1, chances.veil_most)
        field = np.clip(cv2.resize(knots, (width, height), interpolation=cv2.INTER_CUBIC), 0.0, chances.veil_most)
        white = cv2.merge([field] * 3)
        picture = (picture + (255.0 - picture) * white).astype(np.uint8)
    return picture


def resharpen(picture: Pixels, rng: np.random.Generator, chances: Photometry) -> Pixels:
    """Defocus, shake or sharpen."""
    if rng.random() < chances.blur:
        picture = _bytes(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, chances.blur_most_px)))
    if rng.random() < chances.motion:
        picture = _bytes(cv2.filter2D(picture, -1, _shake(rng.uniform(1.5, 5.0), rng.uniform(0.0, np.pi))))
    if rng.random() < chances.sharpen:
        amount = rng.uniform(0.3, 1.5)
        soft = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.6, 1.4))
        picture = _bytes(cv2.addWeighted(picture, 1.0 + amount, soft, -amount, 0.0))
    return picture


def disturb(picture: Pixels, rng: np.random.Generator, chances: Photometry) -> Pixels:
    """Add sensor noise and compression."""
    height, width = picture.shape[:2]
    if rng.random() < chances.noise:
        pool = _noise_pool()
        top, left = rng.integers(0, _NOISE_SIDE - height), rng.integers(0, _NOISE_SIDE - width)
        grain = pool[rng.integers(len(pool)), top : top + height, left : left + width]
        share = rng.uniform(0.5, chances.noise_most) / _NOISE_SPREAD
        picture = _bytes(cv2.addWeighted(picture, 1.0, grain, share, -128.0 * share))
    if rng.random() < chances.jpeg:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))])
        picture = _bytes(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR)))
    return picture


def photograph(picture: Pixels, rng: np.random.Generator, chances: Photometry) -> Pixels:
    """Take the picture again with another lamp, lens and sensor."""
    picture = relight(picture, rng, chances)
    picture = recolour(picture, rng, chances.colour)
    picture = resharpen(picture, rng, chances)
    return np.ascontiguousarray(disturb(picture, rng, chances))


def _bytes(values: NDArray[Any]) -> Pixels:
    """Give OpenCV's answer the type it has."""
    return values.astype(np.uint8, copy=False)


def _hue_matrix(angle_rad: float, saturation: float) -> Floats:
    """Return the matrix (3, 3) that turns colours about the grey axis and stretches them from it."""
    grey = np.full((3, 3), 1.0 / 3.0)
    turn, _ = cv2.Rodrigues(np.full(3, angle_rad / np.sqrt(3.0)))
    return np.asarray(grey + saturation * (turn - grey), np.float32)


def _shake(length_px: float, angle_rad: float) -> Floats:
    """Return the blur kernel (7, 7) of a straight movement, summing to one."""
    way = np.linspace(-0.5, 0.5, 9)[:, None] * length_px * np.array([np.sin(angle_rad), np.cos(angle_rad)])
    rows, columns = np.clip(np.round(3 + way), 0, 6).astype(int).T
    kernel = np.zeros((7, 7), np.float32)
    np.add.at(kernel, (rows, columns), 1.0 / len(way))
    return kernel


@cache
def _noise_pool() -> Pixels:
    """Return four kinds of noise about 128, drawn once: fine and coarse, coloured and grey."""
    rng = np.random.default_rng(0)
    pool = []
    for spread_px in (0.0, 0.8):
        for coloured in (True, False):
            fine = rng.normal(0.0, 1.0, (_NOISE_SIDE, _NOISE_SIDE, 3 if coloured else 1)).astype(np.float32)
            grain = np.asarray(cv2.GaussianBlur(fine, (0, 0), spread_px) if spread_px else fine).reshape(fine.shape)
            grey = np.broadcast_to(grain / grain.std() * _NOISE_SPREAD + 128.0, (_NOISE_SIDE, _NOISE_SIDE, 3))
            pool.append(np.clip(grey, 0, 255).astype(np.uint8))
    return np.stack(pool)
