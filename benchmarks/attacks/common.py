"""Shared by the attacks: a service in a separate process, its memory, and legitimate users during the attack."""

import http.client
import http.cookiejar
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Final, Self, TypeAlias
from urllib.parse import urlsplit

import httpx2

from benchmarks.measure import ROOT, summary
from benchmarks.memory import MostMemory
from service.access.accounts import Accounts
from service.access.roles import UserRole
from service.record.changes import Attribution
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings

Figures: TypeAlias = dict[str, float | int | str]

TABLE: Final = "sample"
PATIENCE_S: Final = 20.0
"""A legitimate request that takes longer counts as failed."""
_BETWEEN_S: Final = 0.05
_WARM_PICTURES: Final = 40


@dataclass(slots=True)
class Service:
    """The bundled sample, as ``houseway run`` serves it; account, cookie and client are the first administrator's."""

    pid: int
    url: str
    cookie: str
    account: str
    password: str
    folder: Path
    client: httpx2.Client

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.url)
        return "127.0.0.1", parts.port or 80


@contextmanager
def service(*, handles: int | None = None) -> Iterator[Service]:
    """Serve the sample, and sign in as the first administrator.

    Args:
        handles: limit of file handles; default: that of this process.
    """
    with tempfile.TemporaryDirectory() as state:
        command = [sys.executable, "-m", "service", "run", "--port", "0"]
        if handles is not None:
            command = ["prlimit", f"--nofile={handles}:{handles}", *command]
        running = subprocess.Popen(  # noqa: S603  our own program
            command,
            cwd=ROOT,
            env=os.environ | {"XDG_STATE_HOME": state},
            stdout=subprocess.PIPE,
            stderr=(Path(state) / "log").open("w"),
            text=True,
        )
        try:
            attacked = _signed_in(running, Path(state))
            _warm(attacked)
            yield attacked
        finally:
            running.terminate()
            try:
                running.wait(30)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()


def _signed_in(running: subprocess.Popen[str], state: Path) -> Service:
    said = ""
    for line in running.stdout or ():
        said += line
        link = re.search(r"(http://\S+)/set-up\?code=(\S+)", said)
        password = re.search(r"password of (\S+?),.*?chosen: (\S+)\n", said)
        if link and password:
            client = httpx2.Client(base_url=link[1].replace("localhost", "127.0.0.1"), timeout=PATIENCE_S)
            for _ in range(100):
                with suppress(httpx2.TransportError):
                    client.get("/set-up", params={"code": link[2]})
                    break
                time.sleep(0.1)
            cookie = "; ".join(f"{each.name}={each.value}" for each in client.cookies.jar)
            return Service(
                running.pid,
                str(client.base_url).rstrip("/"),
                cookie,
                password[1],
                password[2],
                state / "houseway" / TABLE,
                client,
            )
    raise RuntimeError(f"the service ended with status {running.wait(30)} before it told how to sign in: {said}")


def _warm(attacked: Service) -> None:
    """Wait until the table is being read, which takes most of the memory."""
    for _ in range(300):
        (table,) = json.loads(attacked.client.get("/v1/tables").text)["tables"]
        if table["local"]["pictures_read"] >= _WARM_PICTURES:
            return
        time.sleep(0.2)
    raise RuntimeError("the sample is not being read")


def keys_of(attacked: Service, count: int, role: UserRole = UserRole.INTEGRATOR) -> list[str]:
    """Make keys with a role, as an administrator."""
    with Record(RecordSettings(attacked.folder), claim=False) as record:
        accounts = Accounts(record)
        because = Attribution(attacked.account, "to ask with")
        return [accounts.add_key(f"k{number}", role, 1, because)[1] for number in range(count)]


@dataclass(slots=True)
class Watch:
    """Context manager that measures the peak memory of the service and the latencies of legitimate users."""

    service: Service
    times: dict[str, list[float]] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    _memory: MostMemory = field(init=False)
    _pipe: Pipe | None = None
    _asking: multiprocessing.process.BaseProcess | None = None

    def __enter__(self) -> Self:
        self._memory = MostMemory(self.service.pid).__enter__()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._asking = context.Process(target=ask_on, args=(self.service.address, self.service.cookie, theirs))
        self._asking.start()
        self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        if self._pipe is not None and self._asking is not None:
            self._pipe.send(None)
            self.times, self.failed = self._pipe.recv()
            self._asking.join()
        self._memory.__exit__()

    @property
    def peak_mb(self) -> float:
        """Peak memory of the service, megabytes."""
        return self._memory.mb

    def figures(self) -> Figures:
        """Return memory in megabytes, latencies in milliseconds, and the number of failed requests."""
        told: Figures = {"before_mb": round(self._memory.before_mb), "peak_mb": round(self._memory.mb)}
        for who, times in self.times.items():
            if times:
                found = summary(times)
                told |= {
                    f"{who}_median_ms": round(found["median_ms"], 1),
                    f"{who}_p99_ms": round(found["p99_ms"], 1),
                    f"{who}_longest_ms": round(found["longest_ms"], 1),
                }
            told[f"{who}_asked"] = len(times) + self.failed[who]
            told[f"{who}_not_answered"] = self.failed[who]
        return told


def ask_on(address: tuple[str, int], cookie: str, pipe: Pipe) -> None:
    """Send the requests of a signed-in page and of a health check in turns, each over a new connection."""
    asked = {"page": ("/v1/tables", {"Cookie": cookie}), "health": ("/healthz", {})}
    times: dict[str, list[float]] = {who: [] for who in asked}
    failed = dict.fromkeys(asked, 0)
    for each in asked.values():
        _ask(address, *each)
    pipe.send(None)
    while not pipe.poll(_BETWEEN_S):
        for who, (path, headers) in asked.items():
            started = time.perf_counter()
            if _ask(address, path, headers):
                times[who].append(1e3 * (time.perf_counter() - started))
            else:
                failed[who] += 1
    pipe.send((times, failed))


def _ask(address: tuple[str, int], path: str, headers: dict[str, str]) -> bool:
    connection = http.client.HTTPConnection(*address, timeout=PATIENCE_S)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status == 200 and bool(answer.read())
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def checks(attacked: Service) -> str:
    """Return the failing checks of the table, such as ``record``; ``none`` if all pass."""
    try:
        (table,) = json.loads(attacked.client.get("/v1/tables").text)["tables"]
    except (httpx2.TransportError, KeyError) as error:
        return f"not answered: {type(error).__name__}"
    return ", ".join(sorted(check["name"] for check in table["local"]["checks"] if not check["ok"])) or "none"
