"""What rules decide of recorded rounds, again."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from datasets.simulator.script import Options, script
from engine.books.house_ways import get
from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.setting import Deal, Setting
from service.floor.reread.again import Again
from service.floor.reread.rules import book_and_way, decide_again, differences
from service.floor.reread.told import Chosen, NotTheSameError, check_same, here
from service.rounds.reports import parse_pair
from service.rounds.review import HandIn, ReviewIn, review
from tests.service.floor.feeds import BEGAN, RecordedFeed
from tests.service.floor.played import REPORTS
from tests.service.floor.rereading import dealt, record
from tests.service.rounds.followed import followed

if TYPE_CHECKING:
    from service.rounds.reports import RoundReport


@pytest.fixture(scope="module")
def session() -> list[RoundReport]:
    """Rounds of a simulated session in which hands are opened too early."""
    options = Options(rulebook="nz-1998", rounds=1, mistakes=("exposed-before-bank",), mistake_rate=1.0)
    return followed(script(31, options))


def again(report: RoundReport, chosen: Chosen | None = None) -> RoundReport:
    return decide_again(report, *book_and_way(report, chosen or Chosen()))


def test_by_the_same_rules_nothing_is_otherwise(session: list[RoundReport]) -> None:
    chance = random.Random(5)  # noqa: S311  no secret
    for report in (*session, *REPORTS.values(), *(dealt(chance) for _ in range(50))):
        decided = again(report)
        assert differences(report, decided, "rules") == ()
        assert decided.hands == report.hands
        assert decided.throw == report.throw
    assert any(report.departures for report in session)


def test_by_another_house_way_what_it_sets_otherwise_is_told() -> None:
    """Held against what the other House Way says of each hand itself."""
    chance, other = random.Random(7), get("nz-1998")  # noqa: S311  no secret
    chosen = Chosen.of("nz-1998", None, None)
    changed = 0
    for report in (dealt(chance) for _ in range(200)):
        house = report.house
        assert house is not None
        low, high = parse_pair(house.low), parse_pair(house.high)
        verdict = other.judge(Deal.of((*low, *high)), Setting.of(Hand(*low), Hand(*high)))
        told = {
            each.what: each for each in differences(report, again(report, chosen), "rules") if each.place == "house"
        }
        assert house.house_way is not None
        now = "correct" if verdict.correct else "wrong"
        assert ("verdict" in told) == (now != house.house_way.verdict)
        if "verdict" in told:
            changed += 1
            assert (told["verdict"].recorded, told["verdict"].now) == (house.house_way.verdict, now)
    assert changed > 5


def test_a_persons_word_is_what_is_decided_by() -> None:
    doubtful = REPORTS["doubt"]
    seen = HandIn(place="house", low=("6-1", "5-3"), high=("6-6", "6-3"))
    asked = ReviewIn(action="correct", by="ann", reason="seen", revision=doubtful.revision, hands=(seen,))
    way = get("crown-6.1")
    decided = review(doubtful, asked, BEGAN, way)
    assert decided.house is not None
    assert decided.house.is_set_wrongly
    assert differences(decided, again(decided), "rules") == ()
    (verdict,) = (each for each in differences(doubtful, again(decided), "rules") if each.what == "verdict")
    assert (verdict.recorded, verdict.now) == ("needs_review", "wrong")


def test_departures_are_worked_out_of_what_was_seen(session: list[RoundReport]) -> None:
    (report,) = session
    forgotten = report.model_copy(update={"findings": ()})
    (found,) = differences(forgotten, again(forgotten), "rules")
    assert (found.what, found.place, found.recorded) == ("departures", None, None)
    assert [each["code"] for each in found.now] == sorted(each.code for each in report.departures)


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"house_way": "nowhere"}, "reread_not_decidable"),
        ({"versions": {"rulebook_version": "0.1"}}, "reread_not_decidable"),
        ({"number": "first"}, "reread_unreadable"),
    ],
)
def test_what_cannot_be_decided_is_told(told: dict[str, Any], code: str) -> None:
    feed = RecordedFeed()
    body = {**REPORTS["right"].model_dump(mode="json"), **told}
    entry = feed.append("round", body, round="r1")
    found = Again(Chosen()).read(entry, {}, last_try=True)
    assert (found.outcome, [each.code for each in found.unread]) == ("could_not", [code])
    record(feed, REPORTS["right"], 2)
    assert Again(Chosen()).read(feed.head, {}, last_try=True).outcome == "same"


def test_a_worker_must_have_what_the_run_was_begun_with() -> None:
    told = here("rules", Chosen.of("crown-6.1", None, None), None)
    check_same(told, here("rules", Chosen.of("crown-6.1", None, None), None))
    with pytest.raises(NotTheSameError, match=r"rulebook: the run has crown-6.1 .*, this computer nz-1998"):
        check_same(told, here("rules", Chosen.of("nz-1998", None, None), None))
    with pytest.raises(NotTheSameError, match="code"):
        check_same(told.model_copy(update={"versions": {**told.versions, "code": "sha256:0"}}), told)
    with pytest.raises(EngineError, match="no House Way is called"):
        Chosen.of(None, None, "nowhere")
