"""What was done about a wrong hand or a finding: reported on the round page, and the same on sheet and hand-over."""

import html
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from engine.vocabulary.facts import Bank
from service.access.roles import UserRole
from service.record.shifts.happened import happened_at
from service.record.shifts.shift_figures import shift_on
from service.rounds.reports import ExceptionReport, FindingReport, IrregularityReport, RoundMoment, RoundReport
from service.web.letter import letter_of, letter_pdf, summary
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    FakeReader,
    app_of,
    config,
    die,
    hand,
    person,
    reading,
    report_round,
    revisions,
)
from tests.service.web.test_downloads import text_of
from vision.findings import Code
from vision.reading import Reading

EXPOSED = FindingReport(
    code=Code.EXPOSED_BEFORE_BANK,
    params={"place": "box2"},
    rule="crown-6.1 8.1",
    irregularities=(IrregularityReport(kind="dispute", bank="house"),),
)
AT = "/tables/test/rounds/r1"
BUTTONS = ("Corrected", "Too late to correct", "Surveillance called", "Supervisor called")


@pytest.fixture
def app() -> FastAPI:
    return app_of(config(), reader=FakeReader(), watch=False)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with person(app) as client:
        yield client


def play(
    app: FastAPI,
    *readings: Reading,
    moment: RoundMoment | None = "no-hand-exposed",
    over: bool = False,
    round_id: str = "r1",
) -> None:
    parts = app.state.parts
    for played in revisions(round_id, datetime.now(UTC), *readings):
        changed: dict[str, object] = {"state": "closed", "closed_at": played.changed_at} if over else {}
        seen = played.model_copy(update={"moment": moment, "findings": (EXPOSED,), **changed})
        report = report_round(seen, table="test", rules=parts.only.rules, versions={})
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report))


def plain(text: str) -> str:
    said = html.unescape(re.sub("<.*?>", "", text)).replace("\N{NON-BREAKING HYPHEN}", "-")
    return " ".join(said.split())


def buttons(page: str, part: str) -> list[str]:
    forms = re.findall(r'<form method="post" action="[^"]*/outcome".*?</form>', page, re.DOTALL)
    form = next((each for each in forms if f'name="part" value="{part}"' in each), "")
    return re.findall(r"<button[^>]*>(.*?)</button>", form)


