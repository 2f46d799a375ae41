"""Ranking of hands: order, copies, and comparison of one player's hand with the bank's."""

from __future__ import annotations

from enum import Enum
from functools import cache

from engine.game.hands import Hand, Name
from engine.game.tiles import Kind

_LOWEST_KIND = max(Kind)


class Outcome(Enum):
    """How a player's wager on the main game ends.

    The stand-off is that of crown-6.1 1.1 Stand-off; star-2024 1.1 stand off; star-classic 1.1 stand off.
    """

    WIN = "win"
    PUSH = "push"
    LOSE = "lose"


@cache
def rank_of(hand: Hand) -> int:
    """Position of a hand in the order of all hands (greater is better); copies share a position.

    Pairs rank from Gee Jun down, though its tiles rank last (crown-6.1 3.5, Appendix 1: Pairs), then Wongs, Gongs and
    High Nines, Teen over Day, then points with only the highest tile breaking a tie (crown-6.1 8.12.1;
    uk-poster point 18; ruling 17).

    >>> rank_of(Hand.parse("4-2 2-1")) > rank_of(Hand.parse("6-6 6-6"))
    True
    >>> rank_of(Hand.parse("6-6 6-3")) == rank_of(Hand.parse("6-6 5-4"))
    True
    """
    high_tile = hand.first.kind
    lowest_tiles_highest_pair = hand.name is Name.PAIR and high_tile is Kind.GEE_JUN
    height = int(_LOWEST_KIND) if lowest_tiles_highest_pair else _LOWEST_KIND - high_tile
    major = hand.points if hand.name is Name.POINTS else 9 + hand.name
    return major * 100 + height


@cache
def worth_of(hand: Hand) -> int:
    """Like `rank_of`, but all zeros are equal, since zero against zero is not compared (ruling 15)."""
    return 0 if hand.name is Name.POINTS and hand.points == 0 else rank_of(hand) + 1


def outranks(hand: Hand, other: Hand) -> bool:
    """Whether `hand` ranks above `other`."""
    return rank_of(hand) > rank_of(other)


def player_takes(player: Hand, bank: Hand) -> bool:
    """Whether the player wins this one hand: copies and zero against zero go to the bank (rulings 15 and 16).

    Of hands of the same value the higher tile wins (crown-6.1 8.14.2); identical hands go to the bank
    (crown-6.1 8.13.3; star-2024 9.2.2.3; star-classic 9.1.1.2.3).
    """
    return worth_of(player) > worth_of(bank)
