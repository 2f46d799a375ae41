"""``houseway floor nats-config``: the configuration of the NATS servers of a floor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.common import plain_record_errors, refuse, say
from service.cli.floor.common import FloorSettings  # noqa: TC001  typer resolves annotations


def nats_config_command(
    config: FloorSettings,
    to: Annotated[Path, typer.Option("--to", help="Folder to write to. Existing passwords stay.")],
    server: Annotated[
        list[str],
        typer.Option("--server", help="Name or address of a central server. Give it once, or three times."),
    ],
    *,
    tls: Annotated[
        bool, typer.Option("--tls/--no-tls", help="Encrypt connections. --no-tls is for tests on one machine.")
    ] = True,
) -> None:
    """Write the configuration of a floor's NATS servers: the central ones, and one for each table via NATS.

    Each table's server may publish only under its table's name. After adding a table to the settings, run this again:
    nothing else changes.
    """
    from service.config.private_addresses import is_this_machine
    from service.floor.nats_files import Server, Tls, write_files
    from service.floor.settings import load_floor

    with plain_record_errors():
        tables = [table.name for table in load_floor(config).tables if table.via == "nats"]
    if not tables:
        refuse(f'{config}: no table has via = "nats"')
    if len(server) not in {1, 3, 5}:
        refuse("--server: one server, or a cluster of three or five, is needed: with an even number none is gained")
    servers = tuple(Server(host) for host in server)
    if not tls and not all(is_this_machine(each.host) for each in servers):
        refuse("--no-tls: passwords and entries would be readable on the network; this is for one machine alone")
    try:
        write_files(to, tables, servers, Tls() if tls else None)
    except OSError as error:
        refuse(f"{to}: cannot be written: {error}")
    say(f"written to {to}; central servers: {len(servers)}; tables that publish to NATS: {len(tables)}")
