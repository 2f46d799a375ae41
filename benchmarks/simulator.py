"""How fast rounds are written, drawn and read without pictures: processor time, one thread.

python benchmarks/simulator.py [WIDTH] [HEIGHT]
"""

from __future__ import annotations

import statistics
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

import cv2
import numpy as np

from datasets.rendering.renderer import render
from datasets.simulator.moments import Renderer
from datasets.simulator.readings import ReadingSource
from datasets.simulator.script import Options, script

if TYPE_CHECKING:
    from collections.abc import Callable


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main(width: int = 2304, height: int = 1296) -> None:
    cv2.setNumThreads(1)
    options = Options(size=(width, height))
    print(f"one round written: {timed(lambda: script(3, options)):.2f} s")
    made = script(3, options)
    renderer = Renderer(made)
    print(f"first picture: {timed(lambda: renderer.draw(made.at(0.5))):.2f} s")
    quiet: list[float] = []
    busy: list[float] = []
    for t in np.arange(0.6, made.end_s, 0.2):
        now = made.at(float(t))
        (busy if now.moving or now.hands else quiet).append(timed(partial(renderer.draw, now)))
    still = made.at(0.5)
    whole = timed(lambda: render(made.scene(still), np.random.default_rng(0), supersample=1.0))
    for what, times in (("nothing moves", quiet), ("tiles or hands move", busy), ("all", quiet + busy)):
        middle = statistics.median(times)
        print(
            f"{what}: {len(times)} pictures, median {1e3 * middle:.0f} ms, mean {1e3 * statistics.mean(times):.0f} ms; "
            f"{1 / middle:.0f} a second, {whole / middle:.0f} x datasets.rendering.renderer"
        )
    readings = timed(lambda: [None for _ in ReadingSource(made)])
    print(f"readings of one round at 5 a second: {readings:.2f} s, {1e3 * readings / (5 * made.end_s):.1f} ms each")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
