"""Latency of results at many clients: `python -m benchmarks.pollers [--pollers N] [--pages N] [--results N]`.

One process runs the service with a record on disk; another runs integrators that long-poll `/v1/results` and pages that
read `/v1/events`. A result is recorded every five seconds, more often than at any table. The latency runs from before
the append until the client has read the result, by the same monotonic clock. The same run measures one poller alone.
"""

import asyncio
import json
import multiprocessing
import resource
import tempfile
import threading
import time
from datetime import UTC, datetime
from itertools import cycle
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any, cast

from benchmarks.connection import Connection
from benchmarks.measure import parser_of, report, summary
from calibration.table.places import HOUSE
from engine.game.tiles import Tile
from service.access.roles import UserRole
from service.cli.serving import listen, server_of
from service.record.changes import Attribution
from service.rounds.judge.verdicts import judge_round
from service.rounds.readings import hand_of
from service.rounds.reports import RoundReport
from service.system.service_settings import RecordConfig, ServerConfig
from service.system.settings import Config
from service.system.table_settings import LocalTableConfig, SourceConfig
from service.table.worker import Instruments
from service.web.app import create_app
from vision.reading import HandReading, PictureReader

BETWEEN_S = 5.0
KEYS = 50
"""Pollers that share a key; more would be refused by the rate limit."""


def serve(folder: str, count: int, pipe: Pipe) -> None:
    """Run the service with enough keys for ``clients``; record a round for each number that is received.

    Replies with the start time, and the CPU time and memory of the service.
    """
    settings = Config(
        tables=(LocalTableConfig(name="bench", source=SourceConfig(path=Path("nowhere"))),),
        server=ServerConfig(port=0),
        record=RecordConfig(folder=Path(folder), min_free_mb=0),
    )
    low, high = (Tile.parse("6-3"), Tile.parse("5-3")), (Tile.parse("6-6"), Tile.parse("6-1"))
    hand = HandReading(HOUSE, low, high, "verified", ())
    with listen(settings) as listening:
        nobody = Instruments(cast("PictureReader", None))  # no picture is sent
        app = create_app(settings, lambda _: nobody, watch=False)
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        parts = app.state.parts
        because = Attribution("the benchmark", "to ask with")
        keys = [parts.access.accounts.add_key(f"k{n}", UserRole.INTEGRATOR, 1, because)[1] for n in range(count)]
        pipe.send((f"http://127.0.0.1:{listening.getsockname()[1]}", keys))
        while (number := pipe.recv()) is not None:
            now = datetime.now(UTC)
            played = RoundReport(
                id=f"r{number}",
                state="closed",
                opened_at=now,
                changed_at=now,
                closed_at=now,
                agreeing_frames=3,
                hands=(hand_of(hand),),
            )
            report = judge_round(played.model_copy(update={"table": "bench"}), parts.only.rules.at(played.opened_at))
            started = time.monotonic_ns()
            parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
            pipe.send((started, time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
        parts.only.live.close()
        server.should_exit = True
        thread.join(timeout=5)


async def poll(connection: Connection, since: str, seen: list[tuple[str, int]]) -> None:
    """Record the arrival of each result."""
    while True:
        body = await connection.get(f"/v1/results?since={since}&wait=60")
        now = time.monotonic_ns()
        page = json.loads(body)
        seen += [(each["round"]["id"], now) for each in page["results"]]
        since = page["next"]


async def watch(connection: Connection, seen: list[tuple[str, int]]) -> None:
    """Record the arrival of each result in the event stream."""
    name = b""
    reader = await connection.ask("/v1/events")
    while line := await reader.readline():
        if line.startswith(b"event: "):
            name = line.removeprefix(b"event: ").strip()
        elif line.startswith(b"data: ") and name == b"result":
            now = time.monotonic_ns()
            seen.append((json.loads(line.removeprefix(b"data: "))["data"]["round"]["id"], now))


async def measure(url: str, keys: list[str], pipe: Pipe, first: int, asked: tuple[int, int, int]) -> dict[str, Any]:
    """Return the latencies in milliseconds at pollers and pages, of results from number ``first`` on."""
    pollers, pages, results = asked
    at_pollers: list[list[tuple[str, int]]] = [[] for _ in range(pollers)]
    at_pages: list[list[tuple[str, int]]] = [[] for _ in range(pages)]
    first_page = await Connection(url, keys[0]).get("/v1/results?limit=200")
    since = json.loads(first_page)["next"]
    tasks = [
        asyncio.create_task(poll(Connection(url, key), since, seen))
        for key, seen in zip(cycle(keys), at_pollers, strict=False)
    ]
    tasks += [
        asyncio.create_task(watch(Connection(url, key), seen)) for key, seen in zip(cycle(keys), at_pages, strict=False)
    ]
    await asyncio.sleep(2 + pollers / 100)
    started, spent = {}, []
    for number in range(first, first + results):
        pipe.send(number)
        at, cpu_s, memory_mb = await asyncio.to_thread(pipe.recv)
        started[f"r{number}"] = at
        spent.append(cpu_s)
        await asyncio.sleep(BETWEEN_S)
    for _ in range(300):
        if all(len(seen) >= results for seen in (*at_pollers, *at_pages)):
            break
        await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    failed = [each for each in await asyncio.gather(*tasks, return_exceptions=True) if isinstance(each, Exception)]
    whole = [[name for name, _ in seen] == list(started) for seen in (*at_pollers, *at_pages)]
    cpu_ms = (spent[-1] - spent[0]) / max(1, results - 1) * 1e3
    return {
        "pollers": [(at - started[name]) / 1e6 for seen in at_pollers for name, at in seen],
        "pages": [(at - started[name]) / 1e6 for seen in at_pages for name, at in seen],
        "missed": whole.count(False),
        "failed": sorted({repr(each) for each in failed}),
        "cpu_ms": cpu_ms,
        "memory_mb": memory_mb,
    }


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("--pollers", type=int, default=500)
    options.add_argument("--pages", type=int, default=20)
    options.add_argument("--results", type=int, default=10)
    asked = options.parse_args()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        service = context.Process(target=serve, args=(folder, KEYS, theirs))
        service.start()
        url, keys = ours.recv()
        alone = asyncio.run(measure(url, keys, ours, 1, (1, 0, asked.results)))
        crowd = asyncio.run(measure(url, keys, ours, 1 + asked.results, (asked.pollers, asked.pages, asked.results)))
        ours.send(None)
        service.join()
    times = {"one poller alone": alone["pollers"], f"{asked.pollers} pollers": crowd["pollers"]}
    if asked.pages:
        times[f"{asked.pages} pages"] = crowd["pages"]
    kept = ("missed", "failed", "cpu_ms", "memory_mb")
    result = {**{name: summary(each) for name, each in times.items()}, **{name: crowd[name] for name in kept}}
    report(result, as_json=asked.as_json)


if __name__ == "__main__":
    main()
