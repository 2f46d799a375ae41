"""The programs of a demonstration, each a child process that ends with whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

HOUSEWAY: Final = (sys.executable, "-m", "service")
_STOPPING_S: Final = 30.0
_TOO_SOON_S: Final = 20.0
"""A program that ends by itself within this time is not started again: it would end once more."""
_LAST_LINES: Final = 5


class DemoError(RuntimeError):
    """The demonstration cannot go on; the message says why and what to do."""


@dataclass(slots=True)
class Program:
    """One program, with what it writes to its standard error kept in a file.

    Attributes:
        name: what people call it.
        command: it and its arguments.
        log: file that its standard error is added to.
        environment: added to that of this program.
        user: number of user and group that it runs as; as this program if left out.
        hear: is handed each line of its standard output, which is dropped if left out: it may have secrets in it.
        end: the signal that ends it in order.
    """

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    user: tuple[int, int] | None = None
    hear: Callable[[str], None] | None = None
    end: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[str] | None = field(default=None, init=False)
    _begun: float = field(default=0.0, init=False)

    def start(self) -> None:
        """Start it. It gets its signal too if this program is gone, however that ended."""
        self._begun = time.monotonic()
        with self.log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(  # noqa: S603  programs of our own
                [*as_user(self.user), "--pdeathsig", self.end.name.removeprefix("SIG"), *self.command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if self.hear is None else subprocess.PIPE,
                stderr=log,
                env={**os.environ, **self.environment},
                text=True,
                start_new_session=True,  # what is typed at a terminal reaches us alone, and we end all in order
            )
        if self.hear is not None:
            threading.Thread(target=self._listen, args=(self.process, self.hear), daemon=True).start()

    def look(self) -> str | None:
        """Start it again if it ended; returns what is to be told of that.

        Raises:
            DemoError: it ended as soon as it had begun.
        """
        if self.process is None or (status := self.process.poll()) is None:
            return None
        if time.monotonic() - self._begun < _TOO_SOON_S:
            raise DemoError(self.ended(status))
        self.start()
        return f"{self.name} ended with status {status}, and is started again ({self.log})"

    def ended(self, status: int) -> str:
        """That it ended with this status, and what it said last."""
        with self.log.open(encoding="utf-8", errors="replace") as lines:
            last = "".join(deque(lines, _LAST_LINES)).rstrip()
        return f"{self.name} ended with status {status}; the end of {self.log}:\n{last}"

    def stop(self) -> None:
        """End it, and wait until it has."""
        if self.process is None:
            return
        self.process.send_signal(self.end)
        try:
            self.process.wait(_STOPPING_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    @staticmethod
    def _listen(process: subprocess.Popen[str], hear: Callable[[str], None]) -> None:
        for line in process.stdout or ():
            hear(line.rstrip("\n"))


def as_user(user: tuple[int, int] | None) -> list[str]:
    """What to put before a command that is to be run as a user and group; None runs it as this program's."""
    if user is None:
        return ["setpriv"]
    return ["setpriv", f"--reuid={user[0]}", f"--regid={user[1]}", "--clear-groups"]
