"""Exact odds of the main game: all 736,281,000 pairs of deals are counted, none sampled.

Two hands are dealt from one set, so the bank's tiles depend on the player's. For a player's hand A, the bank's hands
disjoint from it are counted by inclusion-exclusion over the tiles S that they might share with it:

    N(A) = sum over S in A of (-1)^|S| x (number of hands B that hold S and have that outcome against A)

Tiles of one rank are worth the same, so the sum runs over 16 ranks of two tiles each, not over 32 tiles; only a House
Way that sets two faces of one rank differently (a 6-3 and a 5-4, say) is counted by its 21 faces. One book prints the
result (uk-poster House edge).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import RateError
from engine.game.ranking import worth_of
from engine.game.tiles import Kind, Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from engine.game.hands import Hand
    from engine.game.setting import Deal, Setting

    WayTable = Mapping[Deal, Setting]

COMMISSION = Fraction(5, 100)
"""5 % of what is won (C 11.1, N 6.11, S and O 14.1; the UK poster pays 19 to 20)."""

HANDS = comb(32, 4)
AGAINST_ONE = comb(28, 4)

_SWEEP_FROM = 24  # with fewer hands, comparing each with each is quicker than sweeping

Key = tuple[int, ...]

_RATE = re.compile(r"\s*(?:([0-9]+(?:\.[0-9]+)?)\s*(%)?|([0-9]+)\s*/\s*([0-9]+))\s*")


def rate(text: str) -> Fraction:
    """Parse a commission rate exactly: ``4%``, ``4.5 %``, ``1/20`` or ``0.05``.

    >>> rate("4.5%"), rate("1/20")
    (Fraction(9, 200), Fraction(1, 20))

    Raises:
        RateError: not a rate, or not in [0, 1).
    """
    read = _RATE.fullmatch(text)
    if read is None or (read[4] is not None and not int(read[4])):
        raise RateError(f"{text!r} is no rate of commission: write it as 4%, 4.5%, 1/20 or 0.05")
    number, per_cent, numerator, denominator = read.groups()
    value = Fraction(int(numerator), int(denominator)) if numerator else Fraction(number) / (100 if per_cent else 1)
    if value >= 1:
        raise RateError(
            f"a commission of {text.strip()} is all of the winnings or more: write 5% for five in a hundred"
        )
    return value


@dataclass(frozen=True, slots=True)
class OutcomeChances:
    """Over all pairs of deals, how many the player wins, pushes and loses."""

    player_wins: int
    pushes: int
    player_loses: int

    @property
    def total(self) -> int:
        return self.player_wins + self.pushes + self.player_loses

    def edge(self, commission: Fraction = COMMISSION) -> Fraction:
        """House edge per unit wagered: losses less winnings paid after commission."""
        return (self.player_loses - (1 - commission) * self.player_wins) / self.total

    def banker_edge(self, commission: Fraction = COMMISSION) -> Fraction:
        """Cost to a player-banker per unit wagered against him; negative if he is ahead.

        He pays what the player wins and, of what the player loses, keeps all but the commission. It falls due once a
        round on his net win (ruling 22): against one opponent that is the same as on each wager he wins.
        """
        return (self.player_wins - (1 - commission) * self.player_loses) / self.total

    def banker_edge_without_commission(self) -> Fraction:
        """Cost to a player-banker if no commission were ever due: the lower bound.

        Against more than one opponent, wins and losses of a round are netted before commission is taken, so the actual
        cost lies between this and `banker_edge`.
        """
        return self.banker_edge(Fraction(0))

    def house_from_player_bank(self, commission: Fraction = COMMISSION) -> Fraction:
        """House income per unit wagered against a player-banker: the commission on either side's wins."""
        return commission * Fraction(self.player_wins + self.player_loses, self.total)

    def house_from_co_bank(self, commission: Fraction = COMMISSION) -> Fraction:
        """House income per unit wagered against a co-bank.

        Its half of the bank's result, the commission on the players' wins, and that on the co-banker's half; the
        co-banker gives up half of `banker_edge` per unit wagered against the bank, since half of the bank is his.
        """
        won_by_bank = Fraction(self.player_loses - self.player_wins, 2)
        commissions = commission * (self.player_wins + Fraction(self.player_loses, 2))
        return (won_by_bank + commissions) / self.total


class _Worth(NamedTuple):
    """Comparison values of the low and the high hand; all zeros are equal (ruling 15)."""

    low: int
    high: int


def summed(by_deal: Mapping[Deal, OutcomeChances]) -> OutcomeChances:
    """The outcome counts over all deals, weighted by how often each is dealt."""
    return OutcomeChances(
        sum(deal.ways * one.player_wins for deal, one in by_deal.items()),
        sum(deal.ways * one.pushes for deal, one in by_deal.items()),
        sum(deal.ways * one.player_loses for deal, one in by_deal.items()),
    )


def chances_by_deal(player: WayTable, bank: WayTable) -> dict[Deal, OutcomeChances]:
    """For each deal of the player, its outcomes against the bank's 20,475 hands.

    Copies go to the bank, and so does zero against zero (rulings 15 and 16).
    """
    return {
        deal: OutcomeChances(won, AGAINST_ONE - won - lost, lost)
        for deal, won, lost in _matched(player, bank, worth_of)
    }


def chances_by_bank_deal(player: WayTable, bank: WayTable) -> dict[Deal, OutcomeChances]:
    """For each deal of the bank, the outcomes of the player's 20,475 hands against it."""

    def turned(hand: Hand) -> int:
        return -worth_of(hand)

    # With the order of values reversed, the hands that "the player" beats are those that beat him outright.
    return {
        deal: OutcomeChances(won, AGAINST_ONE - won - lost, lost) for deal, won, lost in _matched(bank, player, turned)
    }


