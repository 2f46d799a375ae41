"""What the remote tables run on, for programs and people."""

import csv
import re
from collections.abc import Iterator
from contextlib import ExitStack
from io import StringIO

import httpx2
import pytest

from service.access.roles import UserRole
from service.hub.fleet import Fleet, Reported
from service.system.remote_settings import PitConfig
from service.system.table_settings import RoundsConfig
from tests.service.api.test_http import play
from tests.service.hub.hubs import ServedHub, hub_config, new_url, serving_hub
from tests.service.hub.remote_tables import serving_table, table_config
from tests.service.stand_ins import session_for, wait_until, with_table

NAMES = ("pg1", "pg2", "pg3")


def fleet_of(hub: ServedHub) -> Fleet:
    fleet = hub.parts.fleet
    assert fleet is not None
    return fleet


@pytest.fixture(scope="module")
def hub() -> Iterator[ServedHub]:
    """A hub of three real tables, one with different settings, and an unreachable one."""
    with ExitStack() as work:
        tables = {}
        for name in NAMES:
            settings = table_config(name)
            if name == "pg2":
                settings = with_table(settings, rounds=RoundsConfig(settle_frames=9))
            served, told = work.enter_context(serving_table(settings))
            play(served.app)
            tables[name] = told | {"pit": "main"}
        tables["pg4"] = {"url": "http://127.0.0.1:1", "pit": "high"}
        pits = (PitConfig(name="main", title="Main floor"), PitConfig(name="high"))
        config = hub_config(new_url(), tables).model_copy(update={"pits": pits})
        found = work.enter_context(serving_hub(config))
        wait_until(lambda: len(fleet_of(found).reported) == len(NAMES))
        wait_until(lambda: all(found.parts.hub.collector.states.tables[name].report for name in NAMES))
        yield found


def test_what_each_table_runs_on_the_worst_first(hub: ServedHub) -> None:
    with hub.client(UserRole.TECHNICIAN) as client:
        found = client.get("/v1/fleet").json()["tables"]
        assert [each["name"] for each in found] == ["pg4", "pg2", "pg1", "pg3"]
        away, other, one, _ = found
        assert (away["equipment"], away["state"], away["attention"]) == (None, "unreachable", ["silent"])
        assert (other["differs"], other["attention"]) == (["compared_settings"], ["differs"])
        assert (one["differs"], one["attention"]) == ([], [])
        told = one["equipment"]
        assert told["compared_settings"] != other["equipment"]["compared_settings"]
        assert re.fullmatch(r"[0-9a-f]{64}", told["code"])
        assert told["free_bytes"] > 0
        assert (told["calibration"], told["hands"]) == (None, {"verified": 0, "of": 0})
        assert [each["name"] for each in client.get("/v1/fleet?pit=high").json()["tables"]] == ["pg4"]
        assert client.get("/v1/fleet?pit=none").status_code == 404
        assert client.get("/v1/fleet?sort=colour").status_code == 422
    with hub.client(UserRole.VIEWER) as client:
        assert client.get("/v1/fleet").status_code == 403


def test_it_is_sorted_by_any_column_the_worst_first(hub: ServedHub) -> None:
    reported = fleet_of(hub).reported
    before = dict(reported)
    try:
        for name, free, celsius in (("pg1", 5e9, 90.0), ("pg2", 5e8, 40.0), ("pg3", 9e9, 60.0)):
            told = before[name].equipment.model_copy(update={"free_bytes": int(free), "celsius": celsius})
            reported[name] = Reported(before[name].at, told)
        with hub.client() as client:

            def order(sort: str) -> list[str]:
                return [each["name"] for each in client.get("/v1/fleet", params={"sort": sort}).json()["tables"]]

            assert order("disk") == ["pg2", "pg1", "pg3", "pg4"]
            assert order("temperature") == ["pg1", "pg3", "pg2", "pg4"]
            assert order("table") == ["pg1", "pg2", "pg3", "pg4"]
            assert order("worst") == ["pg4", "pg2", "pg1", "pg3"]
            figures = client.get("/metrics").text
        assert 'houseway_hub_table_celsius{table="pg1"} 90.0' in figures
        assert 'houseway_hub_table_attention{reason="hot",table="pg1"} 1.0' in figures
        assert 'houseway_hub_table_attention{reason="hot",table="pg3"} 0.0' in figures
        assert re.search(r'houseway_hub_table_info\{table="pg1",version="[0-9.]+"\} 1.0', figures)
    finally:
        reported.update(before)


def test_as_a_sheet(hub: ServedHub) -> None:
    with hub.client() as client:
        answer = client.get("/v1/fleet.csv?sort=table")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["table"] for row in rows] == ["pg1", "pg2", "pg3", "pg4"]
    assert (rows[1]["attention"], rows[1]["differs"]) == ("differs", "compared_settings")
    assert rows[0]["code"] == rows[2]["code"] != rows[3]["code"] == ""
    assert None not in rows[3]


def test_the_page_marks_what_differs(hub: ServedHub) -> None:
    secret = session_for(hub.app, UserRole.TECHNICIAN, name="ann")
    with httpx2.Client(base_url=hub.url, timeout=30, cookies={hub.parts.cookie: secret}) as browser:
        for path in ("/fleet", "/page/fleet"):
            shown = browser.get(path).text
            assert re.findall(r'<tr data-key="(pg\d)">', shown) == ["pg4", "pg2", "pg1", "pg3"]
            assert shown.count('class="differs"') == 1
        assert re.findall(r'data-key="(pg\d)"', browser.get("/fleet?pit=high&sort=").text) == ["pg4"]
