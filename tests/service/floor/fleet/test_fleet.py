"""What the tables of a floor run on, as programs and people are shown it, and giving releases out on the page."""

from __future__ import annotations

import csv
import re
from contextlib import ExitStack
from io import StringIO
from typing import TYPE_CHECKING

import httpx2
import pytest

from service.access.credentials import csrf_token
from service.access.roles import UserRole
from service.config.table_settings import RoundsConfig
from service.floor.fleet.asked import Equipment
from service.floor.settings import PitConfig
from service.floor.store.schema import SCHEMA
from tests.service.databases import new_database
from tests.service.floor.floors import floor_config
from tests.service.floor.serving import serving_floor, serving_table, table_config
from tests.service.http.test_http import play
from tests.service.release.releases import release
from tests.service.stand_ins import session_for, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.service.floor.serving import ServedFloor

NAMES = ("pg1", "pg2", "pg3")


@pytest.fixture(scope="module")
def floor(postgresql: str) -> Iterator[ServedFloor]:
    """A floor of three real tables, one of which has other settings than the others, and one that is not there."""
    with ExitStack() as work:
        tables = {}
        for name in NAMES:
            settings = table_config(name)
            if name == "pg2":
                settings = settings.model_copy(update={"rounds": RoundsConfig(settle_frames=9)})
            served, told = work.enter_context(serving_table(settings))
            play(served.app)
            tables[name] = told | {"pit": "main"}
        tables["pg4"] = {"url": "http://127.0.0.1:1", "pit": "high"}
        pits = (PitConfig(name="main", title="Main floor"), PitConfig(name="high"))
        config = floor_config(new_database(postgresql, SCHEMA), tables).model_copy(update={"pits": pits})
        found = work.enter_context(serving_floor(config))
        wait_until(lambda: len(found.parts.fleet.asked.known) == len(NAMES))
        wait_until(lambda: all(found.parts.collector.states.tables[name].told for name in NAMES))
        found.parts.fleet.giving.shelf.add(release(1))
        yield found


def page_of(floor: ServedFloor, role: UserRole = UserRole.ADMIN) -> httpx2.Client:
    """A person's browser."""
    secret = session_for(floor.app, role, name=f"ann-{role}")
    client = httpx2.Client(base_url=floor.url, timeout=30, cookies={floor.parts.cookie: secret})
    client.headers["x-csrf-token"] = csrf_token(secret)
    return client


def test_what_each_table_runs_on_the_worst_first(floor: ServedFloor) -> None:
    with floor.client(UserRole.TECHNICIAN) as client:
        found = client.get("/v1/fleet").json()["tables"]
        assert [each["name"] for each in found] == ["pg4", "pg2", "pg1", "pg3"]
        away, other, one, _ = found
        assert (away["equipment"], away["state"], away["attention"]) == (None, "unreachable", ["silent"])
        assert (other["differs"], other["attention"]) == (["shared_settings"], ["differs"])
        assert (one["differs"], one["attention"]) == ([], [])
        told = one["equipment"]
        assert told["shared_settings"] != other["equipment"]["shared_settings"]
        assert re.fullmatch(r"[0-9a-f]{64}", told["code"])
        assert told["free_bytes"] > 0
        assert (told["release"], told["calibration"], told["hands"]) == (None, None, {"verified": 0, "of": 0})
        assert [each["name"] for each in client.get("/v1/fleet?pit=high").json()["tables"]] == ["pg4"]
        assert client.get("/v1/fleet?pit=none").status_code == 404
        assert client.get("/v1/fleet?sort=colour").status_code == 422
    with floor.client(UserRole.VIEWER) as client:
        assert client.get("/v1/fleet").status_code == 403


