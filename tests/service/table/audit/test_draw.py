"""The draw of a day: as many as the quota, reproducible with the seed, and not controllable."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.table.audit.sampling import HANDS, Member, Stratum, commitment, draw, number_of, shares

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
