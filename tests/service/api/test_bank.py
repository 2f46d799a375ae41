"""The bank over HTTP and on the page: an entry applies to one round, and unknown values are reported as unknown."""

from typing import Any
from unittest.mock import patch

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from calibration.table.places import BOX_PLACES
from service.access.roles import UserRole
from service.record.store.entries import RecordUnavailableError
from service.record.store.record import Record
from service.rounds.bank import bank_of
from service.table.live_state import RoundProgress
from service.words.codes import RecordCode
from tests.service.api.test_http import play, problem_of, show
from tests.service.stand_ins import FakeReader, app_of, config, person, signed_in
from vision.findings import Finding
from vision.tracking.marker_watch import MarkersSeen

PATH = "/v1/tables/test/bank"
UNKNOWN: dict[str, Any] = {"banker": None, "out_of_play": [], "adjustment": None, "other_cut": None, "reasons": []}


def see(app: FastAPI, seen: MarkersSeen) -> None:
    """As the reading thread shows it with each picture."""
    live = app.state.parts.only.live
    show(app)
    live.publish_picture(
        live.state.view, live.state.reading, RoundProgress(bank=bank_of(seen, live.state.reported_bank))
    )


def bank(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get(PATH).json()["bank"]
    return {name: value for name, value in found.items() if name != "doubts"}


def test_nothing_is_known_before_anything_is_seen_or_told(client: TestClient) -> None:
    assert bank(client) == UNKNOWN


def test_what_is_told_is_known_with_who_said_so(client: TestClient) -> None:
    said = client.put(PATH, json={"held": "player", "box": 3, "out_of_play": [6, 6], "adjustment": -4})
    assert said.status_code == 200
    told = bank(client)
    by = told["banker"].pop("by")
    assert by
    assert told["banker"] == {"box": 3, "held": "player", "source": "http"}
    assert told["out_of_play"] == [{"box": 6, "source": "http", "by": by}]
    assert told["adjustment"] == {"value": -4, "source": "http", "by": by}


def test_a_person_says_that_nobody_accepted_another_cut(client: TestClient) -> None:
    """star-2024 8.4.5, ruling 43: the notice is a departure then."""
    assert client.put(PATH, json={"held": "house", "other_cut": False}).status_code == 200
    told = bank(client)["other_cut"]
    assert told.pop("by")
    assert told == {"accepted": False}


def test_the_chung_at_another_box_makes_the_banker_unknown(app: FastAPI, client: TestClient) -> None:
    see(app, MarkersSeen(banker=BOX_PLACES[4]))
    assert bank(client)["banker"] == {"box": 5, "held": None, "source": "camera", "by": None}
    client.put(PATH, json={"held": "player", "box": 3})
    see(app, MarkersSeen(banker=BOX_PLACES[4]))
    assert bank(client)["banker"] is None
    assert "box 5" in bank(client)["reasons"][0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"box": 9},
        {"box": 0},
        {"held": "dealer"},
        {"adjustment": 5},
        {"adjustment": False},
        {"box": "3"},
        {"out_of_play": [0]},
        {"bank": 3},
        [],
    ],
)
def test_what_cannot_be_is_refused(client: TestClient, wrong: object) -> None:
    refused = client.put(PATH, json=wrong)
    assert refused.status_code == 422
    assert problem_of(refused)["code"]
    assert bank(client) == UNKNOWN


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"held": "house", "box": 3}, "if the House holds the bank, no box does"),
        ({"other_cut": False}, "is said of a House bank"),
        ({"held": "player", "box": 3, "out_of_play": [3, 4]}, "box 3 cannot hold the bank and be out of play"),
        ({"out_of_play": [8, 7, 6, 5, 4, 3, 2, 1]}, "At least one box of the table must be in play"),
    ],
)
def test_a_contradiction_is_refused_with_the_reason(client: TestClient, wrong: object, why: str) -> None:
    refused = client.put(PATH, json=wrong)
    assert refused.status_code == 422
    assert why in str(problem_of(refused)["detail"])
    assert bank(client) == UNKNOWN


def test_an_auditor_may_see_the_bank_but_not_name_it(app: FastAPI) -> None:
    with person(app, UserRole.AUDITOR) as client:
        assert client.get(PATH).status_code == 200
        assert client.put(PATH, json={"box": 3}).status_code == 403


def test_the_page_says_who_banks_and_what_is_out_of_play(app: FastAPI) -> None:
    at_once = patch("service.table.live_state._DISPLAYED_APART_S", 0.0)
    with at_once, person(app, UserRole.SUPERVISOR) as client:
        see(app, MarkersSeen(banker=BOX_PLACES[2], out_of_play=(BOX_PLACES[5],), adjusted=-4))
        shown = client.get("/tables/test/board").text
        assert all(text in shown for text in ("box 3", "Out of play", "box 6", "\N{MINUS SIGN}4", "seen"))
        see(app, MarkersSeen())
        assert "not known" in client.get("/tables/test/board").text
        client.get("/language/zh-Hant")
        see(app, MarkersSeen(banker=BOX_PLACES[2], out_of_play=(BOX_PLACES[5],)))
        shown = client.get("/tables/test/board").text
        assert all(text in shown for text in ("第 3 門", "停用", "攝影機所見"))


def test_a_round_in_the_record_shows_its_own_bank(app: FastAPI, client: TestClient) -> None:
    play(app)
    assert client.get("/v1/rounds/r1").json()["bank"] is None


def test_it_lasts_over_a_restart_until_a_round_is_closed() -> None:
    settings = config()
    with signed_in(app_of(settings, reader=FakeReader(), watch=False)) as client:
        assert client.put(PATH, json={"held": "player", "box": 3}).status_code == 200
    app = app_of(settings, reader=FakeReader(), watch=False)
    with signed_in(app) as client:
        assert bank(client)["banker"]["box"] == 3
        report = play(app)
        app.state.parts.only.ledger.revise(
            report.model_copy(update={"revision": 2, "state": "closed", "closed_at": report.changed_at})
        )
        following = play(app, round_id="r2")
        for revision in range(2, 60):  # the closed round is no longer among the newest entries
            app.state.parts.only.ledger.revise(following.model_copy(update={"revision": revision}))
    with signed_in(app_of(settings, reader=FakeReader(), watch=False)) as client:
        assert bank(client) == UNKNOWN


def test_it_is_refused_while_nothing_can_be_recorded(client: TestClient) -> None:
    with patch.object(Record, "append", side_effect=RecordUnavailableError(Finding.of(RecordCode.DISK_FULL))):
        assert client.put(PATH, json={"held": "house"}).status_code == 503
    assert bank(client) == UNKNOWN
