"""The population of a day, and its draw: as many as the quota, reproducible with the seed, not controllable."""

from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.rounds.review import ReviewIn, review
from service.table.audit.sampling import (
    HANDS,
    THROWS,
    Member,
    Stratum,
    commitment,
    draw,
    members,
    number_of,
    reader_version,
    shares,
)
from tests.service.stand_ins import RIGHT, START, WRONG, die, hand, opened, reading, report_round
from vision.reading import Reading

SEED = bytes(range(64))


def population(**sizes: int) -> list[Member]:
    """Return a population with ``counts`` members by stratum."""
    return [
        Member(f"{number:064x}", f"{stratum}", Stratum(stratum), "v1")
        for stratum, size in sizes.items()
        for number in range(size)
    ]


DAY = population(hand_beside_doubt=3, hand_with_pair=20, hand_judged=100, hand_other=500)


def test_a_rare_stratum_is_drawn_more_often() -> None:
    drawn = draw(SEED, DAY, HANDS, 12)
    assert Counter(one.member.stratum for one in drawn) == dict.fromkeys(HANDS, 3)
    assert {one.member.stratum: (one.taken, one.of) for one in drawn} == {
        "hand_beside_doubt": (3, 3),
        "hand_with_pair": (3, 20),
        "hand_judged": (3, 100),
        "hand_other": (3, 500),
    }


def test_the_draw_does_not_hang_on_the_order_of_the_members() -> None:
    assert draw(SEED, DAY, HANDS, 12) == draw(SEED, DAY[::-1], HANDS, 12)
    assert draw(SEED, DAY, HANDS, 12) != draw(b"another seed", DAY, HANDS, 12)


def test_they_are_asked_in_the_order_of_their_numbers() -> None:
    drawn = draw(SEED, DAY, HANDS, 12)
    assert [one.number for one in drawn] == sorted(number_of(SEED, one.member) for one in drawn)


def test_a_number_hangs_on_the_entry_and_the_place_alone() -> None:
    one = Member("ab" * 32, "house", Stratum.HAND_JUDGED, "v1")
    other = Member("ab" * 32, "house", Stratum.HAND_WITH_PAIR, "v2")
    assert number_of(SEED, one) == number_of(SEED, other)
    assert number_of(SEED, one) != number_of(SEED, Member("ab" * 32, "box1", Stratum.HAND_JUDGED, "v1"))
    assert number_of(SEED, one) != number_of(SEED, Member("cd" * 32, "house", Stratum.HAND_JUDGED, "v1"))


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    assert commitment(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_each_member_is_drawn_equally_often_with_new_seeds() -> None:
    members = population(hand_judged=10, hand_other=4)
    times = Counter(
        one.member for day in range(1000) for one in draw(f"day {day}".encode(), members, HANDS, 6) if one.of == 10
    )
    assert len(times) == 10
    assert all(230 <= count <= 370 for count in times.values())  # 300 expected, five standard deviations


@given(
    st.lists(st.integers(0, 300), min_size=4, max_size=4).map(lambda sizes: dict(zip(HANDS, sizes, strict=True))),
    st.integers(4, 200),
)
def test_shares_use_the_quota_and_leave_no_stratum_out(sizes: dict[Stratum, int], quota: int) -> None:
    taken = shares(quota, sizes)
    assert sum(taken.values()) == min(quota, sum(sizes.values()))
    for stratum, size in sizes.items():
        assert min(size, 1) <= taken[stratum] <= size
        # Whoever got less than another had no more to give, but for what cannot be divided.
        assert taken[stratum] == size or taken[stratum] >= max(taken.values()) - 1


def test_a_quota_below_the_number_of_strata_is_refused() -> None:
    with pytest.raises(ValueError, match="without a draw"):
        draw(SEED, DAY, HANDS, 3)


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
