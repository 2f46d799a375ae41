"""A process of its own for work that anybody may ask for: its limits, its end, and that it gives way."""

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from service.system import limited_process
from service.system.limited_process import LimitedProcess, ProcessBusyError, ProcessLimits, WorkStoppedError
from tests.service.stand_ins import wait_until
from tests.service.system.work import refuse, take, told, wait_for

LONGEST_S = 300.0
"""Such a process has its turn when nobody else wants to compute."""
LIMITS = ProcessLimits(memory_bytes=200_000_000, work_s=LONGEST_S, idle_s=0.3, waiting=2)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_process, "_START_S", LONGEST_S)


@pytest.fixture
def process() -> Iterator[LimitedProcess]:
    made = LimitedProcess("test", LIMITS)
    yield made
    made.close()


def test_it_is_another_process_that_gives_way_and_ends_when_there_is_no_work(process: LimitedProcess) -> None:
    pid, nice, oom = process.submit(told).result(LONGEST_S)
    assert pid != os.getpid()
    assert (nice, oom) == (19, 1000)
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), LONGEST_S)
    assert process.submit(told).result(LONGEST_S)[0] != pid


def test_one_process_does_one_piece_of_work_after_the_other() -> None:
    process = LimitedProcess("test", ProcessLimits(200_000_000, LONGEST_S, 60.0, 2))
    assert len({process.submit(os.getpid).result(LONGEST_S) for _ in range(3)}) == 1
    process.close()


def test_what_is_raised_there_is_raised_here(process: LimitedProcess) -> None:
    with pytest.raises(ValueError, match="not this"):
        process.submit(refuse).result(LONGEST_S)
    assert process.submit(take, 10).result(LONGEST_S) == 10


@pytest.mark.parametrize(
    ("work", "argument", "why"),
    [(take, 300_000_000, "memory"), (os._exit, 3, "ended"), (os.abort, None, "ended"), (time.sleep, 600, "time")],
)
def test_what_takes_too_much_is_stopped_and_the_next_is_done(work: object, argument: object, why: str) -> None:
    process = LimitedProcess("test", ProcessLimits(200_000_000, 5.0 if why == "time" else LONGEST_S, 30.0, 2))
    asked = () if argument is None else (argument,)
    with pytest.raises(WorkStoppedError) as stopped:
        process.submit(work, *asked).result(LONGEST_S)  # type: ignore[arg-type]
    assert stopped.value.why == why
    assert process.submit(take, 10).result(LONGEST_S) == 10
    process.close()


def test_only_so_many_wait(process: LimitedProcess, tmp_path: Path) -> None:
    done = tmp_path / "done"
    taken = [process.submit(wait_for, str(done)) for _ in range(1 + LIMITS.waiting)]
    assert process.full
    with pytest.raises(ProcessBusyError):
        process.submit(os.getpid)
    done.touch()
    assert len({each.result(LONGEST_S) for each in taken}) == 1
    wait_until(lambda: not process.full, LONGEST_S)
    assert process.submit(take, 10).result(LONGEST_S) == 10


def test_who_no_longer_waits_is_passed_over(process: LimitedProcess, tmp_path: Path) -> None:
    done = tmp_path / "done"
    first, second = (process.submit(wait_for, str(done)) for _ in range(2))
    assert second.cancel()
    done.touch()
    first.result(LONGEST_S)
    with pytest.raises(CancelledError):
        second.result(LONGEST_S)
    assert process.submit(take, 10).result(LONGEST_S) == 10


def test_closing_ends_what_is_done_and_what_waits(tmp_path: Path) -> None:
    process = LimitedProcess("test", LIMITS)
    taken = [process.submit(wait_for, str(tmp_path / "never")) for _ in range(2)]
    wait_until(lambda: process.pid is not None)
    pid = process.pid
    closing = threading.Thread(target=process.close)
    closing.start()
    for each in taken:
        with pytest.raises(WorkStoppedError):
            each.result(LONGEST_S)
    closing.join(LONGEST_S)
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(ProcessBusyError):
        process.submit(os.getpid)
