"""Databases that a record is tested over: SQLite, and one PostgreSQL cluster for all tests of a process."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from sqlalchemy import text

from service.record.store.database import open_database

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """URL of a fresh PostgreSQL cluster, without the database's name; skipped where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        pytest.skip("no PostgreSQL on this machine; install Debian's package postgresql")
    # PostgreSQL refuses to run as root, and the path of its socket must be short.
    as_other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="hwpg"))
    if as_other:
        shutil.chown(folder, "nobody")
    data, ctl = folder / "data", str(Path(initdb).with_name("pg_ctl"))

    def do(*command: str) -> None:
        subprocess.run([*as_other, *command], check=True, capture_output=True, cwd=folder)

    do(initdb, "-D", str(data), "-U", "houseway", "-A", "trust", "-E", "UTF8", "--no-sync")
    try:
        # A log file, or pg_ctl's pipes stay open in the server. No TCP: the socket cannot be taken by anybody else.
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        do(ctl, "-D", str(data), "-w", "-l", str(folder / "log"), "-o", options, "start")
        yield f"postgresql+pg8000://houseway@/{{name}}?unix_sock={folder}/.s.PGSQL.5432"
    finally:
        subprocess.run([*as_other, ctl, "-D", str(data), "-m", "immediate", "stop"], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """A database of its own for a test; None is the record's own SQLite file."""
    if request.param == "sqlite":
        return None
    return new_database(request.getfixturevalue("postgresql"))


def new_database(cluster: str) -> str:
    """URL of a new, empty database of a PostgreSQL cluster."""
    name = f"t{uuid4().hex}"
    server = open_database(cluster.format(name="postgres"))
    with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    server.dispose()
    return cluster.format(name=name)
