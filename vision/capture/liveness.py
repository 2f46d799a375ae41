"""Whether a camera shows anything, and anything new.

A sensor that works is never still to the last bit: it has noise. Pictures alike bit by bit mean a driver or an encoder
that repeats itself. A picture without light has a closed shutter, a covered lens or no power before it.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DARK: Final = 32
"""Grey level that nearly no pixel of a black picture reaches; video that keeps to 16..235 has its black at 16."""
_PLAIN: Final = 3
"""Grey levels that a picture of a single colour spans at most."""
_SHARE: Final = 0.005
"""Share of pixels at either end that do not count: dead and hot ones, a clock drawn into the picture."""


class FrozenError(RuntimeError):
    """A camera that repeats one picture.

    Attributes:
        sign: what tells that picture.
    """

    def __init__(self, message: str, sign: int) -> None:
        super().__init__(message)
        self.sign = sign


def blank(small: NDArray[np.uint8]) -> str | None:
    """What is wrong with a picture that shows nothing; None if it shows something.

    Args:
        small: (h, w) or (h, w, 3) uint8.
    """
    grey = small if small.ndim == 2 else small.mean(axis=2).astype(np.uint8)
    counts = cv2.calcHist([np.ascontiguousarray(grey)], [0], None, [256], [0, 256]).ravel().cumsum()
    low, high = np.searchsorted(counts, (_SHARE * grey.size, (1 - _SHARE) * grey.size))
    if high < _DARK:
        return "the picture is black. Check the lens cover, the light and the exposure."
    if high - low <= _PLAIN:
        return "the picture is of one plain colour. Check the lens and the camera's cable."
    return None


class Watch:
    """Looks at the pictures of one camera, one after the other.

    Args:
        name: what to call the camera.
        frozen_s: for how long pictures may be alike to the last bit; 0 for ever.
        frozen: sign of a picture that the camera was frozen with before; while it shows that one, it still is.
    """

    def __init__(self, name: str, frozen_s: float, frozen: int | None = None) -> None:
        self._name = name
        self._frozen_s = frozen_s
        self._frozen = frozen
        self._sign: int | None = None
        self._since_s = 0.0

    def look(self, small: NDArray[np.uint8], now_s: float) -> str | None:
        """What is wrong with the next picture, None if nothing.

        Args:
            small: the picture, reduced.
            now_s: the time, seconds on any clock that only goes forward.

        Raises:
            FrozenError: the picture has been the same for too long.
        """
        sign = zlib.crc32(small.tobytes())
        if sign != self._sign:
            self._sign, self._since_s = sign, now_s
        if sign != self._frozen:
            self._frozen = None
        nothing = blank(small)
        if self._frozen_s and now_s - self._since_s >= self._frozen_s:
            same = (
                f"the picture is frozen: not one pixel has changed for {self._frozen_s:g} s. The camera is opened anew."
            )
            raise FrozenError(f"{self._name}: {nothing or same}", sign)
        if nothing is not None:
            return f"{self._name}: {nothing}"
        return None if self._frozen is None else f"{self._name}: the picture is still the one it was frozen with."
