"""Discs sampled around their centre, and compared at every rotation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Floats

RINGS: Final = 16
TURNS: Final = 96
"""Rings of a disc, and points per ring."""
OUTERMOST: Final = 0.85
"""Radius of the outermost ring, excluding the rim, which is similar on all round objects, and the felt beside it."""
_FINE_TURNS: Final = 4 * TURNS
_APART: Final = _FINE_TURNS // 12
"""Number of fine rotation steps of a circle, and minimum distance of two candidates."""
_RADII: Final = ((np.arange(RINGS) + 0.5) / RINGS * OUTERMOST).astype(np.float32)
_ANGLES: Final = (np.arange(TURNS) * 2 * np.pi / TURNS).astype(np.float32)
UNIT: Final = np.stack([_RADII[:, None] * np.cos(_ANGLES)[None], _RADII[:, None] * np.sin(_ANGLES)[None]], -1).astype(
    np.float32
)
"""Points of a disc of radius one, (rings, turns, 2)."""
_WEIGHTS: Final = np.repeat((_RADII / _RADII.sum() / TURNS)[:, None], TURNS, 1).astype(np.float32)
"""Area weight of each point, (rings, turns)."""


def sample(
    image: NDArray[np.uint8], calibration: TableCalibration, centers_mm: Floats, radius_mm: float, z_mm: float
) -> Floats:
    """Discs of a picture, (n, rings, turns, 3) float32, around centres (n, 2) on the plane ``z_mm``.

    Over a few millimetres, perspective and lens are approximated by a linear map.
    """
    centers = np.asarray(centers_mm, np.float64).reshape(-1, 2)
    offsets = np.array([(0, 0), (radius_mm, 0), (0, radius_mm)])
    points = (centers[:, None] + offsets[None]).reshape(-1, 2)
    pixels = calibration.project(np.column_stack([points, np.full(len(points), z_mm)])).reshape(-1, 3, 2)
    middle = pixels[:, 0]
    where = (
        middle[:, None, None]
        + UNIT[None, ..., :1] * (pixels[:, 1] - middle)[:, None, None]
        + UNIT[None, ..., 1:] * (pixels[:, 2] - middle)[:, None, None]
    )
    flat = np.nan_to_num(where, nan=-9).reshape(-1, TURNS, 2).astype(np.float32)
    taken = cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR)
    return np.asarray(taken, np.float32).reshape(len(centers), RINGS, TURNS, 3)


def mean_colour(discs: Floats) -> Floats:
    """Mean colour (n, 3) of discs (n, rings, turns, 3)."""
    return np.asarray(np.einsum("nrtc,rt->nc", discs, _WEIGHTS), np.float32)


def _flattened(discs: Floats) -> Floats:
    """Discs without the mean of each ring, common to all round objects, and without the slope of side lighting."""
    flat = discs - discs.mean(2, keepdims=True)
    for axis in (0, 1):
        slope = UNIT[..., axis]
        norm = float((_WEIGHTS * slope**2).sum())
        share = np.einsum("nrtc,rt->nc", flat, _WEIGHTS * slope) / norm
        flat = flat - share[:, None, None] * slope[None, ..., None]
    return np.asarray(flat, np.float32)


def print_contrast(discs: Floats) -> Floats:
    """Root mean square (n,) of the print on discs (n, rings, turns, 3), in levels."""
    return np.asarray(np.sqrt((_WEIGHTS[None, ..., None] * _flattened(discs) ** 2).sum((1, 2, 3)) / 3), np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class Print:
    """The print of a disc, prepared for comparison at all rotations.

    Attributes:
        spectrum: conjugate Fourier transform of the rings along the angle, weighted.
        contrast: root mean square of the print in levels.
    """

    spectrum: NDArray[np.complex64]
    contrast: float

    @classmethod
    def of(cls, disc: Floats) -> Print:
        """From a disc (rings, turns, 3)."""
        flat = _flattened(disc[None])[0]
        contrast = float(print_contrast(disc[None])[0])
        norm = max(contrast * np.sqrt(3), 1e-6)
        spectrum = np.conj(np.fft.rfft(flat * _WEIGHTS[..., None] / norm, axis=1)).astype(np.complex64)
        return cls(spectrum, contrast)

    def turns(self, disc: Floats) -> tuple[float, ...]:
        """The angles, radians, that rotate this print onto a disc (rings, turns, 3), the likeliest first.

        From afar letters look like a bar that also matches upside down, and only a closer comparison decides. So each
        of the three likeliest angles is followed by the one half a turn away.
        """
        spectrum = np.einsum("rfc,rfc->f", np.fft.rfft(_flattened(disc[None])[0], axis=1), self.spectrum)
        score = np.fft.irfft(spectrum, _FINE_TURNS)
        found = []
        for _ in range(3):
            best = int(score.argmax())
            angle = best * 2 * np.pi / _FINE_TURNS
            found += [angle, angle + np.pi]
            score[(best + np.arange(-_APART, _APART + 1)) % _FINE_TURNS] = -np.inf
        return tuple(found)

    def match(self, discs: Floats) -> Floats:
        """Maximum correlation (n,) of discs (n, rings, turns, 3) with this one over all rotations."""
        flat = _flattened(discs)
        norm = np.sqrt(np.einsum("nrtc,nrtc,rt->n", flat, flat, _WEIGHTS))
        spectrum = np.einsum("nrfc,rfc->nf", np.fft.rfft(flat, axis=2).astype(np.complex64), self.spectrum)
        score = np.fft.irfft(spectrum, TURNS, axis=1).max(1)
        return np.asarray(score / np.maximum(norm, 1e-3), np.float32)
