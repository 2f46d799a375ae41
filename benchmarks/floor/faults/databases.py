"""PostgreSQL is killed, or is restored from a backup."""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.floor.cost import family
from benchmarks.floor.database import postmaster

if TYPE_CHECKING:
    import random

    from benchmarks.floor.scene import Scene

HOUR_S: Final = 3600.0


def killed_database(scene: Scene, chance: random.Random) -> dict[str, int]:
    """All processes of PostgreSQL are killed at once, and it is started again some seconds later."""
    time.sleep(chance.uniform(1.0, 4.0))
    _kill(scene)
    time.sleep(chance.uniform(0.0, 4.0))
    scene.server.start()
    time.sleep(chance.uniform(1.0, 4.0))
    return {}


def restored_database(scene: Scene, chance: random.Random) -> dict[str, int]:
    """PostgreSQL lost its disk, and is started from a backup that is an hour old by the pace of the tables."""
    backup = Path(scene.server.folder) / "backup"
    shutil.rmtree(backup, ignore_errors=True)
    backup_of = ("-h", str(scene.server.folder), "-U", "houseway", "-D", str(backup), "-c", "fast", "-X", "stream")
    scene.server.do("pg_basebackup", *backup_of)
    before = scene.position()
    time.sleep(HOUR_S / scene.pace * chance.uniform(1.0, 1.1))
    lost = scene.position() - before
    _kill(scene)
    shutil.rmtree(scene.server.data)
    backup.rename(scene.server.data)
    scene.server.start()
    time.sleep(chance.uniform(1.0, 4.0))
    return {"entries_that_the_backup_lacks": lost}


def _kill(scene: Scene) -> None:
    for process in family(postmaster(scene.server)):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    time.sleep(0.2)
    # Where nobody collects processes that have ended, as in a container, the next server would take it for running.
    (Path(scene.server.data) / "postmaster.pid").unlink()
    (Path(scene.server.folder) / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
