"""What fails around a floor while results flow: `python -m benchmarks.floor_faults [--times 3] [--only NAME ...]`.

Each fault of ``benchmarks/floor/faults`` is done so many times. After each, every table's record is held against what
the floor has, hash by hash, and against what a program took from the feed meanwhile; after the last of a kind every
signature is proven anew, too. Nothing is lost, nothing is there twice, the order of each table is kept, and nothing
forged was taken; it ends with status 1 if not.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Any, Final

from benchmarks.floor.faults import FAULTS
from benchmarks.floor.scene import scene
from benchmarks.measure import parser_of, report

MUST_BE_NONE: Final = (
    "not_caught_up",
    "lost",
    "twice",
    "out_of_order",
    "forged_taken",
    "feed_lost",
    "feed_twice",
    "feed_out_of_order",
    "feed_missed_anew",
    "faults_of_proof",
)


def main() -> None:
    """Do them and report."""
    parser = parser_of(__doc__)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--tables", type=int, default=10, help="that play beside the real one")
    parser.add_argument("--only", nargs="+", choices=FAULTS, default=list(FAULTS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)  # noqa: S311  moments, not secrets
    found: dict[str, Any] = {}
    for name in asked.only:
        with scene(asked.tables) as stage:
            counted: dict[str, int] = {"times": 0}
            begun = time.monotonic()
            for number in range(1, asked.times + 1):
                stage.begin()
                time.sleep(1.0)
                own = FAULTS[name](stage, chance)
                held = stage.check(prove=number == asked.times)
                counted["times"] += 1
                for count, value in own.items():
                    counted[count] = counted.get(count, 0) + value
                for count in MUST_BE_NONE:
                    counted[count] = counted.get(count, 0) + held.pop(count)
                counted |= held
            found[name] = {**counted, "seconds": round(time.monotonic() - begun)}
        if not asked.as_json:
            report({name: found[name]}, as_json=False)
            sys.stdout.flush()
    right = all(not each[count] for each in found.values() for count in MUST_BE_NONE)
    report({**found, "right": right} if asked.as_json else {"right": right}, as_json=asked.as_json)
    sys.exit(not right)


if __name__ == "__main__":
    main()
