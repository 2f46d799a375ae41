"""Picture measurements without a reference, for adjusting focus and exposure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.capture.images import Image

_GOOD_BRIGHTNESS: Final = (0.2, 0.75)
_MOST_BLOWN_OUT: Final = 0.02
_BLOWN_OUT_LEVEL: Final = 250


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of one picture.

    Attributes:
        size: width and height, pixels.
        sharpness: variance of the Laplacian of its grey levels; maximal in focus.
        brightness: mean grey level, 0 to 1.
        blown_out: share of blown-out pixels.
    """

    size: tuple[int, int]
    sharpness: float
    brightness: float
    blown_out: float

    @property
    def too_dark(self) -> bool:
        """Whether more light or a longer exposure is needed."""
        return self.brightness < _GOOD_BRIGHTNESS[0]

    @property
    def too_bright(self) -> bool:
        """Whether less light or a shorter exposure is needed."""
        return self.brightness > _GOOD_BRIGHTNESS[1] or self.blown_out > _MOST_BLOWN_OUT


def measured(image: Image) -> Measures:
    """Measure a picture, (height, width, 3) uint8 blue-green-red."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    sharpness = float(cv2.Laplacian(grey, cv2.CV_32F).var())
    blown_out = float(np.count_nonzero(grey >= _BLOWN_OUT_LEVEL) / grey.size)
    return Measures((image.shape[1], image.shape[0]), sharpness, float(grey.mean()) / 255, blown_out)
