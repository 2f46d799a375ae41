"""Cameras that do what cameras do on a bad day; opened in child processes, so they are functions of modules."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PosixPath

import cv2
import numpy as np

from vision.capture import FrameResult, IsolatedSource, Resume
from vision.capture.camera import CameraSource, CaptureError, Shot
from vision.capture.faults import CaptureCode
from vision.capture.images import Image
from vision.capture.sources import StillSource

HOUR_S = 3600.0
LONG_S = 30.0
NOISY = np.random.default_rng(3).integers(0, 256, (96, 128, 3), np.uint8)
WHOLE = cv2.imencode(".jpg", NOISY)[1].tobytes()
CUT = WHOLE[: len(WHOLE) * 6 // 10] + b"\xff\xd9"
"""Without its last 40 percent, but with an end."""


def shot(number: int, height: int = 48, width: int = 64) -> Shot:
    """A picture that shows something, with its number in the corner."""
    image: Image = np.zeros((height, width, 3), np.uint8)
    image[:, width // 2 :] = 200
    image[0, 0] = number % 256, number // 256 % 256, 0
    return Shot(image, datetime.now(UTC), time.monotonic_ns())


def number_of(image: Image) -> int:
    return int(image[0, 0, 0]) + 256 * int(image[0, 0, 1])


def hang() -> None:
    """What a driver does that does not come back, not even for a signal that can be caught."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    time.sleep(HOUR_S)


def crash() -> None:
    """What a driver does that writes where it should not."""
    sys.stderr.close()  # the fault handler's report would only be noise here
    os.close(2)
    ctypes.string_at(0)


@dataclass
class Odd:
    """A camera that misbehaves after a number of pictures, the first times it is opened.

    Attributes:
        ill: what it does: ``hang``, ``segfault``, ``kill``, ``raise``, ``error``, ``end``, ``black``, ``plain`` or
            ``freeze``; ``none`` for a camera that is well.
        after: pictures before that; -1 does it while it is opened.
        folder: one file is left here for each time it is opened, so that it knows how often it was.
        times: how often it falls ill; then it is well.
        every_s: pause between pictures.
        size: width and height.
    """

    ill: str
    after: int
    folder: Path
    times: int = 1
    every_s: float = 0.01
    size: tuple[int, int] = (64, 48)

    def __post_init__(self) -> None:
        opened = len(list(self.folder.glob("opened-*")))
        (self.folder / f"opened-{opened}").write_text(f"{os.getpid()} {time.monotonic_ns()}")
        self.count = 0
        self.sick = opened < self.times
        if self.sick and self.after < 0:
            self.fall_ill()

    def read(self) -> Shot | None:
        time.sleep(self.every_s)
        taken = shot(self.count, self.size[1], self.size[0])
        if self.sick and self.count >= self.after:
            match self.ill:
                case "black":
                    taken.image[:] = 7
                case "plain":
                    taken.image[:] = (120, 40, 90)
                case "freeze":
                    return shot(self.after, self.size[1], self.size[0])
                case "end":
                    return None
                case _:
                    self.fall_ill()
        self.count += 1
        return taken

    def fall_ill(self) -> None:
        match self.ill:
            case "hang":
                hang()
            case "segfault":
                crash()
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "raise":
                raise ZeroDivisionError("in the driver")
            case _:
                raise CaptureError.of(CaptureCode.NOT_OPENING, name="the cable")

    def close(self) -> None:
        (self.folder / f"closed-{os.getpid()}").touch()
        if self.ill == "freeze":
            hang()


@dataclass
class Opener:
    """Opens an odd camera as a source.

    Attributes:
        connect: opens the camera.
        frozen_s: as in ``CameraSource``.
    """

    connect: Callable[[], Odd]
    frozen_s: float = 0.0

    def __call__(self, resume: Resume) -> CameraSource:
        return CameraSource("odd", self.connect, self.frozen_s, resume.frozen)


class _Poisoned(PosixPath):
    """A file that kills the process that reads it."""

    def read_bytes(self) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return b""


@dataclass
class PoisonedFolder:
    """Opens a folder of pictures; the process that reads ``3.png`` dies of it."""

    folder: Path

    def __call__(self, resume: Resume) -> StillSource:
        paths = sorted(self.folder.iterdir())
        return StillSource(tuple(_Poisoned(path) if path.name == "3.png" else path for path in paths), resume.first)


def until(seen: Iterator[FrameResult], holds: Callable[[FrameResult], bool]) -> list[FrameResult]:
    """What is seen up to the first of which something holds."""
    got: list[FrameResult] = []
    ends = time.monotonic() + LONG_S
    for each in seen:
        got.append(each)
        if holds(each):
            return got
        assert time.monotonic() < ends, got[-3:]
    raise AssertionError("the source ended")


def _opened(folder: Path) -> list[tuple[int, int]]:
    """In which processes it was opened, and when, in nanoseconds."""
    found = sorted(folder.glob("opened-*"), key=lambda each: int(each.name.partition("-")[2]))
    return [(int(pid), int(at_ns)) for pid, at_ns in (each.read_text().split() for each in found)]


def pids(folder: Path) -> list[int]:
    return [pid for pid, _ in _opened(folder)]


def opened_ns(folder: Path) -> list[int]:
    return [at_ns for _, at_ns in _opened(folder)]


def alive(pid: int) -> bool:
    """Whether a process is there and is more than a memory of one."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def main(folder: str) -> None:
    """A service with a camera that hangs; killed by the test."""
    for seen in IsolatedSource("odd", Opener(partial(Odd, "hang", 3, Path(folder)))):
        sys.stdout.write(f"{seen.sequence}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
