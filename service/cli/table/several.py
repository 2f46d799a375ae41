"""``houseway run`` with the settings of several tables: a process for each, and the page of all."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Literal

from service.cli.common import say
from service.cli.table.listening import listen, server_of, url_of

if TYPE_CHECKING:
    from pathlib import Path

MODEL_THREADS: Final = 2
"""Threads for one run of a model, where a table has the computer to itself."""
COMMAND: Final = (sys.executable, "-m", "service.cli.table.one_of_several")


def run_tables(
    path: Path,
    host: str | None,
    port: int | None,
    log_format: Literal["text", "json"] | None,
    *,
    command: tuple[str, ...] = COMMAND,
) -> None:
    """Serve several tables until told to stop; raises what a table's settings or an address refuse."""
    from service.config.service_settings import LogConfig
    from service.config.tables_file import load_tables
    from service.ops.logs import set_up
    from service.several.front import Front
    from service.several.supervisor import Supervisor
    from service.several.table_process import Program, TableProcess

    tables = load_tables(path, host=host, port=port)
    log = tables.config.log if log_format is None else LogConfig(format=log_format, level=tables.config.log.level)
    set_up(log, tuple(secret for table in tables.each for secret in table.config.secrets()))
    with ExitStack() as taken:
        listening = taken.enter_context(listen(tables.config))
        program = Program(command, listening.getsockname()[1], log_format, threads_of(len(tables.each)))
        addresses = [taken.enter_context(listen(table.config)) for table in tables.each]
        supervisor = Supervisor(
            [TableProcess(table, at, program) for table, at in zip(tables.each, addresses, strict=True)]
        )
        say(f"Houseway watches {len(tables.each)} tables; all on {url_of(tables.config, listening)} (Ctrl-C ends)")
        server_of(Front(tables, supervisor).app()).run(sockets=[listening.dup()])


def threads_of(tables: int) -> int:
    """Threads for one run of a model: as many as each table has cores, so that none waits for another's."""
    return max(1, min(MODEL_THREADS, (os.cpu_count() or 1) // tables))
