"""Two local tables in one service: each its own camera, pages and figures, both in one record."""

import asyncio
from collections.abc import Iterator
from functools import partial

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from service.access.roles import UserRole
from service.api.local_table import LocalTable
from service.api.parts import Parts
from service.api.routes.event_stream import events
from service.api.scope import Scope
from service.record.changes import Attribution
from service.record.projections.round_search import Wanted, find_rounds
from service.system.remote_settings import PitConfig
from service.system.settings import Config
from service.table.worker import Instruments
from service.web.app import create_app
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    FakeReader,
    FakeSource,
    config,
    frames,
    hand,
    opened,
    person,
    reading,
    report_round,
    signed_in,
    wait_until,
)
from vision.capture import FrameSource, SourceError
from vision.capture.faults import CaptureCode
from vision.reading import Reading

SHOWN: dict[str, Reading] = {"one": HOUSE_RIGHT, "two": HOUSE_WRONG}


def two_tables() -> Config:
    """The usual settings with a second table."""
    made = config()
    tables = tuple(made.table.model_copy(update={"name": name, "title": f"Table {name}"}) for name in SHOWN)
    service = made.service.model_copy(update={"name": "pit", "title": "Pit"})
    return made.model_copy(update={"tables": tables, "service": service})


def no_camera(_: Config) -> FrameSource:
    raise SourceError.of(CaptureCode.FILE_UNREADABLE, fault="the cable is out")


def made(*, failing: tuple[str, ...] = ()) -> FastAPI:
    """The service, with the cameras of some of its tables gone."""

    def instruments(of: Config) -> Instruments:
        says: list[Reading | Exception] = [*[SHOWN[of.table.name]] * 4, *[EMPTY] * 8]
        source = FakeSource(frames(len(says)), live=True)
        opens = no_camera if of.table.name in failing else lambda _: source
        return Instruments(FakeReader(says), open_frames=opens)

    return create_app(two_tables(), instruments)


@pytest.fixture
def app() -> Iterator[FastAPI]:
    made_app = made()
    with TestClient(made_app):
        for table in made_app.state.parts.tables.values():
            wait_until(partial(is_over, table))
        yield made_app


def is_over(table: LocalTable) -> bool:
    """Whether its round is closed."""
    current = table.live.state.current
    return current is not None and current.state == "closed"


def test_both_are_recorded_in_one_record_and_shown_each_on_its_page(app: FastAPI) -> None:
    parts: Parts = app.state.parts
    client = signed_in(app)
    found = {name: find_rounds(parts.projector, Wanted(), [name]).played for name in SHOWN}
    assert {name: len(rounds) for name, rounds in found.items()} == {"one": 1, "two": 1}
    results = client.get("/v1/results").json()["results"]
    assert {each["round"]["table"] for each in results} == {"one", "two"}
    only = client.get("/v1/results", params={"table": "two"}).json()["results"]
    assert {each["round"]["table"] for each in only} == {"two"}
    assert {each["name"] for each in client.get("/v1/tables").json()["tables"]} == {"one", "two"}
    ids = {name: rounds[0].id for name, rounds in found.items()}
    for name, round_id in ids.items():
        assert client.get(f"/v1/rounds/{round_id}").json()["table"] == name
    ann = person(app, UserRole.ADMIN)
    assert all(f'href="/tables/{name}"' in ann.get("/").text for name in SHOWN)
    assert "Table two" in ann.get("/page/tables").text
    for name, other in (("one", "two"), ("two", "one")):
        assert [each["id"] for each in client.get("/v1/rounds", params={"table": name}).json()["rounds"]] == [ids[name]]
        history = ann.get("/rounds", params={"table": name}).text
        assert (ids[name] in history, ids[other] in history) == (True, False)
        assert ann.get(f"/tables/{name}/rounds/{ids[name]}").status_code == 200
        assert ann.get(f"/tables/{name}/rounds/{ids[other]}").status_code == 404
        assert ann.post(f"/v1/reviews/{name}/{ids[other]}/claim").status_code == 404
        assert f'data-table="{name}"' in ann.get(f"/tables/{name}").text
    assert ann.get("/tables/three").status_code == 404
    for page in ("board", "status", "health", "audit", "setup", "tiles"):
        assert ann.get(f"/tables/one/{page}").status_code == 200, page
    for page in ("shifts", "handover", "figures"):
        content = ann.get(f"/{page}?table=one").text.partition('class="card filters"')[2].partition("</form>")[2]
        assert "Table one" in content, page
        assert "Table two" not in content, page
    assert {each["table"] for each in client.get("/v1/rounds").json()["rounds"]} == set(SHOWN)
    assert all(ids[name] in ann.get("/rounds").text for name in SHOWN)
    for page in ("/alarms", "/alarms?table=one", "/reviews", "/accounts", "/changes", "/api", "/checkpoint"):
        assert ann.get(page).status_code == 200, page


