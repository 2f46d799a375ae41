"""What ``vision.capture.PiCamera`` uses of picamera2 0.3, behaving as the library does on a Raspberry Pi.

Written from the library's source (picamera2.py, request.py, job.py, controls.py): the same names, arguments, defaults
and exceptions; jobs done by an event loop in another thread; a camera that stalls when every buffer is held; buffers
that are reused once given back; sizes that libcamera changes without a word; the small stream with its rows padded;
controls that are known only once the camera is configured and refused by name. The ranges are those of a Camera
Module 3 (IMX708).
Nothing here has run on a Pi.
"""

import os
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

SENSOR_SIZES = ((1536, 864), (2304, 1296), (4608, 2592))
ALIGN = 64


class Job:
    def __init__(self, signal_function: Callable[["Job"], None] | None) -> None:
        self._done = threading.Event()
        self._signal_function = signal_function
        self._result: Any = None

    def finish(self, result: object) -> None:
        self._result = result
        self._done.set()
        if self._signal_function:
            self._signal_function(self)

    def get_result(self) -> Any:  # noqa: ANN401 - as in the library
        self._done.wait()
        return self._result


class CompletedRequest:
    def __init__(self, owner: "Picamera2", buffers: dict[str, NDArray[np.uint8]], metadata: dict[str, Any]) -> None:
        self._owner, self._buffers, self._metadata = owner, buffers, metadata
        self.ref_count = 1

    def make_array(self, name: str) -> NDArray[np.uint8]:
        if name not in self._buffers:
            raise RuntimeError(f"Stream {name!r} is not defined")
        if self.ref_count == 0:
            raise RuntimeError("the buffer went back to the camera")
        return self._buffers[name]

    def get_metadata(self) -> dict[str, Any]:
        return dict(self._metadata)

    def release(self) -> None:
        self.ref_count -= 1
        if self.ref_count < 0:
            raise RuntimeError("CompletedRequest: lock now has negative ref_count")
        for buffer in self._buffers.values():
            buffer[:] = 0  # the camera writes the next picture there
        self._owner.free.put(self._buffers)


