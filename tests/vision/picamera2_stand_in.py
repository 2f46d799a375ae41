"""What ``vision.capture.PiCamera`` uses of picamera2 0.3, behaving as the library does on a Raspberry Pi.

Written from the library's source (picamera2.py, request.py, job.py): the same names, arguments and defaults; jobs done
by an event loop in another thread; a camera that stalls when every buffer is held; buffers that are reused once given
back. Nothing here has run on a Pi.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Job:
    def __init__(self, signal_function: Callable[[Job], None] | None) -> None:
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
    def __init__(self, owner: Picamera2, buffer: NDArray[np.uint8], timestamp_ns: int) -> None:
        self._owner, self._buffer, self._timestamp_ns = owner, buffer, timestamp_ns
        self.ref_count = 1

    def make_array(self, name: str) -> NDArray[np.uint8]:
        if name != "main":
            raise RuntimeError(f"Stream {name!r} is not defined")
        if self.ref_count == 0:
            raise RuntimeError("the buffer went back to the camera")
        return self._buffer

    def get_metadata(self) -> dict[str, Any]:
        return {"SensorTimestamp": self._timestamp_ns, "ExposureTime": 10_000}

    def release(self) -> None:
        self.ref_count -= 1
        if self.ref_count < 0:
            raise RuntimeError("CompletedRequest: lock now has negative ref_count")
        self._buffer[:] = 0  # the camera writes the next picture there
        self._owner.free.put(self._buffer)


class Picamera2:
    cameras = 1
    stalled = False
    opened: list[Picamera2] = []  # noqa: RUF012 - for the tests to look into

    def __init__(self, camera_num: int = 0) -> None:
        if camera_num >= self.cameras:
            raise IndexError("list index out of range")
        self.free: queue.Queue[NDArray[np.uint8]] = queue.Queue()
        self.jobs: queue.Queue[Job | None] = queue.Queue()
        self.config: dict[str, Any] = {}
        self.started = self.closed = False
        self._count = 0
        self._loop = threading.Thread(target=self._run, daemon=True)
        self.opened.append(self)

    def create_video_configuration(
        self, main: dict[str, Any] | None = None, buffer_count: int = 6, controls: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        return {"main": main or {}, "buffer_count": buffer_count, "controls": controls or {}}

    def configure(self, camera_config: dict[str, Any]) -> None:
        if self.started:
            raise RuntimeError("Camera must be stopped before configuring")
        self.config = camera_config
        width, height = camera_config["main"]["size"]
        assert camera_config["main"]["format"] == "RGB888"
        for _ in range(camera_config["buffer_count"]):
            self.free.put(np.zeros((height, width, 3), np.uint8))

    def start(self) -> None:
        self.started = True
        self._loop.start()

    def capture_request(
        self,
        wait: bool | None = None,  # noqa: FBT001 - as in the library
        signal_function: Callable[[Job], None] | None = None,
    ) -> Any:  # noqa: ANN401 - as in the library
        job = Job(signal_function)
        self.jobs.put(job)
        return job.get_result() if (signal_function is None if wait is None else wait) else job

    def wait(self, job: Job) -> Any:  # noqa: ANN401 - as in the library
        return job.get_result()

    def stop(self) -> None:
        self.started = False
        self.jobs.put(None)

    def close(self) -> None:
        self.closed = True

    def _run(self) -> None:
        while (job := self.jobs.get()) is not None:
            if self.stalled:
                continue
            buffer = self.free.get()
            buffer[:] = (200, 100, self._count % 256)  # in memory: blue, green, red
            self._count += 1
            job.finish(CompletedRequest(self, buffer, time.clock_gettime_ns(time.CLOCK_BOOTTIME) - 50_000_000))
