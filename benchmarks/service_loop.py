"""Pictures a second of the whole service: `python -m benchmarks.service_loop [--viewers 0 5]`.

The real service with its page, its record and the thread that reads the table, on a simulated table of 2304 x 1296
pixels, at rest (one moment, with camera noise) and in play (hands deal and open tiles). Pictures come from memory, as
fast as the service reads, so that neither a camera nor the simulator is measured. Viewers run in a separate process and
do what the page does: with each change they fetch the board and its picture. Also reported: the reading thread's time
by stage without viewers, by sampling its stack.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.bench.pictures import PLAY, REST, ROOT, SEED, SIZE, Counts, pictures
from benchmarks.measure import parser_of, report
from benchmarks.pollers import Connection
from service.access.roles import UserRole
from service.cli.run import service_app
from service.cli.serving import listen, server_of
from service.record.changes import Attribution
from service.system.service_settings import LimitsConfig, RecordConfig, ServerConfig
from service.system.settings import Config
from service.system.table_settings import ClockConfig, LocalTableConfig, SourceConfig
from vision.capture import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection as Pipe

    from vision.capture.images import Image

SIMULATED: Final = f"seed={SEED},rounds=1,size={SIZE[0]}x{SIZE[1]},rulebook=crown-6.1"
PICTURES: Final = ROOT / "build" / "bench" / "pictures"
AT_REST: Final = "at rest"
IN_PLAY: Final = "in play"
_SETTLING_S: Final = 2.0
"""Seconds before each measurement, for the tracker to learn the scene."""
_SEEN_FIRST: Final = 3
"""Pictures shown to each viewer before the measurement."""
_SAMPLED_EVERY_S: Final = 0.004
_READ_IN: Final = str(Path("service") / "table" / "frame_reader.py")
_PICTURE = re.compile(rb'src="([^"]*/view\.jpg\?picture=\d+)"')


@dataclass(slots=True)
class FilmInMemory:
    """A live source that repeats the pictures of a scene forwards and backwards, without delay."""

    pictures: Sequence[Image]
    live: bool = True
    length: int | None = None
    given: int = 0
    _closed: threading.Event = field(default_factory=threading.Event)

    def __iter__(self) -> Iterator[Frame]:
        """Yield each picture with the present time."""
        step = 0
        while not self._closed.is_set():
            scene = self.pictures
            there_and_back = 2 * len(scene) - 2
            index = step % there_and_back
            image = scene[index if index < len(scene) else there_and_back - index]
            yield Frame(self.given, datetime.now(UTC), f"film#{self.given}", image, None, time.monotonic_ns())
            self.given += 1
            step += 1

    def close(self) -> None:
        self._closed.set()


def simulated_scenes() -> dict[str, list[Image]]:
    """Return the pictures of ``make bench``, (1296, 2304, 3) uint8 blue-green-red, of the table ``SIMULATED``."""
    folder = pictures(PICTURES, Counts())
    return {name: list(np.load(folder / f"{scene}.npy")) for name, scene in ((AT_REST, REST), (IN_PLAY, PLAY))}


class Viewers:
    """Pages that follow the table, in a separate process."""

    def __init__(self, url: str, key: str, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_view, args=(url, key, count, theirs), daemon=True)
        self._process.start()

    def pictures(self) -> int:
        """Total of pictures shown to the viewers."""
        self._ours.send("how many")
        return int(self._ours.recv())

    def wait(self, count: int) -> None:
        """Wait until ``pictures`` were shown; the first page costs most."""
        while self.pictures() < count:
            time.sleep(0.1)

    def close(self) -> None:
        self._process.terminate()
        self._process.join()


def _view(url: str, key: str, count: int, pipe: Pipe) -> None:
    asyncio.run(_view_all(url, key, count, pipe))


async def _view_all(url: str, key: str, count: int, pipe: Pipe) -> None:
    seen = [0]
    pages = [asyncio.create_task(_page(url, key, seen)) for _ in range(count)]
    while await asyncio.to_thread(pipe.recv):
        for page in pages:
            if page.done():
                page.result()
        pipe.send(seen[0])


async def _page(url: str, key: str, seen: list[int]) -> None:
    """Do what page.js does: fetch the board again if a change arrives during a fetch."""
    events, board = Connection(url, key), Connection(url, key)
    news = asyncio.Event()

    async def refresh() -> None:
        while await news.wait():
            news.clear()
            if found := _PICTURE.search(await board.get("/tables/bench/board")):
                await board.get(found[1].decode().replace("&amp;", "&"))
                seen[0] += 1

    refreshing = asyncio.create_task(refresh())
    reader = await events.ask("/v1/events")
    while (line := await reader.readline()) and not refreshing.done():
        if line.startswith(b"event: change"):
            news.set()
    await refreshing


@dataclass(slots=True)
class Service:
    """The running service, its source and the key of its viewers."""

    film: FilmInMemory
    url: str
    key: str

    def rates(self, seconds: float) -> tuple[float, float]:
        """Return the pictures read a second, and the milliseconds of processor time for each.

        The latter hardly depends on other load.
        """
        before, begun, spent_s = self.film.given, time.perf_counter(), time.process_time()
        time.sleep(seconds)
        read = self.film.given - before
        return read / (time.perf_counter() - begun), 1e3 * (time.process_time() - spent_s) / max(1, read)

    def shares(self, seconds: float) -> dict[str, float]:
        """Return the shares of the reading thread's time by stage, largest first."""
        (thread,) = (each for each in threading.enumerate() if each.name == "table bench")
        found: Counter[str] = Counter()
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends:
            time.sleep(_SAMPLED_EVERY_S)
            found[stage_of(sys._current_frames()[thread.ident or 0])] += 1  # noqa: SLF001  there is no other way
        return {stage: round(count / found.total(), 3) for stage, count in found.most_common()}


