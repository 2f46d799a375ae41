"""Notifications to systemd, on a real socket; and whether a reading thread that hangs is noticed."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from service.record.ledger import Ledger, open_record
from service.rounds.judge.rules_in_force import TableRules
from service.system.host import notify, supervised, watchdog_s
from service.table import worker as worker_module
from service.table.live_state import LiveState
from service.table.worker import Instruments, Worker
from tests.conftest import ROOT
from tests.service.stand_ins import FakeReader, FakeSource, app_of, config, frames, wait_until

UNIT = ROOT / "deploy" / "houseway@.service"


@contextmanager
def _manager(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + address[1:] if address.startswith("@") else address)
        manager.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        yield manager


def _heard(manager: socket.socket) -> list[str]:
    return manager.recv(4096).decode().split("\n")


@pytest.mark.parametrize("abstract", [False, True])
def test_lines_reach_the_service_manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, abstract: bool) -> None:  # noqa: FBT001
    address = f"@houseway-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with _manager(address, monkeypatch) as manager:
        notify("READY=1", "STATUS=two words")
        assert _heard(manager) == ["READY=1", "STATUS=two words"]


def test_without_a_service_manager_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    notify("READY=1")


@pytest.mark.parametrize(
    ("usec", "pid", "seconds"),
    [
        ("60000000", None, 60.0),
        ("60000000", "own", 60.0),
        ("60000000", "1", None),
        ("0", None, None),
        ("", None, None),
        ("x", None, None),
    ],
)
def test_the_period_of_the_watchdog(
    monkeypatch: pytest.MonkeyPatch, usec: str, pid: str | None, seconds: float | None
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", usec)
    if pid is None:
        monkeypatch.delenv("WATCHDOG_PID", raising=False)
    else:
        monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()) if pid == "own" else pid)
    assert watchdog_s() == seconds


def test_signs_of_life_end_with_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "60000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    faults: list[str] = []

    async def live(manager: socket.socket) -> list[list[str]]:
        heard: list[list[str]] = []
        async with supervised(lambda: next(iter(faults), None)):
            heard += [await asyncio.to_thread(_heard, manager) for _ in range(3)]
            faults.append("the reading thread hangs")
            while (said := await asyncio.to_thread(_heard, manager)) == ["WATCHDOG=1"]:
                pass
            heard.append(said)
            await asyncio.sleep(0.1)
        heard.append(await asyncio.to_thread(_heard, manager))
        return heard

    with _manager(str(tmp_path / "notify"), monkeypatch) as manager:
        heard = asyncio.run(live(manager))
    assert heard[0][0] == "READY=1"
    assert heard[1:3] == [["WATCHDOG=1"]] * 2
    assert heard[3:] == [["STATUS=the reading thread hangs"], ["STOPPING=1"]]


def test_the_service_says_that_it_is_up_and_that_it_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _manager(str(tmp_path / "notify"), monkeypatch) as manager:
        with TestClient(app_of(config(), reader=FakeReader(), watch=False)):
            assert _heard(manager)[0] == "READY=1"
        assert _heard(manager) == ["STOPPING=1"]


def test_a_hanging_thread_is_noticed_a_missing_camera_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings, way = config(), TableRules.of("crown-6.1")
    ledger = Ledger(open_record(settings), "test", way)
    source = FakeSource(frames(1), live=True)
    worker = Worker(settings, LiveState(3, 10), way, ledger, Instruments(FakeReader(), open_frames=lambda _: source))
    assert worker.stalled() == "the reading thread has ended"
    worker.start()
    try:
        wait_until(lambda: worker.live.state.view is not None)
        assert worker.stalled() is None
        monkeypatch.setattr(worker_module, "_LONGEST_SILENCE_S", -1.0)
        assert "the reading thread hangs" in (worker.stalled() or "")
    finally:
        worker.stop()
        ledger.record.close()
    assert worker.stalled() == "the reading thread has ended"


def test_the_unit_is_one(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze here")
    # The program is not installed where the tests run.
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", UNIT.read_text(), flags=re.MULTILINE)
    (tmp_path / UNIT.name).write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / UNIT.name.replace("@", "@one"))]
    (tmp_path / UNIT.name.replace("@", "@one")).symlink_to(tmp_path / UNIT.name)
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, [line for line in found.stderr.splitlines() if "houseway" in line]) == (0, [])


def test_the_unit_and_the_installer_name_the_same_things() -> None:
    unit, installer = UNIT.read_text(), (ROOT / "deploy" / "install-pi").read_text()
    # Whether the clock is set is asked by adjtimex, which is not among the calls of an ordinary service.
    assert "SystemCallFilter=@system-service @clock" in unit
    assert "ProtectClock=yes" not in unit
    for name in ("/opt/houseway", "/etc/houseway/", "houseway@"):
        assert name in installer
    assert "ExecStart=/opt/houseway/.venv/bin/houseway run --config /etc/houseway/%i.toml" in unit
    subprocess.run(["bash", "-n", str(ROOT / "deploy" / "install-pi")], check=True)
