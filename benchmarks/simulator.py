"""How fast rounds are written, drawn and read without pictures: processor time, one thread.

python -m benchmarks.simulator [--size 2304x1296] [--every 0.2]
"""

from __future__ import annotations

import statistics
import time
from functools import partial

import cv2
import numpy as np

from benchmarks.measure import parser_of, report, timed_ms
from datasets.rendering.renderer import render
from datasets.simulator.moments import Renderer
from datasets.simulator.readings import ReadingSource
from datasets.simulator.script import Options, script


def main() -> None:
    """Time one round of a seed."""
    parser = parser_of(__doc__)
    parser.add_argument("--size", default="2304x1296")
    parser.add_argument("--every", type=float, default=0.2, help="seconds between the pictures drawn")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    width, height = (int(part) for part in options.size.split("x"))
    spent_ms = partial(timed_ms, clock=time.process_time)
    wanted = Options(size=(width, height))
    written_ms = spent_ms(lambda: script(3, wanted))
    made = script(3, wanted)
    renderer = Renderer(made)
    first_ms = spent_ms(lambda: renderer.draw(made.at(0.5)))
    times: dict[str, list[float]] = {"nothing moves": [], "tiles or hands move": []}
    for t in np.arange(0.6, made.end_s, options.every).tolist():
        now = made.at(t)
        kind = "tiles or hands move" if now.moving or now.hands else "nothing moves"
        times[kind].append(spent_ms(partial(renderer.draw, now)))
    still = made.at(0.5)
    whole_ms = spent_ms(lambda: render(made.scene(still), np.random.default_rng(0), supersample=1.0))
    readings_ms = spent_ms(lambda: [None for _ in ReadingSource(made)])
    pictures = {
        f"picture, {kind}": {
            "median_ms": statistics.median(each),
            "times faster than datasets.rendering.renderer": whole_ms / statistics.median(each),
        }
        for kind, each in times.items()
    }
    result = {"round written, ms": written_ms, "first picture, ms": first_ms, **pictures}
    report({**result, "a reading of 5 a second, ms": readings_ms / (5 * made.end_s)}, as_json=options.as_json)


if __name__ == "__main__":
    main()
