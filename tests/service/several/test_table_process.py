"""A table's process that ends or hangs is started again, and no other notices."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from service.config.tables_file import load_tables
from service.several import table_process
from service.several.supervisor import Supervisor
from service.several.table_process import ProcessState, Program, TableProcess
from tests.service.several.test_tables_file import named, table, tables

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

_PROGRAM = """
import json, os, select, socket, sys, time
told = json.loads(sys.stdin.buffer.readline())
name = os.path.basename(told["settings"])
with open(told["settings"] + ".starts", "a") as starts:
    starts.write("x")
if name.startswith("broken"):
    sys.exit(2)
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as life:
    life.connect(os.environ["NOTIFY_SOCKET"])
    life.send(b"READY=1")
    while not select.select([0], [], [], 0.05)[0]:
        if not name.startswith("hanging"):
            life.send(b"WATCHDOG=1")
"""
"""Stands in for a table's service: it says that it lives, and ends once nobody looks after it."""


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FIRST_PAUSE_S": 0.05, "SILENT_S": 1.0, "STOPPING_S": 5.0}.items():
        monkeypatch.setattr(table_process, name, value)


@asynccontextmanager
async def supervised(folder: Path, *names: str) -> AsyncIterator[list[TableProcess]]:
    for name in names:
        table(folder, name)
    known = load_tables(tables(folder, *named(*names)))
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in names]
    program = Program((sys.executable, "-c", _PROGRAM), 8000)
    processes = [TableProcess(one, at, program) for one, at in zip(known.each, sockets, strict=True)]
    async with Supervisor(processes).running():
        yield processes
    for at in sockets:
        at.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110  what is waited for tells nobody
            await asyncio.sleep(0.02)


def running(one: TableProcess) -> bool:
    return one.state is ProcessState.RUNNING


def test_one_that_is_killed_comes_back_and_the_other_never_stops(tmp_path: Path) -> None:
    async def run() -> None:
        async with supervised(tmp_path, "one", "two") as (one, two):
            await until(lambda: running(one) and running(two))
            first, other = one.pid, two.pid
            for _ in range(3):
                assert one.pid is not None
                os.kill(one.pid, signal.SIGKILL)
                await until(lambda before=one.starts: running(one) and one.starts > before)  # type: ignore[misc]
            assert one.ended_with == -signal.SIGKILL
            assert one.pid != first
            assert (two.pid, two.starts) == (other, 1)

    asyncio.run(run())


def test_one_that_hangs_is_ended_and_started_again(tmp_path: Path) -> None:
    async def run() -> None:
        async with supervised(tmp_path, "well", "hanging") as (well, hanging):
            await until(lambda: hanging.starts >= 2)
            assert (hanging.ended_with, well.starts) == (-signal.SIGKILL, 1)

    asyncio.run(run())


def test_a_fault_of_the_first_does_not_keep_the_others_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.several.supervisor._FIRST_S", 0.5)

    async def run() -> None:
        async with supervised(tmp_path, "broken", "well") as (broken, well):
            await until(lambda: running(well) and broken.starts >= 2)
            assert broken.ended_with == 2
            assert well.starts == 1

    asyncio.run(run())


def test_all_end_with_the_program_that_runs_them(tmp_path: Path) -> None:
    async def run() -> list[int | None]:
        async with supervised(tmp_path, "one", "two") as processes:
            await until(lambda: all(map(running, processes)))
            return [one.pid for one in processes]

    for pid in asyncio.run(run()):
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
