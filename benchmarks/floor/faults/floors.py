"""The floor is killed, or started twice."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.service.floor.serving import floor_program
from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    import random

    from benchmarks.floor.scene import Scene


def killed_floor(scene: Scene, chance: random.Random) -> dict[str, int]:
    """The floor is killed while it takes batches, and started again."""
    time.sleep(chance.uniform(0.0, 3.0))
    before = scene.position()
    time.sleep(chance.uniform(0.5, 1.5))
    scene.floor.kill()
    taken = scene.position() - before
    time.sleep(chance.uniform(0.0, 2.0))
    scene.start_floor()
    return {"entries_taken_in_the_second_before": taken}


def two_floors(scene: Scene, chance: random.Random) -> dict[str, int]:
    """A second floor is started by mistake and waits; the first is killed, the second goes on."""
    with floor_program(scene.settings) as second:
        wait_until(lambda: second.health().get("status") == "standby", 30)
        time.sleep(chance.uniform(1.0, 4.0))
        waited = second.health().get("status") == "standby"
        scene.floor.kill()
        killed = time.monotonic()
        wait_until(lambda: second.health().get("status") == "alive", 60)
        took_over_s = time.monotonic() - killed
        time.sleep(chance.uniform(1.0, 3.0))
        second.kill()
    scene.start_floor()
    return {"both_wrote": int(not waited), "seconds_until_the_second_wrote": round(took_over_s)}
