"""The record over HTTP: results by cursor, revisions, evidence, decisions of persons, keys that make a request safe."""

import json
import threading
from typing import Any, ClassVar

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from engine.game.box_order import FROM_RIGHT
from service.access.roles import UserRole
from service.record.integrity.verify import verify_database
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.record.store.stored_logs import cursor_of
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.served import RoundOut, RoundSummaryOut
from service.system.settings import Config
from service.words.findings import english
from tests.service.api.test_http import play, problem_of
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    WRONG,
    FakeReader,
    app_of,
    config,
    die,
    hand,
    key_for,
    opened,
    person,
    reading,
    report_round,
    signed_in,
)

DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare on the 5-3",)), hand("box2", "1-1 4-3", "4-4 5-5"))
BY: dict[str, Any] = {"by": "A. Supervisor", "reason": "Looked at the table", "revision": 1}


def poll(client: TestClient, since: str | None = None, **query: str | float) -> dict[str, Any]:
    asked = {name: value for name, value in {"since": since, **query}.items() if value is not None}
    answer = client.get("/v1/results", params=asked)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


def seen(said: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["round"]["id"], each["round"]["revision"]) for each in said["results"]]


class TestResults:
    def test_nothing_yet(self, client: TestClient) -> None:
        said = poll(client)
        assert (said["results"], said["more"]) == ([], False)
        assert poll(client, said["next"]) == said

    def test_pages_skip_and_repeat_nothing(self, app: FastAPI, client: TestClient) -> None:
        for number in range(7):
            play(app, round_id=f"r{number}")
        play(app, HOUSE_WRONG, "r3")
        got, since, pages = [], None, 0
        while True:
            said = poll(client, since, limit=3)
            got += seen(said)
            since, pages = said["next"], pages + 1
            if not said["more"]:
                break
        # Each round but the last was still open when the next one started, so it was closed first.
        assert len(got) == len(set(got)) == 7 + 6 + 1
        assert {("r3", 3), ("r6", 1)} <= set(got)
        assert pages == 5
        assert [each["seq"] for each in poll(client)["results"]] == sorted(
            each["seq"] for each in poll(client)["results"]
        )

    def test_every_result_has_a_cursor_of_its_own(self, app: FastAPI, client: TestClient) -> None:
        for number in range(3):
            play(app, round_id=f"r{number}")
        whole = poll(client)["results"]
        for place, each in enumerate(whole):
            assert poll(client, each["cursor"])["results"] == whole[place + 1 :]

    def test_a_cursor_outlives_the_service(self, settings: Config, app: FastAPI) -> None:
        with signed_in(app) as client:
            play(app)
            since = poll(client)["next"]
            play(app, HOUSE_WRONG)
        again = app_of(settings, reader=FakeReader(), watch=False)
        with signed_in(again) as client:
            assert seen(poll(client, since)) == [("r1", 2)]
            assert client.get("/v1/tables/test/rounds/current").json()["revision"] == 2
            assert play(again, round_id="r2").number == 2

    def test_waiting_ends_with_the_result(self) -> None:
        # A busy machine may take long to record the round, so the wait may be long as well.
        app = app_of(config(max_wait_s=60.0), reader=FakeReader(), watch=False)
        with signed_in(app) as client:
            since = poll(client)["next"]
            assert poll(client, since, wait=0.05)["results"] == []
            threading.Timer(0.1, play, (app,)).start()
            assert seen(poll(client, since, wait=300)) == [("r1", 1)]

    @pytest.mark.parametrize("cursor", ["", "x", "MS4x", "é", cursor_of(1, "g" * 64), "A" * 100])
    def test_an_invalid_cursor(self, client: TestClient, cursor: str) -> None:
        said = problem_of(client.get("/v1/results", params={"since": cursor}))
        assert (said["status"], said["code"]) == (422, "not_a_cursor")

    @pytest.mark.parametrize("cursor", [cursor_of(2, "0" * 64), cursor_of(10**17, "ab" * 32)])
    def test_a_cursor_of_another_record(self, app: FastAPI, client: TestClient, cursor: str) -> None:
        play(app)
        said = problem_of(client.get("/v1/results", params={"since": cursor}))
        assert (said["status"], said["code"]) == (409, "foreign_cursor")

    @pytest.mark.parametrize("query", [{"sinse": "x"}, {"limit": 0}, {"limit": 201}, {"wait": -1}, {"wait": "nan"}])
    def test_an_invalid_query(self, client: TestClient, query: dict[str, str | float]) -> None:
        assert problem_of(client.get("/v1/results", params=query))["status"] == 422

    def test_only_closed_rounds(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        open_yet = poll(client, state="closed")
        assert (open_yet["results"], open_yet["more"]) == ([], False)
        play(app, round_id="r2")  # closes r1
        assert seen(poll(client, open_yet["next"], state="closed")) == [("r1", 2)]
        pages: list[tuple[str, int]] = []
        since = None
        while (page := poll(client, since, state="closed", limit=1))["more"]:
            pages, since = pages + seen(page), page["next"]
        assert pages + seen(page) == [("r1", 2)]

    def test_waiting_for_a_closed_round_is_not_ended_by_an_open_one(self) -> None:
        app = app_of(config(max_wait_s=60.0), reader=FakeReader(), watch=False)
        with signed_in(app) as client:
            threading.Timer(0.1, play, (app,)).start()
            threading.Timer(0.4, play, (app,), {"round_id": "r2"}).start()
            assert seen(poll(client, poll(client)["next"], state="closed", wait=300)) == [("r1", 2)]

    def test_rounds_in_short(self, app: FastAPI, client: TestClient) -> None:
        play(app, HOUSE_WRONG)
        (whole,), (short,) = (poll(client, view=view)["results"] for view in ("full", "summary"))
        played = short.pop("round")
        assert short == {name: value for name, value in whole.items() if name != "round"}
        RoundSummaryOut.model_validate(played)
        assert played["verdict"] == "wrong"
        assert {each["place"]: each["verdict"] for each in played["hands"]}["house"] == "wrong"
        same = set(RoundSummaryOut.model_fields) & set(whole["round"]) - {"hands", "findings"}
        assert {name: played[name] for name in same} == {name: whole["round"][name] for name in same}
        assert len(json.dumps(played)) < 1_200

    def test_tables(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        assert len(poll(client, table="test")["results"]) == 1
        assert problem_of(client.get("/v1/results", params={"table": "other"}))["code"] == "unknown_table"


class TestRounds:
    def test_every_revision_is_known(self, app: FastAPI, client: TestClient) -> None:
        first, second = play(app), play(app, HOUSE_WRONG)
        revisions = client.get("/v1/rounds/r1/revisions").json()["revisions"]
        assert [RoundOut.model_validate(each["round"]) for each in revisions] == [
            RoundOut.from_report(first),
            RoundOut.from_report(second),
        ]
        assert revisions[1]["supersedes"] == revisions[0]["seq"]
        old = client.get("/v1/rounds/r1", params={"revision": 1})
        assert RoundOut.model_validate(old.json()) == RoundOut.from_report(first)
        held = {"If-None-Match": old.headers["etag"]}
        assert client.get("/v1/rounds/r1", params={"revision": 1}, headers=held).status_code == 304
        assert client.get("/v1/rounds/r1", headers=held).json()["revision"] == 2
        assert problem_of(client.get("/v1/rounds/r1", params={"revision": 3}))["code"] == "unknown_round"
        assert problem_of(client.get("/v1/rounds/none/revisions"))["code"] == "unknown_round"


class TestEvidence:
    def test_a_picture_by_its_hash(self, app: FastAPI, client: TestClient) -> None:
        picture = Picture(b"\xff\xd8 what was seen")
        play_with(app, picture)
        (named,) = client.get("/v1/rounds/r1").json()["evidence"]
        assert (named["sha256"], named["role"], named["bytes"]) == (picture.sha256, "frame", len(picture.data))
        path = f"/v1/evidence/{picture.sha256}"
        answer = client.get(path)
        assert (answer.content, answer.headers["content-type"]) == (picture.data, "image/jpeg")
        held = {"If-None-Match": answer.headers["etag"]}
        assert client.get(path, headers=held).status_code == 304

    def test_a_picture_that_was_changed_is_not_served(self, app: FastAPI, client: TestClient) -> None:
        picture = Picture(b"\xff\xd8 what was seen")
        play_with(app, picture)
        app.state.parts.record.evidence.path(picture.sha256).write_bytes(b"\xff\xd8 something else")
        assert problem_of(client.get(f"/v1/evidence/{picture.sha256}"))["code"] == "unknown_picture"

    @pytest.mark.parametrize(("name", "status"), [("0" * 64, 404), ("..%2Frecord.key", 404), ("A" * 64, 422)])
    def test_nothing_else(self, client: TestClient, name: str, status: int) -> None:
        assert problem_of(client.get(f"/v1/evidence/{name}"))["status"] == status


def play_with(app: FastAPI, picture: Picture) -> None:
    parts = app.state.parts
    way = TableRules.of("crown-6.1")
    report = report_round(opened(HOUSE_RIGHT), table="test", rules=way, versions={}, box_order=FROM_RIGHT)
    parts.only.live.publish_rounds(*parts.only.ledger.revise(report, [Evidence("house", "frame", picture)]))


class TestReview:
    PATH = "/v1/rounds/r1/review"

    def test_confirming_is_a_new_revision_and_the_persons(self, app: FastAPI, client: TestClient) -> None:
        play(app, DOUBTFUL)
        said = client.post(self.PATH, json={"action": "confirm", **BY}).json()
        house, box = said["hands"]
        assert (said["revision"], said["status"], house["status"], box["status"]) == (
            2,
            "confirmed",
            "confirmed",
            "verified",
        )
        assert house["house_way"]["verdict"] == "correct"
        assert house["review"]["by"].startswith("A. Supervisor (key test")
        assert house["review"]["reason"] == "Looked at the table"
        assert any("glare on the 5-3" in reason for reason in house["review"]["read"]["reasons"])
        assert box["review"] is None
        assert client.get("/v1/rounds/r1").json() == said
        assert client.get("/v1/tables/test/rounds/current").json() == said
        last = poll(client)["results"][-1]
        assert (last["kind"], last["round"]) == ("review", said)
        assert last["supersedes"] == poll(client)["results"][0]["seq"]
        assert client.get("/v1/rounds/r1", params={"revision": 1}).json()["status"] == "needs_review"

    def test_correcting_is_judged_as_corrected(self, app: FastAPI, client: TestClient) -> None:
        play(app, DOUBTFUL)
        low, high = (pair.split() for pair in WRONG)
        hands = [{"place": "house", "low": low, "high": high}]
        said = client.post(self.PATH, json={"action": "correct", **BY, "hands": hands}).json()
        assert said["hands"][0]["house_way"]["verdict"] == "wrong"
        assert said["hands"][0]["review"]["read"]["low"] == RIGHT[0].split()

    def test_a_decision_holds_until_tiles_are_laid_again(self, app: FastAPI, client: TestClient) -> None:
        play(app, DOUBTFUL)
        client.post(self.PATH, json={"action": "confirm", **BY})
        again = play(app, DOUBTFUL)
        assert (again.revision, again.status, again.hands[0].status) == (3, "confirmed", "confirmed")
        anew = play(app, reading(hand("house", *WRONG, "uncertain", ("glare",))))
        assert (anew.status, anew.hands[0].review) == ("needs_review", None)

    OUTCOME: ClassVar[dict[str, Any]] = {"part": "house", "outcome": "corrected"}

    def test_an_outcome_is_a_new_revision_and_the_persons(self, app: FastAPI, client: TestClient) -> None:
        play(app, HOUSE_WRONG)
        said = client.post(
            self.PATH, json={"action": "outcome", "by": "A. Supervisor", "revision": 1, "outcome": self.OUTCOME}
        ).json()
        (outcome,) = said["outcomes"]
        assert (said["revision"], outcome["revision"], outcome["seen_in"]) == (2, 2, 1)
        assert (outcome["outcome"], outcome["source"], outcome["place"]) == ("corrected", "http", "house")
        assert outcome["by"].startswith("A. Supervisor (key test")
        assert client.get("/v1/rounds/r1").json() == said
        last = poll(client)["results"][-1]
        assert (last["kind"], last["round"]) == ("review", said)
        (alarm,) = client.get("/v1/alarms", params={"state": "all"}).json()["alarms"]
        assert alarm["answer"]["action"] == "outcome"

    @pytest.mark.parametrize(
        ("change", "status", "code"),
        [
            pytest.param({"outcome": {**OUTCOME, "part": "box2"}}, 422, "not_allowed", id="not-wrong"),
            pytest.param({"outcome": {**OUTCOME, "part": "die1"}}, 422, "not_valid", id="no-such-part"),
            pytest.param({"outcome": {**OUTCOME, "outcome": "forgotten"}}, 422, "not_valid", id="no-such-outcome"),
            pytest.param({"outcome": {**OUTCOME, "outcome": "called"}}, 422, "not_valid", id="nobody-called"),
            pytest.param({"outcome": {**OUTCOME, "title": "casino supervisor"}}, 422, "not_valid", id="title"),
            pytest.param(
                {"outcome": {**OUTCOME, "outcome": "accepted", "title": "casino supervisor"}},
                422,
                "not_allowed",
                id="nobody-may-accept",
            ),
            pytest.param({"outcome": None}, 422, "not_valid", id="no-outcome"),
            pytest.param({"action": "confirm", "reason": "Seen"}, 422, "not_valid", id="another-action"),
            pytest.param({"absent": ["house"]}, 422, "not_valid", id="a-decision-too"),
            pytest.param({"revision": 7}, 404, "unknown_round", id="no-such-revision"),
            pytest.param({"by": ""}, 422, "not_valid", id="nobody"),
        ],
    )
    def test_an_outcome_that_is_refused_changes_nothing(
        self, app: FastAPI, client: TestClient, change: dict[str, Any], status: int, code: str
    ) -> None:
        play(app, HOUSE_WRONG)
        said = {"action": "outcome", "by": "A. Supervisor", "revision": 1, "outcome": self.OUTCOME} | change
        problem = problem_of(client.post(self.PATH, json=said))
        assert (problem["status"], problem["code"]) == (status, code)
        assert app.state.parts.only.ledger.newest("r1").revision == 1

    def test_who_only_watches_reports_no_outcome(self, app: FastAPI) -> None:
        play(app, HOUSE_WRONG)
        said = {"action": "outcome", "by": "A. Watcher", "revision": 1, "outcome": self.OUTCOME}
        with signed_in(app, UserRole.VIEWER) as client:
            assert client.post(self.PATH, json=said).status_code == 403
        assert app.state.parts.only.ledger.newest("r1").revision == 1

    def test_an_outcome_is_recorded_once_though_another_decides_the_round(
        self, app: FastAPI, client: TestClient
    ) -> None:
        play(app, HOUSE_WRONG)
        said = {"action": "outcome", "by": "A. Supervisor", "revision": 1, "outcome": self.OUTCOME}
        with person(app, name="bea") as other:
            assert other.post("/v1/reviews/test/r1/claim").status_code == 200
            first, again = (client.post(self.PATH, json=said, headers={"Idempotency-Key": "k-7"}) for _ in range(2))
        assert (first.status_code, first.content) == (200, again.content)
        assert len(app.state.parts.only.ledger.newest("r1").outcomes) == 1

    def test_dice(self, app: FastAPI, client: TestClient) -> None:
        play(app, reading(hand("house", *RIGHT), dice=(die(None, status="uncertain"), die(5), die(1))))
        assert problem_of(client.post(self.PATH, json={"action": "confirm", **BY}))["code"] == "not_allowed"
        dice = [{"value": value} for value in (3, 5, 1)] + [{"role": "cut", "value": 2}]
        said = client.post(self.PATH, json={"action": "correct", **BY, "dice": dice}).json()
        assert [(one["role"], one["value"], one["status"]) for one in said["dice"]][3] == ("cut", 2, "confirmed")
        assert (said["status"], len(said["dice_review"]["read"])) == ("confirmed", 3)

    def test_a_confirmed_hand_can_be_settled(self, app: FastAPI, client: TestClient) -> None:
        play(app, DOUBTFUL)
        wagers = {"bank": {"method": "house"}, "wagers": [{"box": 2, "player": "Ann", "stake": 100}]}
        assert problem_of(client.post("/v1/rounds/r1/settlement", json=wagers))["code"] == "hand_not_verified"
        client.post(self.PATH, json={"action": "confirm", **BY})
        assert client.post("/v1/rounds/r1/settlement", json=wagers).json()["revision"] == 2

    @pytest.mark.parametrize(
        ("change", "status", "code"),
        [
            pytest.param({"revision": 2}, 409, "newer_revision", id="not-the-newest"),
            pytest.param({"by": " "}, 422, "not_valid", id="nobody"),
            pytest.param({"reason": ""}, 422, "not_valid", id="no-reason"),
            pytest.param({"action": "correct"}, 422, "not_valid", id="nothing-corrected"),
            pytest.param(
                {"action": "correct", "hands": [{"place": "house", "low": ["6-6", "6-6"], "high": ["6-6", "2-1"]}]},
                422,
                "not_allowed",
                id="three-teens",
            ),
            pytest.param(
                {"action": "correct", "hands": [{"place": "house", "low": ["4-4", "6-3"], "high": ["4-4", "2-1"]}]},
                422,
                "not_allowed",
                id="a-tile-of-another-hand",
            ),
            pytest.param(
                {"action": "correct", "hands": [{"place": "house", "low": ["9-9", "6-3"], "high": ["4-4", "2-1"]}]},
                422,
                "not_allowed",
                id="no-tile",
            ),
        ],
    )
    def test_what_is_refused_changes_nothing(
        self, app: FastAPI, client: TestClient, change: dict[str, Any], status: int, code: str
    ) -> None:
        play(app, DOUBTFUL)
        said = problem_of(client.post(self.PATH, json={"action": "confirm", **BY, **change}))
        assert (said["status"], said["code"]) == (status, code)
        assert client.get("/v1/rounds/r1").json()["revision"] == 1

    def test_nothing_to_confirm_and_no_such_round(self, app: FastAPI, client: TestClient) -> None:
        assert problem_of(client.post(self.PATH, json={"action": "confirm", **BY}))["code"] == "unknown_round"
        play(app)
        assert problem_of(client.post(self.PATH, json={"action": "confirm", **BY}))["code"] == "not_allowed"


class TestKeys:
    WAGERS: dict[str, Any] = {"bank": {"method": "house"}, "wagers": [{"box": 2, "player": "Ann", "stake": 100}]}  # noqa: RUF012
    KEY = {"Idempotency-Key": "k-1"}  # noqa: RUF012

    def test_a_settlement_is_recorded_once_and_answered_alike(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        path = "/v1/rounds/r1/settlement"
        first = client.post(path, json=self.WAGERS, headers=self.KEY)
        play(app, HOUSE_WRONG)
        again = client.post(path, json=self.WAGERS, headers=self.KEY)
        assert (first.status_code, first.content) == (200, again.content)
        (entry,) = app.state.parts.record.of_rounds(("r1",), ("settlement",))
        assert entry.data["answer"] == first.text
        assert entry.data["by"].startswith("key test")
        assert client.post(path, json=self.WAGERS, headers={"Idempotency-Key": "k-2"}).status_code == 409  # no box 2
        other = {**self.WAGERS, "wagers": []}
        assert problem_of(client.post(path, json=other, headers=self.KEY))["code"] == "key_reused"
        assert verify_database(app.state.parts.record, None).holds

    def test_a_decision_is_taken_once(self, app: FastAPI, client: TestClient) -> None:
        play(app, DOUBTFUL)
        decision = {"action": "confirm", **BY}
        first, again = (client.post("/v1/rounds/r1/review", json=decision, headers=self.KEY) for _ in range(2))
        assert first.content == again.content
        assert first.json()["revision"] == 2
        other = {**decision, "by": "B. Other"}
        said = problem_of(client.post("/v1/rounds/r1/review", json=other, headers=self.KEY))
        assert (said["status"], said["code"]) == (422, "key_reused")

    def test_a_round_that_another_person_has_taken_is_left_to_them(self, app: FastAPI, client: TestClient) -> None:
        play(app, DOUBTFUL)
        decision = {"action": "confirm", **BY, "revision": 1}
        with signed_in(app) as other:
            assert other.post("/v1/reviews/test/r1/claim").status_code == 200
            said = problem_of(client.post("/v1/rounds/r1/review", json=decision, headers=self.KEY))
            assert (said["status"], said["code"]) == (409, "taken")
            assert other.post("/v1/rounds/r1/review", json=decision, headers=self.KEY).status_code == 200

    def test_answers_outlive_the_service(self, settings: Config, app: FastAPI) -> None:
        key = key_for(app)
        with signed_in(app, headers=key) as client:
            play(app)
            first = client.post("/v1/rounds/r1/settlement", json=self.WAGERS, headers=self.KEY)
        again = app_of(settings, reader=FakeReader(), watch=False)
        with signed_in(again, headers=key) as client:
            assert client.post("/v1/rounds/r1/settlement", json=self.WAGERS, headers=self.KEY).content == first.content

    def test_each_sender_has_keys_of_its_own(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        path, other = "/v1/rounds/r1/settlement", {**self.WAGERS, "wagers": []}
        assert client.post(path, json=self.WAGERS, headers=self.KEY).status_code == 200
        with signed_in(app, UserRole.INTEGRATOR) as another:
            assert another.post(path, json=other, headers=self.KEY).status_code == 200
        assert len({entry.data["by"] for entry in app.state.parts.record.of_rounds(("r1",), ("settlement",))}) == 2

    @pytest.mark.parametrize("key", ["", "x" * 101, "two words"])
    def test_an_invalid_key(self, client: TestClient, key: str) -> None:
        said = problem_of(client.post("/v1/rounds/r1/settlement", json=self.WAGERS, headers={"Idempotency-Key": key}))
        assert said["status"] == 422


def test_without_a_record_nothing_is_promised(settings: Config) -> None:
    folder = settings.record_folder
    folder.mkdir(exist_ok=True)
    (folder / "record.db").write_bytes(b"no database at all, but a letter" * 300)
    app = app_of(settings, reader=FakeReader(), watch=False)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        for answer in (client.get("/v1/results"), client.get("/v1/rounds/r1"), client.get(f"/v1/evidence/{'0' * 64}")):
            said = problem_of(answer)
            assert (said["status"], said["code"]) == (503, "record_unavailable")
            assert "damaged" in str(said["detail"])


class TestAbsent:
    PATH = "/v1/rounds/r1/review"

    def test_a_hand_that_does_not_lie(self, app: FastAPI, client: TestClient) -> None:
        play(app, DOUBTFUL)
        reasons = list(english(app.state.parts.only.ledger.newest("r1").hands[0].doubts))
        said = client.post(self.PATH, json={**BY, "action": "correct", "absent": ["house"]}).json()
        assert [each["place"] for each in said["hands"]] == ["box2"]
        assert (said["status"], said["absent"][0]["review"]["read"]["reasons"]) == ("confirmed", reasons)
        again = {**BY, "action": "correct", "revision": 2, "hands": [_laid("house")]}
        said = client.post(self.PATH, json=again).json()
        assert ([each["place"] for each in said["hands"]], said["absent"]) == (["house", "box2"], [])
        assert said["hands"][0]["review"]["read"]["reasons"] == reasons

    @pytest.mark.parametrize(
        "asked",
        [
            {"action": "confirm", "absent": ["house"]},
            {"action": "correct", "absent": ["box7"]},
            {"action": "correct", "absent": ["house", "house"]},
            {"action": "correct", "absent": ["nowhere"]},
            {"action": "correct", "absent": []},
        ],
    )
    def test_what_is_refused(self, app: FastAPI, client: TestClient, asked: dict[str, Any]) -> None:
        play(app, DOUBTFUL)
        assert client.post(self.PATH, json={**BY, **asked}).status_code == 422
        assert client.get("/v1/rounds/r1").json()["revision"] == 1


def _laid(place: str) -> dict[str, Any]:
    return {"place": place, "low": RIGHT[0].split(), "high": RIGHT[1].split()}
