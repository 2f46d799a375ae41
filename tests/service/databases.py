"""Databases that a record is tested over: SQLite, and one PostgreSQL cluster for all tests of a process."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import make_url, text

from service.record.store.database import open_database, upgrade

_ROOM = 4_000_000_000
"""Bytes; all databases of a run need less."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A PostgreSQL server of its own, which can be stopped as a power cut would and started again.

    Attributes:
        url: of its databases, without the name of one.
        settings: of the server.
    """

    folder: Path
    programs: Path
    url: str
    settings: tuple[str, ...] = ("fsync=off",)

    def start(self) -> None:
        """Have it run, and wait until it answers."""
        # A log file, or pg_ctl's pipes stay open in the server. No TCP: the socket cannot be taken by anybody else.
        given = ("listen_addresses=''", f"unix_socket_directories={self.folder}", *self.settings)
        options = " ".join(f"-c {each}" for each in given)
        log = self.folder / "log"
        try:
            self.do("pg_ctl", "-D", self.data, "-w", "-l", str(log), "-o", options, "start")
        except subprocess.CalledProcessError as error:
            error.add_note(log.read_text()[-2000:])
            raise

    def kill(self) -> None:
        """End it at once, without a checkpoint and without a word to those who are connected."""
        self.do("pg_ctl", "-D", self.data, "-m", "immediate", "stop")

    def do(self, program: str, *options: str) -> None:
        """Run a program of PostgreSQL, which refuses to run as root."""
        as_other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        command = [*as_other, str(self.programs / program), *options]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder)

    @property
    def data(self) -> str:
        return str(self.folder / "data")


def _in_memory() -> str | None:
    """Where files wait for no disk, if there is room."""
    memory = Path("/dev/shm")  # noqa: S108  a folder of a name of its own is made there
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > _ROOM else None


@contextmanager
def cluster(settings: tuple[str, ...] = ("fsync=off",)) -> Iterator[Cluster]:
    """A fresh PostgreSQL cluster with these settings; the test is skipped where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        pytest.skip("no PostgreSQL on this machine; install Debian's package postgresql")
    folder = Path(tempfile.mkdtemp(prefix="hwpg", dir=_in_memory()))  # the path of its socket must be short
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
    url = f"postgresql+pg8000://houseway@/{{name}}?unix_sock={folder}/.s.PGSQL.5432"
    made = Cluster(folder, Path(initdb).parent, url, settings)
    made.do("initdb", "-D", made.data, "-U", "houseway", "-A", "trust", "-E", "UTF8", "--no-sync")
    try:
        made.start()
        yield made
    finally:
        with suppress(subprocess.CalledProcessError):
            made.kill()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """URL of a fresh PostgreSQL cluster, without the database's name; skipped where PostgreSQL is not installed."""
    with cluster() as made:
        yield made.url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """A database of its own for a test; None is the record's own SQLite file."""
    if request.param == "sqlite":
        return None
    return new_database(request.getfixturevalue("postgresql"), with_tables=True)


def new_database(cluster: str, *, with_tables: bool = False) -> str:
    """URL of a new database of a PostgreSQL cluster: without tables, or with the empty tables of the record."""
    name = f"t{uuid4().hex}"
    server = open_database(cluster.format(name="postgres"))
    copied = f" TEMPLATE {_template(cluster)}" if with_tables else ""
    with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}{copied}"))
    server.dispose()
    return cluster.format(name=name)


@cache
def _template(cluster: str) -> str:
    """The name of a database to be copied, in which the migrations ran once."""
    url = new_database(cluster)
    made = open_database(url)
    upgrade(made)
    made.dispose()
    return str(make_url(url).database)
