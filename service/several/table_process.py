"""One table's process: started, listened to for signs of life, and started again whenever it ends or hangs.

It speaks the protocol of systemd (sd_notify(3)) to whoever started it, so that a table is watched alike alone and among
several. Its address is taken here once and handed on: who asks while it starts again waits, and gets an answer.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import subprocess
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from service.config.tables_file import NamedTable

_log = logging.getLogger(__name__)

STARTING_S: Final = 90.0
"""A process that has not said by then that it is ready is ended."""
SILENT_S: Final = 60.0
"""So long a process that is ready may give no sign of life."""
STOPPING_S: Final = 15.0
FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 30.0
WELL_AFTER_S: Final = 60.0
"""After so long the next pause is the shortest again."""
_NOTICE_BYTES: Final = 4096


class ProcessState(StrEnum):
    """How a table's process is."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPED = "stopped"
    """It ended or was ended, and is started again after a pause."""


@dataclass(frozen=True, slots=True)
class Program:
    """How a table's process is started.

    Attributes:
        command: the program and its arguments; it reads what to do from a line of its standard input, and ends once
            that is closed.
        all_tables: port of the page of all tables.
        log_format: how its log lines look; None as its settings say.
        threads: threads for one run of a model.
    """

    command: Sequence[str]
    all_tables: int
    log_format: str | None = None
    threads: int = 1


@dataclass(slots=True)
class TableProcess:
    """Keeps one table's process running.

    Attributes:
        table: its settings.
        listening: its address, taken.
        program: how it is started.
        state: how it is now.
        starts: how often it was started.
        ended_with: exit status of the last end, negative for a signal; None before the first.
        pid: of the process; None while there is none.
    """

    table: NamedTable
    listening: socket.socket
    program: Program
    state: ProcessState = ProcessState.STARTING
    starts: int = 0
    ended_with: int | None = None
    pid: int | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    _heard_at: float = 0.0

    async def keep_running(self, folder: Path) -> None:
        """Start it, again and again, until cancelled; ``folder`` holds the socket that it gives signs of life to."""
        pause_s = FIRST_PAUSE_S
        while True:
            begun = time.monotonic()
            try:
                await self._run(folder)
            except OSError as error:
                _log.error("table %s cannot be started: %s", self.table.name, error.strerror or error)
            self.state, self.pid = ProcessState.STOPPED, None
            if time.monotonic() - begun > WELL_AFTER_S:
                pause_s = FIRST_PAUSE_S
            _log.warning(
                "table %s ended with status %s; it is started again in %.0f s",
                self.table.name,
                self.ended_with,
                pause_s,
            )
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _run(self, folder: Path) -> None:
        async with self._hearing(folder / f"{self.table.name}.{self.starts}") as address:
            self.state, self._heard_at = ProcessState.STARTING, time.monotonic()
            process = await self._start(address)
            self.starts, self.pid = self.starts + 1, process.pid
            try:
                while process.returncode is None:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(process.wait(), 1.0)
                    if process.returncode is None and self._hangs():
                        _log.error("table %s gives no sign of life, and is ended", self.table.name)
                        process.kill()
            finally:
                await _end(process)
                self.ended_with = process.returncode

    async def _start(self, notified: Path) -> Process:
        environment = {name: value for name, value in os.environ.items() if name != "WATCHDOG_PID"}
        environment |= {"NOTIFY_SOCKET": str(notified), "WATCHDOG_USEC": str(int(SILENT_S * 1e6))}
        handle = self.listening.fileno()
        process = await asyncio.create_subprocess_exec(
            *self.program.command,
            stdin=subprocess.PIPE,
            pass_fds=[handle],
            env=environment,
            start_new_session=True,  # what is typed at a terminal reaches us alone, and we end it in order
        )
        told = {
            "settings": str(self.table.path),
            "port": self.table.port,
            "given": [
                *([*key, *value] for key, value in self.table.given.items()),
                ["server", "all_tables", self.program.all_tables, "the program that runs all tables"],
            ],
            "listening": handle,
            "log_format": self.program.log_format,
            "threads": self.program.threads,
        }
        if process.stdin is not None:
            process.stdin.write(json.dumps(told).encode() + b"\n")
        return process

    @asynccontextmanager
    async def _hearing(self, address: Path) -> AsyncIterator[Path]:
        """A socket for signs of life, while the block runs."""
        loop = asyncio.get_running_loop()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC) as heard:
            heard.bind(str(address))
            loop.add_reader(heard.fileno(), self._hear, heard)
            try:
                yield address
            finally:
                loop.remove_reader(heard.fileno())

    def _hear(self, heard: socket.socket) -> None:
        with suppress(OSError):
            while True:
                lines = heard.recv(_NOTICE_BYTES).decode(errors="replace").splitlines()
                if "READY=1" in lines:
                    self.state = ProcessState.RUNNING
                    self.ready.set()
                if {"READY=1", "WATCHDOG=1"} & set(lines):
                    self._heard_at = time.monotonic()

    def _hangs(self) -> bool:
        patience_s = SILENT_S if self.state is ProcessState.RUNNING else STARTING_S
        return time.monotonic() - self._heard_at > patience_s


async def _end(process: Process) -> None:
    """End a process in order, and at once if it does not."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOPPING_S)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.stdin is not None:
        process.stdin.close()
