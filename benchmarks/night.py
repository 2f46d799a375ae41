"""A night at one table: `python -m benchmarks.night [--rounds 320]`; eight hours of forty rounds, as fast as possible.

Runs the real service in a separate process, but for camera and reader: it gets the readings of a simulated session
(docs/simulator.md) with a reader's usual errors, repeated over the night. Three pollers run the client of `examples/`;
one of them is killed with SIGKILL and restarted all the time. Reports the memory of the service, whether each poller
has every result once and in order, and whether `houseway record verify` accepts the chain.
"""

from __future__ import annotations

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from argparse import SUPPRESS
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from benchmarks.measure import ROOT, parser_of, report
from datasets.simulator.film import START
from datasets.simulator.readings import ErrorRates, ReadingSource
from datasets.simulator.script import Options, script
from service.access.roles import UserRole
from service.cli.serving import listen, server_of
from service.record.changes import Attribution
from service.record.store.entries import RESULTS
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.settings import load_config
from service.table.doctor.examination import watches_of
from service.table.worker import Instruments
from service.web.app import create_app
from vision.capture import Frame
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibration.files.calibration_file import TableCalibration
    from datasets.simulator.readings import TimedReading
    from service.system.settings import Config
    from vision.capture import FrameResult
    from vision.capture.images import Image
    from vision.reading import Reading

POLLERS = 3
SESSION = 16
"""Rounds of the simulated session, which is repeated."""
PAUSE_S = 30.0
"""Between two sessions."""
SIZE = (1280, 720)
"""Size of the pictures; drawing on larger ones would take most of the time."""
SETTINGS = """
[[tables]]
name = "night"
[tables.source]
path = "."
interval_s = 0.0
[server]
port = 0
[record]
folder = "record"
[tables.clock]
need_sync = false
[log]
level = "warning"
"""


@dataclass(frozen=True, slots=True)
class Session:
    """A simulated session; ``lasts_s`` is its duration in seconds."""

    readings: tuple[TimedReading, ...]
    lasts_s: float
    rounds: int
    calibration: TableCalibration

    @classmethod
    def made(cls, rounds: int, rate: float) -> Session:
        played = script(1, Options(rounds=min(SESSION, rounds), mistake_rate=0.1, size=SIZE))
        source = ReadingSource(played, rate, ErrorRates(), 1)
        return cls(tuple(source), played.end_s, len(played.rounds), source.calibration)


@dataclass(slots=True)
class Night:
    """A source of numbered pictures, and the reader that knows the reading of each.

    Attributes:
        session: played ``times`` times.
        now: reading of the latest picture.
        over: set after the last picture.
    """

    session: Session
    times: int
    live: bool = True
    length: int | None = None
    now: Reading | None = None
    over: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)

    def __iter__(self) -> Iterator[FrameResult]:
        """Yield the pictures of the night, then wait until closed."""
        noise = np.random.default_rng(1).integers(40, 120, (90, 160, 3), np.uint8)
        felt = np.asarray(cv2.resize(noise, SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)
        readings = self.session.readings
        for sequence in range(self.times * len(readings)):
            if self.closed.is_set():
                return
            played, number = divmod(sequence, len(readings))
            timed = readings[number]
            self.now = timed.reading
            at_s = played * (self.session.lasts_s + PAUSE_S) + timed.t_s
            yield Frame(sequence, START + timedelta(seconds=at_s), f"night#{sequence}", felt)
        self.over.set()
        self.closed.wait()

    def close(self) -> None:
        self.closed.set()

    def read(
        self,
        image: Image,  # noqa: ARG002
        *,
        calibration: TableCalibration | None = None,  # noqa: ARG002
        empty: Image | None = None,  # noqa: ARG002
        hands: bool = True,
        name: str = "",  # noqa: ARG002
        t_s: float | None = None,  # noqa: ARG002
    ) -> Reading:
        """Return the reading of the latest picture."""
        if self.now is None:
            raise RuntimeError("no picture was given yet")
        return self.now if hands else replace(self.now, hands=())


def serve(config: Path, rounds: int, rate: float) -> None:
    """Run the service; print its port and a key, and later that the night is over."""
    settings = load_config(config)
    session = Session.made(rounds, rate)
    night = Night(session, -(-rounds // session.rounds))
    with listen(settings) as listening:
        instruments = Instruments(
            reader=Reader.load(),
            watcher=night,
            calibration=session.calibration,
            watches=watches_of,
            open_frames=lambda _: night,
        )
        app = create_app(settings, lambda _: instruments)
        server = server_of(app)
        because = Attribution("the benchmark", "benchmark")
        _, key = app.state.parts.access.accounts.add_key(f"pollers {time.time_ns()}", UserRole.INTEGRATOR, 1, because)
        say(port=listening.getsockname()[1], key=key, rounds=night.times * session.rounds)

        def announce() -> None:
            night.over.wait()
            say(over=True)

        threading.Thread(target=announce, daemon=True).start()
        server.run(sockets=[listening])


def say(**fields: object) -> None:
    """Print one line for the parent process."""
    print(json.dumps(fields), flush=True)


class Service:
    """The service in a separate process."""

    def __init__(self, config: Path, rounds: int, rate: float) -> None:
        self._config = config
        self._asked = ["--rounds", str(rounds), "--rate", str(rate)]
        self._process: subprocess.Popen[bytes] | None = None
        self.hello: dict[str, Any] = {}
        self.over = threading.Event()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self._config.write_text(SETTINGS)
        command = [sys.executable, "-m", "benchmarks.night", "--serve", str(self._config), *self._asked]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)  # noqa: S603  ours
        if self._process.stdout is None:
            raise RuntimeError("the service has no output")
        self.hello = json.loads(self._process.stdout.readline())
        threading.Thread(target=self._hear, args=(self._process,), daemon=True).start()

    def _hear(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdout is not None and process.stdout.readline():
            self.over.set()

    @property
    def memory_mb(self) -> float:
        """Its resident memory, megabytes."""
        if self._process is None:
            return 0.0
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait()


@dataclass(slots=True)
class Poller:
    """The example client, which writes to a journal."""

    url: str
    key: str
    journal: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "examples" / "houseway_client.py"), self.url, str(self.journal)]
        environment = {**os.environ, "HOUSEWAY_KEY": self.key}
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)  # noqa: S603  ours

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def kept(self) -> list[tuple[int, str]]:
        """Return number and hash of every result in the journal."""
        lines = self.journal.read_bytes().splitlines(keepends=True) if self.journal.exists() else []
        results = [json.loads(line) for line in lines if line.endswith(b"\n")]
        return [(each["seq"], each["hash"]) for each in results]


