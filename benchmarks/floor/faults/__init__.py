"""What may fail around a floor while results flow; :data:`FAULTS` has them by name.

A fault is given the scene and chance, does its harm, mends it, and returns what it counted beside what is always
counted. What must hold afterwards is the same for all of them (``benchmarks/floor/scene.py``), so a new fault is a new
function and a line below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.floor.faults.databases import killed_database, restored_database
from benchmarks.floor.faults.floors import killed_floor, two_floors
from benchmarks.floor.faults.tables import cut_line, forged_entries, killed_table, wrong_clock

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    from benchmarks.floor.scene import Scene


FAULTS: Final[Mapping[str, Callable[[Scene, random.Random], dict[str, int]]]] = {
    "table killed": killed_table,
    "line cut": cut_line,
    "database killed": killed_database,
    "database restored": restored_database,
    "floor killed": killed_floor,
    "two floors": two_floors,
    "clock wrong": wrong_clock,
    "entries forged": forged_entries,
}
