"""A hub over real tables: entries, states, figures and proofs."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.access.roles import UserRole
from service.hub.table_proofs import prove_tables
from service.hub.table_states import State
from service.record.store.database_reader import DatabaseReader
from service.record.store.stored_logs import cursor_of
from tests.service.api.openapi import check_valid
from tests.service.api.test_http import play
from tests.service.cli.test_run import certificate_of_this_machine
from tests.service.databases import Cluster, new_database
from tests.service.hub.feeds import RecordedFeed
from tests.service.hub.hubs import ServedHub, hub_config, results_of, serving_hub
from tests.service.hub.remote_tables import serving_feeds, serving_table, table_config
from tests.service.serving import Served
from tests.service.stand_ins import HOUSE_WRONG, wait_until

NAMES = ("pit1-t1", "pit1-t2", "pit2-t1")


@pytest.fixture(scope="module")
def tables() -> Iterator[dict[str, tuple[Served, dict[str, Any]]]]:
    with ExitStack() as work:
        yield {name: work.enter_context(serving_table(table_config(name))) for name in NAMES}


@pytest.fixture
def hub(hub_url: str, tables: dict[str, tuple[Served, dict[str, Any]]]) -> Iterator[ServedHub]:
    with serving_hub(hub_config(hub_url, {name: told for name, (_, told) in tables.items()})) as served:
        yield served


def is_whole(hub: ServedHub, tables: dict[str, tuple[Served, dict[str, Any]]]) -> bool:
    heads = {name: served.app.state.parts.record.head() for name, (served, _) in tables.items()}
    return all(hub.parts.hub.writer.known[name].hash == head.hash for name, head in heads.items())


def all_results(client: httpx2.Client, **query: str | float) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    since, more = None, True
    while more:
        said = results_of(client, since, limit=7, **query)
        found += said["results"]
        since, more = said["next"], said["more"]
    return found


def test_results_of_all_tables_are_those_of_the_tables(
    hub: ServedHub, tables: dict[str, tuple[Served, dict[str, Any]]]
) -> None:
    for number in range(6):
        for served, _ in tables.values():
            play(served.app, round_id=f"r{number}")
            play(served.app, HOUSE_WRONG, round_id=f"r{number}")
    wait_until(lambda: is_whole(hub, tables))
    with hub.client(UserRole.INTEGRATOR) as client:
        found = all_results(client)
        for name, (served, _) in tables.items():
            own = httpx2.get(f"{served.url}/v1/results?limit=200", headers=served.headers).json()["results"]
            here = [each for each in found if each["table"] == name]
            assert len(own) >= 12
            assert [{**each, "cursor": None, "table": name} for each in own] == [
                {**each, "cursor": None} for each in here
            ]
            assert {each["gone"] for each in here} == {None}
            assert all_results(client, table=name) == here
        whole = results_of(client, limit=200)["results"]
        for place, each in enumerate(whole):
            assert results_of(client, each["cursor"], limit=200)["results"] == whole[place + 1 :]


def test_waiting_ends_with_the_result_of_any_table(
    hub: ServedHub, tables: dict[str, tuple[Served, dict[str, Any]]]
) -> None:
    wait_until(lambda: is_whole(hub, tables))
    with hub.client() as client:
        since = results_of(client, limit=200)["next"]
        while (said := results_of(client, since, limit=200))["more"]:
            since = said["next"]
        since = said["next"]
        assert results_of(client, since, wait=0.05)["results"] == []
        served, _ = tables[NAMES[1]]
        threading.Timer(0.2, play, (served.app, HOUSE_WRONG, "waited-for")).start()
        (result, *_) = results_of(client, since, wait=30)["results"]
        assert result["table"] == NAMES[1]


def test_how_the_tables_are(hub: ServedHub, tables: dict[str, tuple[Served, dict[str, Any]]]) -> None:
    wait_until(lambda: is_whole(hub, tables))
    # They read no pictures, and say so.
    states = hub.parts.hub.collector.states.tables.values()
    wait_until(lambda: all(table.now is State.CANNOT_VERIFY for table in states))
    with hub.client(UserRole.VIEWER) as client:
        said = client.get("/v1/tables").json()
        assert (said["service"], said["title"]) == ("main", "Main floor")
        assert {table["name"] for table in said["tables"]} == set(NAMES)
        one = client.get(f"/v1/tables/{NAMES[0]}").json()
        record = tables[NAMES[0]][0].app.state.parts.record
        assert (one["state"], one["local"]) == ("cannot_verify", None)
        remote = one["remote"]
        assert (remote["record"], remote["findings"]) == (record.id, [])
        assert remote["version"]
        assert abs(remote["clock_s"]) < 3
        problem = client.get("/v1/tables/nowhere").json()
        assert (problem["status"], problem["code"]) == (404, "unknown_table")


def test_figures_for_prometheus(hub: ServedHub, tables: dict[str, tuple[Served, dict[str, Any]]]) -> None:
    wait_until(lambda: is_whole(hub, tables))
    wait_until(lambda: all(table.report is not None for table in hub.parts.hub.collector.states.tables.values()))
    with hub.client() as client:
        text = client.get("/metrics").text
    assert 'houseway_hub_tables{state="cannot_verify"} 3.0' in text
    assert f'houseway_hub_table{{state="cannot_verify",table="{NAMES[0]}"}} 1.0' in text
    assert f"houseway_hub_position {float(hub.parts.hub.writer.position)}" in text
    assert "houseway_hub_writing 1.0" in text


def test_the_description(hub: ServedHub) -> None:
    with hub.client() as client:
        described = client.get("/openapi.json").json()
    check_valid(described)
    schemas = described["components"]["schemas"]
    lacking = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, told in schema.get("properties", {}).items()
        if not told.get("description")
    ]
    assert not lacking
    assert {"/v1/results", "/v1/tables", "/v1/tables/{table}", "/healthz", "/metrics"} <= set(described["paths"])


def test_cursors_that_are_none_of_this_hub(hub: ServedHub) -> None:
    with hub.client() as client:
        for cursor in (cursor_of(1, "ab" * 32), cursor_of(10**12, "ab" * 32)):
            problem = client.get("/v1/results", params={"since": cursor}).json()
            assert (problem["status"], problem["code"]) == (409, "foreign_cursor")
        problem = client.get("/v1/results", params={"table": "nowhere"}).json()
        assert (problem["status"], problem["code"]) == (404, "unknown_table")


def test_the_trust_of_a_first_contact_is_among_the_changes(hub: ServedHub) -> None:
    def trusted(client: httpx2.Client) -> set[str]:
        return {each["subject"] for each in client.get("/v1/changes").json()["changes"] if each["kind"] == "trust"}

    with hub.client() as client:
        wait_until(lambda: trusted(client) == set(NAMES))


def test_all_of_it_can_be_proven(hub: ServedHub, tables: dict[str, tuple[Served, dict[str, Any]]]) -> None:
    wait_until(lambda: is_whole(hub, tables))
    parts = hub.parts
    proofs = {proof.name: proof for proof in prove_tables(parts.hub.reader, DatabaseReader(parts.hub.reader.database))}
    for name, (served, _) in tables.items():
        head = served.app.state.parts.record.head()
        assert proofs[name].faults == ()
        assert (proofs[name].last, proofs[name].hash, proofs[name].entries) == (head.seq, head.hash, head.seq)


def test_a_result_that_is_gone_is_told_so(hub_url: str) -> None:
    feed = RecordedFeed().rounds(9)
    with serving_feeds({"t0": feed}) as server:
        settings = hub_config(hub_url, {"t0": {"url": f"{server.url}/t0"}})
        with serving_hub(settings) as hub, hub.client() as client:
            wait_until(lambda: hub.parts.hub.writer.known["t0"].hash == feed.head.hash)
            since = results_of(client)["next"]
            restored = server.tables["t0"].feed = feed.restored(6).rounds(2)
            wait_until(lambda: hub.parts.hub.writer.known["t0"].hash == restored.head.hash)
            news = results_of(client, since)["results"]
            assert [each["seq"] for each in news] == [8, 9]
            gone = [each for each in results_of(client)["results"] if each["gone"] is not None]
            assert [each["seq"] for each in gone] == [7, 8, 9, 10]
            assert {each["gone"] for each in gone} == {restored.page(0, 1)["epoch"]}


def test_while_the_database_is_away_it_says_so(own_cluster: Cluster) -> None:
    feed = RecordedFeed().rounds(9)
    with serving_feeds({"t0": feed}) as server:
        settings = hub_config(new_database(own_cluster.url), {"t0": {"url": f"{server.url}/t0"}})
        with serving_hub(settings) as hub, hub.client() as client:
            wait_until(lambda: hub.parts.hub.writer.known["t0"].hash == feed.head.hash)
            assert client.get("/readyz").status_code == 200
            since = results_of(client)["next"]
            own_cluster.kill()
            wait_until(lambda: not hub.parts.hub.writer.writing)
            assert client.get("/healthz").status_code == 200
            assert client.get("/readyz").json()["code"] == "not_ready"
            said = client.get("/v1/tables").json()
            assert (said["tables"][0]["name"], said["outdated"]) == ("t0", True)
            problem = client.get("/v1/results", params={"since": since}).json()
            assert (problem["status"], problem["code"]) == (503, "record_unavailable")
            feed.rounds(3)
            own_cluster.start()
            wait_until(lambda: len(results_of_or_none(client, since)) == 3)


def test_tables_that_speak_tls_are_held_to_their_certificate(hub_url: str, tmp_path: Path) -> None:
    certificate, key = certificate_of_this_machine(tmp_path)
    plain = table_config("t0")
    server = plain.server.model_copy(update={"tls_certificate": certificate, "tls_key": key})
    with serving_table(plain.model_copy(update={"server": server})) as (served, told):
        url = served.url.replace("http://127.0.0.1", "https://localhost")
        tables = {"t0": {**told, "url": url, "ca_file": str(certificate)}, "t1": {**told, "url": f"{url}/"}}
        with serving_hub(hub_config(hub_url, tables)) as hub:
            head = served.app.state.parts.record.head()
            wait_until(lambda: hub.parts.hub.writer.known["t0"].hash == head.hash)
            wait_until(lambda: hub.parts.hub.collector.states.tables["t1"].away is not None)
            with hub.client() as client:
                assert "certificate" in client.get("/v1/tables/t1").json()["remote"]["message"]
            assert hub.parts.hub.writer.known["t1"].seq == 0


def results_of_or_none(client: httpx2.Client, since: str) -> list[dict[str, Any]]:
    answer = client.get("/v1/results", params={"since": since})
    return list(answer.json()["results"]) if answer.status_code == 200 else []
