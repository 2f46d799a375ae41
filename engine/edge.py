"""Exact chances of the main game: every one of the 736,281,000 pairs of deals, counted, none drawn.

Two hands are dealt from one set, so the bank's tiles depend on the player's. For a player's hand A the bank's hands that
hold none of its tiles are counted by inclusion and exclusion over the tiles S that they might share with it:

    N(A) = sum over S in A of (-1)^|S| x (number of hands B that hold S and stand so against A)

Tiles of one rank are worth the same, so the sum runs over 16 ranks of two tiles each, not over 32 tiles; only a House Way
that sets two faces of one rank differently (a 6-3 and a 5-4, say) is counted by its 21 faces.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import comb, prod
from typing import TYPE_CHECKING, NamedTuple

from engine.ranking import worth_of
from engine.tiles import Kind, Tile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.house_way.rules import HouseWay
    from engine.setting import Deal, Setting

COMMISSION = Fraction(5, 100)
"""5 % of what is won (C 11.1, N 6.11, S and O 14.1; the UK poster pays 19 to 20)."""

HANDS = comb(32, 4)
AGAINST_ONE = comb(28, 4)
PAIRS_OF_DEALS = HANDS * AGAINST_ONE

_SWEEP_FROM = 24  # with fewer hands, comparing each with each is quicker than sweeping

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chances:
    """Of all pairs of deals, how many the player wins, pushes and loses."""

    player_wins: int
    pushes: int
    player_loses: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.player_wins + self.pushes + self.player_loses

    def edge(self, commission: Fraction = COMMISSION) -> Fraction:
        """What the house keeps of one unit wagered against it: losses less winnings paid after commission."""
        return (self.player_loses - (1 - commission) * self.player_wins) / self.total

    def banker_edge(self, commission: Fraction = COMMISSION) -> Fraction:
        """What a player-banker gives up for each unit wagered against him; below zero he is ahead.

        He pays what the player wins and, of what the player loses, keeps all but the commission.
        """
        return (self.player_wins - (1 - commission) * self.player_loses) / self.total


class _Worth(NamedTuple):
    """What a set hand is worth in a comparison, low hand and high hand; zeros alike (ruling 15)."""

    low: int
    high: int


def chances(player: HouseWay, bank: HouseWay) -> Chances:
    """The exact chances when each side sets by its House Way.

    A copy goes to the bank, and so does zero against zero (rulings 15 and 16).
    """
    against = chances_by_deal(player.table, bank.table)
    wins = sum(deal.ways * won for deal, (won, _) in against.items())
    loses = sum(deal.ways * lost for deal, (_, lost) in against.items())
    return Chances(wins, PAIRS_OF_DEALS - wins - loses, loses)


def chances_by_deal(player: Mapping[Deal, Setting], bank: Mapping[Deal, Setting]) -> dict[Deal, tuple[int, int]]:
    """For each deal of the player, how many of the bank's 20,475 hands it beats and how many beat it.

    Args:
        player: the player's setting of each deal by face.
        bank: the bank's.
    """
    by_rank = True
    try:
        player_worth, bank_worth = _worths(player, by_rank=by_rank), _worths(bank, by_rank=by_rank)
    except _SetByFaceError:
        by_rank = False
        player_worth, bank_worth = _worths(player, by_rank=by_rank), _worths(bank, by_rank=by_rank)
    copies = [2 for _ in Kind] if by_rank else [face.copies for face in Tile]
    counted = _count(player_worth, bank_worth, copies)
    return {deal: counted[_key(deal, by_rank=by_rank)] for deal in player}


class _SetByFaceError(Exception):
    """Two deals of the same ranks are set to different worth."""


def _key(deal: Deal, *, by_rank: bool) -> Key:
    return tuple(tile.kind - 1 if by_rank else tile.index for tile in deal.tiles)


def _worths(table: Mapping[Deal, Setting], *, by_rank: bool) -> dict[Key, _Worth]:
    worths: dict[Key, _Worth] = {}
    for deal, setting in table.items():
        worth = _Worth(worth_of(setting.low), worth_of(setting.high))
        if worths.setdefault(_key(deal, by_rank=by_rank), worth) != worth:
            raise _SetByFaceError
    return worths


def _count(player: dict[Key, _Worth], bank: dict[Key, _Worth], copies: list[int]) -> dict[Key, tuple[int, int]]:
    """For each hand of the player, how many disjoint hands of the bank it beats and how many beat it."""
    player_ranks, bank_ranks = _compressed(player, bank)
    holders: dict[Key, list[Key]] = defaultdict(list)
    for key in bank:
        for shared in _parts(key):
            holders[shared].append(key)
    wins: Counter[Key] = Counter()
    loses: Counter[Key] = Counter()
    for shared, keys in holders.items():
        sign = -1 if len(shared) % 2 else 1
        times = Counter(shared)
        banks = [(*bank_ranks[key], _ways_beyond(key, times, copies)) for key in keys]
        players = [(*player_ranks[key], key) for key in keys]
        won, lost = (_sweep if len(keys) >= _SWEEP_FROM else _each_with_each)(players, banks)
        for key, one_won, one_lost in zip(keys, won, lost, strict=True):
            ways = sign * _ways_within(key, times)
            wins[key] += ways * one_won
            loses[key] += ways * one_lost
    return {key: (wins[key], loses[key]) for key in player}


def _compressed(
    player: dict[Key, _Worth], bank: dict[Key, _Worth]
) -> tuple[dict[Key, tuple[int, int]], dict[Key, tuple[int, int]]]:
    """Worths as places 0, 1, 2 ... in the order of all that occur."""
    occurring = {worth for table in (player, bank) for pair in table.values() for worth in pair}
    place = {worth: index for index, worth in enumerate(sorted(occurring))}
    first, second = (
        {key: (place[worth.low], place[worth.high]) for key, worth in table.items()} for table in (player, bank)
    )
    return first, second


def _parts(key: Key) -> set[Key]:
    """Every choice of none to all of four sorted tiles."""
    parts: set[Key] = {()}
    for tile in key:
        parts |= {(*part, tile) for part in parts}
    return parts


def _ways_beyond(key: Key, times: Counter[int], copies: list[int]) -> int:
    """In how many ways the tiles of `key` beyond the shared ones come out of the rest of the set."""
    return prod(
        comb(copies[tile] - times[tile], held - times[tile]) for tile, held in Counter(key).items()
    )


def _ways_within(key: Key, times: Counter[int]) -> int:
    """In how many ways the shared tiles can be chosen among the tiles of `key`."""
    return prod(comb(key.count(tile), shared) for tile, shared in times.items())


_Player = tuple[int, int, Key]
_Bank = tuple[int, int, int]


def _each_with_each(players: list[_Player], banks: list[_Bank]) -> tuple[list[int], list[int]]:
    """For each player's hand, how many of the bank's it beats in both hands, and how many win or copy both."""
    won = [sum(ways for low, high, ways in banks if low < p_low and high < p_high) for p_low, p_high, _ in players]
    lost = [sum(ways for low, high, ways in banks if low >= p_low and high >= p_high) for p_low, p_high, _ in players]
    return won, lost


def _sweep(players: list[_Player], banks: list[_Bank]) -> tuple[list[int], list[int]]:
    """As `_each_with_each`, for many hands: sweep the low hands upwards and keep sums over the high ones."""
    heights = 1 + max(high for _, high, _ in (*players, *banks))
    bank_rows: dict[int, Counter[int]] = defaultdict(Counter)
    for low, high, ways in banks:
        bank_rows[low][high] += ways
    asked: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (low, high, _) in enumerate(players):
        asked[low].append((number, high))
    won, lost = [0] * len(players), [0] * len(players)
    below, above = [0] * heights, [0] * heights  # above: hands whose low hand is at least as good
    for row in bank_rows.values():
        for high, ways in row.items():
            above[high] += ways
    for low in sorted(bank_rows.keys() | asked.keys()):
        if low in asked:
            up_to, total = [0, *accumulate(below)], sum(above)
            above_up_to = [0, *accumulate(above)]
            for number, high in asked[low]:
                won[number] = up_to[high]
                lost[number] = total - above_up_to[high]
        for high, ways in bank_rows.get(low, {}).items():
            below[high] += ways
            above[high] -= ways
    return won, lost