def test_what_a_person_reports_is_on_page_sheet_and_hand_over(app: FastAPI, client: TestClient) -> None:
    play(app, HOUSE_WRONG)
    page = client.get(AT).text
    assert buttons(page, "house") == list(BUTTONS)
    sent = {"part": "house", "revision": "1", "outcome": "called surveillance", "reason": "On the telephone"}
    answer = client.post(f"{AT}/outcome", data=sent, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{AT}?place=house#outcome")
    newest = app.state.parts.only.ledger.newest("r1")
    zone = app.state.parts.config.page.zone
    said = (
        f"Surveillance called at {newest.changed_at.astimezone(zone):%H:%M:%S} · reported by ann · Revision 2"
        f" · Entry {app.state.parts.record.last(('review',))[0].seq}: On the telephone"
    )
    assert said in plain(client.get(AT).text)
    assert said in text_of(client.get(f"{AT}/incident.pdf").content)
    handover = plain(client.get("/handover").text)
    assert said.replace(re.findall(r" · Entry \d+", said)[0], "") in handover
    assert "Surveillance or a supervisor called: 1 · Left without an outcome: 1" in handover
    assert "Nobody yet" in handover  # the departure
    assert "Surveillance called at" in plain(client.get("/tables/test").text)


CORRECT_NOW = "Correct it now. Too late once the bank's tiles have been put away (crown-6.1 12.5)."
TOO_LATE = "Leave it: too late to correct, since the bank's tiles have been put away (crown-6.1 12.5)."
DEPENDS = "Correct it now, unless the bank's tiles have been put away: then leave it (crown-6.1 12.5)."


@pytest.mark.parametrize(
    ("moment", "over", "instruction", "do"),
    [
        (None, False, DEPENDS, "depends"),
        ("no-hand-exposed", False, CORRECT_NOW, "correct"),
        ("first-hand-exposed", False, CORRECT_NOW, "correct"),
        ("bank-put-away", False, TOO_LATE, "leave"),
        ("first-hand-exposed", True, TOO_LATE, "leave"),
    ],
)
def test_what_to_do_is_the_same_everywhere_at_each_moment(
    app: FastAPI, client: TestClient, moment: RoundMoment | None, instruction: str, do: str, *, over: bool
) -> None:
    """crown-6.1 12.5: on the table's page, the round's, the sheet, the hand-over, the alarm and in the API."""
    play(app, HOUSE_WRONG, moment=moment, over=over)
    (house,) = client.get("/v1/rounds/r1").json()["hands"]
    assert (house["house_way"]["remedy"], house["house_way"]["correction"]["do"]) == (instruction, do)
    (alarm,) = client.get("/v1/alarms", params={"kind": "house_hand_wrong"}).json()["alarms"]
    assert alarm["remedy"] == instruction
    for path in ("/tables/test", AT, "/handover", "/alarms"):
        assert instruction in plain(client.get(path).text), path
    assert instruction in text_of(client.get(f"{AT}/incident.pdf").content)
    seen_at = (
        f"{app.state.parts.only.ledger.newest('r1').changed_at.astimezone(app.state.parts.config.page.zone):%H:%M:%S}"
    )
    for path in (AT, "/handover"):
        assert seen_at in plain(client.get(path).text), path


@pytest.mark.parametrize(
    ("low", "cost"),
    [
        ("5-5 5-1", "by the wagers recorded, the House won 0; with its hand set right 10,000"),
        ("5-5 2-2", "by the wagers recorded, the House won 10,000; with its hand set right 10,000"),
    ],
)
def test_what_a_wrong_hand_cost_is_told_once_wagers_are_recorded(
    app: FastAPI, client: TestClient, low: str, cost: str
) -> None:
    """The low hand 6-1 5-3 of the House has 5 points, 6-3 5-3 would have 7 (crown-6.1 7.4.2): 6 lie between."""
    play(app, reading(*HOUSE_WRONG.hands, hand("box2", low, "6-4 6-2")))
    assert "What it cost" not in plain(client.get(AT).text)
    sent = {"bank": {"method": "house"}, "wagers": [{"box": 2, "player": "Ann", "stake": 10_000}]}
    answer = client.post("/v1/rounds/r1/settlement", json=sent)
    assert answer.status_code == 200, answer.text
    assert cost in plain(client.get(AT).text)
    assert cost in text_of(client.get(f"{AT}/incident.pdf").content)


def test_the_cost_of_mistakes_is_summed_in_figures_and_letter(app: FastAPI, client: TestClient) -> None:
    """The House won 0 in r1, and 10,000 if its hand had been set right; nobody sent the wagers of r2."""
    settled_with_the_mistake(app, client, SETTLED)
    parts, today = app.state.parts, shift_on(datetime.now(UTC), app.state.parts.config.page.zone, ()).day
    known = "What mistakes cost: the House won 10,000 less (smallest unit); known for 1 of 1 round with a mistake"
    assert known in plain(client.get("/figures").text)
    play(app, HOUSE_WRONG, round_id="r2")
    told = known.replace("1 of 1 round", "1 of 2 rounds")
    assert told in plain(client.get("/figures").text)
    letter = letter_of(parts, today, ["test"])
    assert told in summary(letter, "en")
    assert told in " ".join(text_of(letter_pdf(letter, parts, "en")).split())
    assert "What mistakes cost" not in summary(letter_of(parts, today - timedelta(days=1), ["test"]), "en")
    assert "What mistakes cost" not in summary(letter_of(parts, today, []), "en")


def test_no_cost_is_summed_of_a_hand_that_was_corrected(app: FastAPI, client: TestClient) -> None:
    settled_with_the_mistake(app, client, SETTLED)
    sent = {"part": "house", "revision": "1", "outcome": "corrected"}
    assert client.post(f"{AT}/outcome", data=sent, follow_redirects=False).status_code == 303
    assert "What mistakes cost" not in plain(client.get("/figures").text)


SETTLED: Mapping[str, object] = {"bank": {"method": "house"}, "wagers": [{"box": 2, "player": "Ann", "stake": 10_000}]}
PLAYER_BANKS: Mapping[str, object] = {"method": "player", "box": 3, "players": ["Bob"], "wager": 50_000}


def settled_with_the_mistake(app: FastAPI, client: TestClient, sent: Mapping[str, object]) -> None:
    play(app, reading(*HOUSE_WRONG.hands, hand("box2", "5-5 5-1", "6-4 6-2")))
    answer = client.post("/v1/rounds/r1/settlement", json=sent)
    assert answer.status_code == 200, answer.text


def check_no_cost(client: TestClient) -> None:
    for place in ("", "house", "box2"):
        assert "What it cost" not in plain(client.get(AT, params={"place": place}).text)
    assert "What it cost" not in plain(text_of(client.get(f"{AT}/incident.pdf").content))


@pytest.mark.parametrize("change", [{"void": "misdeal"}, {"bank": PLAYER_BANKS}])
def test_no_cost_is_told_if_the_round_is_void_or_the_house_does_not_bank(
    app: FastAPI, client: TestClient, change: Mapping[str, object]
) -> None:
    settled_with_the_mistake(app, client, {**SETTLED, **change})
    check_no_cost(client)


@pytest.mark.parametrize(
    ("place", "low", "high"),
    [("house", ["6-3", "5-3"], ["6-6", "6-1"]), ("box2", ["5-5", "2-2"], ["6-4", "6-2"])],
)
def test_no_cost_is_told_once_a_person_corrected_a_hand(
    app: FastAPI, client: TestClient, place: str, low: list[str], high: list[str]
) -> None:
    settled_with_the_mistake(app, client, SETTLED)
    decided = {"action": "correct", "reason": "misread", "revision": 1}
    answer = client.post("/v1/rounds/r1/review", json=decided | {"hands": [{"place": place, "low": low, "high": high}]})
    assert answer.status_code == 200, answer.text
    check_no_cost(client)


def test_no_cost_is_told_once_the_camera_saw_the_hand_corrected(app: FastAPI, client: TestClient) -> None:
    settled_with_the_mistake(app, client, SETTLED)
    parts, boxes = app.state.parts, (hand("box2", "5-5 5-1", "6-4 6-2"),)
    seen = (reading(*HOUSE_WRONG.hands, *boxes), reading(*HOUSE_RIGHT.hands, *boxes))
    right = list(revisions("r1", datetime.now(UTC), *seen))[-1].model_copy(update={"moment": "no-hand-exposed"})
    report = report_round(right, table="test", rules=parts.only.rules, versions={})
    parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    check_no_cost(client)


@pytest.mark.parametrize(("outcome", "told"), [("corrected", False), ("called surveillance", True)])
def test_the_cost_is_told_unless_a_person_reports_that_the_hand_was_corrected(
    app: FastAPI, client: TestClient, outcome: str, *, told: bool
) -> None:
    settled_with_the_mistake(app, client, SETTLED)
    sent = {"part": "house", "revision": "1", "outcome": outcome}
    assert client.post(f"{AT}/outcome", data=sent, follow_redirects=False).status_code == 303
    assert ("What it cost" in plain(client.get(AT).text)) == told


def test_a_round_found_as_a_mistake_opens_at_the_mistake(app: FastAPI, client: TestClient) -> None:
    """Although it was corrected, and the throw is in doubt."""
    parts, cup = app.state.parts, (die(3), die(2, "cut"))
    for played in revisions(
        "r1", datetime.now(UTC), *(reading(*of.hands, dice=cup) for of in (HOUSE_WRONG, HOUSE_RIGHT))
    ):
        dice = tuple(each.model_copy(update={"status": "uncertain"}) for each in played.dice)
        seen = played.model_copy(update={"dice": dice})
        parts.only.ledger.revise(report_round(seen, table="test", rules=parts.only.rules, versions={}))

    def link_of(asked: dict[str, str]) -> str:
        main = client.get("/rounds", params=asked).text.partition("<main")[2]
        (found,) = re.findall(rf'href="({AT}[^"]*)"', main)
        return str(found)

    def opened_at(link: str) -> str:
        (title,) = re.findall('id="moment-title">(.*?) ·', client.get(link).text)
        return plain(title)

    assert opened_at(link_of({"mistake": "true"})) == "House: set wrongly, corrected later"


def test_a_stage_that_was_not_seen_is_one_question_with_two_answers(app: FastAPI, client: TestClient) -> None:
    play(app, HOUSE_WRONG, moment=None)
    asked = "Have the bank's tiles been put away? No Correct it now. Yes Leave it: too late to correct."
    assert asked in plain(client.get("/tables/test").text)
    assert asked in plain(client.get(AT).text)


def test_a_supervisor_says_on_the_table_page_what_was_done(app: FastAPI, client: TestClient) -> None:
    play(app, HOUSE_WRONG)
    assert buttons(client.get("/tables/test").text, "house") == list(BUTTONS)
    sent = {"part": "house", "revision": "1", "outcome": "corrected", "then": "table"}
    answer = client.post(f"{AT}/outcome", data=sent, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/tables/test")
    assert buttons(person(app, UserRole.VIEWER, "vic").get("/tables/test").text, "house") == []


def test_a_supervisor_says_on_the_table_page_whether_another_cut_was_accepted(app: FastAPI, client: TestClient) -> None:
    """star-2024 8.4.5 (ruling 43)."""
    allowed = ExceptionReport(code="cut_accepted", rule="star-2024 8.4.5", by="casino supervisor")
    cut = FindingReport(code=Code.CUT_AGAINST_DIE, rule="star-2024 8.4.5", unless=(allowed,))
    parts = app.state.parts
    for played in revisions("r1", datetime.now(UTC), HOUSE_RIGHT):
        seen = played.model_copy(update={"findings": (cut,)})
        report = report_round(seen, table="test", rules=parts.only.rules, versions={})
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    assert "Was this cut accepted?" in client.get("/tables/test").text
    answer = client.post("/tables/test/other-cut", data={"accepted": "false"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/tables/test")
    reported = parts.only.live.state.reported_bank
    assert (reported.held, reported.other_cut, reported.by) == (Bank.HOUSE, False, "ann")


def test_a_hand_that_the_camera_saw_corrected_needs_no_button(app: FastAPI, client: TestClient) -> None:
    play(app, HOUSE_WRONG, HOUSE_RIGHT)
    (alarm,) = client.get("/v1/alarms", params={"kind": "house_hand_wrong"}).json()["alarms"]
    newest = client.get("/v1/rounds/r1").json()
    assert (alarm["remedy"], alarm["over_at"]) == (None, newest["outcomes"][0]["at"])
    corrected = app.state.parts.only.ledger.newest("r1").changed_at.astimezone(app.state.parts.config.page.zone)
    said = f"Corrected at {corrected:%H:%M:%S} · seen by the camera"
    page = client.get(AT).text
    assert said in plain(page)
    assert buttons(page, "house") == []
    assert said in text_of(client.get(f"{AT}/incident.pdf").content)
    handover = plain(client.get("/handover").text)
    assert said in handover
    assert "Corrected: 1 · Left without an outcome: 1" in handover
    on = shift_on(datetime.now(UTC), app.state.parts.config.page.zone, ())
    standing = happened_at(app.state.parts.projector, ["test"], on).standing()
    assert (standing["corrected"], standing["left"]) == (1, 1)


def test_a_finding_has_its_own_buttons_and_those_who_may_accept_it(app: FastAPI, client: TestClient) -> None:
    play(app, HOUSE_RIGHT)
    page = client.get(AT).text
    titles = re.findall(r'<option value="([^"]*)">', page[page.index('name="title"') :].partition("</select>")[0])
    assert buttons(page, "finding1") == [*BUTTONS[:2], "Accepted by", *BUTTONS[2:]]
    sent = {"part": "finding1", "revision": "1", "outcome": "accepted", "title": titles[0], "reason": ""}
    answer = client.post(f"{AT}/outcome", data=sent, follow_redirects=False)
    assert answer.headers["location"].endswith("#findings-title")
    assert f"Accepted by {titles[0]} at" in plain(client.get(AT).text)
    assert f"Accepted by {titles[0]} at" in plain(client.get("/handover").text)


@pytest.mark.parametrize(
    "change",
    [{"part": "box2"}, {"outcome": ""}, {"outcome": "called nobody"}, {"outcome": "accepted", "title": "dealer"}],
)
def test_a_report_that_cannot_be_taken_is_refused_on_the_page(
    app: FastAPI, client: TestClient, change: dict[str, str]
) -> None:
    play(app, HOUSE_WRONG)
    answer = client.post(f"{AT}/outcome", data={"part": "house", "revision": "1", "outcome": "corrected"} | change)
    assert answer.status_code == 422
    assert "Not recorded." in answer.text
    assert app.state.parts.only.ledger.newest("r1").outcomes == ()


def test_who_may_not_review_sees_no_buttons(app: FastAPI) -> None:
    play(app, HOUSE_WRONG)
    with person(app, UserRole.AUDITOR, "aud") as client:
        assert buttons(client.get(AT).text, "house") == []
        sent = {"part": "house", "revision": "1", "outcome": "corrected"}
        assert client.post(f"{AT}/outcome", data=sent).status_code == 403


def test_a_round_that_was_not_seen_waits_until_somebody_says_what_was_done(app: FastAPI, client: TestClient) -> None:
    now, parts = datetime.now(UTC), app.state.parts
    causes = (IrregularityReport(kind="dispute"),)
    unseen = RoundReport(
        id="r1",
        opened_at=now,
        changed_at=now,
        closed_at=now,
        state="closed",
        agreeing_frames=3,
        findings=(FindingReport(code=Code.ROUND_NOT_SEEN, irregularities=causes),),
    )
    report = report_round(unseen, table="test", rules=parts.only.rules, versions={})
    parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    queue = client.get("/reviews").text
    assert "Round not seen: 1 round" in plain(queue)
    assert "Round not seen: tiles were dealt, but the camera did not see the table" in plain(queue)
    assert f'href="{AT}#findings-title"' in queue
    assert 'name="tick"' not in queue
    page = client.get(AT).text
    assert "Round not seen: tiles were dealt" in plain(page)
    assert "Surveillance called" in buttons(page, "finding1")
    client.post(f"{AT}/outcome", data={"part": "finding1", "revision": "1", "outcome": "called surveillance"})
    assert parts.only.ledger.newest("r1").status == "confirmed"
    assert "No rounds to review." in plain(client.get("/reviews").text)
    for path in ("/", "/tables/test", "/alarms", "/handover", "/rounds", AT, f"{AT}/incident.pdf"):
        assert client.get(path).status_code == 200
