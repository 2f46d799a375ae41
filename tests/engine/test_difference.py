"""Two House Ways compared."""

from fractions import Fraction

from engine.difference import difference
from engine.edge import HANDS, chances
from engine.house_way import get


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
