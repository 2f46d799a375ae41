"""Pictures a second of the whole service: page, record and the thread that reads the table.

Pictures come from memory as fast as the service reads them, so that neither a camera nor the simulator is measured.
Viewers run in a separate process and do what the page does: with each change they fetch the board and its picture.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.bench.pictures import SEED, SIZE
from benchmarks.connection import Connection
from service.access.roles import UserRole
from service.cli.run import service_app
from service.cli.serving import listen, server_of
from service.record.changes import Attribution
from service.system.service_settings import LimitsConfig, RecordConfig, ServerConfig
from service.system.settings import Config
from service.system.table_settings import ClockConfig, LocalTableConfig, SourceConfig
from vision.capture import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection as Pipe

    from vision.capture.images import Image

_SIMULATED: Final = f"seed={SEED},rounds=1,size={SIZE[0]}x{SIZE[1]},rulebook=crown-6.1"
_SETTLING_S: Final = 2.0
"""Seconds before each measurement, for the tracker to learn the scene."""
_SEEN_FIRST: Final = 3
"""Pictures shown to each viewer before the measurement."""
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


@contextmanager
def _viewers(url: str, key: str, count: int) -> Iterator[None]:
    """Open pages that follow the table, in a separate process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_view, args=(url, key, count, theirs), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process is noticed
    try:
        ours.recv()  # the first page costs most
        yield
        if count and not process.is_alive():
            raise RuntimeError("a viewer failed; its traceback is above")
    finally:
        process.terminate()
        process.join()


def _view(url: str, key: str, count: int, pipe: Pipe) -> None:
    asyncio.run(_view_all(url, key, count, pipe))


async def _view_all(url: str, key: str, count: int, pipe: Pipe) -> None:
    seen = [0]
    pages = asyncio.gather(*(_page(url, key, seen) for _ in range(count)))
    while seen[0] < _SEEN_FIRST * count and not pages.done():  # noqa: ASYNC110  any page may be the last
        await asyncio.sleep(0.1)
    pipe.send("ready")
    await pages


async def _page(url: str, key: str, seen: list[int]) -> None:
    """Do what table.js does: fetch the board again if a change arrives during a fetch."""
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


@contextmanager
def _running(film: FilmInMemory) -> Iterator[tuple[str, str]]:
    """Run the whole service on a film, with a temporary record; return its address and a key."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Config(
            tables=(
                LocalTableConfig(
                    name="bench",
                    source=SourceConfig(kind="simulator", simulator=_SIMULATED, interval_s=0.0),
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
                yield f"http://127.0.0.1:{listening.getsockname()[1]}", key
            finally:
                app.state.parts.only.live.close()
                server.should_exit = True
                thread.join(timeout=20)


def run(scenes: Mapping[str, Sequence[Image]], viewers: int, seconds: float) -> dict[str, float]:
    """Return the pictures read a second of each scene while ``viewers`` pages are open.

    Args:
        scenes: pictures by name, of the table of ``benchmarks.bench.pictures``.
        viewers: number of pages.
        seconds: duration of each measurement.
    """
    film = FilmInMemory(next(iter(scenes.values())))
    rates: dict[str, float] = {}
    with _running(film) as (url, key):
        while film.given < 1:  # while the models are loaded
            time.sleep(0.05)
        for name, images in scenes.items():
            film.pictures = images
            with _viewers(url, key, viewers):
                time.sleep(_SETTLING_S)
                before, started = film.given, time.perf_counter()
                time.sleep(seconds)
                rates[name] = (film.given - before) / (time.perf_counter() - started)
    return rates