class Picamera2:
    cameras = 1
    stalled = False
    has_focus = True
    opened: list["Picamera2"] = []  # noqa: RUF012 - for the tests to look into

    def __init__(self, camera_num: int = 0) -> None:
        if camera_num >= self.cameras:
            raise IndexError("list index out of range")
        self.free: queue.Queue[dict[str, NDArray[np.uint8]]] = queue.Queue()
        self.jobs: queue.Queue[Job | None] = queue.Queue()
        self.config: dict[str, Any] | None = None
        self.controls: dict[str, Any] = {}
        self.started = self.closed = False
        self._count = 0
        self._loop = threading.Thread(target=self._run, daemon=True)
        self.opened.append(self)

    @property
    def camera_controls(self) -> dict[str, tuple[Any, Any, Any]]:
        """Least, most and usual value; only with a mode of the sensor it is known what that mode can do."""
        if self.config is None:
            known: dict[str, tuple[Any, Any, Any]] = {"ExposureTime": (0, 66_666, None)}
        else:
            known = {
                "ExposureTime": (13, 0, None),  # no upper end
                "FrameDurationLimits": (17_849, 220_417_486, None),
            }
        known |= {
            "AeEnable": (False, True, None),
            "AnalogueGain": (1.12, 16.0, None),
            "AwbEnable": (False, True, None),
            "ColourGains": (0.0, 32.0, None),
        }
        if self.has_focus:
            known |= {"AfMode": (0, 2, 0), "LensPosition": (0.0, 32.0, 1.0)}
        return known

    def create_video_configuration(
        self,
        main: dict[str, Any] | None = None,
        lores: dict[str, Any] | None = None,
        buffer_count: int = 6,
        controls: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        first: dict[str, Any] = {"format": "XBGR8888", "size": (1280, 720), "preserve_ar": True} | (main or {})
        second: dict[str, Any] | None = None
        if lores is not None:
            second = {"format": "YUV420", "size": first["size"], "preserve_ar": False} | lores
        for stream in (first, second):
            if stream is not None:
                width, height = stream["size"]
                stream["size"] = (width - width % 2, height - height % 2)
        return {
            "main": first,
            "lores": second,
            "buffer_count": buffer_count,
            "controls": {"FrameDurationLimits": (33_333, 33_333)} | (controls or {}),
        }

    def configure(self, camera_config: dict[str, Any]) -> None:
        if self.started:
            raise RuntimeError("Camera must be stopped before configuring")
        config = dict(camera_config)
        main, lores = config["main"], config["lores"]
        if type(main["size"]) is not tuple or (lores is not None and type(lores["size"]) is not tuple):
            raise RuntimeError("size in main stream should be (width, height)")
        if lores is not None and any(one > other for one, other in zip(lores["size"], main["size"], strict=True)):
            raise RuntimeError("lores stream dimensions may not exceed main stream")
        assert main["format"] == "RGB888"
        largest = SENSOR_SIZES[-1]
        main["size"] = tuple(min(one, other) for one, other in zip(main["size"], largest, strict=True))  # says nothing
        self.config = config
        self.controls = {}
        self.set_controls(config["controls"])
        width, height = main["size"]
        for _ in range(config["buffer_count"]):
            buffers = {"main": np.zeros((height, width, 3), np.uint8)}
            if lores is not None:
                across, down = lores["size"]
                lores["stride"] = -(-across // ALIGN) * ALIGN
                buffers["lores"] = np.zeros((down * 3 // 2, lores["stride"]), np.uint8)
            self.free.put(buffers)

    def camera_configuration(self) -> dict[str, Any] | None:
        return self.config

    def set_controls(self, controls: dict[str, Any]) -> None:
        for name in controls:
            if name not in self.camera_controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
        self.controls |= controls

    def start(self) -> None:
        if self.config is None:
            raise RuntimeError("Camera has not been configured")
        self.started = True
        self._loop.start()

    def capture_request(
        self,
        wait: bool | None = None,  # noqa: FBT001 - as in the library
        signal_function: Callable[["Job"], None] | None = None,
    ) -> Any:  # noqa: ANN401 - as in the library
        job = Job(signal_function)
        self.jobs.put(job)
        return job.get_result() if (signal_function is None if wait is None else wait) else job

    def wait(self, job: Job) -> Any:  # noqa: ANN401 - as in the library
        return job.get_result()

    def stop(self) -> None:
        if self.stalled and "PICAMERA2_STOP_HANGS" in os.environ:
            threading.Event().wait()  # the event loop that should do it is the one that hangs
        self.started = False
        self.jobs.put(None)

    def close(self) -> None:
        self.closed = True

    def _run(self) -> None:
        stalls_after = int(os.environ.get("PICAMERA2_STALLS_AFTER", "1000000"))
        while (job := self.jobs.get()) is not None:
            if self._count >= stalls_after:
                type(self).stalled = True
            if self.stalled:
                continue
            buffers = self.free.get()
            buffers["main"][:] = (200, 100, self._count % 256)  # in memory: blue, green, red
            if self.config is not None and self.config["lores"] is not None:
                width, height = self.config["lores"]["size"]
                buffers["lores"][:height, : width // 2] = 50
                buffers["lores"][:height, width // 2 : width] = 91 + self._count % 100
                buffers["lores"][:height, width:] = 255  # what lies between the rows is nobody's business
                buffers["lores"][height:] = 128
            self._count += 1
            metadata = {
                "SensorTimestamp": time.clock_gettime_ns(time.CLOCK_BOOTTIME) - 50_000_000,
                "ExposureTime": self.controls.get("ExposureTime", 10_000),
                "AnalogueGain": self.controls.get("AnalogueGain", 2.0),
            }
            job.finish(CompletedRequest(self, buffers, metadata))
