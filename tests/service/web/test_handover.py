"""Handing a shift over: the report for the next shift, and the signatures."""

import html
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import event

from service.access.roles import UserRole
from service.record.shifts.hand_over import SignedScope, sign, signatures
from service.record.shifts.happened import Happened, happened_at
from service.record.shifts.shift_figures import shift_on
from service.record.store.entries import Draft
from service.rounds.reports import FindingReport
from service.system.service_settings import PageConfig, ShiftConfig
from service.web.round_views import moments
from tests.service.api.test_record import DOUBTFUL
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    FakeReader,
    app_of,
    config,
    die,
    hand,
    person,
    report_round,
    revisions,
)
from vision.findings import Code

HALVES = (ShiftConfig(name="Early", starts=time(0)), ShiftConfig(name="Late", starts=time(12)))


@pytest.fixture
def app() -> FastAPI:
    settings = config().model_copy(update={"page": PageConfig(shifts=HALVES)})
    return app_of(settings, reader=FakeReader(), watch=False)


def busy(app: FastAPI) -> None:
    """In the shift that is on: a wrong hand put right, a departure, one round decided, one that waits, a check."""
    parts = app.state.parts
    now = datetime.now(UTC)
    told = ((HOUSE_WRONG, HOUSE_RIGHT), (HOUSE_RIGHT,), (DOUBTFUL,), (DOUBTFUL,))
    for number, readings in enumerate(told, start=1):
        for played in revisions(f"r{number}", now, *readings):
            seen = played
            if number == 2:
                exposed = FindingReport(code=Code.EXPOSED_BEFORE_BANK, params={"place": "box2"}, rule="crown-6.1 8.1")
                seen = played.model_copy(update={"findings": (exposed,)})
            report = report_round(seen, table="test", rules=parts.only.rules, versions={})
            parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    for bad in ([{"name": "clock", "findings": []}], []):
        parts.record.append(Draft("alarm", {"ok": not bad, "checks": bad, "new": []}, table="test"))


def _fields(played: Any) -> dict[str, Any]:  # noqa: ANN401  any dataclass
    return {name: getattr(played, name) for name in played.__dataclass_fields__}


def told(app: FastAPI) -> Happened:
    parts = app.state.parts
    on = shift_on(datetime.now(UTC), parts.config.page.zone, HALVES)
    return happened_at(parts.projector, ["test"], on).of_tables["test"]


def test_what_happened_in_a_shift(app: FastAPI) -> None:
    busy(app)
    with person(app, UserRole.SUPERVISOR) as client:
        revision = app.state.parts.only.ledger.newest("r3").revision
        decision = {"action": "confirm", "reason": "Looked at the table", "revision": revision}
        assert client.post("/v1/rounds/r3/review", json=decision).status_code == 200
        wrong = next(each for each in told(app).alarms if each.kind == "house_hand_wrong")
        client.post("/page/alarms/acknowledge", data={"alarm": [wrong.id]})
    found = told(app)
    told_of = [(each.lay.played.id, each.lay.over, each.alarm and each.alarm.answer) for each in found.wrong]
    assert [(round_id, put_right, answer and answer.by) for round_id, put_right, answer in told_of] == [
        ("r1", True, "ann")
    ]
    assert [(each.played.id, each.finding.rule) for each in found.departures] == [("r2", "crown-6.1 8.1")]
    assert [played.id for played in found.waiting] == ["r4"]
    assert {(each.played.id, each.review.by, each.review.reason) for each in found.decisions} == {
        ("r3", "ann", "Looked at the table")
    }
    assert [(each.name, each.ended is not None) for each in found.failures] == [("clock", True)]
    counts = found.counts
    assert (counts.rounds, counts.verified, counts.decided, counts.waiting, counts.mistakes) == (4, 2, 1, 1, 1)
    assert {each.kind for each in found.alarms} == {"house_hand_wrong", "procedure", "needs_review", "health"}


