"""How many pictures a second several tables on one computer read: `python -m benchmarks.several_tables`.

Each table is the whole service in a process of its own, as ``houseway run`` starts it with ``[[tables]]``, on the
pictures of ``make bench``. Beside that, whether it is fair: one table in play that reads as fast as it can, and the
others at rest, five pictures a second each.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from benchmarks.measure import parser_of, report
from benchmarks.service_loop import AT_REST, IN_PLAY, Viewers, running, simulated_scenes
from service.cli.table.several import threads_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection as Pipe

    from vision.capture.images import Image

SETTLING_S: Final = 3.0
PACE_S: Final = 0.2
"""Between two readings of a table that is to read five pictures a second."""


class Rates(NamedTuple):
    """What one table did while it was measured.

    Attributes:
        pictures_a_second: how many it read.
        cpu_ms_a_picture: processor time of its process for each.
        shown_a_second: pictures that its viewers were shown, all together.
        memory_mb: its share of the memory (proportional set size).
    """

    pictures_a_second: float
    cpu_ms_a_picture: float
    shown_a_second: float
    memory_mb: float


class Tables:
    """Services of several tables, each in a process of its own."""

    def __init__(self, pipes: Sequence[Pipe]) -> None:
        self._pipes = pipes

    def measure(self, scenes: Sequence[str], seconds: float, viewers: int = 0) -> list[Rates]:
        """Have each table read its scene for so many seconds, all at the same time; ``viewers`` follow each."""
        for pipe, scene in zip(self._pipes, scenes, strict=True):
            pipe.send((scene, viewers, seconds))
        return [pipe.recv() for pipe in self._pipes]


@contextmanager
def tables(scenes: Mapping[str, Sequence[Image]], paces_s: Sequence[float]) -> Iterator[Tables]:
    """Services of as many tables as there are paces: the shortest times between two of a table's readings, seconds."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ends:
        for number, images in enumerate(scenes.values()):
            np.save(Path(folder) / f"{number}.npy", np.stack(images))
        pipes = []
        for pace_s in paces_s:
            ours, theirs = context.Pipe()
            told = (folder, list(scenes), pace_s, threads_of(len(paces_s)), theirs)
            process = context.Process(target=_serve, args=told)
            process.start()
            ends.callback(process.join)
            ends.callback(ours.send, None)
            pipes.append(ours)
        for pipe in pipes:
            pipe.recv()  # it has read a picture
        yield Tables(pipes)


def _serve(folder: str, names: Sequence[str], pace_s: float, threads: int, pipe: Pipe) -> None:
    """One table's process: reads what it is told until there is no more."""
    kept = {name: list(np.load(Path(folder) / f"{number}.npy", mmap_mode="r")) for number, name in enumerate(names)}
    scenes = {name: [np.asarray(image) for image in images] for name, images in kept.items()}
    with running(scenes[names[0]], interval_s=pace_s, threads=threads) as service:
        while service.film.given < 1:
            time.sleep(0.05)
        pipe.send("ready")
        while (told := pipe.recv()) is not None:
            scene, count, seconds = told
            service.film.pictures = scenes[scene]
            viewers = Viewers(service.url, service.key, count)
            service.rates(SETTLING_S)
            before = viewers.pictures()
            read, cpu_ms = service.rates(seconds)
            pipe.send(Rates(read, cpu_ms, (viewers.pictures() - before) / seconds, _memory_mb()))
            viewers.close()


def _memory_mb() -> float:
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e3


def each_table(
    count: int, viewers: Sequence[int], seconds: float, turns: int, scenes: Mapping[str, Sequence[Image]]
) -> dict[str, Any]:
    """As :func:`benchmarks.service_loop.run`, of the table that reads least of ``count`` that all do the same."""
    found: dict[str, list[Rates]] = {}
    with tables(scenes, [0.0] * count) as several:
        for _ in range(turns):
            for scene in scenes:
                for number in viewers:
                    rates = several.measure([scene] * count, seconds, number)
                    found.setdefault(f"{scene}, {number} viewers", []).append(min(rates))
    return {name: sorted(rates)[len(rates) // 2]._asdict() for name, rates in found.items()}


def run(counts: Sequence[int] = (1, 2, 4), seconds: float = 8.0) -> dict[str, Any]:
    """Measure so many tables that all read as fast as they can, and one of the most that leaves the others theirs.

    Returns:
        By ``"N tables, SCENE"`` what each table did; by ``"fair"`` the same of a table in play, which comes first, and
        of those at rest, which are to read five pictures a second.
    """
    scenes = simulated_scenes()
    found: dict[str, Any] = {}
    for count in counts:
        with tables(scenes, [0.0] * count) as several:
            for scene in scenes:
                rates = several.measure([scene] * count, seconds)
                found[f"{count} tables, {scene}"] = [each._asdict() for each in rates]
    most = max(counts)
    with tables(scenes, [0.0, *[PACE_S] * (most - 1)]) as several:
        rates = several.measure([IN_PLAY, *[AT_REST] * (most - 1)], seconds)
        found["fair"] = [each._asdict() for each in rates]
    return found


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=8.0)
    options = parser.parse_args()
    report(run(options.tables, options.seconds), as_json=options.as_json)


if __name__ == "__main__":
    main()