def _matched(mine: WayTable, theirs: WayTable, worth: Callable[[Hand], int]) -> Iterator[tuple[Deal, int, int]]:
    """For each deal of mine, how many of their hands are lower in both hands, and how many equal or higher in both."""
    one, other = _worths(mine, _ranks, worth), _worths(theirs, _ranks, worth)
    key_of, copies = _ranks, [2 for _ in Kind]
    if not one or not other:
        one, other = _worths(mine, _faces, worth), _worths(theirs, _faces, worth)
        key_of, copies = _faces, [face.copies for face in Tile]
    counted = _count(one, other, copies)
    for deal in mine:
        yield deal, *counted[key_of(deal)]


def _ranks(deal: Deal) -> Key:
    return tuple(kind - 1 for kind in deal.kinds)


def _faces(deal: Deal) -> Key:
    return tuple(tile.index for tile in deal.tiles)


def _worths(table: WayTable, key_of: Callable[[Deal], Key], worth: Callable[[Hand], int]) -> dict[Key, _Worth]:
    """Comparison values of each deal; None if deals with the same key have different values."""
    worths: dict[Key, _Worth] = {}
    for deal, setting in table.items():
        both = _Worth(worth(setting.low), worth(setting.high))
        if worths.setdefault(key_of(deal), both) != both:
            return {}
    return worths


def _count(player: dict[Key, _Worth], bank: dict[Key, _Worth], copies: list[int]) -> dict[Key, tuple[int, int]]:
    """For each hand of the player, the number of disjoint bank hands it beats, and the number that beat it."""
    player_ranks, bank_ranks = _compressed(player, bank)
    holders: dict[Key, list[tuple[Key, int, int]]] = defaultdict(list)
    for key in bank:
        for shared, within, beyond in _parts(key, copies):
            holders[shared].append((key, within, beyond))
    wins, loses = dict.fromkeys(player, 0), dict.fromkeys(player, 0)
    for shared, held in holders.items():
        sign = -1 if len(shared) % 2 else 1
        players = [player_ranks[key] for key, _, _ in held]
        banks = [(*bank_ranks[key], beyond) for key, _, beyond in held]
        won, lost = (_sweep if len(held) >= _SWEEP_FROM else _each_with_each)(players, banks)
        for (key, within, _), one_won, one_lost in zip(held, won, lost, strict=True):
            wins[key] += sign * within * one_won
            loses[key] += sign * within * one_lost
    return {key: (wins[key], loses[key]) for key in player}


def _compressed(
    player: dict[Key, _Worth], bank: dict[Key, _Worth]
) -> tuple[dict[Key, tuple[int, int]], dict[Key, tuple[int, int]]]:
    """Values replaced by their rank 0, 1, 2 ... among all that occur."""
    occurring = {worth for table in (player, bank) for pair in table.values() for worth in pair}
    place = {worth: index for index, worth in enumerate(sorted(occurring))}
    first, second = (
        {key: (place[worth.low], place[worth.high]) for key, worth in table.items()} for table in (player, bank)
    )
    return first, second


def _parts(key: Key, copies: list[int]) -> list[tuple[Key, int, int]]:
    """All subsets S of a hand's tiles.

    With each, the number of ways to choose S from this hand, and the number of ways to complete a hand that contains S.
    """
    parts: list[tuple[Key, int, int]] = [((), 1, 1)]
    for tile, held in Counter(key).items():
        parts = [
            (part + (tile,) * shared, within * comb(held, shared), beyond * comb(copies[tile] - shared, held - shared))
            for part, within, beyond in parts
            for shared in range(held + 1)
        ]
    return parts


_Place = tuple[int, int]
_Held = tuple[int, int, int]


def _each_with_each(players: list[_Place], banks: list[_Held]) -> tuple[list[int], list[int]]:
    """For each player's hand, how many of the bank's it beats in both hands, and how many win or copy both."""
    won = [sum(ways for low, high, ways in banks if low < p_low and high < p_high) for p_low, p_high in players]
    lost = [sum(ways for low, high, ways in banks if low >= p_low and high >= p_high) for p_low, p_high in players]
    return won, lost


def _sweep(players: list[_Place], banks: list[_Held]) -> tuple[list[int], list[int]]:
    """As `_each_with_each`, for many hands: sweep the low hands upwards and keep sums over the high ones."""
    heights = 1 + max(high for _, high, *_ in (*players, *banks))
    bank_rows: dict[int, Counter[int]] = defaultdict(Counter)
    for low, high, ways in banks:
        bank_rows[low][high] += ways
    wanted: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (low, high) in enumerate(players):
        wanted[low].append((number, high))
    won, lost = [0] * len(players), [0] * len(players)
    below, above = [0] * heights, [0] * heights  # above: hands whose low hand is at least as good
    for row in bank_rows.values():
        for high, ways in row.items():
            above[high] += ways
    for low in sorted(bank_rows.keys() | wanted.keys()):
        if low in wanted:
            up_to, total = [0, *accumulate(below)], sum(above)
            above_up_to = [0, *accumulate(above)]
            for number, high in wanted[low]:
                won[number] = up_to[high]
                lost[number] = total - above_up_to[high]
        for high, ways in bank_rows.get(low, {}).items():
            below[high] += ways
            above[high] -= ways
    return won, lost
