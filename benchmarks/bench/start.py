"""The service of one table: the time from its start to its first reading, and its peak memory."""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.bench.pictures import FILM
from benchmarks.memory import MostMemory, cpu_s

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.bench.sides import Answer, Tree

LONGEST_S: Final = 60.0
_POLLED_S: Final = 0.02
_SETTINGS: Final = """\
[[tables]]
name = "bench"
rulebook = "crown-6.1"
calibration = "{pictures}/calibration.json"
[tables.source]
kind = "path"
path = "{pictures}/{film}"
interval_s = 0.0
[record]
folder = "{record}"
min_free_mb = 0
[tables.clock]
need_sync = false
[server]
port = {port}
"""


def started(tree: Tree, variables: Mapping[str, str], pictures: Path, seconds: float = 6.0) -> Answer:
    """Start the service on the film of the pictures, let it run, and stop it.

    Args:
        tree: the program.
        variables: environment that selects it.
        pictures: their folder.
        seconds: duration after its first picture.

    Returns:
        ``start_s`` until ``/readyz`` reports a reading, ``start_cpu_s`` of processor time until then, and ``peak_mb``,
        the peak memory of all its processes afterwards; or ``missing`` with the reason.
    """
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
        settings = Path(folder) / "bench.toml"
        text = _SETTINGS.format(pictures=pictures.resolve(), film=FILM, record=Path(folder) / "record", port=port)
        settings.write_text(text, encoding="utf-8")
        probe.close()
        command = [str(tree.python), "-P", "-m", "service"]
        words = ["key", "add", "bench", "--role", "viewer", "--reason", "benchmark", "--config", str(settings)]
        made = subprocess.run([*command, *words], env=variables, capture_output=True, text=True, check=False)  # noqa: S603
        if (key := re.search(r"^hw_\S+", made.stdout, re.MULTILINE)) is None:
            return {"missing": f"no key could be made: {made.stderr.strip()}"}
        with (Path(folder) / "log").open("w+", encoding="utf-8") as log:
            started = time.perf_counter()
            service = subprocess.Popen(  # noqa: S603
                [*command, "run", "--config", str(settings)], env=variables, cwd=folder, stdout=log, stderr=log
            )
            try:
                if not _ready(port, key[0], service):
                    log.seek(0)
                    return {"missing": f"it read no picture in {LONGEST_S:.0f} s: {log.read()[-300:].strip()}"}
                told = {"start_s": time.perf_counter() - started, "start_cpu_s": cpu_s(service.pid)}
                with MostMemory(service.pid) as most:
                    time.sleep(seconds)
                return {**told, "peak_mb": most.mb}
            finally:
                service.send_signal(signal.SIGTERM)
                service.wait(60)


def _ready(port: int, key: str, service: subprocess.Popen[bytes]) -> bool:
    ends = time.perf_counter() + LONGEST_S
    while time.perf_counter() < ends and service.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/readyz", headers={"Authorization": f"Bearer {key}"})
            if connection.getresponse().status == http.HTTPStatus.OK:
                return True
        except OSError:
            pass  # not listening yet
        finally:
            connection.close()
        time.sleep(_POLLED_S)
    return False
