"""A real floor service on a free port of this machine, in a thread or as a program of its own; and real tables."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx2

from service.access.roles import UserRole
from service.cli.run import service_app
from service.cli.serving import listen, server_of
from tests.conftest import ROOT
from tests.service.hub.floors import database_url_of
from tests.service.serving import serving
from tests.service.stand_ins import config, key_for, new_folder, wait_until, with_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fastapi import FastAPI

    from service.api.parts import Parts
    from service.system.settings import Config
    from tests.service.serving import Served


@dataclass(slots=True)
class ServedFloor:
    """A running floor."""

    app: FastAPI
    url: str

    @property
    def parts(self) -> Parts:
        """Its parts."""
        found: Parts = self.app.state.parts
        return found

    def client(self, role: UserRole = UserRole.ADMIN) -> httpx2.Client:
        """A program with a key of the floor."""
        return httpx2.Client(base_url=self.url, headers=key_for(self.app, role), timeout=60)


@contextmanager
def serving_floor(settings: Config) -> Iterator[ServedFloor]:
    """Serve a floor in a thread."""
    with listen(settings) as listening:
        app = service_app(settings)
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: server.started and app.state.parts.hub.writer.writing)
            yield ServedFloor(app, f"http://127.0.0.1:{listening.getsockname()[1]}")
        finally:
            app.state.parts.stop_waiting()
            server.should_exit = True
            thread.join(30)


def table_config(name: str, folder: Path | None = None, port: int = 0) -> Config:
    """Settings of a table that reads no pictures."""
    made = config(port=port, max_wait_s=30.0)
    record = made.record if folder is None else made.record.model_copy(update={"folder": folder})
    return with_table(made, name=name, title=f"Table {name}").model_copy(update={"record": record})


@contextmanager
def serving_table(settings: Config) -> Iterator[tuple[Served, dict[str, Any]]]:
    """Serve a real table, and what a floor's settings say of it."""
    with serving(settings) as served:
        key = new_folder() / "key"
        key.write_text(key_for(served.app, UserRole.FLOOR)["Authorization"].removeprefix("Bearer "))
        yield served, {"url": served.url, "key_file": str(key)}


def written(settings: Config, folder: Path) -> Path:
    """The settings of a floor as a file."""
    path = folder / "floor.toml"
    lines = [
        f'[service]\nname = "{settings.service.name}"\ntitle = "{settings.service.title}"',
        f'[record]\nfolder = "{settings.record.folder}"\nurl = "{database_url_of(settings)}"',
        "[server]\nport = 0\nmax_wait_s = 30.0",
        "[limits]\nstrangers_per_minute = 0\nrequests_per_minute = 0",
        f'[evidence]\ncopy = "{settings.evidence.copied}"\nmin_free_mb = 0',
        f'folder = "{settings.evidence.folder}"' if settings.evidence.folder else "",
    ]
    tables = (
        f'[[tables]]\nname = "{table.name}"\nkey_file = "{table.key_file}"\nurl = "{table.address}"'
        for table in settings.remote
    )
    path.write_text("\n".join((*lines, *tables)) + "\n")
    return path


@dataclass(slots=True)
class PlayingTable:
    """A table in a process of its own.

    Attributes:
        url: where it is.
        key: what a floor asks it with.
    """

    process: subprocess.Popen[str]
    url: str
    key: str

    def kill(self) -> None:
        """As a power cut."""
        self.process.kill()
        self.process.wait(30)


@contextmanager
def playing_table(folder: Path, port: int, name: str = "test") -> Iterator[PlayingTable]:
    """Have a table play in a process of its own, with a record in a folder, on a port."""
    command = [sys.executable, "-m", "tests.service.hub.table_process", str(folder), str(port), name]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url, key = process.stdout.readline().split()
        drained = threading.Thread(target=process.stdout.read, daemon=True)
        drained.start()
        yield PlayingTable(process, url, key)
    finally:
        process.kill()
        process.wait(30)
        drained.join(10)
        process.stdout.close()


def free_port() -> int:
    """One that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found: int = taken.getsockname()[1]
    return found


@dataclass(slots=True)
class FloorProgram:
    """``houseway run`` of a floor as a program of its own."""

    process: subprocess.Popen[str]
    port: int
    said: list[str]

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def health(self) -> dict[str, Any]:
        """What it says of itself without a key; nothing if it does not answer."""
        try:
            found: dict[str, Any] = httpx2.get(f"{self.url}/healthz", timeout=5).json()
        except httpx2.HTTPError:
            return {}
        return found

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait(30)

    def stop(self) -> int:
        """Ask it to end; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def floor_program(path: Path) -> Iterator[FloorProgram]:
    """Run a floor in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "service", "run", "--config", str(path), "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    said: list[str] = []
    output = process.stdout
    reading = threading.Thread(target=lambda: said.extend(iter(output.readline, "")), daemon=True)
    reading.start()
    made = FloorProgram(process, port, said)
    try:
        wait_until(lambda: bool(made.health()) or process.poll() is not None, 90)
        assert process.poll() is None, "".join(said)
        yield made
    finally:
        process.kill()
        process.wait(30)
        reading.join(10)
        output.close()


def link_in(said: list[str]) -> str:
    """The path of the link that signs in once, as the first start prints it."""
    found = re.search(r"http://[^/]+(/set-up\?code=\S+)", "".join(said))
    assert found is not None, said
    return found[1]


def results_of(client: httpx2.Client, since: str | None = None, **query: str | float) -> dict[str, Any]:
    """An answer of ``/v1/results``."""
    asked: Mapping[str, Any] = {**query, **({} if since is None else {"since": since})}
    answer = client.get("/v1/results", params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
