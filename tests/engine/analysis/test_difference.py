"""Two House Ways compared."""

from fractions import Fraction

import pytest

from engine.analysis.difference import Difference, difference
from engine.analysis.edge import HANDS, rate
from engine.books.house_ways import get
from engine.game.setting import Deal
from tests.engine.analysis.counted import chances

pytestmark = pytest.mark.exhaustive


def test_crown_against_the_star() -> None:
    crown, star = get("crown-6.1"), get("star-2024")
    found = difference(crown, star)
    assert (found.kinds, found.deals, len(found.hands)) == (15, 156, 48)
    assert found.first_edge == chances(crown, crown).edge()
    assert found.second_edge == chances(star, star).edge()
    assert found.house_alone_edge == chances(crown, star).edge()
    assert all(hand.first.setting.ranks != hand.second.setting.ranks for hand in found.hands)
    cost = sum((hand.deal.ways * (hand.kept_by_second - hand.kept_by_first) for hand in found.hands), Fraction(0))
    assert cost / HANDS == found.house_alone_edge - found.first_edge


def test_a_way_does_not_differ_from_itself() -> None:
    found = difference(get("star-2024"), get("star-classic"))
    assert (found.hands, found.deals, found.kinds) == ((), 0, 0)
    assert found.first_edge == found.second_edge == found.house_alone_edge


@pytest.fixture(scope="module")
def found() -> Difference:
    return difference(get("crown-6.1"), get("star-2024"))


# Ruling 9: what C lacks and S has. The sections of both, the deals, the kinds.
PARTINGS = """
7.5.4 | Appendix 2: 7 line 6 | 32 | 2
7.5.4 | Appendix 2: 7 line 7 | 32 | 2
7.5.4 | Appendix 2: 7 line 13 | 16 | 1
7.3 | Appendix 2: 3 | 16 | 4
7.5.4 | Appendix 2: 7 line 8 | 16 | 1
7.5.4 | Appendix 2: 7 line 9 | 16 | 1
7.5.4 | Appendix 2: 7 line 10 | 16 | 1
"""


def test_the_hands_by_the_rules_that_part_them(found: Difference) -> None:
    rows = [
        f"{parting.first.cite.section} | {parting.second.cite.section} | {parting.deals} | {len(parting.by_kind)}"
        for parting in found.partings
        if parting.first.name != "split_gee_jun"
    ]
    assert sorted(rows) == sorted(PARTINGS.split("\n")[1:-1])
    assert sum(parting.deals for parting in found.partings) == found.deals
    assert sorted(deal for deals in found.partings for deal in map(str, (hand.deal for hand in deals.hands))) == sorted(
        str(hand.deal) for hand in found.hands
    )
    assert [parting.deals for parting in found.partings] == sorted(
        (parting.deals for parting in found.partings), reverse=True
    )


def test_what_is_added_to_the_edge_adds_up(found: Difference) -> None:
    total = sum((parting.weight for parting in found.partings), Fraction(0))
    assert total == sum((hand.weight for hand in found.hands), Fraction(0))
    assert total == found.house_alone_edge - found.first_edge
    assert total < 0  # Crown's own way serves Crown better against players who set it


def test_a_kind_is_set_alike_and_costs_the_same(found: Difference) -> None:
    assert sum(len(parting.by_kind) for parting in found.partings) == found.kinds
    for parting in found.partings:
        for hands in parting.by_kind:
            assert len({(hand.deal.kinds, hand.kept_by_first, hand.kept_by_second) for hand in hands}) == 1


def test_the_edge_of_one_hand_counts_every_opposing_hand(found: Difference) -> None:
    """6-5 6-4 6-1 6-1 (ruling 9): C splits the sevens with 10 and 11, S keeps them."""
    hand = next(hand for hand in found.hands if hand.deal == Deal.parse("6-5 6-4 6-1 6-1"))
    assert (str(hand.first.setting), str(hand.second.setting)) == ("6-4 6-1 / 6-5 6-1", "6-5 6-4 / 6-1 6-1")
    assert hand.gain == hand.kept_by_second - hand.kept_by_first < 0
    assert hand.weight == 4 * hand.gain / HANDS


def test_at_another_commission() -> None:
    crown, star, level = get("crown-6.1"), get("star-2024"), rate("3%")
    found = difference(crown, star, level)
    assert found.first_edge == chances(crown, crown).edge(level)
    assert found.house_alone_edge - found.first_edge == sum((hand.weight for hand in found.hands), Fraction(0))
