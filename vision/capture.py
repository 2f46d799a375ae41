"""Cameras: USB and network cameras and video files through OpenCV, the Raspberry Pi's own through picamera2.

Each gives one picture at a time and raises ``CaptureError`` when it cannot; waiting, dropping and trying again are for
whoever asks (``vision.frames``).
"""

from __future__ import annotations

import importlib
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Protocol

import cv2
import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from vision.images import Image

OPEN_TIMEOUT_MS: Final = 5_000
READ_TIMEOUT_MS: Final = 5_000
PI_TIMEOUT_S: Final = 5.0
PI_SIZE: Final = (2304, 1296)


class CaptureError(RuntimeError):
    """A camera or video that gives no picture; the message says which and what to look at."""


@dataclass(frozen=True, eq=False, slots=True)
class Shot:
    """One picture as it left the camera.

    Attributes:
        image: the pixels.
        captured_at: when it was taken, UTC; for a video file, when it was opened plus the position in it.
    """

    image: Image
    captured_at: datetime


class Camera(Protocol):
    """Anything that gives pictures one after the other."""

    def read(self) -> Shot | None:
        """The next picture; None at the end of a video.

        Raises:
            CaptureError: if there is none.
        """

    def close(self) -> None:
        """Lets the device go; a second call does nothing."""


class VideoFile:
    """A recorded video.

    Raises:
        CaptureError: if the file is no video OpenCV can read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            self._capture.release()
            raise CaptureError(f"{path.name}: is neither a picture nor a video this program reads.")
        self._opened = datetime.now(UTC)
        self._frames = 0

    @property
    def length(self) -> int | None:
        """Number of frames the file says it has, None if it does not say."""
        count = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        return count if count > 0 else None

    def read(self) -> Shot | None:
        """The next frame; None at the end."""
        found, image = self._capture.read()
        if not found:
            if not self._frames:
                raise CaptureError(f"{self._path.name}: holds no frame that can be decoded.")
            return None
        self._frames += 1
        position_ms = self._capture.get(cv2.CAP_PROP_POS_MSEC)
        return Shot(np.asarray(image, np.uint8), self._opened + timedelta(milliseconds=max(0.0, position_ms)))

    def close(self) -> None:
        """Closes the file."""
        self._capture.release()


class OpenCvCamera:
    """A camera of this computer by its number, or a network camera by its address.

    Args:
        address: a number for a local camera, or an ``rtsp://`` or ``http://`` address.

    Raises:
        CaptureError: if it does not open in time.
    """

    def __init__(self, address: int | str) -> None:
        self._name = f"camera {address}" if isinstance(address, int) else without_password(address)
        if isinstance(address, int):
            self._capture = cv2.VideoCapture(address)
        else:
            # Only the constructor takes these: set() comes too late for a camera that never answers.
            limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_TIMEOUT_MS]
            self._capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
        if not self._capture.isOpened():
            self._capture.release()
            raise CaptureError(
                f"{self._name}: does not open. Check its cable, power and address, and that nothing else uses it."
            )

    def read(self) -> Shot:
        """The next frame."""
        found, image = self._capture.read()
        if not found:
            raise CaptureError(f"{self._name}: gave no picture for {READ_TIMEOUT_MS / 1000:.0f} s or hung up.")
        return Shot(np.asarray(image, np.uint8), datetime.now(UTC))

    def close(self) -> None:
        """Lets the camera go."""
        self._capture.release()


class PiCamera:
    """A Raspberry Pi camera through picamera2.

    It is configured once and never switched, and every request is copied and given back at once: picamera2 leaks
    memory otherwise. A capture that does not finish in time is an error; picamera2 itself would wait for ever.

    Args:
        number: which camera of the board.
        size: width and height of the pictures in pixels.
        timeout_s: how long one picture may take.

    Raises:
        CaptureError: if picamera2 or the camera is not there.
    """

    def __init__(self, number: int, size: tuple[int, int] = PI_SIZE, timeout_s: float = PI_TIMEOUT_S) -> None:
        self._name = f"picamera2:{number}"
        self._timeout_s = timeout_s
        try:
            picamera2: Any = importlib.import_module("picamera2")
        except ImportError as fault:
            raise CaptureError(
                f"{self._name}: picamera2 is not installed. It runs on a Raspberry Pi: sudo apt install "
                "python3-picamera2, and make the virtual environment with --system-site-packages."
            ) from fault
        try:
            self._camera = picamera2.Picamera2(number)
        except (IndexError, RuntimeError) as fault:
            raise CaptureError(
                f"{self._name}: does not open ({fault}). Check the ribbon cable and that it is free."
            ) from fault
        # libcamera names channels from the highest byte down: its RGB888 lies in memory as blue, green, red.
        main = {"size": size, "format": "RGB888"}
        self._camera.configure(self._camera.create_video_configuration(main=main, buffer_count=4))
        self._camera.start()
        self._open = True

    def read(self) -> Shot:
        """The next frame the sensor completes."""
        done = threading.Event()
        job = self._camera.capture_request(signal_function=lambda _job: done.set())
        if not done.wait(self._timeout_s):
            raise CaptureError(f"{self._name}: gave no picture for {self._timeout_s:g} s.")
        request = self._camera.wait(job)
        try:
            image = np.array(request.make_array("main"), np.uint8)
            taken_ns = request.get_metadata().get("SensorTimestamp")
        finally:
            request.release()
        return Shot(image, _from_boot_clock(taken_ns))

    def close(self) -> None:
        """Stops and frees the camera."""
        if self._open:
            self._open = False
            self._camera.stop()
            self._camera.close()


def _from_boot_clock(taken_ns: int | None) -> datetime:
    """UTC of a moment on the clock that counts from boot; now if the sensor did not say."""
    now = datetime.now(UTC)
    if taken_ns is None:
        return now
    age_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - taken_ns
    return now - timedelta(microseconds=max(0, age_ns) / 1000)


def without_password(address: str) -> str:
    """An address fit for messages: what stands before the ``@`` may be a password.

    >>> without_password("rtsp://user:secret@10.0.0.7/stream")
    'rtsp://10.0.0.7/stream'
    """
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
