"""USB and network cameras through OpenCV."""

import math
import os
import time
from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from vision.addresses import shown_address
from vision.capture.camera import CameraSettings, CaptureError, Shot, moment
from vision.capture.decoding.decoder_log import DecoderLog
from vision.capture.decoding.jpeg import JpegDamagedError, decode_sent, take_as_sent
from vision.capture.faults import CaptureCode
from vision.findings import Finding

_WHOLE: Final = ord("I")
"""Type of a picture that is sent completely (key frame); the others encode differences."""
_HEALED_S: Final = 10.0
"""A camera that never sends key frames refreshes each part of the picture within this time."""
DEVICES: Final = "/dev/"
OPEN_TIMEOUT_MS: Final = 5_000
READ_TIMEOUT_MS: Final = 5_000
"""Time limit for a network camera: longer than any pause of a working one."""
_MANUAL_EXPOSURE: Final = 1
"""``V4L2_EXPOSURE_MANUAL``."""
_EXPOSURE_UNIT_US: Final = 100
"""Unit of ``V4L2_CID_EXPOSURE_ABSOLUTE``."""

if "OPENCV_LOG_LEVEL" not in os.environ:
    # We report an unopenable camera with advice; OpenCV would add five warnings.
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)


class OpenCvCamera:
    """A local camera by its number or file under ``/dev``, or a network camera by its address.

    A local camera takes the settings; a network camera is configured on its own page. CaptureError if it does not open
    in time or rejects a setting.
    """

    def __init__(self, address: int | str, settings: CameraSettings | None = None) -> None:
        self._local = isinstance(address, int) or address.startswith(DEVICES)
        self._name = f"camera {address}" if self._local else shown_address(str(address))
        self._log: DecoderLog | None = None
        self._complaints, self._damaged_s = 0, -math.inf
        if isinstance(address, int) or self._local:
            self._capture = cv2.VideoCapture(address, cv2.CAP_V4L2)
        else:
            # Only the constructor accepts these: set() is too late for a camera that never responds.
            limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_TIMEOUT_MS]
            self._log = DecoderLog(address)
            self._capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
        if not self._capture.isOpened():
            self.close()
            raise CaptureError.of(CaptureCode.NOT_OPENING, name=self._name)
        if self._local and settings is not None:
            for key, name, number, value in _properties(settings):
                if not self._capture.set(number, value) or (key == "size" and self._capture.get(number) != value):
                    self._capture.release()
                    refused = {"property": name, "value": f"{value:g}", "key": key, "device": str(address)}
                    raise CaptureError.of(CaptureCode.SETTING_NOT_TAKEN, name=self._name, **refused)
        self._as_sent = take_as_sent(self._capture, local=self._local)

    def read(self) -> Shot | Finding:
        """The next frame, or its fault."""
        found, given = self._capture.read()
        if not found:
            seconds = round(READ_TIMEOUT_MS / 1000)
            raise CaptureError.of(CaptureCode.SILENT_OR_HUNG_UP, name=self._name, seconds=seconds)
        image = np.asarray(given, np.uint8)
        if self._smeared(time.monotonic()):
            return Finding.of(CaptureCode.STREAM_DAMAGED, name=self._name)
        if self._as_sent:
            try:
                image = decode_sent(image)
            except JpegDamagedError as fault:
                return Finding.of(CaptureCode.PICTURE_DAMAGED, name=self._name, why=str(fault))
        # A local camera's driver timestamps pictures on the monotonic clock; the stream position of a network camera
        # does not give the capture time.
        taken_ms = self._capture.get(cv2.CAP_PROP_POS_MSEC) if self._local else 0.0
        at, at_ns = moment(time.CLOCK_MONOTONIC, round(taken_ms * 1e6) if taken_ms > 0 else None)
        return Shot(image, at, at_ns)

    def _smeared(self, now_s: float) -> bool:
        """Whether part of the stream was lost and no key frame has arrived since."""
        if self._log is None:
            return False
        if self._log.complaints > self._complaints:
            self._complaints, self._damaged_s = self._log.complaints, now_s
            return True
        if self._capture.get(cv2.CAP_PROP_FRAME_TYPE) == _WHOLE:
            self._damaged_s = -math.inf
        return now_s - self._damaged_s < _HEALED_S

    def close(self) -> None:
        self._capture.release()
        if self._log is not None:
            self._log.close()


def _properties(settings: CameraSettings) -> Iterator[tuple[str, str, int, float]]:
    """Yield setting, OpenCV's name, its number and value, in setting order: automatic modes are disabled first."""
    if settings.size is not None:
        # Uncompressed, a USB 2 camera delivers a full table only a few times a second.
        yield "format MJPG", "CAP_PROP_FOURCC", cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")
        yield "size", "CAP_PROP_FRAME_WIDTH", cv2.CAP_PROP_FRAME_WIDTH, settings.size[0]
        yield "size", "CAP_PROP_FRAME_HEIGHT", cv2.CAP_PROP_FRAME_HEIGHT, settings.size[1]
    if settings.fps is not None:
        yield "fps", "CAP_PROP_FPS", cv2.CAP_PROP_FPS, settings.fps
    if settings.exposure_us is not None:
        yield "exposure_us", "CAP_PROP_AUTO_EXPOSURE", cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL_EXPOSURE
        yield "exposure_us", "CAP_PROP_EXPOSURE", cv2.CAP_PROP_EXPOSURE, settings.exposure_us / _EXPOSURE_UNIT_US
    if settings.gain is not None:
        yield "gain", "CAP_PROP_GAIN", cv2.CAP_PROP_GAIN, settings.gain
    if settings.white_balance_k is not None:
        yield "white_balance_k", "CAP_PROP_AUTO_WB", cv2.CAP_PROP_AUTO_WB, 0
        yield "white_balance_k", "CAP_PROP_WB_TEMPERATURE", cv2.CAP_PROP_WB_TEMPERATURE, settings.white_balance_k
    if settings.focus is not None:
        yield "focus", "CAP_PROP_AUTOFOCUS", cv2.CAP_PROP_AUTOFOCUS, 0
        yield "focus", "CAP_PROP_FOCUS", cv2.CAP_PROP_FOCUS, settings.focus
