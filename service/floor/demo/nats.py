"""The NATS servers of a demonstration: one in the middle, and one beside each table that publishes to it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from service.floor.demo.files import DEMO_TABLES, NATS, ports
from service.floor.demo.programs import DemoError, Program
from service.floor.nats_files import FILE, Leaf, Server, write_files

if TYPE_CHECKING:
    from pathlib import Path


def nats_servers(folder: Path, logs: Path, first_port: int) -> tuple[Program, ...]:
    """The servers, not started yet; DemoError if NATS is not installed.

    Args:
        folder: of the demonstration.
        logs: folder of what they say.
        first_port: of the demonstration.
    """
    program = shutil.which("nats-server") or shutil.which("/usr/sbin/nats-server")
    if program is None:
        raise DemoError("NATS is not installed: sudo apt-get install nats-server")
    at, place = ports(first_port), folder / NATS
    tables = [table.name for table in DEMO_TABLES if table.via == "nats"]
    local = "127.0.0.1"
    middle = Server(local, local, client=at["nats"], leaf=at["nats-leaves"], store=str(place / "streams"))
    leaves = {table: Leaf(at["nats-table"], str(place / "tables" / table / "streams")) for table in tables}
    write_files(place, tables, (middle,), None, leaves)
    told = {"NATS": place / "server-1", **{f"NATS beside {table}": place / "tables" / table for table in tables}}
    return tuple(
        Program(name, (program, "-c", str(of / FILE)), logs / f"{name.lower().replace(' ', '-')}.log")
        for name, of in told.items()
    )
