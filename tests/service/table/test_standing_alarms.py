"""Alarms: what raises, ends and answers them, that none is lost, and that acknowledgements are kept."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.access.roles import UserRole
from service.api.routes.alarms import AlarmOut
from service.record.health import Check
from service.record.projections.alarms import Alarm, AlarmList
from service.record.results import report_of
from service.record.store.entries import Draft, RecordUnavailableError
from service.rounds.review import ReviewIn
from service.system.settings import Config
from service.table.standing_alarms import OPEN_OF_EACH_KIND, Alarms
from service.words.codes import ServiceCode
from tests.service.api.test_http import play
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    FakeReader,
    app_of,
    die,
    hand,
    person,
    reading,
    signed_in,
)

DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare on the 5-3",)), dice=(die(3, status="uncertain"),))


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with person(app) as client:
        yield client


def alarms_of(app: FastAPI) -> Alarms:
    alarms: Alarms = app.state.parts.only.alarms
    return alarms


def open_of(app: FastAPI) -> tuple[Alarm, ...]:
    return alarms_of(app).standing().open


def listed(app: FastAPI) -> tuple[Alarm, ...]:
    alarms_of(app).standing()  # brings the list up to date
    return AlarmList(app.state.parts.record.database).page().alarms


def told(app: FastAPI) -> list[tuple[str, str, str]]:
    """Kind, subject and state of every alarm that nobody answered."""
    return [(each.kind, each.subject, "over" if each.over_at else "lasts") for each in open_of(app)]


def _found(message: str) -> list[dict[str, Any]]:
    return [{"code": "not_reached", "params": {"why": message}}]


def checked(app: FastAPI, *bad: str) -> None:
    """Have it recorded which checks fail now."""
    checks = [{"name": name, "findings": _found(f"{name} is gone")} for name in bad]
    app.state.parts.record.append(Draft("alarm", {"ok": not bad, "checks": checks}, table="test"))
    app.state.parts.only.live.recorded.notify()


def acknowledge(app: FastAPI, by: str = "A. Supervisor") -> None:
    alarms_of(app).acknowledge([each.id for each in open_of(app) if each.id is not None], by)


def decide(app: FastAPI, round_id: str, revision: int) -> None:
    parts = app.state.parts
    said = ReviewIn.model_validate({"action": "confirm", "by": "B. Pit", "reason": "looked", "revision": revision})
    parts.only.live.publish_decision(parts.only.ledger.review(round_id, said, None, "B. Pit"))


def test_what_raises_an_alarm_the_worst_first(app: FastAPI) -> None:
    assert told(app) == []
    assert alarms_of(app).standing().name == ""
    play(app, HOUSE_RIGHT, "r1")
    assert told(app) == []
    play(app, DOUBTFUL, "r2")
    play(app, HOUSE_WRONG, "r3")
    checked(app, "source")
    assert told(app) == [
        ("house_hand_wrong", "house", "lasts"),
        ("health", "source", "lasts"),
        ("needs_review", "house", "lasts"),
    ]
    wrong, health, review = open_of(app)
    assert (wrong.round is not None, wrong.places, AlarmOut.of(wrong).message.partition(" (")[0]) == (
        True,
        ("house",),
        "Round 3: House hand set wrongly",
    )
    assert AlarmOut.of(health).message == "source: source is gone"
    assert (review.places, AlarmOut.of(review).message) == (("house", "dice"), "Round 2 needs review: House, Dice")


def test_it_is_raised_when_the_first_revision_that_has_it_was_seen(app: FastAPI) -> None:
    """The entry of that revision is written later: minutes later if the record could not be written."""
    play(app, HOUSE_RIGHT, "r1")
    play(app, HOUSE_WRONG, "r1")
    _, second = app.state.parts.record.after(1, kinds=("round",))
    play(app, reading(*HOUSE_WRONG.hands, hand("box2", "1-1 4-3", "4-4 5-5")), "r1")
    (alarm,) = open_of(app)
    assert alarm.raised_at == report_of(second).changed_at
    assert (alarm.id, alarm.round and alarm.round.revision) == (f"{second.seq}001.1", 3)


def test_none_is_lost_before_somebody_answers(app: FastAPI, settings: Config) -> None:
    play(app, HOUSE_WRONG, "first")
    play(app, HOUSE_RIGHT, "first")
    for number in range(settings.table.rounds.keep + 2):
        play(app, HOUSE_RIGHT, f"r{number}")
    assert told(app) == [("house_hand_wrong", "house", "over")]
    app.state.parts.record.close()
    again = app_of(settings, reader=FakeReader(), watch=False)
    assert open_of(again) == open_of(app)
    acknowledge(again)
    assert told(again) == []
    assert alarms_of(again).standing().name == ""


def test_a_hand_laid_wrong_in_another_way_is_raised_again(app: FastAPI) -> None:
    play(app, HOUSE_WRONG, "r1")
    (first,) = open_of(app)
    play(app, reading(hand("house", "6-1 6-3", "6-6 5-3")), "r1")
    (second,) = open_of(app)
    assert (second.raised_at, second.times, second.id != first.id) == (first.raised_at, 2, True)
    assert alarms_of(app).acknowledge([str(first.id)], "A. Supervisor") == ()
    acknowledge(app)
    play(app, HOUSE_WRONG, "r1")
    (third,) = open_of(app)
    assert third.times == 1


def test_a_check_that_flaps_is_one_line(app: FastAPI) -> None:
    for _ in range(5):
        checked(app, "source")
        checked(app)
    (alarm,) = open_of(app)
    first = app.state.parts.record.after(1, kinds=("alarm",))[0]
    assert (alarm.times, alarm.over_at is not None, alarm.id) == (5, True, f"{first.seq}001.5")
    assert alarm.raised_at < alarm.last_raised_at
    acknowledge(app)
    checked(app, "source")
    (again,) = open_of(app)
    assert (again.times, again.over_at) == (1, None)


def test_an_acknowledged_check_stays_quiet_until_it_fails_anew(app: FastAPI) -> None:
    checked(app, "source")
    acknowledge(app)
    checked(app, "clock", "source")
    assert told(app) == [("health", "clock", "lasts")]
    assert [each.subject for each in alarms_of(app).standing().seen] == ["source"]
    checked(app, "clock")
    checked(app, "clock", "source")
    assert told(app) == [("health", "source", "lasts"), ("health", "clock", "lasts")]


def end_round(app: FastAPI, round_id: str) -> None:
    """Let the tiles of a round be put away as it was read last."""
    parts = app.state.parts
    last = parts.only.ledger.newest(round_id)
    ended = last.model_copy(update={"state": "closed", "closed_at": last.changed_at})
    parts.only.live.publish_rounds(*parts.only.ledger.revise(ended))


UNCLEAR_DIE = reading(*HOUSE_RIGHT.hands, dice=(die(3, status="uncertain"),))
"""A die that was not read clearly yet: further pictures may do so."""


def test_a_doubt_that_further_pictures_may_remove_is_an_alarm_when_the_tiles_are_away(app: FastAPI) -> None:
    played = play(app, UNCLEAR_DIE, "r1")
    assert (played.status, told(app)) == ("needs_review", [])
    play(app, HOUSE_RIGHT, "r1")
    assert told(app) == []
    play(app, UNCLEAR_DIE, "r2")
    end_round(app, "r2")
    (alarm,) = open_of(app)
    assert (alarm.kind, alarm.places) == ("needs_review", ("dice",))


def test_more_doubt_is_raised_again_and_less_is_not(app: FastAPI) -> None:
    more = reading(*DOUBTFUL.hands, hand("box2", "1-1 4-3", "4-4 5-5", "uncertain", ("blurred",)), dice=DOUBTFUL.dice)
    play(app, DOUBTFUL, "r1")
    acknowledge(app)
    play(app, more, "r1")
    (alarm,) = open_of(app)
    assert alarm.places == ("house", "box2")
    acknowledge(app)
    play(app, DOUBTFUL, "r1")
    assert told(app) == []


def test_a_decision_answers_a_round_in_doubt_and_nothing_else(app: FastAPI) -> None:
    wrong_and_doubtful = reading(*HOUSE_WRONG.hands[:1], hand("box2", "1-1 4-3", "4-4 5-5", "uncertain", ("blurred",)))
    play(app, wrong_and_doubtful, "r1")
    assert [each.kind for each in open_of(app)] == ["house_hand_wrong", "needs_review"]
    decide(app, "r1", 1)
    assert [each.kind for each in open_of(app)] == ["house_hand_wrong"]
    (answered,) = (each for each in listed(app) if each.answer is not None)
    assert answered.answer is not None
    assert (answered.answer.action, answered.answer.by) == ("decided", "B. Pit")


def test_a_doubt_that_later_pictures_clear_needs_no_answer(app: FastAPI) -> None:
    play(app, DOUBTFUL, "r1")
    play(app, HOUSE_RIGHT, "r1")
    assert told(app) == []
    play(app, reading(hand("house", *RIGHT), hand("box2", "1-1 4-3", "4-4 5-5", "uncertain", ("blurred",))), "r1")
    assert told(app) == [("needs_review", "box2", "lasts")]
    decide(app, "r1", 3)
    assert told(app) == []


def test_those_that_last_come_before_those_that_are_over(app: FastAPI) -> None:
    play(app, HOUSE_WRONG, "r1")
    for number in range(OPEN_OF_EACH_KIND + 1):
        play(app, HOUSE_WRONG, f"s{number}")
        play(app, HOUSE_RIGHT, f"s{number}")
    first = open_of(app)[0]
    assert (first.round and first.round.id, first.sounds) == ("r1", True)
    # The check of the source may fail meanwhile: no pictures come.
    of_rounds = [alarm for alarm in open_of(app) if alarm.kind != "health"]
    assert len(of_rounds) == OPEN_OF_EACH_KIND
    assert alarms_of(app).standing().counts["house_hand_wrong"] == OPEN_OF_EACH_KIND + 2


def test_a_fault_that_the_record_has_not_taken_is_told_without_an_id(app: FastAPI) -> None:
    play(app, DOUBTFUL, "r1")
    app.state.parts.only.live.check(Check.of("source", ServiceCode.NOT_REACHED, ok=False, why="the camera is gone"))
    first, _ = open_of(app)
    assert (first.kind, first.id, AlarmOut.of(first).message) == ("health", None, "source: the camera is gone")
    assert alarms_of(app).standing().counts == {"needs_review": 1, "health": 1}
    assert first.sounds
    checked(app, "source")
    recorded, _ = open_of(app)
    assert recorded.id is not None
    # The alarm has the present findings of the check.
    assert recorded.findings[0].params == {"why": "the camera is gone"}


def test_the_record_that_fails_is_an_alarm_meanwhile_and_afterwards(app: FastAPI) -> None:
    live, record = app.state.parts.only.live, app.state.parts.record
    play(app, HOUSE_WRONG, "r1")
    before = open_of(app)
    live.check(Check.of("record", ServiceCode.NOT_REACHED, ok=False, why="the disk is full"))
    assert told(app) == [("house_hand_wrong", "house", "lasts"), ("health", "record", "lasts")]
    live.check(Check.of("record", ServiceCode.NOT_REACHED, ok=True, why="well"))
    assert open_of(app) == before
    said = {"since": "2026-01-01T00:00:00.000000Z", "until": "2026-01-01T00:05:00.000000Z", "reason": "disk full"}
    for _ in range(2):
        record.append(Draft("outage", {**said, "code": "record_disk_full", "params": {}}, table="test"))
    live.recorded.notify()
    assert told(app) == [("house_hand_wrong", "house", "lasts"), ("health", "record", "over")]
    outage = open_of(app)[1]
    assert (outage.times, outage.raised_at.hour, outage.over_at and outage.over_at.minute) == (2, 0, 5)


def test_several_are_acknowledged_in_one_entry(app: FastAPI, settings: Config) -> None:
    play(app, HOUSE_WRONG, "r1")
    play(app, DOUBTFUL, "r2")
    checked(app, "source")
    ids = [str(each.id) for each in open_of(app)]
    assert alarms_of(app).acknowledge(["7.1"], "A. Supervisor") == ()
    assert app.state.parts.record.last(("acknowledgement",)) == ()
    assert alarms_of(app).acknowledge([*ids, "7.1"], "A. Supervisor", reason="seen all") == tuple(ids)
    assert alarms_of(app).acknowledge(ids, "B. Late") == ()
    (entry,) = app.state.parts.record.last(("acknowledgement",), count=9)
    assert (entry.round, entry.subject, entry.data["by"], entry.data["reason"]) == (
        None,
        None,
        "A. Supervisor",
        "seen all",
    )
    assert [each["id"] for each in entry.data["alarms"]] == ids
    assert told(app) == []
    app.state.parts.record.close()

    again = app_of(settings, reader=FakeReader(), watch=False)
    assert told(again) == []
    assert {each.answer.by for each in listed(again) if each.answer} == {"A. Supervisor"}


def test_what_was_raised_again_before_the_acknowledgement_was_recorded_stays(app: FastAPI) -> None:
    checked(app, "source")
    (alarm,) = open_of(app)
    checked(app)
    checked(app, "source")
    body = {"by": "A. Supervisor", "alarms": [{"id": alarm.id, "kind": "health"}]}
    app.state.parts.record.append(Draft("acknowledgement", body, table="test"))
    app.state.parts.only.live.recorded.notify()
    assert told(app) == [("health", "source", "lasts")]


def test_what_cannot_be_recorded_is_not_acknowledged(app: FastAPI) -> None:
    play(app, HOUSE_WRONG, "r1")
    ids = [str(each.id) for each in open_of(app)]
    app.state.parts.record.close()
    with pytest.raises(RecordUnavailableError):
        alarms_of(app).acknowledge(ids, "A. Supervisor")
    assert told(app) == [("house_hand_wrong", "house", "lasts")]


def test_an_entry_that_cannot_be_read_holds_up_nothing(app: FastAPI, caplog: pytest.LogCaptureFixture) -> None:
    app.state.parts.record.append(Draft("alarm", {"strange": True}, table="test"))
    play(app, HOUSE_WRONG, "r1")
    assert told(app) == [("house_hand_wrong", "house", "lasts")]
    assert "cannot be read" in caplog.text


def test_another_tables_alarms_are_not_this_ones(app: FastAPI) -> None:
    checks = [{"name": "source", "message": "gone", "findings": _found("gone")}]
    app.state.parts.record.append(Draft("alarm", {"ok": False, "checks": checks}, table="other"))
    checked(app, "clock")
    assert told(app) == [("health", "clock", "lasts")]


class TestPage:
    def test_all_that_is_shown_is_acknowledged_and_nothing_else(self, app: FastAPI, client: TestClient) -> None:
        play(app, HOUSE_WRONG, "r1")
        play(app, DOUBTFUL, "r2")
        checked(app, "source")
        wrong, health, _ = open_of(app)
        path = "/page/alarms/acknowledge"
        viewer = person(app, UserRole.VIEWER, "vic")
        assert "Acknowledge" not in viewer.get("/tables/test/status").text
        assert viewer.post(path, data={"alarm": str(wrong.id)}).status_code == 403
        assert "Acknowledge these 2" in client.get("/tables/test/status").text
        answer = client.post(path, data={"alarm": [str(wrong.id), str(health.id)], "then": "/rounds"})
        assert (answer.status_code, answer.url.path) == (200, "/rounds")
        assert [each.kind for each in open_of(app)] == ["needs_review"]
        assert client.post(path, data={"alarm": "over", "then": "/tables/test"}).status_code == 200
        gone = client.post(path, data={"alarm": "over"})
        assert (gone.status_code, "Not recorded." in gone.text) == (409, True)

    def test_who_has_taken_an_alarm_answers_it(self, app: FastAPI, client: TestClient) -> None:
        play(app, HOUSE_WRONG, "r1")
        (alarm,) = open_of(app)
        ben = person(app, UserRole.SUPERVISOR, "ben")
        assert "yours" in ben.post("/page/alarms/take", data={"alarm": str(alarm.id)}).text
        assert "taken by ben" in client.get("/alarms").text
        assert client.post("/page/alarms/take", data={"alarm": str(alarm.id)}).status_code == 409
        sent = {"alarm": str(alarm.id), "then": "/tables/test"}
        refused = client.post("/page/alarms/acknowledge", data=sent)
        assert (refused.status_code, "ben has taken this" in refused.text) == (409, True)
        assert open_of(app) == (alarm,)
        ben.post("/page/alarms/release", data={"alarm": str(alarm.id)})
        assert client.post("/page/alarms/acknowledge", data=sent).status_code == 200
        assert open_of(app) == ()

    def test_the_list_brings_the_state_of_the_table_up_to_date(self, app: FastAPI, client: TestClient) -> None:
        play(app, HOUSE_WRONG, "r1")
        page = client.get("/alarms?kind=house_hand_wrong").text
        (parts,) = re.findall('data-parts="([^"]+)"', page)
        assert parts == "/page/alarms?kind=house_hand_wrong"
        for part in ("pills", "open", "answered"):
            assert f'data-part="{part}"' in client.get(parts).text
            assert page.count(f'data-part="{part}"') == 1

    def test_each_leads_to_where_it_is_seen(self, app: FastAPI, client: TestClient) -> None:
        play(app, HOUSE_WRONG, "r1")
        play(app, UNCLEAR_DIE, "r2")
        end_round(app, "r2")
        checked(app, "source")
        shown = client.get("/alarms").text
        for link in ("/tables/test/rounds/r1?place=house", "/tables/test/rounds/r2?place=dice", "/tables/test/health"):
            assert f'href="{link}"' in shown
        viewer = person(app, UserRole.VIEWER, "vic").get("/").text
        assert "/tables/test/rounds/r1" not in viewer
        assert "House hand set wrongly" in viewer

    def test_the_list_of_all(self, app: FastAPI, client: TestClient) -> None:
        for number in range(60):
            play(app, HOUSE_WRONG, f"r{number}")
        acknowledge(app)
        checked(app, "source")
        first = client.get("/alarms").text
        assert first.count("<td>A. Supervisor</td>") == 39
        assert "source is gone" in first
        cursor = first.partition("before=")[2].partition('"')[0]
        second = client.get(f"/alarms?before={cursor}").text
        assert second.count("<td>A. Supervisor</td>") == 11
        assert client.get("/alarms?kind=health&day=").text.count("<td>A. Supervisor</td>") == 0
        assert client.get("/alarms?day=2020-01-01").text.count("<td>A. Supervisor</td>") == 0
        for bad in ("kind=none", "day=tomorrow", "before=x"):
            assert client.get(f"/alarms?{bad}").status_code == 422
        for edge in ("0001-01-01", "9999-12-31"):
            assert client.get(f"/alarms?day={edge}").status_code == 200


def test_over_http(app: FastAPI) -> None:
    play(app, HOUSE_WRONG, "r1")
    play(app, DOUBTFUL, "r2")
    client = signed_in(app, UserRole.SUPERVISOR)
    found = client.get("/v1/alarms").json()
    assert [each["kind"] for each in found["alarms"]] == ["needs_review", "house_hand_wrong"]
    assert found["unanswered"] == {"house_hand_wrong": 1, "needs_review": 1}
    path, ids = "/v1/alarms/acknowledgement", [each["id"] for each in found["alarms"]]
    assert signed_in(app, UserRole.VIEWER).get("/v1/alarms").json() == found
    assert signed_in(app, UserRole.INTEGRATOR).post(path, json={"alarms": ids}).status_code == 403
    unknown = client.post(path, json={"alarms": ["1.1"]})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_alarm")
    sent = {"alarms": [*ids[:1], "1.1"], "by": "A. Supervisor", "reason": "on my way"}
    once, twice = (client.post(path, json=sent, headers={"Idempotency-Key": "k1"}) for _ in range(2))
    assert once.json() == twice.json()
    assert once.json()["acknowledged"] == ids[:1]
    (refused,) = once.json()["not_answered"]
    assert (refused["alarms"], refused["code"]) == (["1.1"], "unknown_alarm")
    assert client.post(path, json={"alarms": ids}, headers={"Idempotency-Key": "k1"}).json()["code"] == "key_reused"
    assert len(client.get("/v1/alarms").json()["alarms"]) == 1
    (page,) = client.get("/v1/alarms?state=all&limit=1").json()["alarms"]
    assert page["kind"] == "house_hand_wrong"
    following = client.get("/v1/alarms?state=all&limit=1").json()["next"]
    (answered,) = client.get(f"/v1/alarms?state=all&limit=1&cursor={following}").json()["alarms"]
    assert answered["answer"]["reason"] == "on my way"
    assert answered["answer"]["by"].startswith("A. Supervisor (")
    assert client.get("/v1/alarms?kind=health").json()["alarms"] == []
    assert client.get("/v1/alarms?table=other").status_code == 404
