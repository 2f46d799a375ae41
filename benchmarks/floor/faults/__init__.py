"""What may fail around a floor while results flow; :data:`FAULTS` has them by name.

A fault is given the scene and chance, does its harm, mends it, and returns what it counted beside what is always
counted. What must hold afterwards is the same for all of them (``benchmarks/floor/scene.py``), so a new fault is a new
function and a line below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.floor.faults.databases import killed_database, restored_database
from benchmarks.floor.faults.floors import killed_floor, two_floors
from benchmarks.floor.faults.nats import cut_from_nats, killed_beside_a_table, killed_nats, killed_one_of_three
from benchmarks.floor.faults.tables import cut_line, forged_entries, killed_table, wrong_clock

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    from benchmarks.floor.scene import Scene


class Fault(NamedTuple):
    """A fault.

    Attributes:
        does: it, mends it, and returns what it counted.
        nats_servers: so many are in the middle, and tables publish to them; 0 if tables are asked over HTTP.
    """

    does: Callable[[Scene, random.Random], dict[str, int]]
    nats_servers: int = 0


FAULTS: Final[Mapping[str, Fault]] = {
    "table killed": Fault(killed_table),
    "line cut": Fault(cut_line),
    "database killed": Fault(killed_database),
    "database restored": Fault(restored_database),
    "floor killed": Fault(killed_floor),
    "two floors": Fault(two_floors),
    "clock wrong": Fault(wrong_clock),
    "entries forged": Fault(forged_entries),
    "NATS: killed": Fault(killed_nats, 1),
    "NATS: one of three killed": Fault(killed_one_of_three, 3),
    "NATS: killed beside a table": Fault(killed_beside_a_table, 1),
    "NATS: line cut": Fault(cut_from_nats, 1),
    "NATS: table killed": Fault(killed_table, 1),
    "NATS: floor killed": Fault(killed_floor, 1),
    "NATS: database restored": Fault(restored_database, 1),
}
