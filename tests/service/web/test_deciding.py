"""Deciding one doubt at a time: question, recorded entry, next doubt; and the queue by cause."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import ValidationError

from engine.observed.observations import DiceSeen
from service.access.roles import UserRole
from service.record.ledger import Evidence, PictureRole
from service.record.store.entries import Picture, RecordState
from service.rounds.readings import die_of, hand_of
from service.rounds.reports import (
    ClipReport,
    EvidenceReport,
    KnownBankReport,
    ObservationReport,
    RoundLogReport,
    RoundReport,
)
from service.rounds.review import ReviewIn, doubtful_parts
from service.web.review_questions import USUAL, question_of, reason_of, reason_words
from service.web.round_views import moments
from service.words.codes import RecordCode
from tests.service.api.test_http import jpeg
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
    person,
    reading,
    report_round,
)
from vision.findings import Code, Finding
from vision.reading import DieReading, HandReading, Reading

ROLES: tuple[tuple[PictureRole, int], ...] = (("frame", 0), ("annotated", 4), ("close_up", 8))
"""Pictures of each part, and by how much their width differs."""
BOX = ("1-1 4-3", "4-4 5-5")


def doubted(part: HandReading, *doubts: Finding) -> HandReading:
    return replace(part, status="uncertain", doubts=doubts)


def doubted_die(value: int, *doubts: Finding) -> DieReading:
    return replace(die(value), status="uncertain", doubts=doubts)


OTHER_FACE = Finding.of(Code.LOW_CONFIDENCE, face="4-3", percent=81, next="5-2").regarding("4-3")
BY_PIPS = Finding.of(Code.PIPS_SHOW_ANOTHER_FACE, face="6-1").regarding("4-3")
HIDDEN = Finding(Code.HIDDEN_SINCE)
TWO = Finding.of(Code.PIPS_SHOW_ANOTHER_VALUE, value=2)
UNSURE = Finding.of(Code.VALUE_LOW_CONFIDENCE, value=5, percent=71)
DICE = (die(3), doubted_die(5, UNSURE, TWO), doubted_die(4, Finding(Code.PICTURES_DISAGREE)), die(2, "cut"))
DOUBTFUL = reading(hand("house", *RIGHT), doubted(hand("box2", *BOX), OTHER_FACE, BY_PIPS), dice=DICE)
HIDDEN_BOX = reading(hand("house", *RIGHT), doubted(hand("box3", *BOX), HIDDEN))


def seen(app: FastAPI, round_id: str, *readings: Reading, minutes: int = 0, pictures: bool = True) -> RoundReport:
    """Record a round, each reading a revision, with pictures of each hand and of the throw."""
    parts = app.state.parts
    at = datetime.now(UTC) - timedelta(hours=2) + timedelta(minutes=minutes)
    report = None
    for number, said in enumerate(readings):
        now = at + timedelta(seconds=number)
        played = RoundReport(
            id=round_id,
            opened_at=at,
            changed_at=now,
            agreeing_frames=1,
            hands=tuple(map(hand_of, said.hands)),
            dice=tuple(map(die_of, said.dice)),
        )
        report = report_round(played, table="test", rules=parts.only.rules, versions={})
        places = [*(each.place for each in report.hands), *(["dice"] if report.dice else [])]
        width = 200 + 2 * number
        evidence = [
            Evidence(place, role, Picture(jpeg(width + 20 * places.index(place) + size, 120)))
            for place in places
            for role, size in ROLES
        ]
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report, evidence if pictures else ()))
    newest: RoundReport = parts.only.ledger.newest(round_id)
    return newest


@pytest.fixture
def app() -> FastAPI:
    return app_of(config(), reader=FakeReader(), watch=False)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with person(app) as client:
        yield client


def newest(app: FastAPI, round_id: str = "r1") -> RoundReport:
    found: RoundReport = app.state.parts.only.ledger.newest(round_id)
    return found


def send(client: TestClient, part: str, choice: str, round_id: str = "r1", **said: str) -> tuple[int, str, str]:
    """Press a button; return the status, the redirect and the text of that page."""
    revision = str(newest(client.app, round_id).revision)  # type: ignore[arg-type]
    form = {"part": part, "choice": choice, "because": "picture", "revision": revision} | said
    answer = client.post(f"/tables/test/rounds/{round_id}/decide", data=form, follow_redirects=False)
    to = answer.headers.get("location", "")
    return answer.status_code, to, client.get(to).text if to else answer.text


def test_the_readings_of_a_doubt_are_those_of_both_readers(app: FastAPI) -> None:
    played = seen(app, "r1", DOUBTFUL)
    assert doubtful_parts(played) == ("box2", "die2", "die3")
    two, three, box = (question_of(played, part) for part in ("die2", "die3", "box2"))
    assert (two.values, two.others) == ((5, 2), (1, 3, 4, 6))
    assert (three.values, three.others) == ((4,), (1, 2, 3, 5, 6))
    assert [each.value for each in box.hands] == ["1-1 4-3/4-4 5-5", "1-1 5-2/4-4 5-5", "1-1 6-1/4-4 5-5"]


@pytest.mark.parametrize("code", [Code.PAIRS_RANK_ALIKE, Code.DECIDED_BY_RANK])
def test_which_pair_is_low_may_be_the_doubt(app: FastAPI, code: Code) -> None:
    played = seen(app, "r1", reading(hand("house", *RIGHT), doubted(hand("box2", *BOX), Finding(code))))
    assert [each.value for each in question_of(played, "box2").hands] == ["1-1 4-3/4-4 5-5", "4-4 5-5/1-1 4-3"]


def test_nothing_is_offered_that_no_set_holds(app: FastAPI) -> None:
    third = Finding.of(Code.PIPS_SHOW_ANOTHER_FACE, face="1-1").regarding("4-3")
    played = seen(app, "r1", reading(hand("house", *RIGHT), doubted(hand("box2", "1-1 4-3", "1-1 5-5"), third)))
    assert len(question_of(played, "box2").hands) == 1


def test_a_die_is_decided_and_the_other_stays_in_doubt(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", DOUBTFUL)
    status, to, html = send(client, "die2", "2")
    assert (status, to) == (303, "/tables/test/rounds/r1?place=box2&decided=test%3Ar1%3Adie2&because=picture#decide")
    assert "Decided: round 1" in html
    played = newest(app)
    assert [(each.value, each.status) for each in played.dice] == [
        (3, "verified"),
        (2, "confirmed"),
        (4, "uncertain"),
        (2, "verified"),
    ]
    assert (played.status, played.hands[1].review) == ("needs_review", None)
    assert played.dice_review is not None
    assert (played.dice_review.action, played.dice_review.reason) == ("correct", "Clear in the picture")
    assert [each.value for each in played.dice_review.read] == [3, 5, 4, 2]
    assert played.dice[1].polygon != ((0.0, 0.0),) * 4


def test_what_was_read_is_confirmed_and_nothing_else(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", DOUBTFUL)
    send(client, "die3", "4", more="looked twice")
    played = newest(app)
    assert [each.status for each in played.dice] == ["verified", "uncertain", "confirmed", "verified"]
    assert played.dice_review is not None
    assert (played.dice_review.action, played.dice_review.by) == ("confirm", "ann")
    assert played.dice_review.reason == "Clear in the picture: looked twice"


def test_a_hand_is_confirmed_read_otherwise_or_not_there(app: FastAPI, client: TestClient) -> None:
    for number, choice in enumerate(("1-1 4-3/4-4 5-5", "1-1 6-1/4-4 5-5", "absent"), start=1):
        seen(app, f"r{number}", DOUBTFUL, minutes=number)
        send(client, "box2", choice, f"r{number}")
    first, second, third = (newest(app, name) for name in ("r1", "r2", "r3"))
    assert [each.hands[1].low for each in (first, second)] == [("1-1", "4-3"), ("1-1", "6-1")]
    assert [each.hands[1].status for each in (first, second)] == ["confirmed", "confirmed"]
    assert ([each.place for each in third.hands], third.absent[0].place) == (["house"], "box2")
    assert {each.status for each in (first, second, third)} == {"needs_review"}  # the dice are nobody's decision yet


def test_one_doubt_leads_to_the_next_and_then_to_the_next_round(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", HIDDEN_BOX)
    seen(app, "r2", DOUBTFUL, minutes=5)
    _, to, _ = send(client, "box2", "absent", "r2")
    assert to.startswith("/tables/test/rounds/r2?place=die2&")
    _, to, html = send(client, "die2", "5", "r2")
    assert to.startswith("/tables/test/rounds/r2?place=die3&")
    assert 'value="picture" checked' in html  # the reason that the person chose before
    _, to, _ = send(client, "die3", "4", "r2")
    assert to.startswith("/tables/test/rounds/r1?place=box3&decided=test%3Ar2%3Adie3&")
    _, to, html = send(client, "box3", "1-1 4-3/4-4 5-5")
    assert to.startswith("/reviews?")
    assert "No rounds to review." in html
    assert (newest(app, "r1").status, newest(app, "r2").status) == ("confirmed", "confirmed")


def test_what_is_skipped_stays_in_doubt(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", HIDDEN_BOX)
    seen(app, "r2", DOUBTFUL, minutes=5)
    for part, to in (("box2", "/tables/test/rounds/r2?place=die2"), ("die3", "/tables/test/rounds/r1?place=box3")):
        answer = client.get("/tables/test/rounds/r2/next", params={"place": part}, follow_redirects=False)
        assert answer.headers["location"].startswith(to)
    assert newest(app, "r2").revision == 1


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({"because": "", "more": " "}, 422, "Give a reason"),
        ({"because": "no such code"}, 422, "Give a reason"),
        ({"choice": ""}, 422, "Choose one of the readings"),
        ({"choice": "7"}, 422, "Choose one of the readings"),
        ({"part": "die1", "choice": "3"}, 422, "Die 1 is not in doubt"),
        ({"part": "die9"}, 422, "Die 9 is not in this round"),
        ({"part": "box2", "choice": "6-6 6-6/6-6 6-6"}, 422, "Choose one of the readings"),
        ({"revision": "7"}, 409, "look at it again"),
        ({"revision": "x"}, 422, "revision"),
    ],
)
def test_what_is_refused_is_told_and_not_recorded(
    app: FastAPI, client: TestClient, said: dict[str, str], status: int, words: str
) -> None:
    seen(app, "r1", DOUBTFUL)
    form = {"part": "die2", "choice": "5", "because": "glare", "revision": "1"} | said
    answer = client.post("/tables/test/rounds/r1/decide", data=form)
    assert answer.status_code == status
    assert words in answer.text.partition("Not recorded.")[2][:300]
    assert newest(app).revision == 1


def test_a_die_that_leans_is_never_confirmed_as_read(app: FastAPI, client: TestClient) -> None:
    leaning = replace(die(4), status="uncertain", cocked=True, doubts=(Finding(Code.DIE_LEANS),))
    seen(app, "r1", reading(hand("house", *RIGHT), dice=(die(3), leaning, die(2, "cut"))))
    send(client, "die2", "4")
    played = newest(app)
    assert played.dice_review is not None
    assert (played.dice_review.action, played.dice[1].cocked, played.dice[1].value) == ("correct", False, 4)
    seen(app, "r2", reading(hand("house", *RIGHT), dice=(die(3), leaning, die(2, "cut"))), minutes=5)
    assert 'name="tick"' not in client.get("/reviews").text


def test_a_die_may_be_cocked(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", DOUBTFUL)
    assert "It is cocked: the dice must be shaken again" in client.get("/tables/test/rounds/r1?place=die2").text
    send(client, "die2", "cocked")
    played = newest(app)
    assert [(each.value, each.cocked, each.status) for each in played.dice][:2] == [
        (3, False, "verified"),
        (None, True, "confirmed"),
    ]
    assert played.throw is not None
    assert played.throw.first_box is None


@pytest.mark.parametrize("die", [{"value": 4, "cocked": True}, {}])
def test_a_die_has_a_value_or_is_cocked(die: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="either a value or is cocked"):
        ReviewIn.model_validate({"action": "correct", "by": "x", "reason": "y", "revision": 1, "dice": [die]})


def test_a_decided_die_stays_so_while_the_others_are_read_on(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", DOUBTFUL)
    send(client, "die2", "2")
    read_on = reading(*DOUBTFUL.hands, dice=(die(3), DICE[1], die(4), die(2, "cut")))
    played = seen(app, "r1", read_on)
    assert [(each.value, each.status) for each in played.dice] == [
        (3, "verified"),
        (2, "confirmed"),
        (4, "verified"),
        (2, "verified"),
    ]
    assert played.throw is not None
    assert (played.throw.status, played.throw.total) == ("confirmed", 9)
    shaken = seen(app, "r1", reading(*DOUBTFUL.hands, dice=(die(1), die(1), die(4), die(2, "cut"))))
    assert ([each.value for each in shaken.dice], shaken.dice_review) == ([1, 1, 4, 2], None)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"action": "confirm", "only": ["house"]}, "House is not in doubt"),
        ({"action": "confirm", "only": ["die1"]}, "Die 1 is not in doubt"),
        ({"action": "correct", "only": ["die7"], "dice": [{"value": 1}]}, "Die 7 is not in this round"),
        ({"action": "correct", "only": ["die2"], "dice": [{"value": 1}, {"value": 2}]}, "names every die"),
        ({"action": "correct", "only": ["box2"], "dice": [{"value": 1}]}, "names every die"),
        ({"action": "confirm", "only": ["die2", "die2"]}, "name each place only once"),
    ],
)
def test_a_decision_names_parts_that_there_are(app: FastAPI, asked: dict[str, object], words: str) -> None:
    seen(app, "r1", DOUBTFUL)
    with pytest.raises(ValueError, match=words):
        app.state.parts.only.ledger.review(
            "r1", ReviewIn.model_validate({"reason": "x", "revision": 1, "by": "ann"} | asked), None, "ann"
        )


def test_a_round_opens_where_something_is_wrong_or_in_doubt(app: FastAPI, client: TestClient) -> None:
    wrong = reading(hand("house", *WRONG), *HIDDEN_BOX.hands[1:], dice=(die(3), die(2, "cut")))
    seen(app, "r1", wrong)
    assert "House: set wrongly" in client.get("/tables/test/rounds/r1").text
    html = client.get("/tables/test/rounds/r1", params={"place": "box3"}).text
    assert "Box 3: how do the tiles lie?" in html
    assert "Dice: the throw" in client.get("/tables/test/rounds/r1", params={"place": "dice"}).text
    assert "House: set wrongly" in client.get("/tables/test/rounds/r1", params={"place": "nowhere"}).text


def test_a_wrong_hand_is_shown_as_it_lay_when_it_was_wrong(app: FastAPI) -> None:
    seen(app, "r1", HOUSE_WRONG, HOUSE_RIGHT)
    every = tuple(report for _, report in app.state.parts.only.ledger.revisions("r1"))
    kept = {one.sha256 for report in every for one in report.evidence}
    house = next(each for each in moments(every, kept) if each.place == "house")
    assert (house.kind, house.report.revision) == ("set_right", 1)
    assert house.hand is not None
    assert house.hand.low == tuple(WRONG[0].split())
    shown = {one.role: one.sha256 for one in every[0].evidence if one.place == "house"}
    assert (house.annotated, house.close_up) == (shown["annotated"], shown["close_up"])
    assert next(each for each in moments(every, set()) if each.place == "house").close_up is None


def test_each_place_has_the_clip_of_its_own_alarm_and_the_time_of_it(app: FastAPI) -> None:
    """The House hand is wrong in revision 1, box 3 is in doubt from revision 3 on; both are so to the end."""
    well = reading(hand("house", *WRONG), hand("box3", *BOX))
    seen(app, "r1", HOUSE_WRONG, well, reading(hand("house", *WRONG), *HIDDEN_BOX.hands[1:]), pictures=False)
    every = [report for _, report in app.state.parts.only.ledger.revisions("r1")]
    clips = [
        EvidenceReport(
            sha256=str(number) * 64,
            role="clip",
            media_type="application/zip",
            bytes=1,
            clip=ClipReport(started_at=every[0].opened_at, ended_at=each.changed_at, pictures=1),
        )
        for number, each in enumerate(every)
    ]

    def found(*has_clip: int) -> dict[str, tuple[datetime, str | None]]:
        revisions = [
            each.model_copy(update={"evidence": (clips[number],) if number in has_clip else ()})
            for number, each in enumerate(every)
        ]
        return {
            each.place: (each.started_at, each.clip.sha256[0] if each.clip else None) for each in moments(revisions, ())
        }

    assert found(0, 2) == {"house": (every[0].changed_at, "0"), "box3": (every[2].changed_at, "2")}
    assert found(0) == {"house": (every[0].changed_at, "0"), "box3": (every[2].changed_at, "0")}
    assert found() == {"house": (every[0].changed_at, None), "box3": (every[2].changed_at, None)}


def test_the_throw_has_its_own_time_not_that_of_a_decision(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", DOUBTFUL, pictures=False)
    for part, choice in (("die2", "5"), ("die3", "4")):
        send(client, part, choice)
    every = [report for _, report in app.state.parts.only.ledger.revisions("r1")]
    assert len(every) == 3
    assert next(each.started_at for each in moments(every, ()) if each.place == "dice") == every[0].changed_at
    at = every[0].opened_at - timedelta(seconds=40)
    thrown = ObservationReport(number=1, at=at, kind=DiceSeen.kind, facts={"box_dice": [3, 5, 4]})
    log = RoundLogReport(
        version=1,
        rulebook="crown-6.1",
        rulebook_version="",
        boxes=7,
        box1_at_dealers_right=True,
        side_wagers=False,
        bank=KnownBankReport(method=None, box=None, button=None),
        seen=(thrown,),
    )
    observed = [each.model_copy(update={"log": log}) for each in every]
    assert next(each.started_at for each in moments(observed, ()) if each.place == "dice") == at


def test_the_difference_is_marked_and_told(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", HOUSE_WRONG)
    html = client.get("/tables/test/rounds/r1").text.replace("\N{NON-BREAKING HYPHEN}", "-")
    assert "6-1 belongs in the high hand." in html
    assert "6-3 belongs in the low hand." in html
    assert html.partition("compare")[2].partition("difference")[0].count('class="moved"') == 4


def test_who_may_not_decide_is_shown_the_doubt(app: FastAPI) -> None:
    seen(app, "r1", DOUBTFUL)
    with person(app, UserRole.AUDITOR) as auditor:
        html = auditor.get("/tables/test/rounds/r1").text
    assert "Box 2: needs review" in html
    assert 'name="choice"' not in html


def test_the_queue_is_grouped_by_cause(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", HIDDEN_BOX)
    seen(app, "r2", DOUBTFUL, minutes=5)
    html = client.get("/reviews").text
    for words in ("Uncertain dice: 1 round ", "Uncertain tiles: 1 round ", "Tiles hidden or moved: 1 round "):
        assert words in html
    assert 'value="test r2 1 die2 die3"' in html
    assert 'href="/tables/test/rounds/r1?place=box3#decide"' in html


def test_what_is_ticked_is_confirmed_each_by_itself(app: FastAPI, client: TestClient) -> None:
    for number in (1, 2, 3):
        seen(app, f"r{number}", HIDDEN_BOX, minutes=number)
    html = client.get("/reviews").text
    ticks = [f"test r{number} {newest(app, f'r{number}').revision} box3" for number in (1, 2, 3)]
    assert all(f'value="{tick}"' in html for tick in ticks)
    seen(app, "r3", HIDDEN_BOX, minutes=3)  # meanwhile
    answer = client.post("/reviews", data={"tick": ticks, "because": "hidden"})
    assert answer.status_code == 409
    assert "2 rounds confirmed." in answer.text
    assert "Round 3</a>: not confirmed." in answer.text
    for name in ("r1", "r2"):
        played = newest(app, name)
        assert played.hands[1].review is not None
        assert (played.status, played.hands[1].review.by) == ("confirmed", "ann")
        assert played.hands[1].review.reason == USUAL["hidden"]
    assert newest(app, "r3").status == "needs_review"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"tick": ["test r1 1 box3"]}, "Give a reason"),
        ({"because": "glare"}, "Tick"),
    ],
)
def test_bulk_needs_ticks_and_a_reason(
    app: FastAPI, client: TestClient, form: dict[str, list[str] | str], words: str
) -> None:
    seen(app, "r1", HIDDEN_BOX)
    answer = client.post("/reviews", data=form)
    assert (answer.status_code, words in answer.text) == (422, True)
    assert newest(app).revision == 1


def test_only_what_can_be_seen_is_ticked(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", HIDDEN_BOX, pictures=False)
    html = client.get("/reviews").text
    assert 'name="tick"' not in html
    assert "Decide this round on its own page." in html


def test_a_reason_is_recorded_in_english_and_read_in_the_language_of_the_page(app: FastAPI, client: TestClient) -> None:
    assert (reason_of("", " own "), reason_of("glare", "")) == ("own", "Glare or shadow")
    assert str(reason_words("Glare or shadow: on the 5-3")) == "Glare or shadow: on the 5-3"
    assert reason_words("my: own words") == "my: own words"
    seen(app, "r1", HIDDEN_BOX)
    send(client, "box3", "1-1 4-3/4-4 5-5", because="glare")
    assert newest(app).hands[1].review is not None
    html = client.get("/tables/test/rounds/r1", headers={"Accept-Language": "zh-Hant"}).text
    assert "Glare or shadow" not in html


def test_the_clip_of_the_seconds_before_is_beside_the_moment(app: FastAPI, client: TestClient) -> None:
    played = seen(app, "r1", HOUSE_WRONG)
    parts = app.state.parts
    shown = ClipReport(started_at=played.opened_at, ended_at=played.changed_at, pictures=3)
    clip = Evidence(None, "clip", Picture(b"PK of some pictures", "application/zip"), shown)
    parts.only.ledger.revise(played.model_copy(update={"evidence": ()}), (clip,))
    html = client.get("/tables/test/rounds/r1").text
    assert f"/v1/evidence/{clip.picture.sha256}" in unescape(html).partition("data-sources=")[2]
    assert "/static/clip.js" in html


def test_a_round_that_another_person_has_taken_is_left_to_them(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", DOUBTFUL)
    ben = person(app, UserRole.SUPERVISOR, "ben")
    assert ben.post("/v1/reviews/test/r1/claim").json()["by"] == "ben"
    assert "You have taken this round" in ben.get("/tables/test/rounds/r1").text
    html = client.get("/tables/test/rounds/r1").text
    assert "taken by ben" in html
    assert 'name="choice"' not in html
    queue = client.get("/reviews").text
    assert "taken by ben" in queue
    assert 'name="tick"' not in queue
    status, _, html = send(client, "die2", "2")
    assert status == 409
    assert "ben has taken this" in html
    assert newest(app).revision == 1
    (waiting,) = client.get("/v1/reviews").json()["reviews"]
    assert (waiting["table"], waiting["round"]["id"], waiting["taken"]["by"]) == ("test", "r1", "ben")
    assert ben.post("/tables/test/rounds/r1/release", follow_redirects=False).status_code == 303
    assert send(client, "die2", "2")[0] == 303


def test_a_program_confirms_a_round_of_a_local_table_once(app: FastAPI, client: TestClient) -> None:
    seen(app, "r1", HIDDEN_BOX)
    asked = {"action": "confirm", "reason": "Looked", "revision": newest(app).revision}
    first, again = (client.post("/v1/reviews/test/r1", json=asked) for _ in range(2))
    assert (first.status_code, first.json()["status"], again.json()) == (200, "confirmed", first.json())
    assert client.get("/v1/reviews").json() == {"reviews": [], "next": None, "waiting": 0}


@pytest.mark.parametrize("code", [RecordCode.DISK_FULL, RecordCode.READ_ONLY, RecordCode.LEASED])
def test_nothing_is_claimed_while_nothing_can_be_recorded(app: FastAPI, client: TestClient, code: RecordCode) -> None:
    seen(app, "r0", HOUSE_WRONG)
    played, record = seen(app, "r1", DOUBTFUL), app.state.parts.record
    ben = person(app, UserRole.SUPERVISOR, "ben")
    (alarm,) = ben.get("/v1/alarms").json()["alarms"]
    claim_at = "/v1/reviews/test/r1/claim"
    before = ben.post(claim_at).json()
    well, record._state, record._next_try = record.state, RecordState(Finding(code)), float("inf")
    decision = {"action": "confirm", "reason": "Looked at the table", "revision": played.revision}
    sent = (("/v1/reviews/test/r1", decision), (claim_at, None), (f"/v1/alarms/{alarm['id']}/claim", None))
    for path, body in sent:
        refused = ben.post(path, json=body)
        assert (refused.status_code, refused.json()["code"]) == (503, "record_unavailable"), path
    assert ben.delete(claim_at).status_code == 503
    assert "You have taken this round" in ben.get("/tables/test/rounds/r1").text
    record._state = well
    assert client.post(claim_at).json()["code"] == "taken"  # the refused decision left it with the same person
    assert ben.post(claim_at).json() == before
    assert newest(app).revision == 1
