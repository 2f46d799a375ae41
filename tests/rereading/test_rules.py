"""What rules decide of recorded rounds, again."""

import random
from datetime import timedelta
from typing import Any

import pytest

from datasets.simulator.readings import ErrorRates, ReadingSource
from datasets.simulator.script import Options, Script, script
from engine.books.house_ways import get
from engine.books.registry import rulebook
from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.setting import Deal, Setting
from rereading.again import Again, NotTheSameError, basis_here, check_same
from rereading.rules import Chosen, decide_again, differences, rules_for
from service.rounds.judge.verdicts import judge_round
from service.rounds.reports import RoundReport, parse_pair
from service.rounds.review import HandIn, ReviewIn, review
from service.rounds.round_tracker import RoundTracker
from tests.rereading.recorded import BEGAN, REPORTS, RULES, dealt, entry_of, numbered
from tests.service.stand_ins import rules_by
from vision.hand_grouping import Conventions
from vision.tracking.observed.procedure import Procedure

DAY = BEGAN.date()


@pytest.fixture(scope="module")
def session() -> list[RoundReport]:
    """Rounds of a simulated session in which hands are opened too early."""
    options = Options(rulebook="nz-1998", rounds=1, mistakes=("exposed-before-bank",), mistake_rate=1.0)
    return followed(script(31, options))


def followed(made: Script) -> list[RoundReport]:
    """The closed rounds of a session as a table records them."""
    conventions = Conventions.of(made.table_calibration(), made.low_hand)
    procedure = Procedure(rulebook(made.options.rulebook), conventions.order)
    tracker = RoundTracker(lambda: "r1", 3, 3, conventions=conventions, procedure=lambda _: procedure)
    readings = ReadingSource(made, 5.0, ErrorRates(), seed=1)
    changed = (tracker.update(timed.reading, BEGAN + timedelta(seconds=timed.t_s)) for timed in readings)
    judged = (judge_round(each, rules_by(made.way)) for each in changed if each is not None)
    return [RoundReport.model_validate_json(each.model_dump_json()) for each in judged if each.state == "closed"]


def again(report: RoundReport, chosen: Chosen | None = None) -> RoundReport:
    return decide_again(report, rules_for(report, chosen or Chosen()))


def test_the_same_rules_decide_the_same(session: list[RoundReport]) -> None:
    chance = random.Random(5)  # noqa: S311  no secret
    for report in (*session, *REPORTS.values(), *(dealt(chance) for _ in range(50))):
        decided = again(report)
        assert differences(report, decided, "rules") == ()
        assert decided.hands == report.hands
        assert decided.throw == report.throw
    assert any(report.departures for report in session)


def test_what_another_house_way_decides_differently() -> None:
    """Compared with that House Way's own verdict on each hand."""
    chance, other = random.Random(7), get("nz-1998")  # noqa: S311  no secret
    chosen = Chosen.of("nz-1998", None, None, DAY)
    changed = 0
    for report in (dealt(chance) for _ in range(200)):
        house = report.house
        assert house is not None
        low, high = parse_pair(house.low), parse_pair(house.high)
        verdict = other.judge(Deal.of((*low, *high)), Setting.of(Hand(*low), Hand(*high)))
        found = {
            each.what: each for each in differences(report, again(report, chosen), "rules") if each.place == "house"
        }
        assert house.house_way is not None
        now = "correct" if verdict.correct else "wrong"
        assert ("verdict" in found) == (now != house.house_way.verdict)
        if "verdict" in found:
            changed += 1
            assert (found["verdict"].recorded, found["verdict"].now) == (house.house_way.verdict, now)
    assert changed > 5


def test_what_a_person_entered_is_decided() -> None:
    doubtful = numbered(REPORTS["doubt"], 1, revision=1)
    seen = HandIn(place="house", low=("6-1", "5-3"), high=("6-6", "6-3"))
    asked = ReviewIn(action="correct", by="ann", reason="seen", revision=doubtful.revision, hands=(seen,))
    decided = review(doubtful, asked, BEGAN, RULES)
    assert decided.house is not None
    assert decided.house.is_set_wrongly
    assert differences(decided, again(decided), "rules") == ()
    (verdict,) = (each for each in differences(doubtful, again(decided), "rules") if each.what == "verdict")
    assert (verdict.recorded, verdict.now) == ("needs_review", "wrong")


def test_departures_follow_from_what_was_seen(session: list[RoundReport]) -> None:
    (report,) = session
    forgotten = report.model_copy(update={"findings": ()})
    (found,) = differences(forgotten, again(forgotten), "rules")
    assert (found.what, found.place, found.recorded) == ("departures", None, None)
    assert [each["code"] for each in found.now] == sorted(each.code for each in report.departures)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"house_way": "nowhere"}, "not_decidable"),
        ({"versions": {"rulebook_version": "0.1"}}, "not_decidable"),
        ({"number": "first"}, "entry_invalid"),
    ],
)
def test_what_cannot_be_decided_is_unread(changed: dict[str, Any], code: str) -> None:
    right = numbered(REPORTS["right"], 1)
    found = Again(Chosen()).read(entry_of({**right.model_dump(mode="json"), **changed}), {}, last_try=True)
    assert (found.outcome, [each.code for each in found.unread]) == ("unread", [code])
    assert Again(Chosen()).read(entry_of(right), {}, last_try=True).outcome == "same"


def test_a_worker_must_have_what_the_run_was_started_with() -> None:
    run = basis_here("rules", Chosen.of("crown-6.1", None, None, DAY), None)
    check_same(run, basis_here("rules", Chosen.of("crown-6.1", None, None, DAY), None))
    with pytest.raises(NotTheSameError, match=r"rulebook: the run has crown-6.1 .*, this computer nz-1998"):
        check_same(run, basis_here("rules", Chosen.of("nz-1998", None, None, DAY), None))
    with pytest.raises(NotTheSameError, match="code"):
        check_same(run.model_copy(update={"versions": {**run.versions, "code": "sha256:0"}}), run)
    with pytest.raises(EngineError, match="no House Way is called"):
        Chosen.of(None, None, "nowhere", DAY)