def test_alarms_are_of_all_tables_or_of_one_and_acknowledged_at_theirs(app: FastAPI) -> None:
    client = signed_in(app)

    def listed(**asked: str) -> list[dict[str, str]]:
        found: list[dict[str, str]] = client.get("/v1/alarms", params=asked).json()["alarms"]
        return [each for each in found if each["kind"] != "health"]

    parts: Parts = app.state.parts
    one = parts.tables["one"]
    wrong = report_round(opened(HOUSE_WRONG, "other"), table="one", rules=one.rules, versions={})
    one.live.publish_rounds(*one.ledger.revise(wrong))
    everywhere = listed()
    assert {each["table"] for each in everywhere} == {"one", "two"}
    assert {each["table"] for each in listed(table="one")} == {"one"}
    assert {each["kind"] for each in listed(table="two")} >= {"house_hand_wrong"}
    names = [each["id"] for each in everywhere]
    said = client.post("/v1/alarms/acknowledgement", json={"alarms": names, "by": "ann"})
    assert sorted(said.json()["acknowledged"]) == sorted(names)
    told = parts.record.after(0, kinds=("acknowledgement",))
    assert sorted(str(entry.table) for entry in told) == ["one", "two"]
    assert listed() == []


def test_whoever_is_limited_to_a_pit_sees_and_answers_the_alarms_of_its_tables() -> None:
    settings = two_tables()
    tables = tuple(table.model_copy(update={"pit": f"pit-{table.name}"}) for table in settings.local)
    pits = tuple(PitConfig(name=table.pit, title=table.pit) for table in tables if table.pit)
    app = create_app(
        settings.model_copy(update={"tables": tables, "pits": pits}),
        lambda of: Instruments(FakeReader([SHOWN[of.table.name]])),
        watch=False,
    )
    parts: Parts = app.state.parts
    for table in parts.tables.values():
        wrong = report_round(opened(HOUSE_WRONG, f"r-{table.name}"), table=table.name, rules=table.rules, versions={})
        table.live.publish_rounds(*table.ledger.revise(wrong))
    whole = person(app, UserRole.SUPERVISOR, "ann")
    one = person(app, UserRole.SUPERVISOR, "ben")
    parts.access.accounts.set_pits("ben", ["pit-one"], Attribution("test", "test"))

    def hands(client: TestClient, **asked: str) -> dict[str, str]:
        alarms = client.get("/v1/alarms", params=asked).json()["alarms"]
        return {each["table"]: each["id"] for each in alarms if each["kind"] == "house_hand_wrong"}

    both = hands(whole)
    assert set(both) == {"one", "two"}
    assert hands(one) == hands(whole, pit="pit-one") == {"one": both["one"]}
    assert one.get("/v1/alarms").json()["unanswered"]["house_hand_wrong"] == 1
    for asked in ({"table": "two"}, {"pit": "pit-two"}):
        assert one.get("/v1/alarms", params=asked).status_code == 404
        assert one.get("/alarms", params=asked).status_code == 404
    assert ("Table two" in whole.get("/alarms").text, "Table two" in one.get("/alarms?kind=procedure").text) == (
        True,
        False,
    )
    assert one.post(f"/v1/alarms/{both['two']}/claim").status_code == 404
    assert one.post("/v1/alarms/acknowledgement", json={"alarms": [both["two"]]}).status_code == 404
    done = one.post("/v1/alarms/acknowledgement", json={"alarms": list(both.values())}).json()
    assert done["acknowledged"] == [both["one"]]
    assert [(each["alarms"], each["code"]) for each in done["not_answered"]] == [([both["two"]], "unknown_alarm")]
    assert hands(whole) == {"two": both["two"]}

    async def tables_of(scope: Scope) -> set[str]:
        found: set[str] = set()
        async for event in events(scope, lambda: asyncio.sleep(0, result=len(found) < len(scope.local))):
            if event.event == "change":
                found.add(event.data.table)
        return found

    assert asyncio.run(tables_of(Scope(parts, ("pit-one",)))) == {"one"}
    assert asyncio.run(tables_of(Scope(parts))) == {"one", "two"}


