"""The camera interface and its settings, and a source that checks for black and frozen pictures."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.capture.frame import BadFrame, Frame, FrameResult
from vision.capture.images import Image
from vision.capture.liveness import LivenessCheck
from vision.findings import CodedError, Finding

_SAMPLE_STEP: Final = 4
"""Subsampling of pixels and rows for the liveness check of a camera without a small stream."""
_OLDEST_NS: Final = 10_000_000_000
"""Greatest age of a time that a camera may state."""


class CaptureError(CodedError, RuntimeError):
    """A camera or video that delivers no picture."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Settings of a camera. None leaves a setting to the camera; other values are locked.

    Attributes:
        size: width and height of the pictures in pixels.
        fps: pictures a second.
        exposure_us: exposure time in microseconds.
        gain: analogue gain: a factor for a Pi camera, the driver's own unit for a USB camera.
        colour_gains: gains of red and blue, for a Pi camera.
        white_balance_k: colour temperature in kelvin, for a USB camera.
        focus: dioptres (1 / distance in metres) for a Pi camera, the driver's own unit for a USB camera.
    """

    size: tuple[int, int] | None = None
    fps: float | None = None
    exposure_us: int | None = None
    gain: float | None = None
    colour_gains: tuple[float, float] | None = None
    white_balance_k: int | None = None
    focus: float | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Shot:
    """One picture from the camera.

    Attributes:
        captured_at: when it was taken, UTC.
        monotonic_ns: the same moment on ``CLOCK_MONOTONIC``.
        small: the same picture downscaled, any channels, if the camera provides one; only for the liveness check.
    """

    image: Image
    captured_at: datetime
    monotonic_ns: int
    small: NDArray[np.uint8] | None = None


class Camera(Protocol):
    """A device that delivers consecutive pictures."""

    def read(self) -> Shot | Finding | None:
        """The next picture, or its fault; None if the camera has ended; CaptureError if it fails."""

    def close(self) -> None:
        """Release the device; idempotent."""


class CameraSource:
    """Pictures of a camera in arrival order, in the process that opens it.

    Args:
        name: what to call the camera.
        connect: opens it.
        frozen_s: seconds for which pictures may be bit-identical; 0 for no limit.
        frozen: checksum of the picture with which the camera was frozen when it was last opened.
    """

    live: Final = True
    length: Final = None

    def __init__(
        self, name: str, connect: Callable[[], Camera], frozen_s: float = 0.0, frozen: int | None = None
    ) -> None:
        self._name = name
        self._liveness = LivenessCheck(name, frozen_s, frozen)
        self._camera = connect()

    def __iter__(self) -> Iterator[FrameResult]:
        """Yield the pictures; black or damaged ones as bad frames.

        Raises:
            CaptureError: there is no picture.
            FrozenError: if it never changes.
        """
        for sequence in count():
            shot = self._camera.read()
            if shot is None:
                return
            if isinstance(shot, Finding):
                yield BadFrame(sequence, self._name, shot)
                continue
            small = shot.image[::_SAMPLE_STEP, ::_SAMPLE_STEP] if shot.small is None else shot.small
            fault = self._liveness.check(small, time.monotonic())
            if fault is None:
                yield Frame(
                    sequence, shot.captured_at, self._name, np.asarray(shot.image), monotonic_ns=shot.monotonic_ns
                )
            else:
                yield BadFrame(sequence, self._name, fault)

    def close(self) -> None:
        self._camera.close()


def moment(clock: int, taken_ns: int | None) -> tuple[datetime, int]:
    """Convert a time of one of the computer's clocks to UTC and to ``CLOCK_MONOTONIC``.

    Times that are unknown, in the future or more than ten seconds ago do not belong to that clock; now is used.
    """
    now, now_ns = datetime.now(UTC), time.monotonic_ns()
    if taken_ns is None:
        return now, now_ns
    age_ns = time.clock_gettime_ns(clock) - taken_ns
    if not 0 <= age_ns <= _OLDEST_NS:
        return now, now_ns
    return now - timedelta(microseconds=age_ns / 1000), now_ns - age_ns
