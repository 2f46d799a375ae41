"""A table's computer, its line, its clock, or what it sends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from benchmarks.floor.faults.databases import HOUR_S
from benchmarks.floor.forging import WAYS
from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    import random

    from benchmarks.floor.scene import Scene

_CLOCK_S: Final = 7200.0


def killed_table(scene: Scene, chance: random.Random) -> dict[str, int]:
    """A real table's process is killed while it records, and started again."""
    table = chance.choice(scene.real)
    time.sleep(chance.uniform(1.0, 3.0))
    table.kill()
    time.sleep(chance.uniform(0.0, 2.0))
    table.start()
    time.sleep(chance.uniform(1.0, 3.0))
    return {}


def cut_line(scene: Scene, chance: random.Random) -> dict[str, int]:
    """The line to all tables is cut for an hour by their pace, with or without anybody being told."""
    silently = chance.random() < 0.5
    before = scene.recorded()
    scene.line.cut(silently=silently)
    time.sleep(HOUR_S / scene.pace)
    scene.line.mend()
    return {"entries_meanwhile": scene.recorded() - before, "silently": int(silently)}


def wrong_clock(scene: Scene, chance: random.Random) -> dict[str, int]:
    """A table's clock jumps two hours ahead or back, and is put right again."""
    table = chance.choice(scene.names)
    scene.tables.set_clock(table, chance.choice((-_CLOCK_S, _CLOCK_S)))
    time.sleep(chance.uniform(3.0, 6.0))
    scene.tables.set_clock(table, 0.0)
    time.sleep(chance.uniform(1.0, 3.0))
    return {}


def forged_entries(scene: Scene, chance: random.Random) -> dict[str, int]:
    """A table's entries come forged or in another order, in each of the ways, each at a table of its own."""
    tables = chance.sample(scene.names, len(WAYS))
    before = {table: scene.refused(table) for table in tables}
    for table, how in zip(tables, WAYS, strict=True):
        scene.tables.forge(table, how)
    told = 0
    for table in tables:
        wait_until(lambda table=table: scene.state(table) == "refused", 60)  # type: ignore[misc]
        told += scene.refused(table) > before[table]
    time.sleep(chance.uniform(0.0, 3.0))
    for table in tables:
        scene.tables.forge(table, None)
    return {"forged": len(tables), "refused_and_told": told}
