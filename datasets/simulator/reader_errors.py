"""Errors of a simulated reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DARK_GAIN: Final = 0.3
BRIGHT_GAIN: Final = 1.7
BLURRED_PX: Final = 4.0
"""Light, relative to the usual, and blur, pixels, from where on a picture is unfit and nothing is verified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRates:
    """Error rates of a reader: shares of the tiles of a picture unless said otherwise.

    Attributes:
        missed: visible tiles not found.
        doubted: visible tiles read with low confidence.
        misnamed: of those, the share with a wrong face.
        deceived: tiles, each time they come to rest, that are taken for another face as long as they lie.
        sure_wrong: of those, the share whose wrong face is verified.
        ghosts: false detections a picture.
        half_hidden: visible share of its face below which a tile is hardly ever found.
        jitter_mm: standard deviation of a tile's middle.
        jitter_deg: standard deviation of its direction.
        die_wrong: visible dice misread, with low confidence.
    """

    missed: float = 0.002
    doubted: float = 0.01
    misnamed: float = 0.15
    deceived: float = 0.002
    sure_wrong: float = 0.0
    ghosts: float = 0.01
    half_hidden: float = 0.4
    jitter_mm: float = 0.5
    jitter_deg: float = 0.8
    die_wrong: float = 0.002


PERFECT: Final = ErrorRates(
    missed=0.0, doubted=0.0, misnamed=0.0, deceived=0.0, ghosts=0.0, half_hidden=0.5, jitter_mm=0.0, jitter_deg=0.0,
    die_wrong=0.0,
)  # fmt: skip
"""A reader without errors."""
