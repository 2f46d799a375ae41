"""A table takes what a real floor offers, tries it, and keeps or undoes it; with what is wrong it goes on as before."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from service.access.roles import UserRole
from service.app import create_app
from service.config.fleet_settings import FleetConfig
from service.floor.store.schema import SCHEMA
from service.record.changes import Attribution
from service.record.store.signing import Signer
from service.release import fetch as fetching
from service.release import keeper as keeping
from service.release.fetch import FloorClient
from service.release.undoing import count_start, undo_unusable
from tests.conftest import ROOT
from tests.service.databases import new_database
from tests.service.floor.floors import floor_config
from tests.service.floor.serving import serving_floor
from tests.service.http.test_http import play
from tests.service.release.releases import release, signer
from tests.service.stand_ins import HOUSE_RIGHT, FakeReader, config, hand, new_folder, reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi import FastAPI

    from service.config.settings import Config
    from service.floor.fleet.giving import Giving
    from service.record.store.record import Record
    from service.release.keeper import ReleaseKeeper
    from service.release.kept import Kept
    from tests.service.floor.serving import ServedFloor

WHY = Attribution("A. Person", "a test")
DOUBTED = reading(hand("house", "6-3 5-3", "6-6 6-1", "uncertain", ("glare",)))


@pytest.fixture(scope="module")
def floor(postgresql: str) -> Iterator[ServedFloor]:
    """A floor with a table for each test, of none of which anything is collected."""
    tables = {f"t{number}": {"url": f"http://127.0.0.1:1/{number}"} for number in range(20)}
    with serving_floor(floor_config(new_database(postgresql, SCHEMA), tables)) as served:
        yield served


_NUMBERS = count()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASK_S", "QUIET_S"):
        monkeypatch.setattr(keeping, name, 0.0)
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere")


@dataclass
class Table:
    """A table whose service may begin anew.

    Attributes:
        name: on the floor.
    """

    name: str
    config: Config
    app: FastAPI
    begun: int = 0

    def release(self, number: int, **told: Any) -> Path:  # noqa: ANN401  as `release` takes it
        """A release that no other test has."""
        return release(100 * int(self.name[1:]) + number, name=f"{self.name}-release-{number}", **told)

    @property
    def keeper(self) -> ReleaseKeeper:
        found: ReleaseKeeper = self.app.state.parts.releases
        return found

    @property
    def record(self) -> Record:
        found: Record = self.app.state.parts.record
        return found

    @property
    def kept(self) -> Kept:
        return self.keeper.releases.read()

    @property
    def acts(self) -> list[str]:
        """What the record says of releases, oldest first."""
        return [entry.data["act"] for entry in reversed(self.record.last(("release",), count=50))]

    def begin(self) -> None:
        """Begin the service anew."""
        self.record.close()
        count_start(self.config.releases_folder)
        self.app = create_app(self.config, reader=FakeReader(), watch=False)
        self.app.state.parts.setting_up.begin_anew = self.note_begun
        self.keeper.begin()

    def note_begun(self) -> None:
        self.begun += 1

    def step(self, times: int = 1) -> None:
        """Look after releases."""

        fleet = self.config.fleet
        assert fleet is not None

        async def work() -> None:
            client = FloorClient(fleet)
            for _ in range(times):
                await self.keeper.step(client)
            await client.close()

        asyncio.run(work())

    def play(self, rounds: int, said: Any = HOUSE_RIGHT) -> None:  # noqa: ANN401  a reading
        """Play rounds to their ends."""
        for number in range(rounds):
            report = play(self.app, said, f"r{datetime.now(UTC).timestamp()}.{number}")
            closed = {"state": "closed", "closed_at": datetime.now(UTC)}
            self.app.state.parts.live.record(*self.app.state.parts.ledger.revise(report.model_copy(update=closed)))


def table_of(floor: ServedFloor, **fleet: object) -> Table:
    name = f"t{next(_NUMBERS)}"
    _, text = floor.parts.access.accounts.add_key(name, UserRole.TABLE, 1, WHY)
    key = new_folder() / "key"
    key.write_text(text)
    told = {"floor": floor.url, "key_file": key, "release_key": signer().public.hex, "trial_hands": 60, **fleet}
    settings = config().model_copy(update={"fleet": FleetConfig.model_validate(told)})
    made = Table(name, settings, create_app(settings, reader=FakeReader(), watch=False))
    made.begin()
    return made


def give(floor: ServedFloor, table: Table, folder: Path) -> Giving:
    giving = floor.parts.fleet.giving
    manifest = giving.shelf.add(folder)
    giving.give(floor.parts.record, manifest.name, (f"table:{table.name}",), WHY)
    floor.parts.fleet.note_given()
    return giving


def in_use(table: Table) -> str | None:
    current = table.kept.current
    return None if current is None else current.name.removeprefix(f"{table.name}-")


def test_it_is_taken_tried_and_held(floor: ServedFloor) -> None:
    table = table_of(floor)
    table.step()
    assert (in_use(table), table.acts, table.begun) == (None, [], 0)
    table.play(25)
    give(floor, table, table.release(1))
    table.step()
    assert (in_use(table), table.acts, table.begun) == ("release-1", ["applied"], 1)
    assert table.keeper.running is None
    (entry,) = table.record.last(("release",))
    assert (entry.subject, entry.data["by"], entry.data["reason"]) == (
        f"{table.name}-release-1",
        "A. Person",
        "tiles are read better",
    )
    table.begin()
    assert table.keeper.running == table.kept.current
    table.step()
    table.play(10)
    table.step()
    assert table.acts == ["applied"]
    table.play(20)
    table.step(4)
    assert table.acts == ["applied", "held"]
    held = table.record.last(("release",))[0].data
    assert held["finding"]["code"] == "release_held"
    assert held["figures"]["after"]["whole"] == held["figures"]["after"]["rounds"] == 30
    assert table.kept.trial is None
    # Nothing more comes of it, however often it is offered.
    table.step(3)
    assert (table.acts, table.begun) == (["applied", "held"], 1)


def test_a_round_under_way_is_waited_for(floor: ServedFloor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "QUIET_S", 60.0)
    table = table_of(floor)
    play(table.app)
    give(floor, table, table.release(1))
    table.step(2)
    assert table.kept.ready is not None
    assert (in_use(table), table.begun) == (None, 0)


def test_it_comes_back_when_verification_falls(floor: ServedFloor) -> None:
    table = table_of(floor)
    table.play(40)
    give(floor, table, table.release(1))
    table.step()
    table.begin()
    table.play(25)
    table.play(25, DOUBTED)
    table.step()
    assert table.acts == ["applied", "returned"]
    told = table.record.last(("release",))[0].data
    assert told["finding"]["code"] == "release_fewer_verified"
    assert (in_use(table), table.begun) == (None, 2)
    table.begin()
    # It is not taken again, and not by another one of its number.
    table.step(2)
    assert (in_use(table), table.acts) == (None, ["applied", "returned"])


def test_too_few_rounds_tell_nothing(floor: ServedFloor) -> None:
    table = table_of(floor, trial_minutes=0.000001)
    give(floor, table, table.release(1))
    table.step()
    table.begin()
    table.step()
    assert table.acts == ["applied", "not compared"]
    assert in_use(table) == "release-1"


def test_what_is_not_signed_with_the_pinned_key_is_not_taken(floor: ServedFloor) -> None:
    table = table_of(floor)
    forger = Signer.make(new_folder() / "key")
    give(floor, table, table.release(1, by=forger))
    table.step(3)
    assert table.acts == ["refused"]
    (entry,) = table.record.last(("release",))
    assert (entry.data["finding"]["code"], entry.data["release"]) == ("release_not_signed", "")
    assert table.kept.ready is table.kept.current is None


def test_a_file_that_is_not_the_one_that_was_signed(floor: ServedFloor) -> None:
    table = table_of(floor)
    giving = give(floor, table, table.release(1))
    there = giving.shelf.named(f"{table.name}-release-1")
    given = (there.folder / "settings.toml").read_text()
    (there.folder / "settings.toml").write_text(given.replace("4", "9"))
    table.step(3)
    assert table.acts == ["refused"]
    assert table.record.last(("release",))[0].data["finding"]["code"] == "release_file_differs"
    # It is taken once the floor has the right one.
    (there.folder / "settings.toml").write_text(given)
    table.step()
    assert table.acts == ["refused", "applied"]


def test_settings_that_cannot_be_used(floor: ServedFloor) -> None:
    table = table_of(floor)
    give(floor, table, table.release(1, settings="[rounds]\nsettle_frames = 4000\n"))
    table.step(2)
    assert table.acts == ["refused"]
    told = table.record.last(("release",))[0].data
    assert told["finding"]["code"] == "release_settings_wrong"
    assert "rounds.settle_frames" in told["reason"]


def test_numbers_only_grow_but_for_the_one_before(floor: ServedFloor) -> None:
    table = table_of(floor, trial_minutes=0.000001)
    giving, second, fourth = floor.parts.fleet.giving, table.release(2), table.release(4)
    give(floor, table, second)
    table.step()
    table.begin()
    table.step()
    give(floor, table, fourth)
    table.step()
    table.begin()
    table.step()
    assert in_use(table) == "release-4"
    give(floor, table, table.release(3))
    table.step()
    assert in_use(table) == "release-4"
    assert table.record.last(("release",))[0].data["finding"]["code"] == "release_number_not_greater"
    # The one before may be given again, to another ring that has the table.
    giving.give(floor.parts.record, f"{table.name}-release-2", [table.name], WHY)
    floor.parts.fleet.note_given()
    table.step()
    assert in_use(table) == "release-2"
    assert table.acts[-1] == "applied"


def test_a_line_that_is_cut_while_it_fetches(floor: ServedFloor, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(floor)
    text = "".join(f"# {number}\n" for number in range(40_000)) + "[rounds]\nsettle_frames = 4\n"
    give(floor, table, table.release(1, settings=text))
    real, pieces = fetching._write, 0

    async def cut(coming: Any, part: Path, _most: int, mode: str) -> None:  # noqa: ANN401
        nonlocal pieces
        with part.open(mode) as out:
            async for piece in coming:
                pieces += 1
                out.write(piece)
                raise OSError("the line was cut")

    monkeypatch.setattr(fetching, "_write", cut)
    table.step(2)
    (incoming,) = table.keeper.releases.folder.glob(".incoming-*")
    part = incoming / "settings.toml.part"
    assert 0 < part.stat().st_size < len(text)
    asked: list[str] = []

    async def noted(coming: Any, part: Path, most: int, mode: str) -> None:  # noqa: ANN401
        asked.append(mode)
        await real(coming, part, most, mode)

    monkeypatch.setattr(fetching, "_write", noted)
    table.step()
    assert asked == ["ab"]  # what was there already did not come again
    assert (in_use(table), table.acts) == ("release-1", ["applied"])


def test_one_that_is_not_offered_any_more_is_let_go(floor: ServedFloor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "QUIET_S", 3600.0)
    table = table_of(floor)
    play(table.app)
    giving = give(floor, table, table.release(1))
    table.step()
    assert table.kept.ready is not None
    giving.stop(floor.parts.record, f"{table.name}-release-1", WHY)
    floor.parts.fleet.note_given()
    table.step()
    assert table.kept.ready is None


def test_nobody_would_start_it_again(floor: ServedFloor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET")
    table = table_of(floor)
    give(floor, table, table.release(1))
    table.step(2)
    assert (table.acts, table.begun) == (["applied"], 0)
    (check,) = (each for each in table.app.state.parts.live.health() if each.name == "release")
    assert not check.ok
    assert not check.blocks
    assert "restart it" in check.message
    table.begin()  # a person does
    table.step()
    assert table.keeper.running == table.kept.current
    assert next(each for each in table.app.state.parts.live.health() if each.name == "release").ok


def test_a_service_that_does_not_stay_up_goes_back(floor: ServedFloor) -> None:
    table = table_of(floor)
    give(floor, table, table.release(1))
    table.step()
    folder = table.config.releases_folder
    assert [count_start(folder) for _ in range(4)] == [False, False, False, True]
    assert in_use(table) is None
    table.begin()
    assert table.acts == ["applied", "returned"]
    assert table.record.last(("release",))[0].data["finding"]["code"] == "release_not_started"


def test_a_service_that_does_not_start_goes_back(floor: ServedFloor) -> None:
    table = table_of(floor)
    give(floor, table, table.release(1))
    table.step()
    assert undo_unusable(table.config.releases_folder, "no such model")
    assert not undo_unusable(table.config.releases_folder, "no such model")
    table.begin()
    assert table.acts == ["applied", "returned"]


def test_another_tables_key_and_a_persons_are_offered_nothing(floor: ServedFloor) -> None:
    table = table_of(floor)
    there = give(floor, table, table.release(1)).shelf.named(f"{table.name}-release-1")
    _, other = floor.parts.access.accounts.add_key("t19", UserRole.TABLE, 1, WHY)
    at = f"/v1/releases/{there.signed.digest}/settings.toml"
    with floor.client() as admin:
        assert admin.get("/v1/releases/offer").status_code == 404
        headers = {"Authorization": f"Bearer {other}"}
        assert admin.get("/v1/releases/offer", headers=headers).json() == {"offer": None}
        assert admin.get(at, headers=headers).status_code == 404
        assert admin.get("/v1/tables", headers=headers).status_code == 403
        assert (
            admin.post(f"/v1/releases/{there.manifest.name}/stop", headers=headers, json={"reason": "x"}).status_code
            == 403
        )


def test_the_power_goes_at_every_moment(floor: ServedFloor) -> None:
    table = table_of(floor)
    table.record.close()
    giving = give(floor, table, table.release(1))
    assert table.config.fleet is not None
    asked = [floor.url, str(table.config.fleet.key_file), signer().public.hex, str(new_folder())]
    done = subprocess.run(
        [sys.executable, "-m", "tests.service.release.power_cuts", *asked],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) > 8
    assert [each["killed"] for each in found] == [True] * (len(found) - 1) + [False]
    for each in found:
        assert (each["current"], each["trial"], each["left"]) == (f"{table.name}-release-1", True, 0), each
        assert each["acts"] == ["applied"], each
    assert giving.now().about(table.name) is not None
