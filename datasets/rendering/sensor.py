"""Light -> picture: effects of lens, sensor, camera software and JPEG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from datasets.scenes.scene import Capture

F32 = NDArray[np.float32]


def expose(light: F32, capture: Capture, rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Photograph (h, w, 3) linear light as a picture of `size` (width, height), 8 bit blue-green-red."""
    image: F32 = light * np.float32(capture.exposure)
    factor = light.shape[1] / size[0]
    if capture.bloom > 0:
        image = bloom(image, capture.bloom)
    if capture.defocus_px > 0.2:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), capture.defocus_px * factor), np.float32)
    image = _shake(image, (capture.motion_px[0] * factor, capture.motion_px[1] * factor))
    if (image.shape[1], image.shape[0]) != size:
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32)
    if capture.vignette > 0:
        image *= vignette(size, capture.vignette)
    image *= np.array(capture.white_balance, np.float32)
    image = _noise(image, capture, rng)
    shown = _develop(image, capture)
    return _jpeg(shown, capture.jpeg)


def bloom(image: F32, strength: float) -> F32:
    """Spread a part of the light over a wide halo (veiling glare)."""
    h, w = image.shape[:2]
    small = cv2.resize(image, (max(8, w // 8), max(8, h // 8)), interpolation=cv2.INTER_AREA)
    halo = cv2.GaussianBlur(small, (0, 0), 4)
    return image * np.float32(1 - strength) + cv2.resize(halo, (w, h)) * np.float32(strength)


def _shake(image: F32, motion_px: tuple[float, float]) -> F32:
    """Smear along a straight line of the given pixel vector."""
    length = float(np.hypot(*motion_px))
    if length < 1:
        return image
    n = int(np.ceil(length)) | 1
    kernel = np.zeros((n, n), np.float32)
    half = np.array(motion_px) / 2
    a, b = np.rint((n / 2 - 0.5 - half) * 16).astype(int), np.rint((n / 2 - 0.5 + half) * 16).astype(int)
    cv2.line(kernel, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 1.0, 1, cv2.LINE_AA, 4)
    total = kernel.sum()
    return np.asarray(cv2.filter2D(image, -1, kernel / total), np.float32) if total > 0 else image


def vignette(size: tuple[int, int], strength: float) -> F32:
    """Return (h, w, 1) the vignetting toward the corners."""
    w, h = size
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    r2 = ((x - w / 2) ** 2 + (y - h / 2) ** 2) / ((w / 2) ** 2 + (h / 2) ** 2)
    return np.asarray((1 - strength * r2)[..., None], np.float32)


def _noise(image: F32, capture: Capture, rng: np.random.Generator) -> F32:
    if capture.shot_noise <= 0 and capture.read_noise <= 0:
        return image
    sigma = np.sqrt(np.maximum(image, 0) * np.float32(capture.shot_noise**2) + np.float32(capture.read_noise**2))
    grain = colour_noise(rng.standard_normal(image.shape, dtype=np.float32) * sigma, capture.chroma_blur_px)
    return np.asarray(image + grain, np.float32)


def colour_noise(grain: F32, chroma_blur_px: float) -> F32:
    """Blur white noise (h, w, 3) as demosaicing does: colour noise is coarser than brightness noise."""
    if chroma_blur_px <= 0.3:
        return grain
    blue, green, red = cv2.split(grain)
    luma = (blue + green + red) / np.float32(3)
    chroma = cv2.GaussianBlur(grain - cv2.merge([luma, luma, luma]), (0, 0), chroma_blur_px)
    soft = cv2.GaussianBlur(luma, (0, 0), 0.45) * np.float32(1.3)
    return np.asarray(cv2.merge([soft, soft, soft]) + chroma * np.float32(1 + chroma_blur_px), np.float32)


def with_contrast(shown: F32, contrast: float) -> F32:
    """Apply an S-shaped tone curve of the given strength to values from 0 to 1."""
    return np.asarray(shown + np.float32(contrast) * (shown * shown * (3 - 2 * shown) - shown), np.float32)


def _develop(image: F32, capture: Capture) -> NDArray[np.uint8]:
    """Apply the tone curve, noise reduction, sharpening and colour of a camera's own software."""
    shown = with_contrast(np.asarray(cv2.pow(np.clip(image, 0, 1), 1 / 2.2), np.float32), capture.contrast)
    if capture.saturation != 1:
        grey = (shown[..., 0] + shown[..., 1] + shown[..., 2]) / np.float32(3)
        grey3 = np.asarray(cv2.merge([grey, grey, grey]), np.float32)
        shown = grey3 + (shown - grey3) * np.float32(capture.saturation)
    if capture.noise_reduction > 0:
        smooth = cv2.GaussianBlur(shown, (0, 0), 1.0)
        off = np.abs(shown - smooth)
        edge = np.maximum(np.maximum(off[..., 0], off[..., 1]), off[..., 2])[..., None]
        keep = np.clip(edge / np.float32(0.15 * capture.noise_reduction + 1e-3), 0, 1)
        shown = smooth + (shown - smooth) * keep
    if capture.sharpen > 0:
        soft = cv2.GaussianBlur(shown, (0, 0), 1.1)
        shown = np.asarray(cv2.addWeighted(shown, 1 + capture.sharpen, soft, -capture.sharpen, 0), np.float32)
    shown = capture.lift + (1 - capture.lift) * shown
    return np.asarray(np.clip(shown * 255 + 0.5, 0, 255), np.uint8)


def _jpeg(image: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise RuntimeError("JPEG encoding failed")
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