def test_a_wrong_hand_has_the_time_at_which_it_became_wrong(app: FastAPI) -> None:
    parts, now = app.state.parts, datetime.now(UTC)
    still_wrong = replace(HOUSE_WRONG, hands=(*HOUSE_WRONG.hands, hand("box2", "1-1 4-3", "4-4 5-5")))
    for played in revisions("r1", now, HOUSE_RIGHT, HOUSE_WRONG, still_wrong):
        report = report_round(played, table="test", rules=parts.only.rules, versions={})
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    second, third = (parts.only.ledger.revision("r1", number).changed_at for number in (2, 3))
    (wrong,) = told(app).wrong
    assert (wrong.lay.since, wrong.lay.played.changed_at) == (second, third)
    every = [report for _, report in parts.only.ledger.revisions("r1")]
    assert next(each.started_at for each in moments(every, ()) if each.place == "house") == second
    with person(app, UserRole.SUPERVISOR) as client:
        zone = parts.config.page.zone
        assert f"{second.astimezone(zone):%H:%M:%S} · House<" in client.get("/handover").text


def test_a_decision_says_which_die_shows_which_value(app: FastAPI) -> None:
    parts = app.state.parts
    dice = tuple(replace(each, status="uncertain") for each in (die(3), die(5), die(1)))
    doubtful = replace(HOUSE_RIGHT, dice=dice)
    (played,) = revisions("r1", datetime.now(UTC), doubtful)
    report = report_round(played, table="test", rules=parts.only.rules, versions={})
    parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    with person(app, UserRole.SUPERVISOR) as client:
        confirmed = {"action": "confirm", "only": ["die1", "die3"], "reason": "Looked", "revision": 1}
        corrected = {"action": "correct", "only": ["die2"], "dice": [{"value": 6}], "reason": "Looked", "revision": 2}
        for decision in (confirmed, corrected):
            assert client.post("/v1/rounds/r1/review", json=decision).status_code == 200
        page = client.get("/handover").text
    assert [each.parts for each in told(app).decisions] == [("die1", "die3"), ("die2",)]
    for said in ("Die 1: 3; Die 3: 1", "Die 2: 6"):
        assert f" · {said}<p" in page.replace("\n", "")


def test_a_check_that_failed_before_the_shift_is_told_with_its_beginning(app: FastAPI) -> None:
    busy(app)
    parts = app.state.parts
    bad = [{"name": "camera", "findings": []}]
    parts.record.append(Draft("alarm", {"ok": False, "checks": bad, "new": ["camera"]}, table="test"))
    on = shift_on(datetime.now(UTC), parts.config.page.zone, HALVES)
    after = shift_on(on.ended, parts.config.page.zone, HALVES)
    found = happened_at(parts.projector, ["test"], after).of_tables["test"]
    assert [(each.name, each.started < after.started, each.ended) for each in found.failures] == [
        ("camera", True, None)
    ]
    assert (found.counts.rounds, found.decisions, found.alarms) == (0, (), ())
    assert len(found.older) == len(told(app).alarms)


def test_many_tables_take_no_more_queries_than_one(app: FastAPI) -> None:
    busy(app)
    parts = app.state.parts
    on = shift_on(datetime.now(UTC), parts.config.page.zone, HALVES)
    statements: list[str] = []

    @event.listens_for(parts.projector.database, "before_cursor_execute")
    def note(*sent: Any) -> None:  # noqa: ANN401  as the library calls it
        statements.append(sent[2])

    counts = []
    for others in (0, 0, 50):
        statements.clear()
        happened_at(parts.projector, ["test", *(f"remote{number}" for number in range(others))], on)
        counts.append(len(statements))
    assert counts[1] == counts[2] < counts[0]  # the first had new entries to follow


def test_what_later_pictures_cleared_nobody_had_to_answer(app: FastAPI) -> None:
    parts = app.state.parts
    for played in revisions("r1", datetime.now(UTC), DOUBTFUL, HOUSE_RIGHT):
        report = report_round(played, table="test", rules=parts.only.rules, versions={})
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    with person(app, UserRole.SUPERVISOR) as client:
        assert "cleared automatically" in client.get("/handover").text


