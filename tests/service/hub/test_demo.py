"""``houseway floor demo``: everything starts with one command, goes on where it was, and ends with it."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.cli.demo.demo import DEMO_TABLES, FLOOR, ports, write
from service.record.store.record_settings import DATABASE
from service.system.settings import load_config
from tests.conftest import ROOT

MARK = "HOUSEWAY_DEMO_OF_A_TEST"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's user reaches, which pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="houseway-demo-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def free_ports() -> int:
    """The first of enough ports in a row that are free."""
    for first in range(20_000 + os.getpid() % 9_000, 32_000, 10):
        try:
            for port in ports(first).values():
                socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return first
    raise AssertionError("no free ports")


def command(folder: Path, first_port: int) -> dict[str, Any]:
    """The command as ``subprocess`` takes it."""
    told = ["floor", "demo", "--folder", str(folder), "--port", str(first_port), "--no-browser"]
    return {
        "args": [sys.executable, "-m", "service", *told],
        "cwd": ROOT,
        "env": {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", MARK: str(folder)},
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }


@contextmanager
def demo(folder: Path, first_port: int) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The command as a program of its own, with the lines up to the last link that signs in."""
    process: subprocess.Popen[str] = subprocess.Popen(**command(folder, first_port))
    said: list[str] = []
    try:
        for line in process.stdout or ():
            said.append(line)
            if sum("/set-up?code=" in each for each in said) == 1 + len(DEMO_TABLES):
                break
        assert process.poll() is None, "".join(said)
        yield process, said
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def programs_of(folder: Path) -> list[str]:
    """The programs that run because of a demonstration in this folder, however they were started."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={folder}".encode() in (each / "environ").read_bytes().split(b"\0"):
                found.append((each / "cmdline").read_text().replace("\0", " "))
    return found


def test_the_demonstration_starts_everything_and_leaves_nothing_running(folder: Path) -> None:
    first = free_ports()
    with demo(folder, first) as (process, said):
        with httpx2.Client(base_url=f"http://127.0.0.1:{first}", timeout=30, follow_redirects=True) as client:
            for port in ports(first).values():
                (link,) = re.findall(rf"http://localhost:{port}(/set-up\?code=\S+)", "".join(said))
                page = client.get(f"http://127.0.0.1:{port}{link}")
                assert page.status_code == 200
                assert "/account" in page.text
            assert all(table.title in client.get("/").text for table in DEMO_TABLES)

            # What the dealers do wrong starts after half a minute, and a busy machine may take as long to start.
            states: set[str] = set()
            until = time.monotonic() + 120
            while not states or states - {"well", "look", "alarm"}:
                time.sleep(0.2)
                states = {table["state"] for table in client.get("/v1/tables").json()["tables"]}
                assert time.monotonic() < until, states
        again = subprocess.run(**command(folder, first + 1000), check=False)
        assert again.returncode == 2
        assert "another `houseway floor demo` runs" in again.stdout
        assert any("/postgres " in each for each in programs_of(folder))
    assert process.returncode == 0
    assert programs_of(folder) == []
    with socket.create_server(("127.0.0.1", first + 2)):
        refused = subprocess.run(**command(folder, first), check=False)
    assert refused.returncode == 2
    assert f"{first + 2} (address already in use)" in refused.stdout
    assert programs_of(folder) == []


def test_a_folder_of_another_version_is_named(folder: Path) -> None:
    made = folder / DEMO_TABLES[-1].name
    made.mkdir()
    with sqlite3.connect(made / DATABASE) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num)")
        connection.execute("INSERT INTO alembic_version VALUES ('0013')")
    refused = subprocess.run(**command(folder, free_ports()), check=False)
    assert refused.returncode == 2
    assert "houseway floor demo: another version of Houseway made the record" in refused.stdout
    assert f"delete {folder} to start it afresh" in refused.stdout


def test_its_settings_are_a_hub_s_and_tables_that_go_together(tmp_path: Path) -> None:
    write(tmp_path, "postgresql+pg8000://houseway@/houseway?unix_sock=/tmp/x/.s.PGSQL.5432", 8000)
    for table in DEMO_TABLES:
        key = tmp_path / table.key
        key.write_text("secret")
        key.chmod(0o600)
    hub = load_config(tmp_path / FLOOR)
    assert len({table.pit for table in hub.remote}) == 2
    at = {table.name: load_config(tmp_path / table.settings).server.port for table in DEMO_TABLES}
    assert len({*at.values(), hub.server.port}) == len(DEMO_TABLES) + 1
    assert {table.name: table.address for table in hub.remote} == {
        table.name: f"http://localhost:{at[table.name]}" for table in hub.remote
    }
    assert {name for table in DEMO_TABLES for name in table.in_turn.split("+")[:1]} == {
        "house-set-wrong",
        "leaning-die-not-reshaken",
        "wrong-first-box",
    }
