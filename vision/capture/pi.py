"""Raspberry Pi cameras through picamera2."""

import importlib
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from vision.capture.camera import CameraSettings, CaptureError, Shot, moment
from vision.capture.faults import CaptureCode

PI_TIMEOUT_S: Final = 5.0
"""Time limit for one picture: longer than any exposure."""
PI_SIZE_PX: Final = (2304, 1296)
"""Width and height: half the sensor of camera module 3, enough for a whole table."""
_DEFAULT_FPS: Final = 30
"""Rate of picamera2's video configuration."""
_SMALL_DIVISOR: Final = 4
"""Downscaling of the small stream, as in other cameras' liveness checks."""
_AF_MANUAL: Final = 0
"""``libcamera.controls.AfModeEnum.Manual``."""


class PiCamera:
    """A Raspberry Pi camera, by its number on the board, through picamera2.

    It is configured once and never switched, and every request is copied and released immediately: picamera2 leaks
    memory otherwise. A capture that does not finish in time is an error; picamera2 itself would wait forever. In
    addition to the full pictures it provides small grey ones, at no cost for the image processor. CaptureError if
    picamera2 or the camera is missing, or rejects the configuration.
    """

    def __init__(self, number: int, settings: CameraSettings | None = None, timeout_s: float = PI_TIMEOUT_S) -> None:
        self._name = f"picamera2:{number}"
        self._timeout_s = timeout_s
        self._open = False
        settings = settings or CameraSettings()
        try:
            picamera2: Any = importlib.import_module("picamera2")
        except ImportError as fault:
            raise CaptureError.of(CaptureCode.PICAMERA2_MISSING, name=self._name) from fault
        try:
            self._camera = picamera2.Picamera2(number)
        except (IndexError, RuntimeError) as fault:
            raise CaptureError.of(CaptureCode.RIBBON_CAMERA_NOT_OPENING, name=self._name, why=str(fault)) from fault
        self._open = True
        try:
            self._small = self._configure(settings)
        except (RuntimeError, CaptureError) as fault:
            self.close()
            if isinstance(fault, CaptureError):
                raise
            raise CaptureError.of(CaptureCode.SETTINGS_REFUSED, name=self._name, why=str(fault)) from fault

    def _configure(self, settings: CameraSettings) -> tuple[int, int]:
        """Set the camera and start it; returns the size of the small pictures."""
        size = settings.size or PI_SIZE_PX
        longest_us = 1_000_000 / (settings.fps or _DEFAULT_FPS)
        if settings.exposure_us is not None and settings.exposure_us > longest_us:
            raise CaptureError.of(
                CaptureCode.EXPOSURE_TOO_LONG,
                name=self._name,
                exposure_us=settings.exposure_us,
                longest_us=round(longest_us),
            )
        small = tuple(length // _SMALL_DIVISOR // 2 * 2 for length in size)
        # libcamera names channels from the highest byte down: its RGB888 is blue, green, red in memory.
        wanted = self._camera.create_video_configuration(
            main={"size": size, "format": "RGB888"},
            lores={"size": small, "format": "YUV420"},
            buffer_count=4,
        )
        self._camera.configure(wanted)
        given = self._camera.camera_configuration()  # libcamera silently changes unsupported settings
        if given["main"]["size"] != size or given["main"]["format"] != "RGB888":
            raise CaptureError.of(
                CaptureCode.OTHER_SIZE_GIVEN,
                name=self._name,
                given="{}x{}".format(*given["main"]["size"]),
                format=str(given["main"]["format"]),
                asked="{}x{}".format(*size),
            )
        self._lock(dict(_controls(settings)))
        self._camera.start()
        width, height = given["lores"]["size"]
        return width, height

    def _lock(self, controls: dict[str, Any]) -> None:
        """Set the controls before the first picture; the available ones are known after configuration."""
        known = self._camera.camera_controls
        for name, value in controls.items():
            if name not in known:
                raise CaptureError.of(CaptureCode.CONTROL_MISSING, name=self._name, control=name)
            least, most = known[name][:2]
            for each in value if isinstance(value, tuple) else (value,):
                # A maximum below the minimum means that it is not supported.
                if each < least or least <= most < each:
                    span = {"least": f"{least:g}", "most": f"{most:g}", "value": f"{each:g}"}
                    raise CaptureError.of(CaptureCode.CONTROL_OUT_OF_RANGE, name=self._name, control=name, **span)
        self._camera.set_controls(controls)

    def read(self) -> Shot:
        """The sensor's next completed frame."""
        done = threading.Event()
        job = self._camera.capture_request(signal_function=lambda _job: done.set())
        if not done.wait(self._timeout_s):
            raise CaptureError.of(CaptureCode.SILENT, name=self._name, seconds=f"{self._timeout_s:g}")
        request = self._camera.wait(job)
        width, height = self._small
        try:
            image = np.array(request.make_array("main"), np.uint8)
            # The luma plane, padded to the right, precedes the chroma planes.
            small = np.array(request.make_array("lores")[:height, :width], np.uint8)
            taken_ns = request.get_metadata().get("SensorTimestamp")
        finally:
            request.release()
        return Shot(image, *moment(time.CLOCK_BOOTTIME, taken_ns), small)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._camera.stop()
            self._camera.close()


def _controls(settings: CameraSettings) -> Iterator[tuple[str, Any]]:
    """Controls by libcamera's names. Of exposure and gain, the one not given stays automatic."""
    if settings.fps is not None:
        frame_us = round(1_000_000 / settings.fps)
        yield "FrameDurationLimits", (frame_us, frame_us)
    if settings.exposure_us is not None and settings.gain is not None:
        yield "AeEnable", False
    if settings.exposure_us is not None:
        yield "ExposureTime", settings.exposure_us
    if settings.gain is not None:
        yield "AnalogueGain", settings.gain
    if settings.colour_gains is not None:
        yield "AwbEnable", False
        yield "ColourGains", settings.colour_gains
    if settings.focus is not None:
        yield "AfMode", _AF_MANUAL
        yield "LensPosition", settings.focus
