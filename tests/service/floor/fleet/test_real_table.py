"""A floor, and a real table that plays the sample and takes a release."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx2
import pytest

from service.access.accounts import Accounts
from service.access.roles import UserRole
from service.cli.table.run import TableRun
from service.config.settings import SAMPLE_CONFIG, load_config
from service.floor.fleet.rings import Stage
from service.floor.settings import PitConfig
from service.record.changes import Attribution
from service.record.ledger import open_record
from service.release.in_use import ReleaseInUseError, load_in_use
from service.release.kept import KeptReleases
from tests.conftest import ROOT
from tests.service.floor.floors import floor_config
from tests.service.floor.serving import serving_floor
from tests.service.release.releases import release, signer
from tests.service.stand_ins import new_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from service.floor.fleet.giving import Giving

WHY = Attribution("A. Person", "a test")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def settings_of_table(folder: Path, floor: str) -> Path:
    """The sample's settings, as a table that takes releases."""
    text = SAMPLE_CONFIG.read_text().replace('"../service', f'"{ROOT}/service')
    text = text.replace("[record] ", f'[record]\nfolder = "{folder}/record"\n')
    path = folder / "sample.toml"
    path.write_text(
        f'{text}\n[fleet]\nfloor = "{floor}"\nkey_file = "floor.key"\nrelease_key = "{signer().public.hex}"\n'
        "trial_hands = 20\ntrial_minutes = 0.01\n"
    )
    (folder / "floor.key").write_text("not yet")
    return path


@contextmanager
def running_table(settings: Path, port: int) -> Iterator[list[str]]:
    """A table's service as a process that somebody looks after; what it says."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(settings.with_name("notify")))
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "NOTIFY_SOCKET": heard.getsockname()}
        command = [sys.executable, "-m", "tests.service.release.table_program", str(settings), str(port)]
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout is not None
        output = process.stdout
        said: list[str] = []
        reading = threading.Thread(target=lambda: said.extend(iter(output.readline, "")), daemon=True)
        reading.start()
        try:
            yield said
        finally:
            process.kill()
            process.wait(30)
            reading.join(10)
            output.close()


def stage(giving: Giving) -> Stage | None:
    about = giving.now().about("t1")
    return None if about is None else about.stages["t1"]


def test_a_real_table_takes_a_release_and_the_floor_shows_it(floor_url: str) -> None:
    folder, port = new_folder(), free_port()
    settings = settings_of_table(folder, "http://127.0.0.1:1")
    with open_record(load_config(settings)) as record:
        _, key = Accounts(record).add_key("floor", UserRole.FLOOR, 1, WHY)
    (folder / "table.key").write_text(key)
    told = {"url": f"http://127.0.0.1:{port}", "key_file": str(folder / "table.key"), "pit": "main"}
    config = floor_config(floor_url, {"t1": told}).model_copy(update={"pits": (PitConfig(name="main"),)})
    with serving_floor(config) as floor, floor.client() as client:
        giving, own = floor.parts.fleet.giving, floor.parts.record
        _, key = floor.parts.access.accounts.add_key("t1", UserRole.TABLE, 1, WHY)
        (folder / "floor.key").write_text(key)
        settings.write_text(settings.read_text().replace("http://127.0.0.1:1", floor.url))
        giving.shelf.add(release(1))
        giving.give(own, "release-1", ["t1", "all"], WHY)
        with running_table(settings, port) as said:
            ends = time.monotonic() + 90
            while stage(giving) is not Stage.NOT_COMPARED:
                assert time.monotonic() < ends, said
                time.sleep(0.1)
            # It reads with the settings of the release, and says so.
            name, keys = "release-1", {"Authorization": f"Bearer {(folder / 'table.key').read_text()}"}
            equipment = httpx2.get(f"http://127.0.0.1:{port}/v1/equipment", headers=keys).json()
            assert equipment["release"]["running"] == {"name": name, "number": 1}
            assert {*equipment["models"]} == {"detector", "dice", "lean", "tiles"}
            using = load_in_use(settings)
            assert (using.rounds.settle_frames, load_config(settings).rounds.settle_frames) == (4, 3)
            # The next ring has not begun by itself; a person may go on.
            (shown,) = client.get("/v1/releases").json()["releases"]
            assert [(ring["name"], ring["open"]) for ring in shown["rings"]] == [("t1", True), ("all", False)]
            answer = client.post("/v1/releases/release-1/go-on", json={"reason": "looked at it"})
            assert [ring["held"] for ring in answer.json()["rings"]] == [True, True]
    # Who alters what is in use is noticed at the next start, which goes on without it.
    kept = KeptReleases(using.releases_folder)
    current = kept.read().current
    assert current is not None
    (kept.path(current) / "settings.toml").write_text("[rounds]\nsettle_frames = 1\n")
    with pytest.raises(ReleaseInUseError, match=r"settings\.toml is missing, or not the file that was signed"):
        load_in_use(settings)
    assert TableRun(settings, port=0).settings.rounds.settle_frames == 3
    assert kept.read().to_record[-1].body["act"] == "returned"