def test_it_is_sorted_by_any_column_the_worst_first(floor: ServedFloor) -> None:
    asked = floor.parts.fleet.asked
    before = dict(asked.known)
    try:
        for name, free, celsius in (("pg1", 5e9, 90.0), ("pg2", 5e8, 40.0), ("pg3", 9e9, 60.0)):
            told = before[name].told.model_copy(update={"free_bytes": int(free), "celsius": celsius})
            asked.known[name] = Equipment(before[name].at, told)
        with floor.client() as client:

            def order(sort: str) -> list[str]:
                return [each["name"] for each in client.get("/v1/fleet", params={"sort": sort}).json()["tables"]]

            assert order("disk") == ["pg2", "pg1", "pg3", "pg4"]
            assert order("temperature") == ["pg1", "pg3", "pg2", "pg4"]
            assert order("table") == ["pg1", "pg2", "pg3", "pg4"]
            assert order("worst") == ["pg4", "pg2", "pg1", "pg3"]
            figures = client.get("/metrics").text
        assert 'houseway_floor_table_celsius{table="pg1"} 90.0' in figures
        assert 'houseway_floor_table_needs{table="pg1",what="hot"} 1.0' in figures
        assert 'houseway_floor_table_needs{table="pg3",what="hot"} 0.0' in figures
        assert re.search(r'houseway_floor_table_info\{release="",table="pg1",version="[0-9.]+"\} 1.0', figures)
    finally:
        asked.known.update(before)


def test_as_a_sheet(floor: ServedFloor) -> None:
    with floor.client() as client:
        answer = client.get("/v1/fleet.csv?sort=table")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(StringIO(answer.text)))
    assert [row["table"] for row in rows] == ["pg1", "pg2", "pg3", "pg4"]
    assert (rows[1]["needs"], rows[1]["differs"]) == ("differs", "shared_settings")
    assert rows[0]["code"] == rows[2]["code"] != rows[3]["code"] == ""
    assert None not in rows[3]


def test_the_page_shows_it_and_gives_a_release_out_once_it_is_confirmed(floor: ServedFloor) -> None:
    with page_of(floor) as browser, page_of(floor, UserRole.TECHNICIAN) as technician:
        shown = browser.get("/fleet").text
        assert re.findall(r'<tr data-key="(pg\d)">', shown) == ["pg4", "pg2", "pg1", "pg3"]
        assert shown.count('class="differs"') == 1
        assert "/page/fleet/give" in shown
        assert "/page/fleet/give" not in technician.get("/fleet").text
        asked = {"name": "release-1", "ring": "pit:main", "reason": "to be tried"}
        assert technician.post("/page/fleet/give", data=asked).status_code == 403
        question = browser.post("/page/fleet/give", data=asked)
        assert "Roll out release-1 to these tables?" in question.text
        assert "3 tables: pg1, pg2, pg3" in question.text
        assert not floor.parts.fleet.giving.now().roll_outs
        assert browser.post("/page/fleet/give", data=asked | {"sure": "yes"}).status_code == 303
        assert "3 offered" in browser.get("/fleet").text
        again = browser.post("/page/fleet/give", data=asked | {"sure": "yes"})
        assert (again.status_code, "was already rolled out to pit:main" in again.text) == (409, True)
        assert browser.post("/page/fleet/stop", data={"name": "release-1", "reason": "not now"}).status_code == 303
        assert "by ann-admin. It is offered to no other table." in browser.get("/page/fleet").text
        assert browser.post("/page/fleet/go-on", data={"name": "release-1", "reason": "now"}).status_code == 303
    changes = [entry.data for entry in floor.parts.record.last(("release",), count=9)]
    assert [(each["act"], each["by"]) for each in reversed(changes)] == [
        ("given", "ann-admin"),
        ("stopped", "ann-admin"),
        ("gone on", "ann-admin"),
    ]


def test_programs_are_refused_what_cannot_be(floor: ServedFloor) -> None:
    with floor.client() as client:
        asked = {"rings": ["all"], "reason": "x"}
        unknown = client.post("/v1/releases/none/rings", json=asked)
        assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_release")
        wrong = client.post("/v1/releases/release-1/rings", json={"rings": ["pg9"], "reason": "x"})
        assert (wrong.status_code, wrong.json()["code"]) == (409, "release_refused")
        assert client.post("/v1/releases/release-1/rings", json={"rings": [], "reason": "x"}).status_code == 422
