"""Who deals: recorded, kept with each round, told over HTTP and on the pages, and refused where it cannot be."""

import csv
import html
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pypdf import PdfReader

from service.access.roles import UserRole
from service.record.integrity.verify import verify_database
from service.record.ledger import Ledger, open_record
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.rounds.review import ReviewIn
from tests.service.api.test_http import play, problem_of
from tests.service.api.test_record import DOUBTFUL
from tests.service.stand_ins import HOUSE_WRONG, FakeReader, app_of, config, person, report_round, revisions, signed_in
from vision.reading import Reading

PATH = "/v1/tables/test/dealer"
RULES = TableRules.of("crown-6.1")


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with signed_in(app, UserRole.INTEGRATOR, raise_server_exceptions=False) as client:
        yield client


def entries(app: FastAPI) -> list[Any]:
    return [entry.data["dealer"] for entry in app.state.parts.record.last(("dealer",), count=9)]


def seen(round_id: str, *read: Reading) -> Iterator[RoundReport]:
    for played in revisions(round_id, datetime(2026, 11, 25, 6, tzinfo=UTC), *read):
        yield report_round(played, table="test", rules=RULES, versions={})


def test_naming_a_dealer(client: TestClient) -> None:
    assert client.get(PATH).json() == {"dealer": None, "by": None}
    said = client.put(PATH, json={"dealer": " D-1042 "})
    assert said.json()["dealer"] == "D-1042"
    assert said.json()["by"]
    assert client.get(PATH).json() == said.json()
    assert client.get("/v1/tables").json()["tables"][0]["local"]["dealer"] == "D-1042"
    client.put(PATH, json={"dealer": None})
    assert client.get(PATH).json()["dealer"] is None


def test_an_unchanged_dealer_is_not_recorded_again(app: FastAPI, client: TestClient) -> None:
    for name in ("D-1", "D-1", None, None, "D-1"):
        client.put(PATH, json={"dealer": name})
    assert entries(app) == ["D-1", None, "D-1"]


def test_a_request_that_comes_again_changes_nothing(app: FastAPI, client: TestClient) -> None:
    key = {"Idempotency-Key": "k1"}
    first = client.put(PATH, json={"dealer": "D-1"}, headers=key)
    client.put(PATH, json={"dealer": "D-2"})
    assert client.put(PATH, json={"dealer": "D-1"}, headers=key).json() == first.json()
    assert client.get(PATH).json()["dealer"] == "D-2"
    refused = client.put(PATH, json={"dealer": "D-3"}, headers=key)
    assert (refused.status_code, problem_of(refused)["code"]) == (422, "key_reused")
    assert entries(app) == ["D-2", "D-1"]


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        [],
        {"dealer": ""},
        {"dealer": "  "},
        {"dealer": "x" * 41},
        {"dealer": "D\n1"},
        {"dealer": "D\u202e1"},
        {"dealer": 1042},
        {"dealer": "D-1", "pit": "4"},
    ],
)
def test_an_invalid_dealer_is_refused(app: FastAPI, client: TestClient, wrong: object) -> None:
    refused = client.put(PATH, json=wrong)
    assert (refused.status_code, problem_of(refused)["code"]) == (422, "not_valid")
    assert entries(app) == []


def test_another_table_has_no_dealer_here(client: TestClient) -> None:
    for answer in (client.get("/v1/tables/x/dealer"), client.put("/v1/tables/x/dealer", json={"dealer": None})):
        assert problem_of(answer)["code"] == "unknown_table"


def test_another_method_is_refused_with_the_allowed_ones(client: TestClient) -> None:
    refused = client.post(PATH, json={"dealer": "D-1"})
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, PUT")
    assert "takes GET, PUT" in str(problem_of(refused)["detail"])


@pytest.mark.parametrize(
    ("role", "reads", "writes"),
    [
        (UserRole.VIEWER, 403, 403),
        (UserRole.AUDITOR, 200, 403),
        (UserRole.TECHNICIAN, 200, 403),
        (UserRole.SUPERVISOR, 200, 200),
        (UserRole.ADMIN, 200, 200),
    ],
)
def test_who_may_read_and_name_it(app: FastAPI, role: UserRole, reads: int, writes: int) -> None:
    with signed_in(app, role) as client:
        assert client.get(PATH).status_code == reads
        assert client.put(PATH, json={"dealer": "D-1"}).status_code == writes


