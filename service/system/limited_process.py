"""Expensive work on request in a separate process with limits, and a cache of its answers.

One job is done at a time and a few may wait, at the lowest priority, so that the reading of the table is not slowed
down. A process that takes too much memory or time is killed, and the next job starts another; after some idle time it
ends, and its memory is free again.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import queue
import resource
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, ParamSpec, TypeAlias, TypeVar

from vision.processes import set_up_child

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_REST: Final = 2.0
_MOST_REST_S: Final = 2.0
"""After each job the process rests ``_REST`` times as long as the job took, at most ``_MOST_REST_S``."""
_LOWEST_PRIORITY: Final = 19
_FIRST_TO_GO: Final = "1000"
"""The kernel kills this process first when memory is short."""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a job."""

    result: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception that a job raised."""

    error: Exception


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """A job exceeded the memory limit."""


Reply: TypeAlias = Done | Raised | OutOfMemory


def run_limited(pipe: Connection, memory_bytes: int) -> None:
    """Do the jobs sent through the pipe until it is closed; the main function of the child process."""
    set_up_child()
    _lower_priority()
    # Limit data, not the address space: libraries reserve much more of it than they use.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pipe.send(Done(None))
    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            return
        started = time.monotonic()
        try:
            reply: Reply = Done(function(*arguments))
        except MemoryError:
            reply = OutOfMemory()
        except Exception as error:  # noqa: BLE001 - the caller handles it
            reply = Raised(error)
        pipe.send(reply)
        # Even idle cores share caches and memory with those that read the table.
        time.sleep(min(_MOST_REST_S, _REST * (time.monotonic() - started)))


def _lower_priority() -> None:
    os.nice(_LOWEST_PRIORITY)
    with suppress(OSError):  # a container may not allow it
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
    # Before the libraries are loaded that read them.
    os.environ |= dict.fromkeys(_ONE_THREAD, "1")


Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_SPAWN: Final = multiprocessing.get_context("spawn")  # a fork would copy locks of our threads in any state

_START_S: Final = 60.0
"""Longest time for a start, which has the lowest priority."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Limits of a process.

    Attributes:
        memory_bytes: the most that it may allocate.
        work_s: the longest time for one job.
        idle_s: idle time after which it ends.
        waiting: jobs that may wait while one is done.
    """

    memory_bytes: int
    work_s: float
    idle_s: float
    waiting: int


class ProcessBusyError(RuntimeError):
    """The maximum number of jobs waits already."""


class WorkStoppedError(RuntimeError):
    """A job was stopped: it took too much memory or time, or its process ended.

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
        """Wait until it accepts jobs; WorkStoppedError."""
        self._receive(_START_S)

    def ask(self, function: Callable[..., Any], arguments: tuple[Any, ...], limit_s: float) -> Reply:
        """Return the reply; WorkStoppedError on a timeout, or if the process ended."""
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
        self.process.join(1.0)  # no longer: a process that waits in the kernel dies when it leaves it
        self.pipe.close()


class LimitedProcess:
    """Does jobs one at a time in a process that exists while there are jobs.

    Args:
        name: of process and thread.
        limits: of the process.
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
        """Id of the running process, or None."""
        child = self._child
        return None if child is None else child.process.pid

    @property
    def full(self) -> bool:
        """Whether the maximum number of jobs waits."""
        return self._unfinished > self._limits.waiting

    def submit(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **_: Arguments.kwargs
    ) -> Future[Result]:
        """Call a function in the process; function, arguments and result must be picklable.

        The future's exception is the function's own, or WorkStoppedError.

        Raises:
            ProcessBusyError: too many jobs wait, or this was closed.
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
        """End the process and stop all waiting jobs."""
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
        except BaseException as error:  # noqa: BLE001 - the caller gets it, and the next job is done
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
            new = None
            if self._child is None:
                new = self._child = _Child.started(self._name, self._limits)
            child = self._child
        if new is not None:
            new.await_start()
        return child.ask(work.function, work.arguments, self._limits.work_s)

    def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


_CACHED: Final = 64


class AnswerCache:
    """Cached results of functions that are called in a limited process; used from one event loop.

    Args:
        process: the process.
    """

    def __init__(self, process: LimitedProcess) -> None:
        self._process = process
        self._answers: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def get_or_start(self, function: Callable[..., Result], *arguments: Hashable) -> Result | None:
        """Return the result if it is known; otherwise start the call and return None.

        Raises:
            ProcessBusyError: too many jobs wait.
        """
        future = self._future(function, arguments)
        if not future.done():
            return None
        result: Result = future.result()
        return result

    async def get(self, function: Callable[..., Result], *arguments: Hashable) -> Result:
        """Wait for the result: a cached one, or that of a call that is shared with other callers.

        Raises:
            ProcessBusyError: too many jobs wait.
            WorkStoppedError: the job took too long.
        """
        future = asyncio.wrap_future(self._future(function, arguments))
        future.add_done_callback(_consume_exception)
        # Shielded: a caller that goes away must not cancel what others wait for.
        result: Result = await asyncio.shield(future)
        return result

    def _future(self, function: Callable[..., Any], arguments: tuple[Hashable, ...]) -> Future[Any]:
        key = (function, arguments)
        future = self._answers.get(key)
        if future is None or (future.done() and future.exception() is not None):
            future = self._answers[key] = self._process.submit(function, *arguments)
        self._answers.move_to_end(key)
        while len(self._answers) > _CACHED:
            self._answers.popitem(last=False)
        return future

    def close(self) -> None:
        self._process.close()


def _consume_exception(future: asyncio.Future[Any]) -> None:
    """Retrieve the exception, so that asyncio does not report it as unhandled when all callers have gone away."""
    if not future.cancelled():
        future.exception()