@dataclass(slots=True)
class Watching:
    """Measurements during the night: the memory in megabytes, twice a second, and the number of killed pollers."""

    memory: list[float] = field(default_factory=list)
    kills: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def look(self, service: Service) -> None:
        """Record the memory until the night is over."""
        while not self.ended.wait(0.5):
            with suppress(OSError):
                self.memory.append(service.memory_mb)

    def kill_at_random(self, poller: Poller, chance: random.Random) -> None:
        """Kill and restart a poller until the night is over."""
        while not self.ended.wait(chance.uniform(0.5, 15.0)):
            poller.kill()
            self.kills += 1
            poller.start()


def play(service: Service, folder: Path, within_s: float) -> tuple[bool, list[Poller], Watching]:
    """Play the night; return whether it finished, the pollers and the measurements."""
    service.start()
    url, key = f"http://127.0.0.1:{service.hello['port']}", service.hello["key"]
    pollers = [Poller(url, key, folder / f"poller{n}.jsonl") for n in range(POLLERS)]
    for poller in pollers:
        poller.start()
    seen = Watching()
    chance = random.Random(1)  # noqa: S311  moments, not secrets
    work = [
        threading.Thread(target=seen.look, args=(service,)),
        threading.Thread(target=seen.kill_at_random, args=(pollers[0], chance)),
    ]
    for each in work:
        each.start()
    over = service.over.wait(within_s)
    service.over.set()
    seen.ended.set()
    for each in work:
        each.join()
    ends = time.monotonic() + 90
    while time.monotonic() < ends and len({len(poller.kept()) for poller in pollers}) > 1:
        time.sleep(0.5)
    time.sleep(2)
    service.stop()
    for poller in pollers:
        poller.kill()
    return over, pollers, seen


def result_of(config: Config, pollers: list[Poller], seen: Watching) -> dict[str, Any]:
    """Return the results; ``right`` is true if nothing was lost."""
    record = Record(RecordSettings(config.record_folder), claim=False)
    due = [(entry.seq, entry.hash) for entry in record.all_entries() if entry.kind in RESULTS]
    newest = [entry.data for entry in record.newest_rounds(config.table.name, 100_000)]
    record.close()
    complete = [poller.kept() == due for poller in pollers]
    proof = subprocess.run(  # noqa: S603  ours
        [sys.executable, "-m", "service", "record", "verify", str(config.record_folder)],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    quarters = [part.tolist() for part in np.array_split(seen.memory, 4) if part.size]
    return {
        "rounds recorded": len(newest),
        "closed": sum(played["state"] == "closed" for played in newest),
        "verified": sum(played["status"] == "verified" for played in newest),
        "results": len(due),
        "pollers with each once, in order": sum(complete),
        "poller killed": seen.kills,
        "memory by quarter, MB": [round(statistics.median(part), 1) for part in quarters],
        "chain proven": proof.returncode == 0,
        "right": bool(due) and all(complete) and proof.returncode == 0,
    }


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("--rounds", type=int, default=320, help="rounds to play (320: eight hours at forty an hour)")
    options.add_argument("--rate", type=float, default=1.5, help="readings a second")
    options.add_argument("--folder", type=Path, help="folder for record and journals; default: a temporary one")
    options.add_argument("--within", type=float, default=8 * 3600.0, help="time limit in seconds")
    options.add_argument("--serve", type=Path, help=SUPPRESS)
    asked = options.parse_args()
    if asked.serve is not None:
        serve(asked.serve, asked.rounds, asked.rate)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "night.toml"
        service = Service(config, asked.rounds, asked.rate)
        started = time.monotonic()
        over, pollers, seen = play(service, folder, asked.within)
        result = result_of(load_config(config), pollers, seen)
    minutes = (time.monotonic() - started) / 60
    report(
        {"rounds played": service.hello["rounds"], "minutes": minutes, "over": over, **result}, as_json=asked.as_json
    )
    sys.exit(not (over and result["right"]))


if __name__ == "__main__":
    main()
