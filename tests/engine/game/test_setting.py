"""Deals and settings, counted over the whole set."""

from collections import Counter
from itertools import permutations

import pytest

from engine.errors import DealError, IllegalSettingError
from engine.game.hands import Hand, Name
from engine.game.ranking import rank_of
from engine.game.setting import Deal, Setting, all_deals


def test_how_many_deals_there_are() -> None:
    deals = all_deals()
    assert (len(deals), sum(deal.ways for deal in deals)) == (8130, 35960)
    assert len({tuple(deal.kinds) for deal in deals}) == 3620


def test_how_many_deals_hold_two_pairs_one_and_none() -> None:
    pairs: Counter[int] = Counter()
    for deal in all_deals():
        pairs[sum(times == 2 for times in Counter(deal.kinds).values())] += deal.ways
    assert pairs == {2: 120, 1: 6720, 0: 29120}


def test_every_setting_is_legal_uses_the_deal_and_reads_back() -> None:
    """crown-6.1 10.2.2; nz-1998 1.0 Hand, 1.0 Set; star-2024 12.4; star-classic 12.4; uk-poster point 5."""
    for deal in all_deals():
        assert len(deal.settings) == (3 if len(set(deal.tiles)) == 4 else 2)
        for setting in deal.settings:
            assert rank_of(setting.low) <= rank_of(setting.high)
            assert setting.deal == deal
        assert Setting.parse(str(deal.settings[0])) == deal.settings[0]
        assert Deal.parse(str(deal)) == deal


def test_the_order_of_the_tiles_does_not_matter() -> None:
    deal = Deal.parse("6-6 6-3 5-4 2-1")
    assert {Deal.of(order) for order in permutations(deal.tiles)} == {deal}


def test_copies_may_be_named_in_either_order() -> None:
    one, other = Hand.parse("6-6 3-1"), Hand.parse("6-6 2-2")
    assert rank_of(one) == rank_of(other)
    assert Setting(one, other) == Setting(other, one) == Setting.of(one, other)


def test_the_higher_ranking_hand_is_the_high_hand() -> None:
    setting = Setting.of(Hand.parse("5-4 2-1"), Hand.parse("6-6 6-3"))
    assert setting.high.name is Name.WONG
    assert Setting.of(setting.high, setting.low) == setting


@pytest.mark.parametrize(
    ("tiles", "part"),
    [
        pytest.param("6-6 6-3 5-4", "four tiles, not 3", id="three"),
        pytest.param("6-6 6-3 5-4 2-1 1-1", "four tiles, not 5", id="five"),
        pytest.param("", "four tiles, not 0", id="none"),
        pytest.param("6-6 6-6 6-6 2-1", "6-6 is named 3 times, but a set holds 2", id="three-of-a-face"),
        pytest.param("6-3 6-3 6-6 2-1", "6-3 is named 2 times, but a set holds 1", id="two-of-a-military-face"),
    ],
)
def test_impossible_deals_are_refused(tiles: str, part: str) -> None:
    with pytest.raises(DealError, match=part):
        Deal.parse(tiles)


def test_a_low_hand_above_the_high_hand_is_refused() -> None:
    with pytest.raises(IllegalSettingError, match="outranks"):
        Setting.parse("6-6 6-3 / 5-4 2-1")
    with pytest.raises(IllegalSettingError, match="is not a setting"):
        Setting.parse("6-6 6-3 5-4 2-1")
