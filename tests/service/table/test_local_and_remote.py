"""One service with a table of its own and one of another service: both are recorded, served and shown."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.record.store.entries import Draft
from service.system.remote_settings import RemoteTableConfig
from service.system.settings import Config
from service.table.worker import Instruments
from service.web.app import create_app
from tests.service.hub.feeds import DOUBTFUL, RecordedFeed, play
from tests.service.hub.remote_tables import serving_feeds
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_RIGHT,
    FakeReader,
    FakeSource,
    config,
    frames,
    key_for,
    new_folder,
    opened,
    report_round,
    wait_until,
)
from vision.reading import Reading

TWO = ("test", "far")


def mixed(url: str) -> Config:
    """The usual settings with a table of another service beside the local one."""
    key = new_folder() / "key"
    key.write_text("key-of-far")
    made = config()
    remote = RemoteTableConfig.model_validate({"name": "far", "title": "Far table", "url": url, "key_file": str(key)})
    service = made.service.model_copy(update={"name": "house", "title": "House"})
    return made.model_copy(update={"tables": (*made.tables, remote), "service": service})


@pytest.fixture
def client() -> Iterator[TestClient]:
    feed = RecordedFeed(table="own")
    play(feed, "wrong", "r1")
    says: list[Reading | Exception] = [*[HOUSE_RIGHT] * 4, *[EMPTY] * 8]
    with serving_feeds({"far": feed}) as server:
        source = FakeSource(frames(len(says)), live=True)
        made = create_app(
            mixed(f"{server.url}/far"), lambda _: Instruments(FakeReader(says), open_frames=lambda _: source)
        )
        with TestClient(made, base_url="http://localhost", headers=key_for(made)) as client:
            parts = made.state.parts
            wait_until(lambda: parts.hub.writer.known["far"].hash == feed.head.hash)
            wait_until(lambda: (now := parts.tables["test"].live.state.current) is not None and now.state == "closed")
            yield client


def test_both_are_in_one_store_and_listed_together(client: TestClient) -> None:
    tables = {table["name"]: table for table in client.get("/v1/tables").json()["tables"]}
    assert set(tables) == set(TWO)
    assert tables["test"]["local"]["checks"]
    assert tables["test"]["remote"] is None
    assert tables["far"]["remote"]["entries"] == 2
    assert tables["far"]["local"] is None
    assert client.get("/v1/tables/test").json()["name"] == "test"
    assert client.get("/v1/tables/far").json()["state"]
    assert client.get("/v1/tables/none").json()["code"] == "unknown_table"
    assert client.get("/v1/tables/far/dealer").json()["code"] == "table_elsewhere"
    assert client.get("/readyz").status_code == 200


def test_each_table_has_its_pages(client: TestClient) -> None:
    for path in ("/", "/alarms", "/reviews", "/rounds", "/fleet", "/tables/test", "/tables/far", "/tables/test/setup"):
        assert client.get(path, headers={"Accept": "text/html"}).status_code == 200, path
    round_id = client.get("/v1/tables/test").json()["local"]["current_round"]
    assert client.get(f"/tables/test/rounds/{round_id}").status_code == 200
    assert client.get("/tables/far/rounds/r1").status_code == 200
    assert client.get(f"/tables/far/rounds/{round_id}").status_code == 404


@pytest.mark.parametrize("page", ["game", "health", "setup", "audit", "calibration", "tiles"])
def test_a_page_that_only_the_table_s_own_service_has_leads_there(client: TestClient, page: str) -> None:
    (far,) = (table for table in cast("FastAPI", client.app).state.parts.config.remote)
    answer = client.get(f"/tables/far/{page}", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert "Another Houseway service runs the table Far table." in answer.text
    assert f'href="{far.address}"' in answer.text
    chinese = client.get(f"/tables/far/{page}", headers={"Accept": "text/html", "Accept-Language": "zh-Hant"}).text
    assert "Far table" in chinese
    assert "Another Houseway service" not in chinese
    assert f'href="/tables/far/{page}"' not in client.get("/tables/far").text


def test_results_of_both_come_in_one_feed(client: TestClient) -> None:
    found = client.get("/v1/results").json()["results"]
    assert {each["table"] for each in found} == set(TWO)


def test_rounds_of_both_are_searched_together(client: TestClient) -> None:
    wait_until(lambda: {each["table"] for each in client.get("/v1/rounds").json()["rounds"]} == set(TWO))
    assert [each["id"] for each in client.get("/v1/rounds", params={"table": "far"}).json()["rounds"]] == ["r1"]
    rows = list(csv.DictReader(io.StringIO(client.get("/rounds.csv").content.decode("utf-8-sig"))))
    assert {row["table"] for row in rows} == set(TWO)


def test_alarms_of_both_are_listed_claimed_and_acknowledged_together(client: TestClient) -> None:
    def alarms() -> dict[str, dict[str, Any]]:
        return {each["table"]: each for each in client.get("/v1/alarms").json()["alarms"] if each["id"]}

    wait_until(lambda: set(alarms()) == set(TWO))
    found = alarms()
    for table, each in found.items():
        assert client.post(f"/v1/alarms/{each['id']}/claim").status_code == 200
        assert alarms()[table]["taken"] is not None
        assert client.delete(f"/v1/alarms/{each['id']}/claim").status_code == 204
    sent = {"alarms": [each["id"] for each in found.values()], "by": "ann"}
    done = client.post("/v1/alarms/acknowledgement", json=sent).json()
    assert done["acknowledged"] == [found["test"]["id"]]
    # The feed of the other service takes no acknowledgement.
    assert [(each["table"], each["alarms"]) for each in done["not_answered"]] == [("far", [found["far"]["id"]])]


def test_what_was_recorded_while_a_table_was_local_is_not_mixed_with_its_service_s_rounds(client: TestClient) -> None:
    parts = cast("FastAPI", client.app).state.parts
    before = replace(parts.tables["test"].ledger, table="far")
    seen = report_round(opened(DOUBTFUL, "old"), table="far", rules=parts.tables["test"].rules, versions={})
    before.revise(seen)
    parts.record.append(Draft("alarm", {"ok": False, "checks": [{"name": "clock", "findings": []}]}, table="far"))

    def of_far() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client.get("/v1/alarms", params={"table": "far"}).json()["alarms"]
        return found

    wait_until(lambda: {"health", "needs_review", "house_hand_wrong"} <= {each["kind"] for each in of_far()})
    for asked in ({}, {"table": "far"}):
        rounds = client.get("/v1/rounds", params=asked).json()["rounds"]
        assert [each["id"] for each in rounds if each["table"] == "far"] == ["r1"], asked
    wait_until(lambda: client.get("/v1/tables/far").json()["round"] is not None)
    far = client.get("/v1/tables/far").json()
    assert (far["round"]["id"], far["waiting"]) == ("r1", 0)
    assert client.get("/v1/reviews", params={"table": "far"}).json()["reviews"] == []
    former = [each["id"] for each in of_far() if each["kind"] != "house_hand_wrong"]
    sent, once = {"alarms": former, "by": "ann"}, {"Idempotency-Key": "once"}
    first, again = (client.post("/v1/alarms/acknowledgement", json=sent, headers=once).json() for _ in range(2))
    assert first["not_answered"] == []
    assert sorted(first["acknowledged"]) == sorted(former)
    assert again == first
    assert [each["kind"] for each in of_far()] == ["house_hand_wrong"]
