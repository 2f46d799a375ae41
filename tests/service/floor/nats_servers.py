"""Real NATS servers on free ports of this machine, configured as is given out, and lines that can be cut."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nats
import pytest

from service.floor.nats_files import FILE, FLOOR_USER, TABLE_USER, Leaf, Server, write_files
from service.nats.names import Names
from tests.service.stand_ins import new_folder, wait_until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from nats.aio.client import Client
    from nats.js import JetStreamContext

    from service.floor.nats_files import Tls

PROGRAM = shutil.which("nats-server") or shutil.which("/usr/sbin/nats-server")


def free_ports(count: int) -> list[int]:
    with ExitStack() as taken:
        held = [taken.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in held]


@dataclass(slots=True)
class NatsServer:
    """One server, which can be killed and started again."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it listens."""
        assert PROGRAM is not None
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([PROGRAM, "-c", str(self.folder / FILE)], stderr=log)
        wait_until(self._listens)

    def kill(self) -> None:
        """As a power cut."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(30)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@dataclass(slots=True)
class Line:
    """A network line between tables and the servers in the middle, which can be cut."""

    port: int
    leads_to: int
    cut: bool = False
    _sockets: set[socket.socket] = field(default_factory=set)
    _listening: socket.socket | None = None

    def run(self) -> None:
        """Carry what comes, until it is ended."""
        self._listening = listening = socket.create_server(("127.0.0.1", self.port))
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            far = None if self.cut else self._far()
            if far is None:
                near.close()
                continue
            self._sockets |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=_carry, args=(one, other), daemon=True).start()

    def _far(self) -> socket.socket | None:
        try:
            return socket.create_connection(("127.0.0.1", self.leads_to))
        except OSError:
            return None

    def break_off(self) -> None:
        """Cut it: nothing comes through until it is healed."""
        self.cut = True
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._sockets.clear()

    def heal(self) -> None:
        """Carry again."""
        self.cut = False

    def end(self) -> None:
        """Carry nothing more."""
        self.break_off()
        if self._listening is not None:
            with suppress(OSError):
                self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()


def _carry(one: socket.socket, other: socket.socket) -> None:
    with one, suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_RDWR)


@dataclass(slots=True)
class Nats:
    """The servers of a floor.

    Attributes:
        folder: their configuration.
        servers: those in the middle.
        lines: from the tables to each of those.
        leaves: those beside the tables, by the table's name; started when they are needed.
        ports: of the servers in the middle, for the floor.
    """

    folder: Path
    servers: list[NatsServer]
    lines: list[Line]
    leaves: dict[str, NatsServer]

    @property
    def of_floor(self) -> dict[str, Any]:
        """What a floor's settings say of them."""
        return {
            "servers": [f"nats://127.0.0.1:{each.port}" for each in self.servers],
            "username": FLOOR_USER,
            "password_file": str(self.folder / "floor.password"),
            "replicas": len(self.servers),
        }

    def of_table(self, table: str) -> dict[str, Any]:
        """What a table's settings say of its server."""
        return {
            "servers": [f"nats://127.0.0.1:{self.leaves[table].port}"],
            "username": TABLE_USER,
            "password_file": str(self.folder / "tables" / table / "service.password"),
            "name": table,
        }

    def at_leaf(self, table: str, do: Callable[[JetStreamContext], Awaitable[Any]]) -> Any:  # noqa: ANN401
        """Do something with the streams of the server beside a table."""
        told = self.of_table(table)
        return self._do(told["servers"], TABLE_USER, told["password_file"], lambda client: do(client.jetstream()))

    def in_the_middle(self, do: Callable[[Client], Awaitable[Any]], user: str = "", password_file: str = "") -> Any:  # noqa: ANN401
        """Do something at the servers in the middle, as the floor or somebody else."""
        told = self.of_floor
        return self._do(told["servers"], user or FLOOR_USER, password_file or told["password_file"], do)

    def copied(self, table: str) -> Any:  # noqa: ANN401
        """The state of a table's stream in the middle."""

        async def ask(client: Client) -> Any:  # noqa: ANN401
            return (await client.jetstream().stream_info(Names(table).leaf)).state

        return self.in_the_middle(ask)

    def _do(self, servers: list[str], user: str, password_file: str, do: Callable[[Client], Awaitable[Any]]) -> Any:  # noqa: ANN401
        password = Path(password_file).read_text(encoding="ascii")

        async def connected() -> Any:  # noqa: ANN401
            client = await nats.connect(servers, user=user, password=password, error_cb=_silent)
            try:
                return await do(client)
            finally:
                await client.close()

        return asyncio.run(connected())


async def _silent(_: Exception) -> None:
    """Errors are raised where they matter."""


@contextmanager
def nats_of(tables: Iterable[str], count: int = 1, tls: Tls | None = None, host: str = "127.0.0.1") -> Iterator[Nats]:
    """So many servers in the middle, started, and one beside each table, not started; skips without the program."""
    if PROGRAM is None:
        pytest.skip("no nats-server on this machine; install Debian's package nats-server")
    folder, names = new_folder(), list(tables)
    ports = iter(free_ports(4 * count + len(names)))
    middle = tuple(
        Server(host, "127.0.0.1", next(ports), next(ports), next(ports), str(folder / f"{number}"), next(ports))
        for number in range(count)
    )
    lines = [Line(each.forwarded or 0, each.leaf) for each in middle]
    leaves = {name: Leaf(next(ports), str(folder / f"leaf-{name}")) for name in names}
    write_files(folder, names, middle, tls, leaves)
    made = Nats(
        folder,
        [NatsServer(folder / f"server-{number + 1}", each.client) for number, each in enumerate(middle)],
        lines,
        {name: NatsServer(folder / "tables" / name, leaves[name].port) for name in names},
    )
    threads = [threading.Thread(target=line.run, daemon=True) for line in lines]
    try:
        for thread in threads:
            thread.start()
        for started in made.servers:
            started.start()
        yield made
    finally:
        for line in lines:
            line.end()
        for started in (*made.servers, *made.leaves.values()):
            started.kill()
