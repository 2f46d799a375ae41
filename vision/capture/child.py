"""The capture process: reads a source and passes its pictures to the parent through shared memory.

Pictures are in anonymous memory files, one per slot; a slot belongs to one side at a time, and a message through the
pipe transfers it. So there are no locks, and a child killed at any moment leaves nothing locked and nothing to clean
up.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Final

import numpy as np

from vision.capture.camera import CaptureError
from vision.capture.faults import CaptureCode
from vision.capture.frame import Frame, FrameResult, FrameSource
from vision.capture.liveness import FrozenError
from vision.findings import CodedError, Finding
from vision.processes import set_up_child

SLOTS: Final = 3
"""Pictures in shared memory: one being filled, one waiting, one being copied out."""
STOP: Final = 255
"""Sent instead of a slot's number: release the source and exit."""
_PARENT_GONE: Final = (EOFError, BrokenPipeError, ConnectionResetError)
_NO_IMAGE: Final = np.empty((0, 0, 3), np.uint8)


@dataclass(frozen=True, slots=True)
class Resume:
    """State for resuming in the next child: the first recorded picture to read, the checksum of a frozen one."""

    first: int = 0
    frozen: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Announced:
    """Message that a picture is in a slot, or is bad.

    Attributes:
        slot: the slot, owned by the parent until it returns it.
        shape: the picture's shape.
        result: the frame without its pixels; its sequence number is that within its source.
        dropped: pictures that the child has dropped since the last one.
    """

    slot: int
    shape: tuple[int, ...]
    result: FrameResult
    dropped: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Message that the source failed and the child ends.

    Attributes:
        finding: the reason.
        frozen: checksum of the frozen picture, if that is the reason.
    """

    finding: Finding
    frozen: int | None = None


class _Stopped(Exception):  # noqa: N818 - nothing is wrong
    """The parent wants no more pictures."""


class _Outlet:
    """Hands pictures to the parent: every one, waiting for a free slot, or only if a slot is free."""

    def __init__(self, files: list[int], pipe: Connection, *, every: bool) -> None:
        self._files = files
        self._pipe = pipe
        self._every = every
        self._free = deque(range(len(files)))
        self._dropped = 0

    def offer(self, result: FrameResult) -> None:
        """Pass a picture on if a slot is free."""
        while self._pipe.poll() or (self._every and not self._free):
            (slot,) = self._pipe.recv_bytes()
            if slot == STOP:
                raise _Stopped
            self._free.append(slot)
        if not self._free:
            self._dropped += 1
            return
        slot = self._free.popleft()
        shape: tuple[int, ...] = ()
        if isinstance(result, Frame):
            image = np.ascontiguousarray(result.image)
            shape = image.shape
            if os.pwrite(self._files[slot], image.data, 0) != image.nbytes:
                raise CaptureError.of(CaptureCode.NO_MEMORY, name=result.name, bytes=image.nbytes)
            result = replace(result, image=_NO_IMAGE)
        self._pipe.send(Announced(slot, shape, result, self._dropped))
        self._dropped = 0


def run_capture(
    opener: Callable[[Resume], FrameSource], name: str, resume: Resume, pipe: Connection, *, live: bool
) -> None:
    """Open the source and pass on its pictures until asked to stop; the child's main function.

    A live source delivers its newest picture, a recorded one every picture in a loop. The file descriptors of the
    slots arrive first through the pipe.
    """
    set_up_child()
    try:
        outlet = _Outlet([reduction.recv_handle(pipe) for _ in range(SLOTS)], pipe, every=not live)
        while True:
            source = opener(resume)
            try:
                _pass_on(source, name, outlet, may_be_empty=resume.first > 0)
            except Exception as fault:
                _report(fault, name, pipe)  # before closing the source, since a broken one may block in that
                raise
            finally:
                source.close()
            resume = Resume()
    except (_Stopped, *_PARENT_GONE):
        return
    except Exception as fault:  # noqa: BLE001 - any fault of a driver is reported to the parent and tried again
        _report(fault, name, pipe)


def _pass_on(source: FrameSource, name: str, outlet: _Outlet, *, may_be_empty: bool) -> None:
    """Pass on the pictures of a source; CaptureError if a camera ended or there was no picture."""
    count = 0
    for result in source:
        count += 1
        outlet.offer(result)
    if source.live or not (count or may_be_empty):
        raise CaptureError.of(CaptureCode.SOURCE_ENDED, name=name)


def _report(fault: Exception, name: str, pipe: Connection) -> None:
    """Report to the parent why there are no more pictures; idempotent."""
    if isinstance(fault, (_Stopped, *_PARENT_GONE)):
        return
    if isinstance(fault, FrozenError):
        failed = Failed(fault.finding, fault.checksum)
    elif isinstance(fault, CodedError):
        failed = Failed(fault.finding)
    else:
        failed = Failed(Finding.of(CaptureCode.UNFORESEEN, name=name, why=repr(fault)))
    with contextlib.suppress(*_PARENT_GONE):
        pipe.send(failed)