def test_the_last_decision_of_a_table_leads_to_the_next_round_of_another(app: FastAPI) -> None:
    parts: Parts = app.state.parts
    doubtful = reading(hand("house", *RIGHT, "uncertain", ("glare",)))
    for name in SHOWN:
        table = parts.tables[name]
        played = report_round(opened(doubtful, f"in-{name}"), table=name, rules=table.rules, versions={})
        table.live.publish_rounds(*table.ledger.revise(played))
    ann = person(app, UserRole.SUPERVISOR)
    sent = {"part": "house", "choice": f"{RIGHT[0]}/{RIGHT[1]}", "because": "picture", "revision": "1"}
    first = ann.post("/tables/one/rounds/in-one/decide", data=sent, follow_redirects=False).headers["location"]
    assert first.startswith("/tables/two/rounds/in-two?place=house&decided=one%3Ain-one%3Ahouse&")
    assert "/tables/one/rounds/in-one?place=house" in ann.get(first).text
    last = ann.post("/tables/two/rounds/in-two/decide", data=sent, follow_redirects=False).headers["location"]
    assert last.startswith("/reviews?decided=two%3Ain-two%3Ahouse&")
    assert "Decided: round" in ann.get(last).text


def test_requests_that_need_one_table_name_it(app: FastAPI) -> None:
    client = signed_in(app)
    asked = {"tiles": ["6-6", "1-1", "4-4", "5-5"]}
    refused = client.post("/v1/house-way", json=asked)
    assert (refused.status_code, refused.json()["code"]) == (422, "table_needed")
    assert client.post("/v1/house-way?table=two", json=asked).status_code == 200
    for path in ("/v1/audit", "/v1/equipment"):
        assert client.get(path).status_code == 422
        assert client.get(path, params={"table": "one"}).status_code == 200
        assert client.get(path, params={"table": "no"}).status_code == 404


def test_figures_are_told_by_table(app: FastAPI) -> None:
    text = signed_in(app).get("/metrics").text
    found = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found["houseway_verdicts_total", "one", "correct"] == found["houseway_verdicts_total", "two", "wrong"] == 1
    assert all(found["houseway_pictures_total", name] >= 6 for name in SHOWN)


def test_a_camera_that_fails_does_not_touch_the_other_table() -> None:
    app = made(failing=("two",))
    parts: Parts = app.state.parts
    with TestClient(app):
        one, two = parts.tables.values()
        wait_until(lambda: is_over(one))
        played = one.live.state.current
        assert played is not None
        assert played.house is not None
        assert played.house.status == "verified"
        bad = {
            name: [check.name for check in table.live.health() if not check.ok] for name, table in parts.tables.items()
        }
        assert ("source" in bad["one"], "source" in bad["two"]) == (False, True)
        assert "cable" in str(signed_in(app).get("/readyz").json()["detail"])
        assert find_rounds(parts.projector, Wanted(), ["two"]).rounds == ()
        assert two.worker.stalled() is None
