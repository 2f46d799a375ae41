"""Liveness of a camera: blank and frozen pictures.

A working sensor never delivers bit-identical pictures, because of noise. Identical ones mean that a driver or an
encoder repeats itself. A picture without light means a closed shutter, a covered lens or no power.
"""

import zlib
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.faults import CaptureCode
from vision.findings import CodedError, Finding

_BLACK_LEVEL: Final = 32
"""Grey level that hardly any pixel of a black picture reaches; video of 16..235 has its black at 16."""
_PLAIN_RANGE: Final = 3
"""Maximum range of grey levels in a picture of a single colour: its noise."""
_OUTLIER_SHARE: Final = 0.005
"""Share of pixels ignored at either end: dead and hot ones, an overlaid clock."""


class FrozenError(CodedError, RuntimeError):
    """A camera that repeats the same picture.

    Attributes:
        checksum: of the picture.
    """

    def __init__(self, finding: Finding, checksum: int) -> None:
        super().__init__(finding)
        self.checksum = checksum


def blank_fault(small: NDArray[np.uint8]) -> CaptureCode | None:
    """Fault of a blank picture; None if it shows something.

    Args:
        small: (h, w) or (h, w, 3) uint8.
    """
    grey = small if small.ndim == 2 else small.mean(axis=2).astype(np.uint8)
    counts = cv2.calcHist([np.ascontiguousarray(grey)], [0], None, [256], [0, 256]).ravel().cumsum()
    low, high = np.searchsorted(counts, (_OUTLIER_SHARE * grey.size, (1 - _OUTLIER_SHARE) * grey.size))
    if high < _BLACK_LEVEL:
        return CaptureCode.PICTURE_BLACK
    if high - low <= _PLAIN_RANGE:
        return CaptureCode.PICTURE_PLAIN
    return None


class LivenessCheck:
    """Checks consecutive pictures of one camera.

    Args:
        name: for messages.
        frozen_s: seconds for which pictures may be bit-identical; 0 for no limit.
        frozen: checksum of a picture with which the camera was frozen before; while it repeats that one, it still is.
    """

    def __init__(self, name: str, frozen_s: float, frozen: int | None = None) -> None:
        self._name = name
        self._frozen_s = frozen_s
        self._frozen = frozen
        self._checksum: int | None = None
        self._since_s = 0.0

    def check(self, small: NDArray[np.uint8], now_s: float) -> Finding | None:
        """Return the fault of the next picture; None if it has none.

        Args:
            small: the picture, downscaled.
            now_s: the time, seconds on a monotonic clock.

        Raises:
            FrozenError: the picture has not changed for too long.
        """
        checksum = zlib.crc32(small.tobytes())
        if checksum != self._checksum:
            self._checksum, self._since_s = checksum, now_s
        if checksum != self._frozen:
            self._frozen = None
        nothing = blank_fault(small)
        if self._frozen_s and now_s - self._since_s >= self._frozen_s:
            same = Finding.of(CaptureCode.PICTURE_FROZEN, name=self._name, seconds=f"{self._frozen_s:g}")
            raise FrozenError(same if nothing is None else Finding.of(nothing, name=self._name), checksum)
        if nothing is None and self._frozen is not None:
            nothing = CaptureCode.PICTURE_STILL_FROZEN
        return None if nothing is None else Finding.of(nothing, name=self._name)
