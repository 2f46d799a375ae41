"""A night at one table: `python -m benchmarks.night [--rounds 320]`; eight hours of forty rounds, as fast as it can.

The whole service in a process of its own: settings from a file, models, watches, worker, rounds, record, HTTP. In place
of camera and reader it has the readings of a simulated session (docs/simulator.md) with a reader's usual errors, made
beforehand and played again and again, each picture at its own time of the night. Three pollers are the client of
`examples/`; one of them is killed with SIGKILL and started again all night. Reported are the service's memory, whether
every poller has every result once and in order, and whether `houseway record verify` proves the chain.
"""

from __future__ import annotations

import json
import os
import pickle
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

from benchmarks.measure import parser_of, report
from datasets.simulator.film import START
from datasets.simulator.readings import ErrorRates, ReadingSource
from datasets.simulator.script import Options, script
from service.access.roles import UserRole
from service.app import create_app
from service.cli.run import listen, server_of
from service.config.settings import load_config
from service.monitor.self_test import watches_of
from service.record.changes import Attribution
from service.record.store.entries import RESULTS
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from vision.capture import Frame
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibration.files.calibration_file import TableCalibration
    from datasets.simulator.readings import TimedReading
    from service.config.settings import Config
    from vision.capture import FrameResult
    from vision.capture.images import Image
    from vision.reading import Reading

ROOT = Path(__file__).resolve().parents[1]
POLLERS = 3
SESSION = 16
"""Rounds made up; a night plays them over and over."""
PAUSE_S = 30.0
"""Between two sessions."""
SIZE = (1280, 720)
"""Of the pictures, which nobody reads; drawing on larger ones would take most of the time."""
SETTINGS = """
[table]
name = "night"
[source]
path = "."
interval_s = 0.0
[server]
port = {port}
[record]
folder = "record"
[clock]
need_sync = false
[log]
level = "warning"
"""


@dataclass(frozen=True, slots=True)
class Session:
    """What is played over and over.

    Attributes:
        readings: in order of time.
        lasts_s: how long it lasts.
        rounds: how many there are in it.
        calibration: of its camera.
    """

    readings: tuple[TimedReading, ...]
    lasts_s: float
    rounds: int
    calibration: TableCalibration

    @classmethod
    def made(cls, rounds: int, rate: float, kept: Path) -> Session:
        """Make it up, or take it from the file where it was kept when the service was started before."""
        if kept.exists():
            session: Session = pickle.loads(kept.read_bytes())  # noqa: S301  written by this program
            return session
        played = script(1, Options(rounds=min(SESSION, rounds), mistake_rate=0.1, size=SIZE))
        source = ReadingSource(played, rate, ErrorRates(), 1)
        session = cls(tuple(source), played.end_s, len(played.rounds), source.calibration)
        kept.write_bytes(pickle.dumps(session))
        return session


