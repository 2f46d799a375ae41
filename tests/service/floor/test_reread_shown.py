"""``houseway floor reread``, and what programs and supervisors are shown of it."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import httpx2
import pytest
from typer.testing import CliRunner

from engine.books.house_ways import get
from service.access.roles import UserRole
from service.cli import app
from tests.service.floor.floors import floor_config
from tests.service.floor.rereading import feeds_of, floor_with
from tests.service.floor.serving import serving_floor, written
from tests.service.stand_ins import session_for

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

    from service.floor.settings import FloorConfig


def reread(*words: str) -> Result:
    return CliRunner().invoke(app, ("floor", "reread", *words))


@pytest.fixture
def floor(floor_url: str) -> FloorConfig:
    with floor_with(floor_url, feeds_of(2, 60)):
        pass
    return floor_config(floor_url, {name: {"url": f"http://127.0.0.1:9/{name}"} for name in ("t0", "t1")})


def test_a_run_is_begun_worked_on_and_told(floor: FloorConfig, tmp_path: Path) -> None:
    path = str(written(floor, tmp_path))
    none = reread("report", "--config", path)
    assert (none.exit_code, "no runs yet" in none.output) == (2, True)
    said = reread("start", "--config", path, "--rulebook", "nz-1998", "--reason", "what if")
    assert (said.exit_code, "run 1: 60 rounds to re-read" in said.output) == (0, True), said.output
    assert "0 of 60 done" in reread("list", "--config", path).output
    said = reread("work", "--config", path)
    assert (said.exit_code, "run 1: 60 rounds re-read here; 60 of 60 done" in said.output) == (0, True), said.output
    head, *rounds = map(json.loads, reread("report", "--config", path, "--json").output.splitlines())
    assert (head["outcomes"]["otherwise"], len(rounds)) == (60, 60)
    assert {each["what"] for each in head["differing"]} >= {"throw", "verdict", "setting"}
    assert head["told"]["versions"]["house_way"].startswith("nz-1998 sha256:")
    (line, *more) = csv.DictReader(reread("report", "--config", path, "--csv").output.splitlines())
    assert (line["table"], line["outcome"], len(more) >= 59) == ("t0", "otherwise", True)
    text = reread("report", "--config", path).output
    assert "rounds with a different throw (by rules)" in text
    assert "verdict house: recorded correct, now wrong" in text
    listed = json.loads(reread("list", "--config", path, "--json").output)
    assert [each["states"] for each in listed] == [{"done": 60}]


def test_a_house_way_from_a_file_must_be_the_same_at_each_worker(floor: FloorConfig, tmp_path: Path) -> None:
    path = str(written(floor, tmp_path))
    own = tmp_path / "own.py"
    own.write_text(
        "from dataclasses import replace\nfrom engine.books.house_ways import get\n"
        "NZ = get('nz-1998')\nHOUSE_WAY = replace(NZ, source=replace(NZ.source, rulebook='own'))\n"
    )
    said = reread("start", "--config", path, "--house-way", str(own), "--reason", "ours", "--table", "t1")
    assert (said.exit_code, "run 1: 30 rounds" in said.output) == (0, True), said.output
    lacking = reread("work", "--config", path)
    assert (lacking.exit_code, "give it with --house-way" in lacking.output) == (2, True), lacking.output
    other = reread("work", "--config", path, "--house-way", "nz-1998")
    assert (other.exit_code, "would not read as the run was begun" in other.output) == (2, True), other.output
    assert reread("work", "--config", path, "--house-way", str(own)).exit_code == 0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--pit", "east"), "there is no pit 'east'"),
        (("--table", "t9"), "there is no table 't9'"),
        (("--rulebook", "nowhere"), "no rulebook is called"),
        (("--rulebook-version", "6.0"), "needs --rulebook"),
        (("--models", "."), "read no picture"),
        (("--depth", "pictures", "--models", "/nowhere"), "is missing"),
    ],
)
def test_what_cannot_be_begun_is_refused(
    floor: FloorConfig, tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    said = reread("start", "--config", str(written(floor, tmp_path)), "--reason", "x", *options)
    assert (said.exit_code, why in " ".join(said.output.split())) == (2, True), said.output


def test_pictures_need_a_place(floor: FloorConfig, tmp_path: Path) -> None:
    path = str(written(floor, tmp_path))
    assert reread("start", "--config", path, "--depth", "pictures", "--reason", "x").exit_code == 0
    said = reread("work", "--config", path)
    assert (said.exit_code, "say where they are" in said.output) == (2, True), said.output
    said = reread("work", "--config", path, "--floor", "http://127.0.0.1:9")
    assert (said.exit_code, "--key-file" in said.output) == (2, True), said.output
    assert reread("stop", "1", "--config", path).output == "run 1: stopped\n"
    assert reread("stop", "7", "--config", path).exit_code == 2


def test_programs_and_supervisors_see_it(floor: FloorConfig, tmp_path: Path) -> None:
    path = str(written(floor, tmp_path))
    with serving_floor(floor) as served:
        with served.client(UserRole.SUPERVISOR) as client:
            assert client.get("/v1/rereadings").json() == {"runs": []}
            assert reread("start", "--config", path, "--rulebook", "nz-1998", "--reason", "what if").exit_code == 0
            assert reread("work", "--config", path).exit_code == 0
            (run,) = client.get("/v1/rereadings").json()["runs"]
            assert (run["rounds"], run["differing"]) == (60, None)
            told = client.get(f"/v1/rereadings/{run['id']}").json()
            assert told["outcomes"]["otherwise"] == 60
            found, after = [], 0
            while after is not None:
                asked: dict[str, str | int] = {"which": "otherwise", "limit": 25, "after": after}
                page = client.get(f"/v1/rereadings/{run['id']}/rounds", params=asked).json()
                found += page["rounds"]
                after = page["next"]
            assert len({(each["table"], each["round"]) for each in found}) == len(found) == 60
            gone = client.get("/v1/rereadings/99")
            assert (gone.status_code, gone.json()["code"]) == (404, "unknown_run")
        with served.client(UserRole.VIEWER) as viewer:
            assert viewer.get("/v1/rereadings").status_code == 403
        secret = session_for(served.app, UserRole.SUPERVISOR, "ann")
        with httpx2.Client(base_url=served.url, cookies={served.parts.cookie: secret}, timeout=60) as browser:
            assert 'href="/rereadings/1"' in browser.get("/rereadings").text
            shown = browser.get("/rereadings/1").text
            assert "what if" in shown
            assert f"nz-1998 sha256:{get('nz-1998').source.sha256}" in shown
            assert shown.count('href="/tables/t0/rounds/') + shown.count('href="/tables/t1/rounds/') == 50
            assert "after=" in shown
            assert "None so far." in browser.get("/rereadings/1", params={"which": "aside"}).text
