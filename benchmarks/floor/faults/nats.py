"""A NATS server is killed, or the line to it is cut, while tables publish."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from benchmarks.floor.faults.databases import HOUR_S

if TYPE_CHECKING:
    import random

    from benchmarks.floor.scene import Scene
    from tests.service.floor.nats_servers import Nats, NatsServer


def killed_nats(scene: Scene, chance: random.Random) -> dict[str, int]:
    """The only server in the middle is killed while entries go through it, and started again."""
    return _killed(_nats(scene).servers[0], scene, chance)


def killed_one_of_three(scene: Scene, chance: random.Random) -> dict[str, int]:
    """One of three servers in the middle is killed; the floor goes on meanwhile, and then it comes back."""
    server = chance.choice(_nats(scene).servers)
    time.sleep(chance.uniform(1.0, 3.0))
    server.kill()
    # New leaders of the streams are chosen within seconds.
    time.sleep(chance.uniform(10.0, 12.0))
    before = scene.position()
    time.sleep(chance.uniform(4.0, 6.0))
    taken = scene.position() - before
    server.start()
    time.sleep(chance.uniform(2.0, 4.0))
    return {"entries_taken_without_it": taken, "stood_still": int(not taken)}


def killed_beside_a_table(scene: Scene, chance: random.Random) -> dict[str, int]:
    """The server beside a table is killed while the table publishes to it, and started again."""
    table = chance.choice(scene.real)
    return _killed(_nats(scene).leaves[table.name], scene, chance)


def cut_from_nats(scene: Scene, chance: random.Random) -> dict[str, int]:
    """The lines from all tables to the servers in the middle are cut for an hour by the pace of the other faults."""
    time.sleep(chance.uniform(1.0, 3.0))
    lines = _nats(scene).lines
    for each in lines:
        each.break_off()
    before = _recorded(scene)
    time.sleep(HOUR_S / scene.pace)
    meanwhile = _recorded(scene) - before
    for each in lines:
        each.heal()
    return {"entries_meanwhile": meanwhile}


def _killed(server: NatsServer, scene: Scene, chance: random.Random) -> dict[str, int]:
    time.sleep(chance.uniform(1.0, 4.0))
    server.kill()
    before = _recorded(scene)
    time.sleep(chance.uniform(0.0, 6.0))
    meanwhile = _recorded(scene) - before
    server.start()
    time.sleep(chance.uniform(1.0, 4.0))
    return {"entries_meanwhile": meanwhile}


def _recorded(scene: Scene) -> int:
    return sum(len(table.hashes()) for table in scene.real)


def _nats(scene: Scene) -> Nats:
    if scene.nats is None:
        raise ValueError("this fault is of a scene with NATS servers")
    return scene.nats
