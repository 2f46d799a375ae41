"""Rounds by day, verdict, status and place, over HTTP."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from service.record.projections import round_search
from service.rounds.judge.rules_in_force import TableRules
from tests.service.api.test_http import problem_of
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    START,
    FakeReader,
    app_of,
    config,
    hand,
    reading,
    report_round,
    revisions,
    signed_in,
)

DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare on the 5-3",)), hand("box3", "1-1 4-3", "4-4 5-5"))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A table with a round every twelve hours: right, wrong, in doubt, and so on, from midnight of 1 January on."""
    app = app_of(config(), reader=FakeReader(), watch=False)
    for number in range(6):
        said = (HOUSE_RIGHT, HOUSE_WRONG, DOUBTFUL)[number % 3]
        for played in revisions(f"r{number}", START + number * timedelta(hours=12), said):
            written = report_round(played, table="test", rules=TableRules.of("crown-6.1"), versions={})
            app.state.parts.only.ledger.revise(written, ())
    with signed_in(app) as client:
        yield client


def ids(client: TestClient, **asked: Any) -> str:  # noqa: ANN401  query parameters
    return "".join(one["id"][1:] for one in client.get("/v1/rounds", params=asked).json()["rounds"])


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, "543210"),
        ({"since": "2026-01-02"}, "5432"),
        ({"until": "2026-01-01"}, "10"),
        ({"since": "2026-01-02", "until": "2026-01-02"}, "32"),
        ({"since": "2027-01-01"}, ""),
        ({"verdict": "wrong"}, "41"),
        ({"verdict": "none"}, ""),
        ({"status": "needs_review"}, "52"),
        ({"status": "verified", "verdict": "correct"}, "30"),
        ({"place": "box3"}, "52"),
        ({"number": "2"}, "1"),
        ({"q": "BOX3"}, ""),
        ({"place": "house", "until": "2026-01-01"}, "10"),
    ],
)
def test_what_fits(client: TestClient, asked: dict[str, str], expected: str) -> None:
    assert ids(client, **asked) == expected


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_skip_and_repeat_nothing(client: TestClient, limit: int) -> None:
    seen, cursor = [], None
    while True:
        page = client.get("/v1/rounds", params={"limit": limit, **({"cursor": cursor} if cursor else {})}).json()
        seen += [one["id"] for one in page["rounds"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == [f"r{number}" for number in range(5, -1, -1)]


def test_an_answer_says_how_far_back_it_looked(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_search, "LOOKED_AT_ONCE", 2)
    page = client.get("/v1/rounds", params={"place": "box2"}).json()
    assert (page["rounds"], page["looked_back_to"][:10]) == ([], "2026-01-03")
    assert ids(client, place="box2", cursor=page["next"]) == "3"


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"since": "yesterday"}, 422, "not_valid"),
        ({"until": "9999-12-31"}, 422, "not_valid"),
        ({"place": "roof"}, 422, "not_valid"),
        ({"verdict": "good"}, 422, "not_valid"),
        ({"day": "2026-01-01"}, 422, "not_valid"),
        ({"cursor": "5"}, 422, "not_valid"),
    ],
)
def test_what_is_refused(client: TestClient, asked: dict[str, str], status: int, code: str) -> None:
    answer = client.get("/v1/rounds", params=asked)
    assert (answer.status_code, problem_of(answer)["code"]) == (status, code)
