"""A PostgreSQL server of a demonstration: Debian's programs, a folder, and a socket that nobody else may use."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from service.cli.demo.programs import DemoError, Program, as_user
from service.record.store.database import open_database

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence

_USERS: Final = ("postgres", "nobody")
"""Who runs it if root asks, whom it refuses; the first that there is."""
_PATIENCE_S: Final = 60.0
_NAME: Final = "houseway"
"""Of the database and of its owner."""


@dataclass(slots=True)
class Postgresql:
    """A server over one folder; DemoError if it cannot be set up.

    Attributes:
        folder: of its files, made if it is not there; what is in it is kept.
        log: what it says.
    """

    folder: Path
    log: Path
    program: Program = field(init=False)
    _programs: Path = field(init=False)
    _user: tuple[int, int] | None = field(init=False)
    _socket: Path = field(init=False)

    def __post_init__(self) -> None:
        """Find its programs, and make its folder if this is the first time."""
        self._programs = _programs()
        self._user = _user() if os.geteuid() == 0 else None
        self._socket = Path(tempfile.mkdtemp(prefix="houseway-"))  # the path of a socket must be short
        self._own(self._socket)
        if not (self.folder / "PG_VERSION").exists():
            self._make()
        quiet = ("-c", "listen_addresses=", "-c", f"unix_socket_directories={self._socket}")
        command = (str(self._programs / "postgres"), "-D", str(self.folder), *quiet)
        # It ends at once on this signal, and waits for nobody who is connected.
        self.program = Program("PostgreSQL", command, self.log, user=self._user, end=signal.SIGINT)

    @property
    def url(self) -> str:
        """Of the floor's database."""
        return self._url(_NAME)

    def start(self, ending: threading.Event) -> None:
        """Start it, wait until it answers and has the database; DemoError if it does not."""
        self.program.start()
        until = time.monotonic() + _PATIENCE_S
        while not ending.is_set():
            try:
                self._have_database()
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
        """End it and remove its socket."""
        self.program.stop()
        shutil.rmtree(self._socket, ignore_errors=True)

    def _have_database(self) -> None:
        server = open_database(self._url("postgres"))
        try:
            with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                known = connection.execute(text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": _NAME})
                if known.first() is None:
                    connection.execute(text(f"CREATE DATABASE {_NAME}"))
        finally:
            server.dispose()

    def _url(self, name: str) -> str:
        return f"postgresql+pg8000://{_NAME}@/{name}?unix_sock={self._socket}/.s.PGSQL.5432"

    def _make(self) -> None:
        # Made beside its place and moved there: half a folder would be taken for a whole one.
        made = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        self._own(made)
        if self._do(("test", "-w", str(made))).returncode:
            name = pwd.getpwuid(os.geteuid() if self._user is None else self._user[0]).pw_name
            raise DemoError(
                f"PostgreSQL does not run as root, and the user {name} cannot reach {made}: choose another folder "
                "with --folder, such as /var/lib/houseway-floor"
            )
        # Only who may enter the socket's folder can connect.
        told = ("-D", str(made), "-U", _NAME, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        done = self._do((str(self._programs / "initdb"), *told))
        if done.returncode:
            raise DemoError(f"PostgreSQL could not make {made}:\n{done.stderr.strip()}")
        made.rename(self.folder)

    def _do(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        # From a folder that everybody may enter; initdb looks at where it is.
        return subprocess.run(  # noqa: S603  programs of PostgreSQL
            [*as_user(self._user), *command], capture_output=True, text=True, check=False, cwd=self._socket
        )

    def _own(self, folder: Path) -> None:
        if self._user is not None:
            os.chown(folder, *self._user)


def _programs() -> Path:
    """Where PostgreSQL's programs are: Debian keeps those of a server out of everybody's path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        raise DemoError("PostgreSQL is not installed: sudo apt-get install postgresql")
    return Path(initdb).parent


def _user() -> tuple[int, int]:
    for name in _USERS:
        try:
            known = pwd.getpwnam(name)
        except KeyError:
            continue
        return known.pw_uid, known.pw_gid
    raise DemoError(f"PostgreSQL does not run as root, and there is no user {' or '.join(_USERS)} here")
