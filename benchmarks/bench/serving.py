"""The whole service on the film: from its start to its first reading, pictures a second, and peak memory."""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.bench.pictures import FILM
from benchmarks.memory import MostMemory, cpu_s

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.bench.sides import Answer, Tree

LONGEST_S: Final = 60.0
_POLLED_S: Final = 0.02
_SETTINGS: Final = """\
[record]
folder = "{folder}/record"
min_free_mb = 0
[server]
port = {port}
"""
_TABLE: Final = """\
[[tables]]
name = "bench{number}"
rulebook = "crown-6.1"
calibration = "{pictures}/calibration.json"
source = {{ kind = "path", path = "{pictures}/{film}", interval_s = 0.0 }}
clock = {{ need_sync = false }}
"""
_READ: Final = re.compile(r"^houseway_pictures_total\{.*\} (\S+)$", re.MULTILINE)


def served(tree: Tree, variables: Mapping[str, str], pictures: Path, tables: int, seconds: float) -> Answer:
    """Start the service on the film of the pictures, let it read for some seconds, and stop it.

    Args:
        tree: the program.
        variables: environment that selects it.
        pictures: their folder.
        tables: number of tables, all of which read the film.
        seconds: duration after every table's first picture.

    Returns:
        ``start_s`` until ``/readyz`` reports a reading, ``start_cpu_s`` of processor time until then,
        ``pictures_a_second`` of all tables, and ``peak_mb``, the peak memory of all its processes meanwhile; or
        ``missing`` with the reason.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings, port = Path(folder) / "bench.toml", _free_port()
        of_tables = [
            _TABLE.format(number=number, pictures=pictures.resolve(), film=FILM) for number in range(1, tables + 1)
        ]
        settings.write_text("".join([_SETTINGS.format(folder=folder, port=port), *of_tables]), encoding="utf-8")
        command = [str(tree.python), "-P", "-m", "service"]
        words = ["key", "add", "bench", "--role", "admin", "--reason", "benchmark", "--config", str(settings)]
        made = subprocess.run([*command, *words], env=variables, capture_output=True, text=True, check=False)  # noqa: S603
        if (key := re.search(r"^hw_\S+", made.stdout, re.MULTILINE)) is None:
            return {"missing": f"no key could be made: {made.stderr.strip()}"}
        with (Path(folder) / "log").open("w+", encoding="utf-8") as log:
            started = time.perf_counter()
            service = subprocess.Popen(  # noqa: S603
                [*command, "run", "--config", str(settings)], env=variables, cwd=folder, stdout=log, stderr=log
            )
            asks = _Asks(port, key[0])
            try:
                if not _wait_until(service, asks.is_ready):
                    log.seek(0)
                    return {"missing": f"it read no picture in {LONGEST_S:.0f} s: {log.read()[-300:].strip()}"}
                answer = {"start_s": time.perf_counter() - started, "start_cpu_s": cpu_s(service.pid)}
                _wait_until(service, lambda: len(asks.pictures()) == tables)
                with MostMemory(service.pid) as most:
                    before, began = sum(asks.pictures()), time.perf_counter()
                    time.sleep(seconds)
                    read, lasted_s = sum(asks.pictures()) - before, time.perf_counter() - began
                return {**answer, "pictures_a_second": read / lasted_s, "peak_mb": most.mb}
            finally:
                service.send_signal(signal.SIGTERM)
                service.wait(60)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until(service: subprocess.Popen[bytes], true: Callable[[], bool]) -> bool:
    """Wait for something to become true; False if the service ends before, or it takes too long."""
    ends = time.perf_counter() + LONGEST_S
    while time.perf_counter() < ends and service.poll() is None:
        if true():
            return True
        time.sleep(_POLLED_S)
    return False


@dataclass(frozen=True, slots=True)
class _Asks:
    """Asks the service, with a key."""

    port: int
    key: str

    def is_ready(self) -> bool:
        """Whether a picture has been read."""
        return self._get("/readyz") is not None

    def pictures(self) -> list[float]:
        """The number of pictures read of each table that has read one."""
        return [count for count in map(float, _READ.findall(self._get("/metrics") or "")) if count]

    def _get(self, path: str) -> str | None:
        """The answer; None if the service does not answer with status 200."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.key}"})
            answer = connection.getresponse()
            return answer.read().decode() if answer.status == HTTPStatus.OK else None
        except OSError:
            return None  # not listening yet
        finally:
            connection.close()
