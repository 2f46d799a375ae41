"""A floor as a casino runs it, ``houseway run``, over tables that play and a PostgreSQL server of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks.measure import ROOT
from service.record.store.all_logs import LogsReader
from tests.service.hub.hubs import hub_config, hub_program, written
from tests.service.stand_ins import new_folder, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.service.hub.hubs import HubProgram


def settings_file(database: str, tables: Sequence[str], below: str) -> Path:
    """The settings of a floor, as a file.

    Args:
        database: URL.
        tables: their names.
        below: address below which each of them is, under its name.
    """
    folder = new_folder()
    return written(hub_config(database, {name: {"url": f"{below}/{name}"} for name in tables}, folder / "own"), folder)


def key_of(settings: Path) -> str:
    """A new key of the floor's, made as an administrator makes one."""
    command = [sys.executable, "-m", "service", "key", "add", "measuring", "--role", "admin", "--reason", "to measure"]
    done = subprocess.run(  # noqa: S603  ours
        [*command, "--config", str(settings)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()[-1]


@contextmanager
def running_floor(settings: Path, database: str, tables: int) -> Iterator[HubProgram]:
    """A floor that has begun to collect all tables."""
    with hub_program(settings) as floor, LogsReader(database) as reader:
        wait_until(lambda: sum(table.known.seq > 0 for table in reader.tables()) == tables, 180)
        yield floor