def stage_of(frame: Any) -> str:  # noqa: ANN401  a frame of any function
    """Return the stage that a stack belongs to."""
    inner = "around"
    while frame is not None:
        name = f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}"
        if frame.f_code.co_filename.endswith(_READ_IN):
            return name if inner == "around" else inner
        inner, frame = name, frame.f_back
    return "around"


@contextmanager
def running(scene: Sequence[Image], *, interval_s: float = 0.0) -> Iterator[Service]:
    """Run the whole service on a scene, with a temporary record.

    Args:
        scene: the pictures.
        interval_s: shortest time between two readings, seconds.
    """
    film = FilmInMemory(scene)
    with tempfile.TemporaryDirectory() as folder:
        settings = Config(
            tables=(
                LocalTableConfig(
                    name="bench",
                    source=SourceConfig(kind="simulator", simulator=SIMULATED, interval_s=interval_s),
                    clock=ClockConfig(need_sync=False),
                ),
            ),
            server=ServerConfig(port=0),
            record=RecordConfig(folder=Path(folder), min_free_mb=0),
            limits=LimitsConfig(requests_per_minute=0, strangers_per_minute=0, sign_ins_per_minute=0),
        )
        with listen(settings) as listening:
            app = service_app(settings, open_frames=lambda _: film)
            server = server_of(app)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
            thread.start()
            because = Attribution("the benchmark", "to ask with")
            key = app.state.parts.access.accounts.add_key("viewer", UserRole.ADMIN, 1, because)[1]
            try:
                yield Service(film, f"http://127.0.0.1:{listening.getsockname()[1]}", key)
            finally:
                app.state.parts.only.live.close()
                server.should_exit = True
                thread.join(timeout=20)


def run(
    viewers: Sequence[int] = (0, 5),
    seconds: float = 6.0,
    turns: int = 1,
    scenes: dict[str, list[Image]] | None = None,
    *,
    shares: bool = True,
) -> dict[str, Any]:
    """Measure each scene with each number of viewers.

    Args:
        viewers: numbers of pages that follow the table.
        seconds: duration of each measurement.
        turns: measurements of each, in turns; the median is returned.
        scenes: pictures by name, of the table ``SIMULATED``; default: those of ``make bench``.
        shares: whether to measure the time of each stage too.

    Returns:
        By ``"SCENE, N viewers"`` the pictures read a second, the processor time for each, and the pictures a second
        shown to all viewers together; by ``"SCENE, shares"`` the share of the reading thread's time in each stage.
    """
    made = simulated_scenes() if scenes is None else scenes
    read: dict[str, list[tuple[float, float, float]]] = {}
    found: dict[str, dict[str, float]] = {}
    with running(next(iter(made.values()))) as service:
        while service.film.given < 1:  # while the models are loaded
            time.sleep(0.05)
        for _ in range(turns):
            for scene, images in made.items():
                service.film.pictures = images
                for count in viewers:
                    pages = Viewers(service.url, service.key, count)
                    pages.wait(_SEEN_FIRST * count)
                    service.rates(_SETTLING_S)
                    before = pages.pictures()
                    rates = service.rates(seconds)
                    measured = (*rates, (pages.pictures() - before) / seconds)
                    read.setdefault(f"{scene}, {count} viewers", []).append(measured)
                    pages.close()
                if shares and f"{scene}, shares" not in found:
                    found[f"{scene}, shares"] = service.shares(seconds)
    names = ("pictures_a_second", "cpu_ms_a_picture", "shown_a_second")
    return {
        **{
            name: dict(zip(names, map(statistics.median, zip(*each, strict=True)), strict=True))
            for name, each in read.items()
        },
        **found,
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--viewers", type=int, nargs="+", default=[0, 5])
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--turns", type=int, default=1)
    options = parser.parse_args()
    report(run(options.viewers, options.seconds, options.turns), as_json=options.as_json)


if __name__ == "__main__":
    main()
