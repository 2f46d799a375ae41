"""Settlement over HTTP: a round described whole, and one of the table's own."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from engine.books.house_ways import get
from engine.game.box_order import BoxOrder
from service.rounds.judge.settlement_io import RoundIn, SettlementOut
from service.rounds.readings import die_of
from service.rounds.reports import BankerReport, BankReport
from service.system.settings import Config
from tests.conftest import ROOT
from tests.service.api.test_http import play, problem_of
from tests.service.stand_ins import (
    DAY,
    HOUSE_RIGHT,
    RIGHT,
    FakeReader,
    app_of,
    die,
    hand,
    reading,
    signed_in,
    with_table,
)
from vision.reading import Status

EXAMPLES = sorted((ROOT / "docs" / "examples" / "settle").glob("*.toml"))
BY_HOUSE: dict[str, Any] = {"bank": {"method": "house"}}
AT_4 = BankReport(banker=BankerReport(box=4, held="player", source="http", by="Eve"))
ANN = {"box": 2, "player": "Ann", "stake": 10_000}


class TestDescribed:
    @pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
    def test_an_example_is_settled_as_by_the_command(self, client: TestClient, path: Path) -> None:
        described = tomllib.loads(path.read_text())
        answer = client.post("/v1/settlement", json=described)
        assert answer.status_code == 200
        expected = SettlementOut.of(RoundIn.model_validate(described).played(get, DAY))
        assert answer.json() == json.loads(expected.model_dump_json())

    @pytest.mark.parametrize(
        ("change", "code", "says"),
        [
            pytest.param({"wagers": [{**ANN, "stake": -5}]}, "not_allowed", "(crown-6.1 8.1)", id="negative"),
            pytest.param({"wagers": [{**ANN, "stake": 2.5}]}, "not_allowed", "not a whole number", id="fraction"),
            pytest.param({"wagers": [{**ANN, "stake": True}]}, "not_allowed", "not a whole number", id="truth"),
            pytest.param({"wagers": [{**ANN, "box": 12}]}, "not_allowed", "2.2.1", id="unknown-box"),
            pytest.param({"wagers": [{**ANN, "box": 3}]}, "not_a_deal", "box 3 has a wager but no hand", id="no-hand"),
            pytest.param({"hands": {"2": "6-6 6-6 6-6 2-1"}}, "not_a_deal", "named 3 times", id="no-deal"),
            pytest.param({"rulebook": "macau"}, "unknown_rulebook", "crown-6.1", id="unknown-book"),
            pytest.param({"house_way": "/tmp/way.py"}, "unknown_rulebook", "no House Way", id="a-file"),  # noqa: S108
            pytest.param({"bank": [{"method": "house"}] * 2}, "not_valid", "a round has only one bank", id="two-banks"),
            pytest.param({"tip": 5}, "not_valid", "tip", id="unknown-key"),
            pytest.param(
                {"rulebook": "star-2024", "bank": {"method": "co-bank", "players": ["Zed"], "box": 4, "wager": 99_999}},
                "not_allowed",
                "ruling 24",
                id="co-bank-at-the-star",
            ),
        ],
    )
    def test_what_is_wrong_is_a_problem(self, client: TestClient, change: dict[str, Any], code: str, says: str) -> None:
        described = {
            "rulebook": "crown-6.1",
            "bank": {"method": "house", "hand": "6-5 6-4 5-2 4-1"},
            "hands": {"2": "6-6 6-3 5-4 2-1"},
            "wagers": [ANN],
        }
        assert client.post("/v1/settlement", json=described).status_code == 200
        said = problem_of(client.post("/v1/settlement", json={**described, **change}))
        assert (said["status"], said["code"]) == (422, code)
        assert says in str(said["detail"])

    @pytest.mark.parametrize(("from_right", "order"), [(None, [2, 4, 7]), (True, [2, 4, 7]), (False, [7, 4, 2])])
    def test_boxes_are_paid_counter_clockwise(
        self, client: TestClient, order: list[int], *, from_right: bool | None
    ) -> None:
        hands = {"2": "6-6 6-3 5-4 2-1", "4": "1-1 6-2 5-3 4-2", "7": "4-4 3-1 3-2 4-1"}
        described = {
            "rulebook": "crown-6.1",
            "bank": {"method": "house", "hand": "6-5 6-4 5-2 4-3"},
            "hands": hands,
            "wagers": [{**ANN, "box": int(box)} for box in hands],
            "table": {"box1_at_dealers_right": from_right},
        }
        answer = client.post("/v1/settlement", json=described)
        assert answer.status_code == 200, answer.text
        assert answer.json()["order"] == order


class TestRound:
    PATH = "/v1/rounds/r1/settlement"

    def test_the_hands_read_are_settled(self, app: FastAPI, client: TestClient) -> None:
        """House 7 and Teen High Nine; box 2 laid Day High Nine as its low hand: 8 is taken, High Nine is not."""
        report = play(app)
        said = client.post(self.PATH, json={**BY_HOUSE, "wagers": [ANN]}).json()
        assert (said["round"], said["revision"], said["rulebook"]) == ("r1", report.revision, "crown-6.1")
        (wager,) = said["wagers"]
        assert (wager["call"], wager["returned"]) == ("Jowl", 10_000)
        assert "ruling 18" in wager["reasons"][-1]

    def test_the_order_is_that_of_the_tables_layout(self, app: FastAPI, client: TestClient) -> None:
        """Ruling 38: numbered from the dealer's left the House's chung lies on box 8 (crown-6.1 10.3.1(a))."""
        play(app, order=BoxOrder(8, box1_at_dealers_right=False))
        assert client.post(self.PATH, json={**BY_HOUSE, "wagers": [ANN]}).status_code == 200
        refused = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": [{**ANN, "box": 8}]}))
        assert refused["status"] in {409, 422}
        from_right = {"box1_at_dealers_right": True}
        said = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": [ANN], "table": from_right}))
        assert (said["status"], said["code"]) == (409, "box_numbering_differs")

    def test_a_player_may_bank_with_the_tiles_before_the_float(self, app: FastAPI, client: TestClient) -> None:
        """C 10.3.2(j): the player-banker's hands are brought to where the House's lie."""
        play(app)
        bank = {"method": "player", "players": ["Zed"], "box": 4, "wager": 10_000}
        said = client.post(self.PATH, json={"bank": bank, "wagers": [ANN]}).json()
        assert (said["bank"]["players"], said["bank"]["returned"]) == (["Zed"], 10_000)

    def test_wagers_alone_are_enough_where_the_house_banks(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        said = client.post(self.PATH, json={"wagers": [ANN]}).json()
        assert said["bank"]["method"] == "house"
        assert said["round_log"]["gap"]["kind"] == "dice-shown"  # nobody saw any
        named = client.post(self.PATH, json={**BY_HOUSE, "wagers": [ANN]}).json()
        assert {**named, "round_log": None} == {**said, "round_log": None}

    @pytest.mark.parametrize(
        ("known", "sent", "code"),
        [
            pytest.param(BankReport(), {}, "bank_not_known", id="nothing known, nothing sent"),
            pytest.param(AT_4, {"method": "house"}, "bank_differs", id="another method"),
            pytest.param(AT_4, {"box": 5}, "bank_differs", id="at another box"),
            pytest.param(AT_4, {"players": ["Zed"], "wager": 10_000}, None, id="same as known"),
            pytest.param(BankReport(), {"method": "house"}, None, id="nothing known, sent"),
        ],
    )
    def test_the_bank_is_the_rounds(
        self, app: FastAPI, client: TestClient, known: BankReport, sent: dict[str, Any], code: str | None
    ) -> None:
        report = play(app)
        app.state.parts.only.ledger.revise(report.model_copy(update={"bank": known, "revision": report.revision + 1}))
        answer = client.post(self.PATH, json={"bank": sent, "wagers": [ANN]})
        if code is not None:
            assert problem_of(answer)["code"] == code
            return
        assert answer.status_code == 200, answer.text
        assert answer.json()["bank"]["method"] == ("player" if known is AT_4 else "house")

    def test_the_tables_variant_holds_where_the_request_names_none(self, settings: Config) -> None:
        """crown-6.1 14.2.1(c): which dice decide Big and Small is not seen there; a person says what they show."""
        app = app_of(with_table(settings, variant="crown-pai-gow"), reader=FakeReader(), watch=False)
        small = {"box": 2, "player": "Ann", "stake": 500, "bet": "small"}
        sent = {**BY_HOUSE, "table": {"big_small": {}}, "wagers": [ANN, small]}
        with signed_in(app, raise_server_exceptions=False) as client:
            alike = tuple(replace(each, role=None) for each in HOUSE_RIGHT.dice[:3])
            assert play(app, replace(HOUSE_RIGHT, dice=alike)).versions["variant"] == "crown-pai-gow"
            assert "no dice are given" in str(problem_of(client.post(self.PATH, json=sent))["detail"])
            answer = client.post(self.PATH, json={**sent, "dice": {"box": [1], "cut": 2, "big_small": 3}})
        assert answer.status_code == 200, answer.text
        assert answer.json()["wagers"][0]["paid"] == 500

    def test_side_wagers_on_the_hands_read(self, app: FastAPI, client: TestClient) -> None:
        """C 13.6.1: the banker's own Bonus hangs on the bank's tiles, so that nothing need be read on his box."""
        play(app)
        sent = {
            "rulebook": "crown-6.1",
            "bank": {"method": "player", "players": ["Zed"], "box": 4, "wager": 10_000},
            "table": {"bonus": {"option": "bonus-a"}, "big_small": {}},
            "wagers": [
                ANN,
                {"box": 2, "player": "Ann", "stake": 500, "bet": "small"},
                {"box": 2, "player": "Ann", "stake": 500, "bet": "bonus"},
                {"box": 4, "player": "Zed", "stake": 500, "bet": "bonus"},
            ],
        }
        answer = client.post(self.PATH, json=sent)
        assert answer.status_code == 200
        said = [(one["box"], one["bet"]) for one in answer.json()["wagers"]]
        assert said == [(2, "small"), (4, "bonus"), (2, "bonus"), (2, "pai-gow")]
        assert answer.json()["wagers"][0]["paid"] == 500
        assert answer.json()["order"] == [4, 2]
        unread = {**sent, "wagers": [{"box": 3, "player": "Ann", "stake": 500, "bet": "bonus"}]}
        assert problem_of(client.post(self.PATH, json=unread))["code"] == "hand_not_read"

    @pytest.mark.parametrize(
        ("sent", "paid"),
        [
            pytest.param(None, 500, id="those of the round"),
            pytest.param({"box": [4, 6, 5], "cut": 1}, 500, id="the same"),
            pytest.param({"box": [6, 6, 6], "cut": 1}, None, id="others"),
            pytest.param({"box": [4, 6, 5], "cut": 2}, None, id="another cut die"),
        ],
    )
    def test_the_dice_are_the_rounds(
        self, app: FastAPI, client: TestClient, sent: dict[str, Any] | None, paid: int | None
    ) -> None:
        report = play(app)
        values = (6, 5, 4, 1)
        thrown = tuple(die_of(die(value, "cut" if value == 1 else "box")) for value in values)
        app.state.parts.only.ledger.revise(report.model_copy(update={"dice": thrown, "revision": report.revision + 1}))
        wagers = [ANN, {"box": 2, "player": "Ann", "stake": 500, "bet": "big"}]
        body: dict[str, Any] = {"rulebook": "crown-6.1", "table": {"big_small": {}}, "wagers": wagers, "dice": sent}
        answer = client.post(self.PATH, json=body)
        if paid is None:
            assert problem_of(answer)["code"] == "dice_differ"
        else:
            assert answer.json()["wagers"][0]["paid"] == paid

    def test_asking_again_answers_the_same(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        sent = {**BY_HOUSE, "wagers": [ANN], "rulebook": "nz-1998"}
        once, again = (client.post(self.PATH, json=sent) for _ in range(2))
        assert once.content == again.content
        assert once.json()["rulebook"] == "nz-1998"

    @pytest.mark.parametrize(
        ("house", "box", "code", "place"),
        [
            pytest.param("verified", "uncertain", "hand_not_verified", "box2", id="box-in-doubt"),
            pytest.param("uncertain", "verified", "hand_not_verified", "house", id="house-in-doubt"),
            pytest.param("verified", None, "hand_not_read", "box2", id="box-not-read"),
            pytest.param(None, "verified", "hand_not_read", "house", id="house-not-read"),
        ],
    )
    def test_a_hand_in_doubt_is_a_conflict(
        self, app: FastAPI, client: TestClient, house: Status | None, box: Status | None, code: str, place: str
    ) -> None:
        hands = [
            hand(where, *lay, status, ("a tile is glared",) if status == "uncertain" else ())
            for where, lay, status in (("house", RIGHT, house), ("box2", ("1-1 4-3", "4-4 5-5"), box))
            if status is not None
        ]
        play(app, reading(*hands))
        said = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": [ANN]}))
        assert (said["status"], said["code"]) == (409, code)
        assert f" {place}" in str(said["detail"])
        assert ("a tile is glared" in str(said["detail"])) == (code == "hand_not_verified")

    def test_hands_that_nobody_waits_for_may_be_in_doubt(self, app: FastAPI, client: TestClient) -> None:
        doubtful = hand("box3", "6-5 6-4", "5-2 4-1", "uncertain")
        play(app, reading(*HOUSE_RIGHT.hands, doubtful))
        assert client.post(self.PATH, json={**BY_HOUSE, "wagers": [ANN]}).status_code == 200
        given_up = {**ANN, "box": 3, "conceded": True}
        said = client.post(self.PATH, json={**BY_HOUSE, "wagers": [ANN, given_up]}).json()
        assert said["wagers"][1]["call"] == "Che"

    def test_an_unknown_round(self, client: TestClient) -> None:
        said = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": []}))
        assert (said["status"], said["code"]) == (404, "unknown_round")

    def test_a_refusal_names_the_rule(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        said = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": [{**ANN, "box": 3}]}))
        assert (said["status"], said["code"]) == (409, "hand_not_read")
        for wrong, rule in (({"box": 12}, "crown-6.1 2.2.1"), ({"box": 3, "stake": -5}, "crown-6.1 8.1")):
            said = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": [{**ANN, **wrong}]}))
            assert (said["status"], said["code"], rule in str(said["detail"])) == (422, "not_allowed", True)
        said = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": [{**ANN, "player": ""}]}))
        assert (said["status"], said["code"]) == (422, "not_allowed")
        assert "crown-6.1 1.1" in str(said["detail"])

    def test_a_box_that_the_table_lacks_is_refused_for_good(self, app: FastAPI, client: TestClient) -> None:
        play(app, order=BoxOrder(6))
        for box, code in ((6, "hand_not_read"), (7, "not_allowed")):
            said = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": [{**ANN, "box": box}]}))
            assert said["code"] == code
        assert said["detail"] == "This table has no box 7: its boxes are 1 to 6."

    def test_an_unknown_book(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        said = problem_of(client.post(self.PATH, json={**BY_HOUSE, "wagers": [ANN], "rulebook": "macau"}))
        assert said["code"] == "unknown_rulebook"
