"""What a camera is and how it is set, and its pictures as a source that is watched for black and frozen ones."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from vision.capture.frame import BadFrame, Frame
from vision.capture.liveness import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from vision.capture.frame import Seen
    from vision.capture.images import Image

_SAMPLE_STEP: Final = 4
"""Of a camera without a small stream, every fourth pixel of every fourth row is watched."""


class CaptureError(RuntimeError):
    """A camera or video that gives no picture; the message says which and what to look at."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """How a camera is to be set. What is None stays as the camera has it; what is given is locked.

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
    """One picture as it left the camera.

    Attributes:
        image: (h, w, 3) uint8, blue, green, red.
        captured_at: when it was taken, UTC; for a video file, when it was opened plus the position in it.
        monotonic_ns: the same moment on ``CLOCK_MONOTONIC``; None if recorded.
        small: the same picture reduced, any channels, if the camera gives one; only looked at, never handed on.
    """

    image: Image
    captured_at: datetime
    monotonic_ns: int | None = None
    small: NDArray[np.uint8] | None = None


class Camera(Protocol):
    """Anything that gives pictures one after the other."""

    def read(self) -> Shot | None:
        """The next picture; None at the end of a video.

        Raises:
            CaptureError: if there is none.
        """

    def close(self) -> None:
        """Lets the device go; a second call does nothing."""


class CameraSource:
    """Every picture of a camera as it comes, in this process.

    Args:
        name: what to call the camera.
        connect: opens it.
        frozen_s: pictures alike to the last bit for so long are an error; 0 to leave that out.
        frozen: the sign of the picture that the camera was frozen with when it was opened last.
    """

    live: Final = True
    length: Final = None

    def __init__(
        self, name: str, connect: Callable[[], Camera], frozen_s: float = 0.0, frozen: int | None = None
    ) -> None:
        self._name = name
        self._watch = Watch(name, frozen_s, frozen)
        self._camera = connect()

    def __iter__(self) -> Iterator[Seen]:
        """The pictures, a black one as a bad frame.

        Raises:
            CaptureError: if the camera gives none.
            FrozenError: if it gives the same for ever.
        """
        sequence = 0
        while (shot := self._camera.read()) is not None:
            small = shot.image[::_SAMPLE_STEP, ::_SAMPLE_STEP] if shot.small is None else shot.small
            fault = self._watch.look(small, time.monotonic())
            if fault is None:
                yield Frame(
                    sequence, shot.captured_at, self._name, np.asarray(shot.image), monotonic_ns=shot.monotonic_ns
                )
            else:
                yield BadFrame(sequence, self._name, fault)
            sequence += 1

    def close(self) -> None:
        """Lets the camera go."""
        self._camera.close()


def moment(clock: int, taken_ns: int | None, oldest_s: float = 10.0) -> tuple[datetime, int]:
    """A moment on one of the computer's clocks, in UTC and on ``CLOCK_MONOTONIC``.

    Args:
        clock: the clock, ``time.CLOCK_BOOTTIME`` or ``time.CLOCK_MONOTONIC``.
        taken_ns: the moment; None if it is not known, which is taken as now.
        oldest_s: what lies further back, or in the future, is not of that clock: it is taken as now.
    """
    now, now_ns = datetime.now(UTC), time.monotonic_ns()
    if taken_ns is None:
        return now, now_ns
    age_ns = time.clock_gettime_ns(clock) - taken_ns
    if not 0 <= age_ns <= oldest_s * 1e9:
        return now, now_ns
    return now - timedelta(microseconds=age_ns / 1000), now_ns - age_ns


def without_password(address: str) -> str:
    """An address fit for messages: what stands before the ``@`` may be a password.

    >>> without_password("rtsp://user:secret@10.0.0.7/stream")
    'rtsp://10.0.0.7/stream'
    """
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
