"""What may be drawn of a round, and in which stratum."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from service.rounds.judge.rules_in_force import TableRules
from service.rounds.review import ReviewIn, review
from service.table.audit.sampling import HANDS, THROWS, Member, members, reader_version
from tests.service.stand_ins import RIGHT, START, WRONG, die, hand, opened, reading, report_round

if TYPE_CHECKING:
    from service.rounds.reports import RoundReport
    from vision.reading import Reading

RULES = TableRules.of("crown-6.1")
PLAIN = ("6-2 4-3", "5-5 4-2")
THROW = (die(3), die(5), die(1), die(2, "cut"))
DOUBTFUL_BOX = hand("box2", *PLAIN, "uncertain", ("glare",))


def closed(said: Reading) -> RoundReport:
    over = opened(said).model_copy(update={"state": "closed", "closed_at": START + timedelta(seconds=9)})
    return report_round(over, table="test", rules=RULES, versions=said.versions)


def strata(report: RoundReport) -> dict[str, str]:
    return {one.place: one.stratum.value for one in members(report, "ab" * 32)}


def test_hands_and_the_throw_are_one_member_each() -> None:
    said = reading(hand("house", *RIGHT), hand("box2", *PLAIN), hand("box3", "6-5 6-4", "4-4 4-4"), dice=THROW)
    found = strata(closed(said))
    assert found == {
        "house": "hand_judged",
        "box2": "hand_other",
        "box3": "hand_with_pair",
        "dice": "throw_other",
    }
    assert set(found.values()) <= {*HANDS, *THROWS}


def test_an_open_round_has_no_members() -> None:
    report = closed(reading(hand("house", *RIGHT))).model_copy(update={"state": "open", "closed_at": None})
    assert list(members(report, "ab" * 32)) == []


def test_what_is_in_doubt_is_no_member_and_marks_the_others() -> None:
    report = closed(reading(hand("house", *RIGHT), DOUBTFUL_BOX, dice=THROW))
    assert strata(report) == {"house": "hand_beside_doubt", "dice": "throw_beside_doubt"}
    one_doubtful = (die(3), die(5), die(1, status="uncertain"), die(2, "cut"))
    assert strata(closed(reading(hand("house", *RIGHT), dice=one_doubtful))) == {"house": "hand_beside_doubt"}


def test_three_box_dice_alike_are_a_stratum_of_their_own() -> None:
    assert strata(closed(reading(hand("house", *RIGHT), dice=(die(4), die(4), die(4), die(1, "cut")))))["dice"] == (
        "throw_alike"
    )


@pytest.mark.parametrize(
    "decided",
    [
        {"hands": [{"place": "house", "low": WRONG[0].split(), "high": WRONG[1].split()}]},
        {"absent": ["house"]},
        {"dice": [{"value": 6, "role": "box"}]},
    ],
)
def test_what_a_person_corrected_stays_a_member_as_it_was_read(decided: dict[str, object]) -> None:
    """Otherwise each error that a supervisor finds would leave the figures."""
    before = closed(reading(hand("house", *RIGHT), hand("box2", *PLAIN), dice=THROW))
    asked = ReviewIn.model_validate({"action": "correct", "by": "ann", "reason": "seen", "revision": 1, **decided})
    assert strata(review(before, asked, START, RULES.of_round(before))) == strata(before)


def test_a_version_is_the_models_and_the_code() -> None:
    known = {"detector": "sha256:00", "tiles": "sha256:01", "code": "sha256:02"}
    assert reader_version(known) == reader_version({**known, "config": "sha256:03", "platform": "linux"})
    for name in (*known, "lean", "dice", "enrolment"):
        assert reader_version(known) != reader_version({**known, name: "another"})
    report = closed(reading(hand("house", *RIGHT)))
    assert {one.version for one in members(report, "ab")} == {reader_version(report.versions)}
    assert all(isinstance(one, Member) for one in members(report, "ab"))
