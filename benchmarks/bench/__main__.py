"""Speed compared with another commit, in turns in one run: ``make bench [AGAINST=main~3]``.

    python -m benchmarks.bench [--against REVISION | --alone] [--runs 45] [--films 3] [--seconds 12] [--no-pi]

Prints one table and writes it as JSON to build/bench.json. How to read it: docs/speed.md.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from benchmarks.bench import pi
from benchmarks.bench.measures import (
    COLD,
    FILM,
    FOUR_TABLES,
    MEMORY,
    NETWORK,
    PLAY,
    REST,
    START,
    START_CPU,
    Series,
    read_once,
    rows,
    serve_once,
    take_turns,
)
from benchmarks.bench.pictures import SIZE, Counts, pictures
from benchmarks.bench.serving import served
from benchmarks.bench.sides import Answer, BenchError, Side, Tree, commit_before, environment, other_tree, this_tree
from benchmarks.bench.table import lines, row, worse
from benchmarks.bench.yolox import write_yolox_nano
from benchmarks.measure import ROOT, parser_of
from calibration.files.calibration_file import load_calibration
from vision.detect.detector import TRAINED_TILE_PX
from vision.placing import tile_length_px

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

BUILD = ROOT / "build" / "bench"
WARM_UP = 3
PI_RUNS = 12
NOW, BEFORE = "now", "before"


class Bench:
    """One comparison of programs, ``now`` first; ``open_until`` closes their processes."""

    def __init__(self, trees: dict[str, Tree], options: argparse.Namespace, open_until: ExitStack) -> None:
        self._trees, self._options, self._open_until = trees, options, open_until
        counts = Counts()
        self.folder = pictures(BUILD / "pictures", counts)
        self._length = {"rest": counts.rest, "play": counts.play}
        self.series = {name: Series() for name in trees}
        self._variables = {name: environment(tree, BUILD) for name, tree in trees.items()}

    def measure(self) -> list[dict[str, Any]]:
        """Measure everything and return the rows."""
        sides = {name: self._side(tree, self._variables[name]) for name, tree in self._trees.items()}
        _tell("single pictures")
        self._pictures(sides)
        for side in sides.values():
            side.close()
        _tell("the whole service on a film")
        take_turns({name: partial(self._film, name) for name in sides}, self._options.films)
        _tell("the whole service with four tables")
        take_turns({name: partial(self._four_tables, name) for name in sides}, self._options.films)
        now, before = self.series[NOW], self.series.get(BEFORE)
        return [row(each, now, before) for each in rows(list(now.values))]

    def approximate_pi(self) -> dict[str, Any]:
        """Estimate the times of a Raspberry Pi 5."""
        try:
            narrow = pi.narrow_runtime(BUILD)
        except pi.NotNarrowError as fault:
            return {"missing": str(fault)}
        _tell("as on a Raspberry Pi 5")
        tree = self._trees[NOW]
        side = self._side(tree, environment(tree, BUILD, str(narrow)) | pi.VARIABLES)
        network = {"do": "network", "path": str(_network(pi.SIDE_PX, pi.SIDE_PX, pi.KINDS)), "threads": 1}
        size = {"height": pi.SIDE_PX, "width": pi.SIDE_PX}
        series, here_ms = Series(), []
        for run in range(PI_RUNS):
            read_once(side.ask, series, run, length=self._length, warm_up=2, threads=1)
            here_ms.append(_ms(side.ask({**network, **size})))
        side.close()
        here = median(here_ms[2:])
        told: dict[str, Any] = {"published_ms": pi.PUBLISHED_MS, "here_ms": here, "factor": pi.PUBLISHED_MS / here}
        told["readings"] = {}
        for each in (COLD, REST, PLAY):
            stages = {key: median(values) for key, values in series.values.items() if key.startswith(f"{each.key}-")}
            whole = median(series.values[each.key])
            about = pi.approximated({key.removeprefix(f"{each.key}-"): ms for key, ms in stages.items()}, whole, here)
            told["readings"][each.name] = {"here_ms": whole, "low_ms": about.low_ms, "high_ms": about.high_ms}
        return told

    def _side(self, tree: Tree, variables: dict[str, str]) -> Side:
        side = Side(tree).start(self.folder, variables)
        self._open_until.callback(side.close)
        return side

    def _pictures(self, sides: dict[str, Side]) -> None:
        height, width = self._seen_by_detector()
        path = str(_network(height, width))
        network = self._side(self._trees[NOW], self._variables[NOW])

        def read(name: str, side: Side, run: int) -> None:
            read_once(side.ask, self.series[name], run, length=self._length, warm_up=WARM_UP)

        def other(run: int) -> None:
            ms = _ms(network.ask({"do": "network", "path": path, "height": height, "width": width}))
            if run >= WARM_UP:
                self.series[NOW].add(NETWORK, ms)

        work: dict[str, Callable[[int], None]] = {name: partial(read, name, side) for name, side in sides.items()}
        take_turns({**work, NETWORK: other}, self._options.runs + WARM_UP)
        network.close()

    def _seen_by_detector(self) -> tuple[int, int]:
        """Return height and width of our detector's input, in multiples of YOLOX's cells."""
        scale = tile_length_px(load_calibration(self.folder / "calibration.json"))
        if scale is None:
            raise BenchError("the simulated table has no scale")
        width, height = (32 * -(-round(length * TRAINED_TILE_PX / scale) // 32) for length in SIZE)
        return height, width

    def _film(self, name: str, _run: int) -> None:
        measured = {"start_s": START, "start_cpu_s": START_CPU, "peak_mb": MEMORY, "pictures_a_second": FILM}
        serve_once(partial(self._served, name, 1), self.series[name], measured)

    def _four_tables(self, name: str, _run: int) -> None:
        serve_once(partial(self._served, name, 4), self.series[name], {"pictures_a_second": FOUR_TABLES})

    def _served(self, name: str, tables: int) -> Answer:
        return served(self._trees[name], self._variables[name], self.folder, tables, self._options.seconds)


def _tell(what: str) -> None:
    print(f"bench: {what}", file=sys.stderr, flush=True)


def _ms(answer: Answer) -> float:
    if "missing" in answer:
        raise BenchError(f"YOLOX-Nano's architecture cannot be run: {answer['missing']}")
    return float(answer["ms"])


def _network(height: int, width: int, kinds: int = 3) -> Path:
    path = BUILD / f"yolox-{width}x{height}-{kinds}.onnx"
    if not path.is_file():
        write_yolox_nano(path, height, width, kinds)
    return path


def _machine() -> dict[str, Any]:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.machine(),
        "cores": os.cpu_count(),
        "load": [round(each, 1) for each in os.getloadavg()],
        "opencv": cv2.__version__,
        "numpy": np.__version__,
    }


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--against", metavar="REVISION", help="the commit to compare with; default: the one before")
    chosen.add_argument("--alone", action="store_true", help="compare with no other commit")
    parser.add_argument("--runs", type=int, default=45, help="turns of single pictures")
    parser.add_argument("--films", type=int, default=3, help="turns of the whole service, with one table and with four")
    parser.add_argument("--seconds", type=float, default=12.0, help="how long each of those reads")
    parser.add_argument("--no-pi", action="store_true", help="leave out the approximation of a Raspberry Pi 5")
    parser.add_argument("--strict", action="store_true", help="end with status 1 if a measure surely got worse")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench.json")
    return parser.parse_args()


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure according to the options and return the result."""
    BUILD.mkdir(parents=True, exist_ok=True)
    trees = {NOW: this_tree()}
    if not options.alone:
        trees[BEFORE] = other_tree(options.against or commit_before(), BUILD)
    before = {BEFORE: trees[BEFORE].commit} if BEFORE in trees else {}
    started = _machine()
    with ExitStack() as open_until:
        bench = Bench(trees, options, open_until)
        measured = bench.measure()
        approximated = {} if options.no_pi else {"pi": bench.approximate_pi()}
    return {
        "commit": trees[NOW].commit,
        **before,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {**started, "load_at_end": [round(each, 1) for each in os.getloadavg()]},
        "pictures": json.loads((bench.folder / "about.json").read_text(encoding="utf-8")),
        "rows": measured,
        **approximated,
    }


def main() -> int:
    options = _options()
    try:
        result = run(options)
    except BenchError as fault:
        print(f"bench: {fault}", file=sys.stderr)
        return 2
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result) if options.as_json else "\n".join(lines(result)))
    return 1 if options.strict and worse(result["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())
