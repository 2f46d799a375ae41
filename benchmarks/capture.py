"""What a process of its own costs a camera: the same pictures in this process and through the boundary, side by side.

    python -m benchmarks.capture [--size 2304x1296] [--fps 30] [--seconds 5]

Three ways take turns: pictures in this process, emptied by a thread as a camera without a process would be; pictures of
a child, copied through shared memory; and pictures of a child pickled through a pipe, the plain way. The camera
keeps time and makes each picture anew; printed are the processor time that this process and its children spend a
picture, the camera's included, and the age of a picture when the reader has it.
"""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import parser_of, report, summary
from vision.capture import Frame, IsolatedSource, Shot
from vision.capture.camera import CameraSource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from vision.capture import FrameResult, Resume
    from vision.capture.images import Image

ROUNDS = 3


@dataclass
class Steady:
    """A camera that gives a picture of noise at a steady rate."""

    size: tuple[int, int]
    fps: float

    def __post_init__(self) -> None:
        width, height = self.size
        self.picture = np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)
        self.next_s = time.monotonic()

    def read(self) -> Shot:
        self.next_s = max(self.next_s + 1 / self.fps, time.monotonic())
        time.sleep(max(0.0, self.next_s - time.monotonic()))
        at_ns = time.monotonic_ns()
        self.picture[0, 0] += 1
        return Shot(self.picture.copy(), datetime.now(UTC), at_ns)

    def close(self) -> None:
        pass


def connect(size: tuple[int, int], fps: float) -> Steady:
    return Steady(size, fps)


def open_steady(size: tuple[int, int], fps: float, _: Resume) -> CameraSource:
    return CameraSource("steady", partial(connect, size, fps))


Aged = tuple["Image", int]


def aged(seen: FrameResult) -> Aged:
    """The picture, and when it was taken."""
    if not isinstance(seen, Frame) or seen.monotonic_ns is None:
        raise TypeError(seen)
    return seen.image, seen.monotonic_ns


def in_process(size: tuple[int, int], fps: float) -> Iterator[Aged]:
    """A thread empties the camera; the reader has the newest picture."""
    news = threading.Condition()
    newest: list[FrameResult] = []
    stop = threading.Event()

    def run() -> None:
        for seen in CameraSource("steady", partial(connect, size, fps)):
            if stop.is_set():
                return
            with news:
                newest[:] = [seen]
                news.notify()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        while True:
            with news:
                news.wait_for(lambda: newest)
                seen = newest.pop()
            yield aged(seen)
    finally:
        stop.set()
        thread.join()


def isolated(size: tuple[int, int], fps: float) -> Iterator[Aged]:
    source = IsolatedSource("steady", partial(open_steady, size, fps))
    try:
        for seen in source:
            yield aged(seen)
    finally:
        source.close()


def _pickle(size: tuple[int, int], fps: float, pipe: Connection) -> None:
    for seen in CameraSource("steady", partial(connect, size, fps)):
        pipe.send(seen)


def pickled(size: tuple[int, int], fps: float) -> Iterator[Aged]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_pickle, args=(size, fps, theirs), daemon=True)
    child.start()
    try:
        while True:
            seen = ours.recv()
            yield aged(seen)
    finally:
        child.kill()
        child.join()


def spent_s() -> float:
    """Processor time of this process; that of children comes once they have ended."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measure(way: Iterator[Aged], seconds: float) -> tuple[float, list[float]]:
    """Processor seconds, start and end of the child included, and the ages of the pictures in milliseconds."""
    before, ages = spent_s(), []
    next(way)
    ends = time.monotonic() + seconds
    for _, taken_ns in way:
        ages.append((time.monotonic_ns() - taken_ns) / 1e6)
        if time.monotonic() > ends:
            break
    way.close()  # type: ignore[attr-defined]
    return spent_s() - before, ages


def main() -> None:
    """Measure the three ways by turns."""
    parser = parser_of(__doc__)
    parser.add_argument("--size", default="2304x1296")
    parser.add_argument("--fps", type=float, default=30.0)
    parser.add_argument("--seconds", type=float, default=5.0)
    asked = parser.parse_args()
    width, height = (int(part) for part in asked.size.split("x"))
    ways = {"in this process": in_process, "own process": isolated, "own process, pickled": pickled}
    costs: dict[str, list[float]] = {name: [] for name in ways}
    ages: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            # A short run takes off what starting a process costs.
            short_s, short = measure(way((width, height), asked.fps), asked.seconds / 5)
            long_s, long = measure(way((width, height), asked.fps), asked.seconds)
            costs[name].append((long_s - short_s) / max(1, len(long) - len(short)) * 1e3)
            ages[name] += long
    result = {
        name: {
            "cpu_ms a picture": statistics.median(costs[name]),
            **{f"age, {key}": value for key, value in summary(ages[name]).items()},
            "pictures a second": len(ages[name]) / ROUNDS / asked.seconds,
        }
        for name in ways
    }
    report({"size": asked.size, "fps": asked.fps, **result}, as_json=asked.as_json)


if __name__ == "__main__":
    main()