def test_a_shift_is_handed_over_and_taken_over(app: FastAPI) -> None:
    busy(app)
    on = shift_on(datetime.now(UTC), app.state.parts.config.page.zone, HALVES)
    named = {"day": str(on.day), "shift": f"{on.starts:%H:%M}"}
    with person(app, UserRole.SUPERVISOR, "ann") as ann, person(app, UserRole.SUPERVISOR, "ben") as ben:
        assert "I take over" not in ben.get("/handover").text
        assert ben.post("/handover", data=named | {"act": "taken_over"}).status_code == 409
        said = ann.post("/handover", data=named | {"act": "handed_over", "text": "Box 3 <keeps>\r\nhis tiles"})
        assert said.status_code == 200
        assert "Handed over by ann" in said.text
        assert "Box 3 &lt;keeps&gt;\nhis tiles" in said.text
        refused = ann.post("/handover", data=named | {"act": "taken_over"})
        assert (refused.status_code, "You handed this shift over yourself" in refused.text) == (409, True)
        assert "I take over" in ben.get("/handover").text
        taken = ben.post("/handover", data=named | {"act": "taken_over"})
        assert "Taken over by ben" in taken.text
        again = ben.post("/handover", data=named | {"act": "taken_over"})
        assert (again.status_code, "taken over already" in html.unescape(again.text)) == (409, True)
    first, second = app.state.parts.record.after(0, kinds=("handover",))
    assert (first.data["by"], first.data["text"]) == ("ann", "Box 3 <keeps>\nhis tiles")
    assert first.data["stood"]["rounds"] == 4
    assert (second.data["by"], second.data["answers"]) == ("ben", first.seq)
    assert first.data["stood"]["waiting"] == 2


def test_a_signature_is_only_for_the_tables_that_it_names(app: FastAPI) -> None:
    """A table and a pit may have the name of the service, or each other's."""
    record, name = app.state.parts.record, app.state.parts.config.service.name
    on = shift_on(datetime.now(UTC), app.state.parts.config.page.zone, HALVES)
    scopes = (SignedScope(), SignedScope(table=name), SignedScope(pit=name), SignedScope(pit="west"))
    for number, scope in enumerate(scopes):
        assert signatures(record, scope, on) == ()
        sign(record, scope, on, act="handed_over", by="ann", text=str(number), stood={})
    assert [[each.text for each in signatures(record, scope, on)] for scope in scopes] == [["0"], ["1"], ["2"], ["3"]]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"text": "x" * 2001}, 422),
        ({"act": "signed"}, 422),
        ({"day": "no day"}, 422),
        ({"day": str((datetime.now(UTC) + timedelta(days=2)).date())}, 409),
    ],
)
def test_what_cannot_be_signed(app: FastAPI, data: dict[str, str], status: int) -> None:
    today = str(datetime.now(UTC).date())
    with person(app, UserRole.SUPERVISOR) as client:
        sent = {"day": today, "shift": "00:00", "act": "handed_over", "text": ""} | data
        assert client.post("/handover", data=sent).status_code == status
    assert app.state.parts.record.after(0, kinds=("handover",)) == ()


@pytest.mark.parametrize(
    ("role", "sees", "signs"),
    [
        (UserRole.VIEWER, 403, 403),
        (UserRole.INTEGRATOR, 200, 403),
        (UserRole.AUDITOR, 200, 403),
        (UserRole.SUPERVISOR, 200, 200),
    ],
)
def test_who_may(app: FastAPI, role: UserRole, sees: int, signs: int) -> None:
    with person(app, role) as client:
        answer = client.get("/handover")
        assert answer.status_code == sees
        assert ('name="act"' in answer.text) is (signs == 200)
        sent = {"day": str(datetime.now(UTC).date()), "shift": "00:00", "act": "handed_over"}
        assert client.post("/handover", data=sent).status_code == signs


EVERY = ("", "?day=&shift=", "?day=0001-01-01", "?day=9999-12-31&shift=23:59", "?shift=07:30")


@pytest.mark.parametrize("asked", EVERY)
def test_any_shift_can_be_looked_at(app: FastAPI, asked: str) -> None:
    with person(app, UserRole.SUPERVISOR) as client:
        assert client.get(f"/handover{asked}").status_code == 200
        assert client.get("/handover?shift=night").status_code == 422
