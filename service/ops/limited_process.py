"""Work that anybody may ask for, in a process of its own with limits: the parent's side.

One piece of work is done at a time and a few may wait, at the lowest priority there is, so that the table is read as if
nobody asked. A process that takes too much memory or time is killed, and the next piece of work starts another; after
some time without work it ends, and its memory is free again.
"""

from __future__ import annotations

import multiprocessing
import queue
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, ParamSpec, TypeVar

from service.ops.limited_child import Done, Raised, run_limited

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from service.ops.limited_child import Reply

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_SPAWN: Final = multiprocessing.get_context("spawn")  # a fork would copy the locks of our threads in any state

_START_S: Final = 60.0
"""Longest time for its start, which is not slow but must wait for whoever has work to do."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a process may take.

    Attributes:
        memory_bytes: the most that it may allocate.
        work_s: the longest time for one piece of work.
        idle_s: after so long without work it ends.
        waiting: pieces of work that may wait behind the one that is done.
    """

    memory_bytes: int
    work_s: float
    idle_s: float
    waiting: int


class ProcessBusyError(RuntimeError):
    """As much waits already as may wait."""


class WorkStoppedError(RuntimeError):
    """A piece of work was stopped: it took too much memory or time, or its process ended.

    Attributes:
        why: which of them.
    """

    def __init__(self, why: Literal["memory", "time", "ended"]) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class _Work:
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    future: Future[Any]


@dataclass(frozen=True, slots=True)
class _Child:
    process: SpawnProcess
    pipe: Connection

    @classmethod
    def started(cls, name: str, limits: ProcessLimits) -> _Child:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=run_limited, args=(theirs, limits.memory_bytes), name=name, daemon=True)
        try:
            process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return cls(process, ours)

    def await_start(self) -> None:
        """Wait until it takes work; WorkStoppedError if it does not."""
        self._receive(_START_S)

    def ask(self, function: Callable[..., Any], arguments: tuple[Any, ...], limit_s: float) -> Reply:
        """The answer; WorkStoppedError if there is none in time or the process ended meanwhile."""
        try:
            self.pipe.send((function, arguments))
        except OSError:
            raise WorkStoppedError("ended") from None
        return self._receive(limit_s)

    def _receive(self, limit_s: float) -> Reply:
        try:
            if not self.pipe.poll(limit_s):
                raise WorkStoppedError("time")
            reply: Reply = self.pipe.recv()
        except (EOFError, OSError):
            raise WorkStoppedError("ended") from None
        return reply

    def end(self) -> None:
        self.process.kill()
        self.process.join(1.0)  # not longer: one that sits in the kernel dies when that lets it
        self.pipe.close()


class LimitedProcess:
    """Does pieces of work one after the other, in a process that is there while there is work.

    Args:
        name: what to call it.
        limits: what it may take.
    """

    def __init__(self, name: str, limits: ProcessLimits) -> None:
        self._name = name
        self._limits = limits
        self._work: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._unfinished = 0
        self._thread: threading.Thread | None = None
        self._child: _Child | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        child = self._child
        return None if child is None else child.process.pid

    @property
    def full(self) -> bool:
        """Whether as much waits as may wait."""
        return self._unfinished > self._limits.waiting

    def submit(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **_: Arguments.kwargs
    ) -> Future[Result]:
        """Have a function called in the process; function, arguments and result are such as can be pickled.

        The future's exception is what the function raised, or WorkStoppedError.

        Raises:
            ProcessBusyError: too many pieces of work wait, or this was closed.
        """
        future: Future[Result] = Future()
        with self._lock:
            if self._closed or self.full:
                raise ProcessBusyError
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._unfinished += 1
            self._work.put(_Work(function, arguments, future))
        return future

    def close(self) -> None:
        """End the process; what waits is stopped."""
        with self._lock:
            self._closed = True
            thread, child = self._thread, self._child
        if child is not None:
            child.process.kill()
        self._work.put(None)
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            try:
                work = self._work.get(timeout=None if self._child is None else self._limits.idle_s)
            except queue.Empty:
                self._end_child()
                continue
            if work is None:
                self._end_child()
                return
            self._do(work)
            with self._lock:
                self._unfinished -= 1

    def _do(self, work: _Work) -> None:
        if not work.future.set_running_or_notify_cancel():
            return
        try:
            reply = self._ask(work)
        except BaseException as error:  # noqa: BLE001 - whoever waits must hear of it, and the next one be served
            self._end_child()
            work.future.set_exception(error)
            return
        if isinstance(reply, Done):
            work.future.set_result(reply.result)
        elif isinstance(reply, Raised):
            work.future.set_exception(reply.error)
        else:
            self._end_child()
            work.future.set_exception(WorkStoppedError("memory"))

    def _ask(self, work: _Work) -> Reply:
        with self._lock:
            if self._closed:
                raise WorkStoppedError("ended")
            begun = None
            if self._child is None:
                self._child = _Child.started(self._name, self._limits)
                begun = self._child
            child = self._child
        if begun is not None:
            begun.await_start()
        return child.ask(work.function, work.arguments, self._limits.work_s)

    def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()
