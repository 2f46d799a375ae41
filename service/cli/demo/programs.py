"""The programs of the demonstration: each runs until stopped, PostgreSQL among them.

PostgreSQL is Debian's, with its files in one folder and a socket that nobody else may use.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from service.record.store.database import open_database

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

HOUSEWAY: Final = (sys.executable, "-m", "service")
_STOPPING_S: Final = 30.0
_TOO_SOON_S: Final = 20.0
"""A program that ends within this time after its start is not restarted: it would only end again."""
_LAST_LINES: Final = 5
_USERS: Final = ("postgres", "nobody")
"""Users to run PostgreSQL as if this process is root, which PostgreSQL refuses; the first that exists is taken."""
_POSTGRESQL_READY_S: Final = 60.0
_DATABASE: Final = "houseway"
"""Name of the database and of its owner."""


class DemoError(RuntimeError):
    """The demonstration cannot continue; the message says why and what to do."""


@dataclass(slots=True)
class Program:
    """A child process whose standard error is appended to a log file.

    Attributes:
        name: its name for people.
        command: the program and its arguments.
        log: the log file.
        environment: added to the environment of this process.
        user: user and group id to run as; those of this process by default.
        on_line: receives each line of its standard output, which is discarded by default, as it may contain secrets.
        stop_signal: the signal that makes it shut down.
    """

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    user: tuple[int, int] | None = None
    on_line: Callable[[str], None] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[str] | None = field(default=None, init=False)
    _started_at: float = field(default=0.0, init=False)

    def start(self) -> None:
        """Start it; it also receives its stop signal if this process dies."""
        self._started_at = time.monotonic()
        with self.log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(  # noqa: S603  programs of our own
                [*as_user(self.user), "--pdeathsig", self.stop_signal.name.removeprefix("SIG"), *self.command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if self.on_line is None else subprocess.PIPE,
                stderr=log,
                env={**os.environ, **self.environment},
                text=True,
                start_new_session=True,  # Ctrl-C reaches only this process, which stops all others in order
            )
        if self.on_line is not None:
            threading.Thread(target=self._listen, args=(self.process, self.on_line), daemon=True).start()

    def restart_if_ended(self) -> str | None:
        """Restart it if it has ended, and return a message about that; DemoError if it ended just after its start."""
        if self.process is None or (status := self.process.poll()) is None:
            return None
        if time.monotonic() - self._started_at < _TOO_SOON_S:
            raise DemoError(self.ended(status))
        self.start()
        return f"{self.name} ended with status {status}, and was restarted ({self.log})"

    def ended(self, status: int) -> str:
        """The message that it ended with this status, with the last lines of its log."""
        with self.log.open(encoding="utf-8", errors="replace") as lines:
            last = "".join(deque(lines, _LAST_LINES)).rstrip()
        return f"{self.name} ended with status {status}; the end of {self.log}:\n{last}"

    def stop(self) -> None:
        """Stop it and wait until it has ended."""
        if self.process is None:
            return
        self.process.send_signal(self.stop_signal)
        try:
            self.process.wait(_STOPPING_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    @staticmethod
    def _listen(process: subprocess.Popen[str], on_line: Callable[[str], None]) -> None:
        for line in process.stdout or ():
            on_line(line.rstrip("\n"))


def as_user(user: tuple[int, int] | None) -> list[str]:
    """The prefix that makes a command run as a user and group; those of this process for None."""
    if user is None:
        return ["setpriv"]
    return ["setpriv", f"--reuid={user[0]}", f"--regid={user[1]}", "--clear-groups"]


@dataclass(slots=True)
class Postgresql:
    """A PostgreSQL server; DemoError if it cannot be set up.

    Attributes:
        folder: its data directory; created if missing.
        log: its log file.
    """

    folder: Path
    log: Path
    program: Program = field(init=False)
    _bin: Path = field(init=False)
    _user: tuple[int, int] | None = field(init=False)
    _socket: Path = field(init=False)

    def __post_init__(self) -> None:
        """Find its programs, and create its data directory if it is missing."""
        self._bin = _postgresql_programs()
        self._user = _postgresql_user() if os.geteuid() == 0 else None
        self._socket = Path(tempfile.mkdtemp(prefix="houseway-"))  # paths of sockets must be short
        self._own(self._socket)
        if not (self.folder / "PG_VERSION").exists():
            self._create_folder()
        quiet = ("-c", "listen_addresses=", "-c", f"unix_socket_directories={self._socket}")
        command = (str(self._bin / "postgres"), "-D", str(self.folder), *quiet)
        # PostgreSQL's fast shutdown: it does not wait for clients to disconnect.
        self.program = Program("PostgreSQL", command, self.log, user=self._user, stop_signal=signal.SIGINT)

    @property
    def url(self) -> str:
        """The URL of the hub's database."""
        return self._url(_DATABASE)

    def start(self, ending: threading.Event) -> None:
        """Start it, and wait until it answers and has the database; DemoError if it does not."""
        self.program.start()
        until = time.monotonic() + _POSTGRESQL_READY_S
        while not ending.is_set():
            try:
                self._create_database()
            except (SQLAlchemyError, OSError) as error:
                process = self.program.process
                if process is not None and (status := process.poll()) is not None:
                    raise DemoError(self.program.ended(status)) from None
                if time.monotonic() > until:
                    raise DemoError(f"PostgreSQL does not answer: {error}; see {self.log}") from None
                ending.wait(0.1)
            else:
                return

    def close(self) -> None:
        """Stop it and remove its socket."""
        self.program.stop()
        shutil.rmtree(self._socket, ignore_errors=True)

    def _create_database(self) -> None:
        server = open_database(self._url("postgres"))
        try:
            with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                known = connection.execute(text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": _DATABASE})
                if known.first() is None:
                    connection.execute(text(f"CREATE DATABASE {_DATABASE}"))
        finally:
            server.dispose()

    def _url(self, name: str) -> str:
        return f"postgresql+pg8000://{_DATABASE}@/{name}?unix_sock={self._socket}/.s.PGSQL.5432"

    def _create_folder(self) -> None:
        # Renamed when complete: an incomplete data directory would be taken for a complete one.
        made = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        self._own(made)
        if self._run(("test", "-w", str(made))).returncode:
            name = pwd.getpwuid(os.geteuid() if self._user is None else self._user[0]).pw_name
            raise DemoError(
                f"PostgreSQL does not run as root, and the user {name} cannot reach {made}: choose another folder "
                "with --folder, such as /var/lib/houseway-floor"
            )
        # Only users with access to the socket's folder can connect.
        options = ("-D", str(made), "-U", _DATABASE, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        done = self._run((str(self._bin / "initdb"), *options))
        if done.returncode:
            raise DemoError(f"PostgreSQL could not make {made}:\n{done.stderr.strip()}")
        made.rename(self.folder)

    def _run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        # In a folder that every user may enter: initdb looks at its working directory.
        return subprocess.run(  # noqa: S603  programs of PostgreSQL
            [*as_user(self._user), *command], capture_output=True, text=True, check=False, cwd=self._socket
        )

    def _own(self, folder: Path) -> None:
        if self._user is not None:
            os.chown(folder, *self._user)


def _postgresql_programs() -> Path:
    """The folder of PostgreSQL's programs; Debian keeps those of a server out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        raise DemoError("PostgreSQL is not installed: sudo apt-get install postgresql")
    return Path(initdb).parent


def _postgresql_user() -> tuple[int, int]:
    for name in _USERS:
        try:
            known = pwd.getpwnam(name)
        except KeyError:
            continue
        return known.pw_uid, known.pw_gid
    raise DemoError(f"PostgreSQL does not run as root, and there is no user {' or '.join(_USERS)} here")
