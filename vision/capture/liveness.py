"""Liveness of a camera: whether its picture shows anything, and anything new.

A sensor that works is never still to the last bit: it has noise. Pictures alike bit by bit mean a driver or an encoder
that repeats itself. A picture without light has a closed shutter, a covered lens or no power before it.
"""

import zlib
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

_BLACK_LEVEL: Final = 32
"""Grey level that nearly no pixel of a black picture reaches; video of 16..235 has its black at 16."""
_PLAIN_RANGE: Final = 3
"""Grey levels that a picture of a single colour spans at most: its noise."""
_OUTLIER_SHARE: Final = 0.005
"""Share of pixels at either end that do not count: dead and hot ones, a clock drawn into the picture."""


class FrozenError(RuntimeError):
    """A camera that repeats one picture, with its checksum."""

    def __init__(self, message: str, checksum: int) -> None:
        super().__init__(message)
        self.checksum = checksum


def blank_fault(small: NDArray[np.uint8]) -> str | None:
    """Fault of a picture, (h, w) or (h, w, 3) uint8, that shows nothing; None if it shows something."""
    grey = small if small.ndim == 2 else small.mean(axis=2).astype(np.uint8)
    counts = cv2.calcHist([np.ascontiguousarray(grey)], [0], None, [256], [0, 256]).ravel().cumsum()
    low, high = np.searchsorted(counts, (_OUTLIER_SHARE * grey.size, (1 - _OUTLIER_SHARE) * grey.size))
    if high < _BLACK_LEVEL:
        return "the picture is black. Check the lens cover, the light and the exposure."
    if high - low <= _PLAIN_RANGE:
        return "the picture is of one plain colour. Check the lens and the camera's cable."
    return None


class LivenessCheck:
    """Checks the pictures of one camera, one after the other.

    Args:
        name: what to call the camera.
        frozen_s: seconds for which pictures may be alike to the last bit; 0 for ever.
        frozen: checksum of a picture with which the camera was frozen before; while it shows that one, it still is.
    """

    def __init__(self, name: str, frozen_s: float, frozen: int | None = None) -> None:
        self._name = name
        self._frozen_s = frozen_s
        self._frozen = frozen
        self._checksum: int | None = None
        self._since_s = 0.0

    def check(self, small: NDArray[np.uint8], now_s: float) -> str | None:
        """Fault of the next picture, downscaled, at a monotonic time; FrozenError if it is the same for too long."""
        checksum = zlib.crc32(small.tobytes())
        if checksum != self._checksum:
            self._checksum, self._since_s = checksum, now_s
        if checksum != self._frozen:
            self._frozen = None
        nothing = blank_fault(small)
        if self._frozen_s and now_s - self._since_s >= self._frozen_s:
            same = (
                f"the picture is frozen: not one pixel has changed for {self._frozen_s:g} s. The camera is opened anew."
            )
            raise FrozenError(f"{self._name}: {nothing or same}", checksum)
        if nothing is not None:
            return f"{self._name}: {nothing}"
        return None if self._frozen is None else f"{self._name}: the picture is still the one it was frozen with."
