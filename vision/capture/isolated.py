"""A source in its own process, with a deadline for every picture: the parent's side.

A child that is too slow or crashes is reported immediately, killed, counted, and restarted after an exponentially
growing pause with jitter. The reader gets the newest picture, copied from the memory shared with the child.
"""

import contextlib
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing import connection, reduction
from typing import Final

import numpy as np

from vision.capture.child import SLOTS, STOP, Announced, Failed, Resume, run_capture
from vision.capture.counters import CaptureCounters, CaptureStatistics
from vision.capture.faults import CaptureCode
from vision.capture.frame import BadFrame, Frame, FrameResult, FrameSource
from vision.findings import Finding

_SPAWN: Final = multiprocessing.get_context("spawn")  # a fork would copy our threads' locks in arbitrary states
_POLL_S: Final = 0.25
"""Longest wait for a message from the child, so that closing is noticed."""


@dataclass(frozen=True, slots=True)
class CaptureTimeouts:
    """Time limits of a source, in seconds.

    Attributes:
        open_s: from the start of the child to its first picture.
        frame_s: from one picture to the next.
        frozen_s: for bit-identical pictures; 0 for no limit.
        gap_s: without a picture before a gap is counted.
        grace_s: from the request to exit to the kill of a child.
        first_pause_s: before the second attempt; doubled with each failure, minus a random part of up to half.
        longest_pause_s: before any attempt.
    """

    open_s: float = 10.0
    frame_s: float = 3.0
    frozen_s: float = 10.0
    gap_s: float = 2.5
    grace_s: float = 1.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 10.0


class _Child:
    """One child process and the memory shared with it."""

    def __init__(self, opener: Callable[[Resume], FrameSource], name: str, resume: Resume, *, live: bool) -> None:
        self.pipe, theirs = _SPAWN.Pipe()
        self._files = [os.memfd_create(f"houseway-{name}", os.MFD_CLOEXEC) for _ in range(SLOTS)]
        self._lock = threading.Lock()
        self._ended = False
        self.lent = 0
        self.process = _SPAWN.Process(
            target=run_capture,
            args=(opener, name, resume, theirs),
            kwargs={"live": live},
            name=f"capture {name}",
            daemon=True,
        )
        try:
            self.process.start()
            for file in self._files:
                reduction.send_handle(self.pipe, file, self.process.pid)
        except BaseException:
            self.end(0.0)
            raise
        finally:
            theirs.close()

    def fetch(self, announced: Announced) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]] | None:
        """Copy the picture out of a slot; None if the child has ended."""
        image = np.empty(announced.shape, np.uint8)
        with self._lock:
            if self._ended:
                return None
            os.preadv(self._files[announced.slot], [image.data.cast("B")], 0)
        return image

    def give_back(self, announced: Announced) -> None:
        self._send(announced.slot)
        self.lent -= 1

    def ask_to_end(self) -> None:
        self._send(STOP)

    def end(self, grace_s: float) -> int | None:
        """End the child, by force if it does not end in time; return its exit code."""
        if self.process.pid is not None:
            self.ask_to_end()
            self.process.join(grace_s)
            if self.process.is_alive():
                self.process.kill()
                self.process.join(1.0)  # not longer: a child stuck in a broken driver dies when the driver returns
        with self._lock:
            self._ended = True
            self.pipe.close()
            for file in self._files:
                os.close(file)
        return self.process.exitcode

    def _send(self, message: int) -> None:
        with self._lock:
            if not self._ended:
                with contextlib.suppress(OSError):  # it has exited, which the pipe reports next
                    self.pipe.send_bytes(bytes([message]))