def test_a_round_keeps_the_dealer_it_began_with() -> None:
    settings = config()
    ledger = Ledger(open_record(settings), "test", RULES)
    ledger.dealers.name("D-1", "till")
    first, second = seen("r1", DOUBTFUL, DOUBTFUL)
    assert ledger.revise(first)[-1].dealer == "D-1"
    ledger.dealers.name("D-2", "till")
    assert ledger.revise(second)[-1].dealer == "D-1"
    asked = {"action": "confirm", "by": "ann", "reason": "Looked", "revision": 2}
    assert ledger.review("r1", ReviewIn.model_validate(asked), None, "ann").dealer == "D-1"
    assert [report.dealer for _, report in ledger.revisions("r1")] == ["D-1"] * 3
    shown = ledger.newest("r1")
    (later,) = seen("r2", HOUSE_WRONG)
    assert ledger.provisional(second, shown).dealer == "D-1"
    waiting = ledger.provisional(later, shown)
    assert (waiting.number, waiting.revision, waiting.dealer) == (2, 1, "D-2")
    ledger.dealers.name("D-3", "till")
    # What waited until it could be recorded, and what is recorded at once; the first round is closed by it, unchanged.
    closed, recorded = ledger.revise(waiting)
    assert (closed.id, closed.dealer, recorded.dealer) == ("r1", "D-1", "D-2")
    assert ledger.revise(next(seen("r3", HOUSE_WRONG)))[-1].dealer == "D-3"
    ledger.record.close()


def test_the_dealer_in_force_is_read_back_at_a_start() -> None:
    settings = config()
    ledger = Ledger(open_record(settings), "test", RULES)
    ledger.dealers.name("D-1", "till", "k1")
    ledger.record.close()
    again = app_of(settings, reader=FakeReader(), watch=False)
    parts = again.state.parts
    assert (parts.only.ledger.dealers.known.name, parts.only.ledger.dealers.known.by) == ("D-1", "till")
    with signed_in(again) as client:
        assert client.get("/v1/tables/test").json()["local"]["dealer"] == "D-1"
        assert parts.only.ledger.dealers.name("D-1", "till", "k1") == parts.only.ledger.dealers.known
        assert parts.record.count("dealer", "test") == 1
        assert verify_database(parts.record, None).faults == ()


def test_it_is_named_on_the_page_by_those_who_may(app: FastAPI) -> None:
    with person(app, UserRole.SUPERVISOR) as client:
        assert "Dealer: not named" in client.get("/").text
        assert client.post("/tables/test/dealer", data={"dealer": "D-1042"}, follow_redirects=False).status_code == 303
        page = client.get("/").text
        assert "Dealer: D-1042" in page
        assert 'action="/tables/test/dealer"' in page
        assert "Dealer: D-1042" in client.get("/tables/test/board").text
        play(app, HOUSE_WRONG)
        assert "Dealer: D-1042" in client.get("/tables/test/rounds/r1").text.partition('class="sheet"')[0]
        assert "Dealer: D-1042" in client.get("/tables/test/rounds/r1").text.partition('class="sheet"')[2]
        sheet = PdfReader(io.BytesIO(client.get("/tables/test/rounds/r1/incident.pdf").content))
        assert "Dealer: D-1042" in sheet.pages[0].extract_text()
        assert [row["dealer"] for row in csv.DictReader(io.StringIO(client.get("/rounds.csv").text))] == ["D-1042"]
        assert client.post("/tables/test/dealer", data={"dealer": "x" * 41}).status_code == 422
        assert client.post("/tables/test/dealer", data={"dealer": ""}, follow_redirects=False).status_code == 303
        assert "Dealer: not named" in client.get("/").text
        assert [entry.data for entry in app.state.parts.record.last(("dealer",), count=9)] == [
            {"dealer": None, "by": "ann"},
            {"dealer": "D-1042", "by": "ann"},
        ]
        viewer = person(app, UserRole.VIEWER, "vic")
        page = viewer.get("/").text
        assert "Dealer: not named" in page
        assert 'action="/tables/test/dealer"' not in page
        assert viewer.post("/tables/test/dealer", data={"dealer": "D-1"}).status_code == 403


def test_the_figures_count_by_dealer(app: FastAPI) -> None:
    dealers = app.state.parts.only.ledger.dealers
    for round_id, dealer in (("r1", None), ("r2", "D-1"), ("r3", "<b>")):
        dealers.name(dealer, "till")
        play(app, HOUSE_WRONG, round_id=round_id)
    with person(app, UserRole.SUPERVISOR) as client:
        day = app.state.parts.only.ledger.newest("r1").opened_at.date()
        told = client.get(f"/figures?since={day}&until={day}").text
        told = told.partition('<h2 id="dealers-title">')[2].partition("</tbody>")[0]
        links = [html.unescape(link) for link in re.findall(r'<th scope="row"><a href="([^"]+)"', told)]
        assert re.findall(r'<th scope="row">(?:<a[^>]+>)?([^<]+)', told) == ["&lt;b&gt;", "D-1", "Not named"]
        for link, round_id in zip(links, ("r3", "r2"), strict=True):
            assert re.findall(r'/tables/test/rounds/(r[0-9])\?place=mistake"', client.get(link).text) == [round_id]