@dataclass(slots=True)
class Night:
    """A source of pictures that only count, and the reader who knows what each of them shows.

    Attributes:
        session: played so many ``times``.
        at: file with the number of the picture that is being read, from which a service started anew goes on.
        now: what the picture shows that was given last.
        over: set when all was played.
    """

    session: Session
    times: int
    at: Path
    live: bool = True
    length: int | None = None
    now: Reading | None = None
    over: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)

    def __iter__(self) -> Iterator[FrameResult]:
        """The pictures of the night, then none until this is closed."""
        noise = np.random.default_rng(1).integers(40, 120, (90, 160, 3), np.uint8)
        felt = np.asarray(cv2.resize(noise, SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)
        readings = self.session.readings
        first = int(self.at.read_text()) if self.at.exists() else 0
        for sequence in range(first, self.times * len(readings)):
            if self.closed.is_set():
                return
            beside = self.at.with_suffix(".new")
            beside.write_text(str(sequence))
            beside.replace(self.at)
            played, number = divmod(sequence, len(readings))
            timed = readings[number]
            self.now = timed.reading
            at_s = played * (self.session.lasts_s + PAUSE_S) + timed.t_s
            yield Frame(sequence, START + timedelta(seconds=at_s), f"night#{sequence}", felt)
        self.over.set()
        self.closed.wait()

    def close(self) -> None:
        """End it."""
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
        """What the picture shows that was given last."""
        if self.now is None:
            raise RuntimeError("no picture was given yet")
        return self.now if hands else replace(self.now, hands=())


def serve(config: Path, rounds: int, rate: float) -> None:
    """The service; says its address and a key, then that the night is over."""
    settings = load_config(config)
    session = Session.made(rounds, rate, config.parent / "session.pickle")
    night = Night(session, -(-rounds // session.rounds), config.parent / "position")
    with listen(settings) as listening:
        app = create_app(
            settings,
            reader=Reader.load(),
            watcher=night,
            calibration=session.calibration,
            watches=watches_of,
            open_frames=lambda _: night,
        )
        server = server_of(app)
        because = Attribution("the benchmark", "to ask with")
        _, key = app.state.parts.access.accounts.add_key(f"pollers {time.time_ns()}", UserRole.INTEGRATOR, 1, because)
        say(port=listening.getsockname()[1], key=key, rounds=night.times * session.rounds)

        def announce() -> None:
            night.over.wait()
            say(over=True)

        threading.Thread(target=announce, daemon=True).start()
        server.run(sockets=[listening])


def say(**fields: object) -> None:
    """Write one line for the parent."""
    print(json.dumps(fields), flush=True)


class Service:
    """The service in a process of its own, with the settings of a file and a night of so many rounds."""

    def __init__(self, config: Path, rounds: int, rate: float) -> None:
        self._config = config
        self._asked = ["--rounds", str(rounds), "--rate", str(rate)]
        self._process: subprocess.Popen[bytes] | None = None
        self.hello: dict[str, Any] = {}
        self.over = threading.Event()

    def start(self) -> None:
        """Start it; returns once it listens."""
        self._config.write_text(SETTINGS.format(port=self.hello.get("port", 0)))
        command = [sys.executable, "-m", "benchmarks.night", "--serve", str(self._config), *self._asked]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)  # noqa: S603  ours
        if self._process.stdout is None:
            raise RuntimeError("the service has no voice")
        # The port and the key of the first start stay.
        self.hello = json.loads(self._process.stdout.readline()) | self.hello
        threading.Thread(target=self._hear, args=(self._process,), daemon=True).start()

    def _hear(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdout is not None and process.stdout.readline():
            self.over.set()

    @property
    def memory_mb(self) -> float:
        """What it holds in memory now, megabytes."""
        if self._process is None:
            return 0.0
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def kill(self) -> None:
        """End it without a word."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as an administrator would."""
        self._end(signal.SIGTERM)

    def _end(self, by: int) -> None:
        if self._process is not None:
            self._process.send_signal(by)
            self._process.wait()


@dataclass(slots=True)
class Poller:
    """The example's client, writing to its journal; started again when it was killed."""

    url: str
    key: str
    journal: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        command = [sys.executable, str(ROOT / "examples" / "houseway_client.py"), self.url, str(self.journal)]
        environment = {**os.environ, "HOUSEWAY_KEY": self.key}
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)  # noqa: S603  ours

    def kill(self) -> None:
        """End it without a word."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def kept(self) -> list[tuple[int, str]]:
        """Number and hash of every result that it has."""
        lines = self.journal.read_bytes().splitlines(keepends=True) if self.journal.exists() else []
        results = [json.loads(line) for line in lines if line.endswith(b"\n")]
        return [(each["seq"], each["hash"]) for each in results]


@dataclass(slots=True)
class Watching:
    """What is seen of the night while it lasts.

    Attributes:
        memory: of the service, megabytes, twice a second.
        kills: how often a poller was killed.
        service_kills: how often the service was.
        ended: the night is over.
    """

    memory: list[float] = field(default_factory=list)
    kills: int = 0
    service_kills: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def look(self, service: Service) -> None:
        """Note the memory until the night is over."""
        while not self.ended.wait(0.5):
            with suppress(OSError):
                self.memory.append(service.memory_mb)

    def molest(self, poller: Poller, chance: random.Random) -> None:
        """Kill a poller and start it again until the night is over."""
        while not self.ended.wait(chance.uniform(0.5, 15.0)):
            poller.kill()
            self.kills += 1
            poller.start()

    def molest_service(self, service: Service, chance: random.Random, times: int) -> None:
        """Kill the service so often, and start it again."""
        while self.service_kills < times and not service.over.wait(chance.uniform(0.5, 10.0)):
            service.kill()
            self.service_kills += 1
            service.start()


def play(service: Service, folder: Path, within_s: float, kills: int) -> tuple[bool, list[Poller], Watching]:
    """Play the night; returns whether it came to its end, the pollers, and what was seen."""
    service.start()
    url, key = f"http://127.0.0.1:{service.hello['port']}", service.hello["key"]
    pollers = [Poller(url, key, folder / f"poller{n}.jsonl") for n in range(POLLERS)]
    for poller in pollers:
        poller.start()
    seen = Watching()
    chance = random.Random(1)  # noqa: S311  moments, not secrets
    work = [
        threading.Thread(target=seen.look, args=(service,)),
        threading.Thread(target=seen.molest, args=(pollers[0], chance)),
        threading.Thread(target=seen.molest_service, args=(service, chance, kills)),
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
    """Return what became of the night; ``right`` says whether all is as it should be."""
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
    memory = [] if seen.service_kills else seen.memory
    quarters = [part.tolist() for part in np.array_split(memory, 4) if part.size]
    return {
        "rounds recorded": len(newest),
        "closed": sum(played["state"] == "closed" for played in newest),
        "verified": sum(played["status"] == "verified" for played in newest),
        "results": len(due),
        "pollers with each once, in order": sum(complete),
        "poller killed": seen.kills,
        "service killed": seen.service_kills,
        "rounds not gone on with": sum(
            "interrupted" in {each["code"] for each in played["findings"]} for played in newest
        ),
        "memory by quarter, MB": [round(statistics.median(part), 1) for part in quarters],
        "chain proven": proof.returncode == 0,
        "right": bool(due) and all(complete) and proof.returncode == 0,
    }


def main() -> None:
    """Play a night, or serve one."""
    options = parser_of(__doc__)
    options.add_argument("--rounds", type=int, default=320, help="eight hours of forty")
    options.add_argument("--rate", type=float, default=1.5, help="readings a second of the night")
    options.add_argument("--folder", type=Path, help="where record and journals are to lie; else a temporary one")
    options.add_argument("--within", type=float, default=8 * 3600.0, help="seconds, then it is broken off")
    options.add_argument("--kill", type=int, default=0, help="so often the service itself is killed and started again")
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
        begun = time.monotonic()
        over, pollers, seen = play(service, folder, asked.within, asked.kill)
        result = result_of(load_config(config), pollers, seen)
    minutes = (time.monotonic() - begun) / 60
    report(
        {"rounds played": service.hello["rounds"], "minutes": minutes, "over": over, **result}, as_json=asked.as_json
    )
    sys.exit(not (over and result["right"]))


if __name__ == "__main__":
    main()