class IsolatedSource:
    """A source in its own process, started with the iteration, and restarted whenever it fails.

    A live source delivers its newest picture, and gaps in the sequence number show how many were dropped; a recorded
    one delivers every picture in a loop.

    Args:
        name: for messages.
        opener: opens it in the child; a picklable function or partial.
        live: whether the source is live.
        timeouts: time limits.
    """

    length: Final = None

    def __init__(
        self,
        name: str,
        opener: Callable[[Resume], FrameSource],
        *,
        live: bool = True,
        timeouts: CaptureTimeouts | None = None,
    ) -> None:
        self.live = live
        self._name = name
        self._opener = opener
        self._timeouts = timeouts or CaptureTimeouts()
        self._condition = threading.Condition()  # re-entrant
        self._waiting: deque[tuple[FrameResult, Announced, _Child] | FrameResult] = deque()
        self._counters = CaptureCounters(self._timeouts.gap_s if live else None)
        self._sequence = 0
        self._arrived_ns: int | None = None
        self._stop = threading.Event()
        self._child: _Child | None = None
        self._thread = threading.Thread(target=self._run, name=f"capture {name}", daemon=True)

    @property
    def statistics(self) -> CaptureStatistics:
        """The counts so far."""
        with self._condition:
            return self._counters.now()

    def __iter__(self) -> Iterator[FrameResult]:
        """Yield the newest picture each time, or every one; block until there is a new one; end when closed."""
        with self._condition:
            if self._thread.ident is None and not self._stop.is_set():
                self._thread.start()
        while not self._stop.is_set():
            with self._condition:
                self._condition.wait_for(lambda: self._waiting or self._stop.is_set())
                # Copy it before the child can be ended: no recorded picture may be lost.
                taken = self._waiting.popleft() if self._waiting else None
                result = self._take(*taken) if isinstance(taken, tuple) else taken
                if isinstance(result, Frame):
                    at_ns = result.monotonic_ns
                    self._counters.delivered(None if at_ns is None else time.monotonic_ns() - at_ns)
            if result is not None and not self._stop.is_set():
                yield result

    def close(self) -> None:
        """End the child; return when it has ended."""
        self._stop.set()
        with self._condition:
            self._condition.notify_all()
            child = self._child
        if child is not None:
            child.ask_to_end()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        with self._condition:
            self._waiting.clear()
            self._counters.closed()

    def _take(self, result: FrameResult, announced: Announced, child: _Child) -> FrameResult | None:
        """Add the pixels to an announced picture; None if its child has ended meanwhile."""
        if isinstance(result, Frame):
            image = child.fetch(announced)
            if image is None:
                return None
            result = replace(result, image=image)
        child.give_back(announced)
        return result

    def _run(self) -> None:
        pause_s, resume = self._timeouts.first_pause_s, Resume()
        while not self._stop.is_set():
            with self._condition:
                self._counters.opening()
            good_s = 0.0
            try:
                good_s, fault, resume = self._run_child(resume)
            except OSError as error:  # process, memory or descriptors exhausted
                fault = Finding.of(CaptureCode.PROCESS_NOT_STARTING, name=self._name, why=str(error.strerror))
            except Exception as error:  # noqa: BLE001 - a thread that died unseen would leave the table unread for ever
                fault = Finding.of(CaptureCode.PROCESS_NOT_WATCHED, name=self._name, why=repr(error))
            if self._stop.is_set():
                return
            self._publish_fault(fault)
            if good_s > pause_s:
                pause_s = self._timeouts.first_pause_s
            self._stop.wait(pause_s * random.uniform(0.5, 1.0))  # noqa: S311 - keeps cameras from being opened in step
            pause_s = min(2 * pause_s, self._timeouts.longest_pause_s)

    def _run_child(self, resume: Resume) -> tuple[float, Finding, Resume]:
        """Run a child until it fails; return the seconds of good pictures, the reason, and where to resume."""
        child = _Child(self._opener, self._name, resume, live=self.live)
        with self._condition:
            self._child = child
        first_good_s: float | None = None
        deadline_s = time.monotonic() + self._timeouts.open_s
        message: Announced | Failed | None = None
        opening = True
        grace_s = 0.0
        try:
            while not self._stop.is_set():
                if child.lent == SLOTS and not self.live:
                    deadline_s = time.monotonic() + self._timeouts.frame_s  # it is waiting for us
                message = self._receive(child, deadline_s)
                if isinstance(message, Failed):
                    grace_s = self._timeouts.grace_s
                    break
                if isinstance(message, Announced):
                    opening = False
                    now_s = time.monotonic()
                    deadline_s = now_s + self._timeouts.frame_s
                    if first_good_s is None and isinstance(message.result, Frame):
                        first_good_s = now_s
                    still = resume.frozen if isinstance(message.result, BadFrame) else None
                    resume = Resume(message.result.sequence + 1, still)
                    self._publish(message, child)
                elif time.monotonic() >= deadline_s or not child.process.is_alive():
                    break
            else:
                grace_s = self._timeouts.grace_s
        finally:
            alive = child.process.is_alive()
            with self._condition:
                self._child = None
                self._keep_waiting()
            code = child.end(grace_s)
        good_s = 0.0 if first_good_s is None else time.monotonic() - first_good_s
        if isinstance(message, Failed):
            return good_s, message.finding, Resume(resume.first, message.frozen)
        # A recorded source crashed or hung at its next picture: skip it.
        resume = replace(resume, first=resume.first + 1)
        return good_s, self._reason(alive=alive, code=code, opening=opening), resume

    def _receive(self, child: _Child, deadline_s: float) -> Announced | Failed | None:
        """Wait for the child's next message; None on timeout or if it has exited."""
        left_s = max(0.0, min(deadline_s - time.monotonic(), _POLL_S))
        connection.wait([child.pipe, child.process.sentinel], left_s)
        try:
            message = child.pipe.recv() if child.pipe.poll() else None
        except (EOFError, OSError):
            child.process.join(self._timeouts.grace_s)  # it has closed its end, so it is exiting
            return None
        return message if isinstance(message, Announced | Failed) else None

    def _reason(self, *, alive: bool, code: int | None, opening: bool) -> Finding:
        if alive:
            late = CaptureCode.PROCESS_SLOW_TO_OPEN if opening else CaptureCode.PROCESS_SILENT
            seconds = self._timeouts.open_s if opening else self._timeouts.frame_s
            return Finding.of(late, name=self._name, seconds=f"{seconds:g}")
        if code is not None and code < 0:
            return Finding.of(CaptureCode.PROCESS_KILLED, name=self._name, signal=signal.Signals(-code).name)
        return Finding.of(CaptureCode.PROCESS_ENDED, name=self._name, status=str(code))

    def _publish(self, announced: Announced, child: _Child) -> None:
        now_ns = time.monotonic_ns()
        with self._condition:
            self._sequence += announced.dropped
            result = replace(announced.result, sequence=self._sequence)
            if self.live:
                result = replace(result, name=f"{self._name}#{self._sequence}")
                self._drop_waiting()
            self._counters.arrived(now_ns, self._arrived_ns, announced.dropped, bad=isinstance(result, BadFrame))
            self._arrived_ns = now_ns
            self._sequence += 1
            child.lent += 1
            self._waiting.append((result, announced, child))
            self._condition.notify_all()

    def _publish_fault(self, fault: Finding) -> None:
        with self._condition:
            if self.live:
                self._drop_waiting()
            self._counters.failed(fault)
            last = self._waiting[-1] if self._waiting else None
            if isinstance(last, BadFrame) and last.name == self._name:
                self._waiting.pop()  # an earlier unread fault; a bad picture has its own name
            self._waiting.append(BadFrame(self._sequence, self._name, fault))
            self._sequence += 1
            self._condition.notify_all()

    def _keep_waiting(self) -> None:
        """Copy waiting pictures from the memory of a child that is about to end."""
        if not self.live:
            self._waiting = deque(
                each if not isinstance(each, tuple) else result
                for each in self._waiting
                if (result := self._take(*each) if isinstance(each, tuple) else each) is not None
            )

    def _drop_waiting(self) -> None:
        """Drop waiting pictures in favour of a newer one."""
        while self._waiting:
            old = self._waiting.popleft()
            if isinstance(old, tuple):
                result, announced, child = old
                if isinstance(result, Frame):
                    self._counters.dropped()
                child.give_back(announced)
