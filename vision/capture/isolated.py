"""The parent's side: a source in a process of its own, with a deadline for every picture.

A child that opens or reads too slowly is killed, one that crashed is missed; either is told at once, counted, and
started anew after a pause that grows. What the reader gets is the newest picture, copied out of the memory shared with
the child.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from multiprocessing import connection, reduction
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.capture.frame import BadFrame, Frame
from vision.capture.process import SLOTS, STOP, Announced, Failed, Resume, produce
from vision.capture.statistics import CaptureStatistics, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vision.capture.frame import FrameSource, Seen

_SPAWN: Final = multiprocessing.get_context("spawn")  # a fork would copy the locks of our threads in any state
_TICK_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class Limits:
    """How long things may take, seconds.

    Attributes:
        open_s: from the start of the child to its first picture.
        frame_s: from one picture to the next.
        frozen_s: how long pictures may be alike to the last bit; 0 for ever.
        gap_s: longer than this without a picture is counted as a gap.
        grace_s: how long a child told to end may take before it is killed.
        first_pause_s: before the second attempt; it doubles with each failure, and up to half is taken off by chance.
        longest_pause_s: the longest pause.
    """

    open_s: float = 10.0
    frame_s: float = 3.0
    frozen_s: float = 10.0
    gap_s: float = 1.0
    grace_s: float = 1.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 10.0


class _Life:
    """One child, from its start to its end, and the memory shared with it."""

    def __init__(self, opener: Callable[[Resume], FrameSource], name: str, resume: Resume, *, live: bool) -> None:
        self.resume = resume
        self.pipe, theirs = _SPAWN.Pipe()
        self._files = [os.memfd_create(f"houseway-{name}", os.MFD_CLOEXEC) for _ in range(SLOTS)]
        self._lock = threading.Lock()
        self._ended = False
        self.lent = 0
        self.process = _SPAWN.Process(
            target=produce,
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
        """The picture in a slot; None if the child has ended."""
        image = np.empty(announced.shape, np.uint8)
        with self._lock:
            if self._ended:
                return None
            os.preadv(self._files[announced.slot], [image.data.cast("B")], 0)
        return image

    def give_back(self, announced: Announced) -> None:
        """Let the child fill the slot anew."""
        self._send(announced.slot)
        self.lent -= 1

    def ask_to_end(self) -> None:
        """Tell the child to let its source go."""
        self._send(STOP)

    def end(self, grace_s: float) -> int | None:
        """End the child, by force if it does not end in time; returns its exit code."""
        if self.process.pid is not None:
            self.ask_to_end()
            self.process.join(grace_s)
            if self.process.is_alive():
                self.process.kill()
                self.process.join(1.0)  # not longer: one that sits in a broken driver dies when that lets it
        with self._lock:
            self._ended = True
            self.pipe.close()
            for file in self._files:
                os.close(file)
        return self.process.exitcode

    def _send(self, message: int) -> None:
        with self._lock:
            if not self._ended:
                with contextlib.suppress(OSError):  # it is gone, which the next look at the pipe tells
                    self.pipe.send_bytes(bytes([message]))


class IsolatedSource:
    """A source in a process of its own, started anew whenever it fails.

    A live source gives its newest picture, and gaps in the sequence number say what was passed over; a recorded one
    gives every picture, again and again. It starts with the first picture asked for.

    Args:
        name: what to call it.
        opener: opens it, in the child; a function or partial that can be pickled.
        live: which kind it is.
        limits: how long things may take.
    """

    length: Final = None

    def __init__(
        self, name: str, opener: Callable[[Resume], FrameSource], *, live: bool = True, limits: Limits | None = None
    ) -> None:
        self.live = live
        self._name = name
        self._opener = opener
        self._limits = limits or Limits()
        self._news = threading.Condition()  # re-entrant
        self._waiting: deque[tuple[Seen, Announced, _Life] | Seen] = deque()
        self._tally = Tally(self._limits.gap_s if live else None)
        self._sequence = 0
        self._came_ns: int | None = None
        self._stop = threading.Event()
        self._life: _Life | None = None
        self._thread = threading.Thread(target=self._run, name=f"capture {name}", daemon=True)

    @property
    def statistics(self) -> CaptureStatistics:
        """What was counted so far."""
        with self._news:
            return self._tally.now()

    def __iter__(self) -> Iterator[Seen]:
        """The newest picture each time, or every one, as soon as there is one not given yet; ends when closed."""
        with self._news:
            if self._thread.ident is None and not self._stop.is_set():
                self._thread.start()
        while not self._stop.is_set():
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._stop.is_set())
                # Copied out before anybody may end the child: not one of recorded pictures is lost.
                taken = self._waiting.popleft() if self._waiting else None
                seen = self._take(*taken) if isinstance(taken, tuple) else taken
                if isinstance(seen, Frame):
                    at_ns = seen.monotonic_ns
                    self._tally.handed_on(None if at_ns is None else time.monotonic_ns() - at_ns)
            if seen is not None and not self._stop.is_set():
                yield seen

    def close(self) -> None:
        """Ends the child; returns when it is gone."""
        self._stop.set()
        with self._news:
            self._news.notify_all()
            life = self._life
        if life is not None:
            life.ask_to_end()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        with self._news:
            self._waiting.clear()
            self._tally.state = "closed"

    def _take(self, seen: Seen, announced: Announced, life: _Life) -> Seen | None:
        """What was announced, pixels and all; None if its child has ended meanwhile."""
        if isinstance(seen, Frame):
            image = life.fetch(announced)
            if image is None:
                return None
            seen = replace(seen, image=image)
        life.give_back(announced)
        return seen

    def _run(self) -> None:
        pause_s, resume = self._limits.first_pause_s, Resume()
        while not self._stop.is_set():
            with self._news:
                self._tally.opening()
            good_s, fault = 0.0, ""
            try:
                good_s, fault, resume = self._live_once(resume)
            except OSError as error:  # no process, memory or descriptor to be had
                fault = f"{self._name}: its process does not start: {error.strerror}."
            except Exception as error:  # noqa: BLE001 - a thread that died unseen would leave the table unread for ever
                fault = f"{self._name}: its process cannot be watched: {error!r}. It is tried again."
            if self._stop.is_set():
                return
            self._publish_fault(fault)
            if good_s > pause_s:
                pause_s = self._limits.first_pause_s
            self._stop.wait(pause_s * random.uniform(0.5, 1.0))  # noqa: S311 - keeps cameras from being opened in step
            pause_s = min(2 * pause_s, self._limits.longest_pause_s)

    def _live_once(self, resume: Resume) -> tuple[float, str, Resume]:
        """Start a child and pass on what it says until it fails: for how long it was well, why not, what to resume."""
        life = _Life(self._opener, self._name, resume, live=self.live)
        with self._news:
            self._life = life
        first_good_s: float | None = None
        deadline_s = time.monotonic() + self._limits.open_s
        said: Announced | Failed | None = None
        nothing_yet = True
        grace_s = 0.0
        try:
            while not self._stop.is_set():
                if life.lent == SLOTS and not self.live:
                    deadline_s = time.monotonic() + self._limits.frame_s  # it waits for us
                said = self._hear(life, deadline_s)
                if isinstance(said, Failed):
                    grace_s = self._limits.grace_s
                    break
                if isinstance(said, Announced):
                    nothing_yet = False
                    now_s = time.monotonic()
                    deadline_s = now_s + self._limits.frame_s
                    if first_good_s is None and isinstance(said.seen, Frame):
                        first_good_s = now_s
                    still = resume.frozen if isinstance(said.seen, BadFrame) else None
                    resume = Resume(said.seen.sequence + 1, still)
                    self._publish(said, life)
                elif time.monotonic() >= deadline_s or not life.process.is_alive():
                    break
            else:
                grace_s = self._limits.grace_s
        finally:
            alive = life.process.is_alive()
            with self._news:
                self._life = None
                self._keep_waiting()
            code = life.end(grace_s)
        good_s = 0.0 if first_good_s is None else time.monotonic() - first_good_s
        if isinstance(said, Failed):
            return good_s, said.message, Resume(resume.first, said.frozen)
        # What crashed or hung a recorded source is its next picture: that one is passed over.
        resume = replace(resume, first=resume.first + 1)
        return good_s, self._why(alive=alive, code=code, nothing_yet=nothing_yet), resume

    def _hear(self, life: _Life, deadline_s: float) -> Announced | Failed | None:
        """What the child says next; None if it says nothing for a while or has ended."""
        left_s = max(0.0, min(deadline_s - time.monotonic(), _TICK_S))
        connection.wait([life.pipe, life.process.sentinel], left_s)
        try:
            said = life.pipe.recv() if life.pipe.poll() else None
        except (EOFError, OSError):
            life.process.join(self._limits.grace_s)  # it has closed its end, so it is ending
            return None
        return said if isinstance(said, Announced | Failed) else None

    def _why(self, *, alive: bool, code: int | None, nothing_yet: bool) -> str:
        if alive:
            late = (
                f"does not open within {self._limits.open_s:g} s"
                if nothing_yet
                else f"gave no picture for {self._limits.frame_s:g} s"
            )
            return f"{self._name}: {late}; its process was ended. Check its cable, power and address."
        if code is not None and code < 0:
            return f"{self._name}: its process was ended by {signal.Signals(-code).name}. It is started anew."
        return f"{self._name}: its process ended with code {code}. It is started anew."

    def _publish(self, announced: Announced, life: _Life) -> None:
        now_ns = time.monotonic_ns()
        with self._news:
            self._sequence += announced.passed
            seen = replace(announced.seen, sequence=self._sequence)
            if self.live:
                seen = replace(seen, name=f"{self._name}#{self._sequence}")
                self._forget_waiting()
            self._tally.came(now_ns, self._came_ns, announced.passed, bad=isinstance(seen, BadFrame))
            self._came_ns = now_ns
            self._sequence += 1
            life.lent += 1
            self._waiting.append((seen, announced, life))
            self._news.notify_all()

    def _publish_fault(self, message: str) -> None:
        with self._news:
            if self.live:
                self._forget_waiting()
            self._tally.failed(message)
            if self._waiting and isinstance(self._waiting[-1], BadFrame):
                self._waiting.pop()  # nobody has looked for a while
            self._waiting.append(BadFrame(self._sequence, self._name, message))
            self._sequence += 1
            self._news.notify_all()

    def _keep_waiting(self) -> None:
        """Copy what waits out of the memory of a child that is about to end."""
        if not self.live:
            self._waiting = deque(
                each if not isinstance(each, tuple) else seen
                for each in self._waiting
                if (seen := self._take(*each) if isinstance(each, tuple) else each) is not None
            )

    def _forget_waiting(self) -> None:
        """Pass over what nobody has taken: something newer is there."""
        while self._waiting:
            old = self._waiting.popleft()
            if isinstance(old, tuple):
                seen, announced, life = old
                if isinstance(seen, Frame):
                    self._tally.passed_over()
                life.give_back(announced)
