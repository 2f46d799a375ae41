"""Two-tile hands: names, points and order, counted over the whole set."""

from collections import Counter
from itertools import combinations

import pytest

from engine.errors import DealError
from engine.game.hands import Hand, Name
from engine.game.ranking import Outcome, outranks, player_takes, rank_of
from engine.game.setting import Setting
from engine.game.tiles import FULL_SET, Kind, Tile
from tests.engine.two_hands import match


def test_how_many_two_tile_hands_bear_each_name() -> None:
    """crown-6.1 Appendix 1: Pairs; nz-1998 Appendix 2: Pairs; star-2024 Appendix 1: Pairs; uk-poster point 7."""
    names = Counter(Hand(*two).name for two in combinations(FULL_SET, 2))
    assert names.total() == 496
    assert names[Name.PAIR] == 16
    assert names[Name.WONG] == 8
    assert names[Name.GONG] == 16
    assert names[Name.HIGH_NINE] == 16


def test_the_22_named_hands_rank_as_in_appendix_1() -> None:
    """crown-6.1 3.4, Appendix 1: Pairs, Wongs, Gongs and High Nines; nz-1998 4.1, Appendix 2: Pairs, Wongs, Gongs and
    High Nines; star-2024 Appendix 1: Pairs, Wongs, Gongs and High Nines; uk-poster point 6 to point 10.
    """
    printed = """
        4-2 2-1, 6-6 6-6, 1-1 1-1, 4-4 4-4, 3-1 3-1, 5-5 5-5, 3-3 3-3, 2-2 2-2, 6-5 6-5, 6-4 6-4, 6-1 6-1, 5-1 5-1,
        6-3 5-4, 6-2 5-3, 5-2 4-3, 4-1 3-2, 6-6 6-3, 1-1 5-4, 6-6 4-4, 1-1 5-3, 6-6 6-1, 1-1 4-3, 6-1 2-2
    """
    ranks = [rank_of(Hand.parse(text)) for text in printed.split(",")]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == 23


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("4-2 6-3", 5),  # 6 + 9, better than 3 + 9
        ("2-1 6-3", 5),  # the 3 counts 6
        ("4-2 3-3", 9),  # the 6 counts 3
        ("4-2 5-5", 6),
        ("6-6 1-1", 4),
        ("6-4 5-5", 0),
        ("6-5 6-3", 0),
        ("6-6 3-1", 6),
    ],
)
def test_points(text: str, points: int) -> None:
    """crown-6.1 3.4.1, 3.5; nz-1998 4.2, 4.2(a) to 4.2(c); star-2024 3.2.1, 3.2.2; star-classic 3.2.1, 3.2.2;
    uk-poster point 11, point 12.
    """
    assert (Hand.parse(text).name, Hand.parse(text).points) == (Name.POINTS, points)


@pytest.mark.parametrize("two", ["6-2 5-3", "6-6 5-4", "1-1 4-4", "6-6 5-2"])
def test_any_nine_eight_or_seven_serves(two: str) -> None:
    assert Hand.parse(two).name is not Name.POINTS


def test_two_teen_wongs_copy_each_other_and_teen_stands_over_day() -> None:
    teen, other, day = (Hand.parse(text) for text in ("6-6 6-3", "6-6 5-4", "1-1 6-3"))
    assert rank_of(teen) == rank_of(other)
    assert outranks(teen, day)


def test_only_the_highest_tile_breaks_a_tie() -> None:
    """crown-6.1 8.12.1; uk-poster point 18."""
    assert rank_of(Hand.parse("4-4 5-5")) == rank_of(Hand.parse("4-4 6-4"))
    assert outranks(Hand.parse("4-4 6-5"), Hand.parse("5-5 5-4"))


def test_a_hand_keeps_its_higher_tile_first_and_reads_back() -> None:
    for two in combinations(FULL_SET, 2):
        hand = Hand(two[1], two[0])
        assert hand == Hand(*two)
        assert hand.first.kind <= hand.second.kind
        assert Hand.parse(str(hand)) == hand


def test_impossible_hands_are_refused() -> None:
    with pytest.raises(DealError, match="the set has one 6-3"):
        Hand(Tile.NINE_63, Tile.NINE_63)
    with pytest.raises(DealError, match="two tiles, not 3"):
        Hand.parse("6-6 6-6 1-1")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("6-3 5-4", "pair of nines"),
        ("4-2 2-1", "pair of Gee Jun"),
        ("4-4 4-4", "pair of High 8s"),
        ("1-1 6-1", "Day High Nine"),
        ("6-6 5-4", "Teen Wong"),
        ("6-4 5-5", "0 with the High 10"),
    ],
)
def test_hands_in_a_supervisors_words(text: str, words: str) -> None:
    assert Hand.parse(text).describe() == words


@pytest.mark.parametrize(
    ("player", "bank", "outcome"),
    [
        pytest.param("6-4 6-3 / 4-4 6-5", "6-1 5-1 / 5-5 6-2", Outcome.WIN, id="both-won"),
        pytest.param("6-1 5-1 / 5-5 6-2", "6-4 6-3 / 4-4 6-5", Outcome.LOSE, id="both-lost"),
        pytest.param("6-4 6-3 / 4-4 6-5", "6-4 5-4 / 4-4 6-5", Outcome.LOSE, id="two-copies"),
        pytest.param("6-4 6-3 / 4-4 6-5", "6-4 5-4 / 3-1 4-1", Outcome.PUSH, id="a-copy-and-a-win"),
        pytest.param("6-6 2-2 / 1-1 5-2", "6-4 5-5 / 4-2 2-1", Outcome.PUSH, id="one-each"),
        pytest.param("5-5 6-4 / 4-4 6-5", "6-5 6-3 / 6-1 5-2", Outcome.PUSH, id="zero-against-zero-is-the-banks"),
    ],
)
def test_matching(player: str, bank: str, outcome: Outcome) -> None:
    """crown-6.1 1.1 Matching, 1.1 Stand-off; nz-1998 1.0 Match; star-2024 1.1 match, 1.1 stand off;
    star-classic 1.1 match, 1.1 stand off; uk-poster point 14.
    """
    assert match(Setting.parse(player), Setting.parse(bank)) is outcome


def test_zero_against_zero_goes_to_the_bank_whatever_the_tiles() -> None:
    assert not player_takes(Hand.parse("5-5 6-4"), Hand.parse("6-5 6-3"))
    assert outranks(Hand.parse("5-5 6-4"), Hand.parse("6-5 6-3"))


def test_every_rank_has_a_label() -> None:
    assert len({kind.label for kind in Kind}) == 16
