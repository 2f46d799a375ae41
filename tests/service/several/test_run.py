"""``houseway run`` with two tables, for real: processes, models, film, records, one of them killed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from service.cli.table.several import threads_of
from service.config.settings import SAMPLE_CONFIG
from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAMPLE = SAMPLE_CONFIG.parents[1] / "service" / "sample"
_UP_S = 120.0


class Run:
    """The program while it runs."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, key: str) -> None:
        self.process = process
        self.client = httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=20)

    def tables(self) -> list[dict[str, Any]]:
        answer = self.client.get("/v1/tables")
        return list(answer.json()["tables"]) if answer.status_code == 200 else []

    def read(self) -> list[int]:
        """Pictures that each table has read since it was started; 0 while it does not answer."""
        return [one["table"]["pictures_read"] if one["table"] else 0 for one in self.tables()] or [0, 0]


def _free_ports(count: int) -> list[int]:
    """Ports in a row that nobody listens on."""
    for first in range(20_000, 32_000, 50):
        taken = []
        try:
            taken = [socket.create_server(("127.0.0.1", first + number)) for number in range(count)]
            return [first + number for number in range(count)]
        except OSError:
            continue
        finally:
            for each in taken:
                each.close()
    raise AssertionError("no ports are free")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("tables")
    for number in (1, 2):
        (folder / f"table-{number}.toml").write_text(
            f'[table]\nname = "table-{number}"\ncalibration = "{_SAMPLE / "calibration.json"}"\n'
            f'[source]\nkind = "path"\npath = "{_SAMPLE / "film.webm"}"\ninterval_s = 0.0\n'
            f'[record]\nfolder = "record-{number}"\nmin_free_mb = 0\n[clock]\nneed_sync = false\n',
            encoding="utf-8",
        )
    port = _free_ports(3)[0]
    settings = folder / "tables.toml"
    listed = "".join(f'[[tables]]\nsettings = "table-{number}.toml"\n' for number in (1, 2))
    settings.write_text(f"[server]\nport = {port}\n{listed}", encoding="utf-8")
    houseway = (sys.executable, "-m", "service")
    added = subprocess.run(
        [*houseway, "key", "add", "test", "--role", "admin", "--reason", "test", "--config", str(settings)],
        capture_output=True,
        text=True,
        check=True,
    )
    (key,) = re.findall(r"hw_\S+", added.stdout)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*houseway, "run", "--config", str(settings)], stdout=log, stderr=log, cwd=Path(__file__).parents[3]
        )
    found = Run(process, f"http://localhost:{port}", key)
    try:
        _until_answered(found)
        wait_until(lambda: all(found.read()), _UP_S)
        yield found
    finally:
        found.client.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in {0, -signal.SIGTERM}, (folder / "log").read_text(encoding="utf-8")


def _until_answered(found: Run) -> None:
    deadline = time.monotonic() + _UP_S
    while True:
        try:
            found.client.get("/healthz")
        except httpx2.TransportError:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        else:
            return


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


@pytest.mark.slow
def test_two_tables_that_want_all_there_is_get_alike(run: Run) -> None:
    before = run.read()
    time.sleep(3.0)
    read = [after - first for first, after in zip(before, run.read(), strict=True)]
    assert min(read) > 0
    assert max(read) <= 2 * min(read), read


@pytest.mark.slow
def test_a_table_that_is_killed_comes_back_and_the_other_never_stops(run: Run) -> None:
    first, second = (one["starts"] for one in run.tables())
    children = [pid for pid in _children(run.process.pid) if _is_table(pid)]
    assert len(children) == 2
    os.kill(min(children), signal.SIGKILL)
    seen = [run.read()[1]]
    wait_until(lambda: run.tables()[0]["starts"] > first, _UP_S)

    def back() -> bool:
        seen.append(run.read()[1])
        return run.read()[0] > 0

    wait_until(back, _UP_S)
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]
    assert [one["starts"] for one in run.tables()] == [first + 1, second]


def _is_table(pid: int) -> bool:
    return b"one_of_several" in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_each_table_has_as_many_threads_as_cores_are_left_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, tables, threads in ((2, 1, 2), (2, 4, 1), (4, 2, 2), (16, 4, 2), (1, 4, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert threads_of(tables) == threads
