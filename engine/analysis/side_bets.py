"""Crown's side bets, line by line: Bonus options A to E, Tie options A and B, Big/Small.

All outcomes are counted, none sampled. The tables are those of Crown Melbourne's rule 13; Big/Small is that of
crown-6.1 1.1 Big/Small and 11.4.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from typing import TYPE_CHECKING

from engine.analysis.edge import AGAINST_ONE, HANDS, chances_by_deal
from engine.books.crown.side_wagers import BONUS_OPTIONS, TIE_OPTIONS
from engine.errors import UnknownBetError
from engine.game.setting import all_deals
from engine.house_way.terms import two_pairs
from engine.settlement.side_wagers.book_rules import Made, dealt_lines, tie_lines
from engine.vocabulary.citations import Cite
from engine.vocabulary.dice import PIPS, BigSmall, big_or_small

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.game.setting import Deal, Setting
    from engine.house_way.rules import HouseWay
    from engine.settlement.side_wagers.book_rules import Paytable

CROWN = "crown-6.1"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a paytable.

    Attributes:
        pays: to one; -1 where the wager is lost.
        count: number of cases for which this is the best line.
    """

    name: str
    pays: Fraction
    count: int


@dataclass(frozen=True, slots=True)
class SideBet:
    """Paytable and exact case counts of a side bet.

    Attributes:
        lines: best first, the losing line last.
        edge_with_surrender: the edge against a player who surrenders (gives up half) whenever that costs him less; None
            where the bet knows no surrender.
    """

    name: str
    cite: Cite
    lines: tuple[Line, ...]
    edge_with_surrender: Fraction | None = None

    @property
    def total(self) -> int:
        return sum(line.count for line in self.lines)

    @property
    def edge(self) -> Fraction:
        """House edge per unit wagered."""
        return -sum((line.pays * line.count for line in self.lines), Fraction(0)) / self.total


_BONUS = {table.name: table for table in BONUS_OPTIONS}
_TIE = {table.name: table for table in TIE_OPTIONS}

BIG_SMALL = "big-small"
SIDE_BETS: tuple[str, ...] = (*_BONUS, *_TIE, BIG_SMALL)

# The other of 14 untouched ranks: a dealer facing two pairs has them with any two of the pairs left.
_DEALER_TWO_PAIR = comb(14, 2)
_LOSES = Fraction(-1)


def side_bet(name: str, way: HouseWay, player: Mapping[Deal, Setting] | None = None) -> SideBet:
    """Count a side bet of `SIDE_BETS` at a table whose bank sets by this House Way.

    The player may set another way; only the Tie wagers depend on it.

    Raises:
        UnknownBetError: no such bet, or the rulebook does not offer it.
    """
    if name not in SIDE_BETS:
        raise UnknownBetError(f"no bet is called {name!r}; known: {', '.join(SIDE_BETS)}")
    if name not in way.side_bets:
        offered = ", ".join(way.side_bets) or "none"
        raise UnknownBetError(f"{way.played_under} does not offer {name}; it offers: {offered}. {CROWN} offers it")
    if name == BIG_SMALL:
        return big_small()
    return tie(name, way, player) if name in _TIE else bonus(name)


@cache
def bonus(name: str) -> SideBet:
    """The Bonus wager: the best line made by the player's four tiles.

    crown-6.1 13.2.1, 13.4.1, 13.4.3, 13.4.3(a); ruling 20.
    """
    table = _BONUS[name]
    counts: Counter[Made | None] = Counter()
    for deal in all_deals():
        best = table.best(dealt_lines(deal))
        cases = deal.ways * (AGAINST_ONE if table.needs_bank else 1)
        if table.needs_bank and two_pairs(deal):
            counts[Made.BOTH_TWO_PAIR] += deal.ways * _DEALER_TWO_PAIR
            cases -= deal.ways * _DEALER_TWO_PAIR
        counts[best and best[0]] += cases
    return SideBet(name, table.cite, _counted(table, counts, "all other hands"))


def _counted(table: Paytable, counts: Counter[Made | None], nothing: str) -> tuple[Line, ...]:
    """The lines of a table with their counts, the unpaid ones last."""
    lines = [Line(line.value, Fraction(odds), counts[line]) for line, odds in table.pays]
    return (*lines, Line(nothing, _LOSES, counts[None]))


def tie(name: str, way: HouseWay, player: Mapping[Deal, Setting] | None = None) -> SideBet:
    """The Tie wager: it wins when the main bet stands off. Both sides set the House Way by default.

    Of option B's lines the best one is paid, once. The surrender is counted separately: players surrender hands whose
    Tie wager would lose more than half on average (crown-6.1 13.2.2 to 13.2.4, 13.5.1(a), 13.5.1(b); ruling 19).
    """
    table = _TIE[name]
    player = way.table if player is None else player
    counts: Counter[Made | None] = Counter()
    spared = Fraction(0)
    for deal, fates in chances_by_deal(player, way.table).items():
        wins = 0
        for tied, cases in ((True, fates.pushes), (False, AGAINST_ONE - fates.pushes)):
            best = table.best(tie_lines(deal, player[deal].low, tied=tied))
            counts[best and best[0]] += deal.ways * cases
            wins += cases * (best[1] if best else -1)
        spared += deal.ways * max(Fraction(-wins, AGAINST_ONE) - Fraction(1, 2), Fraction(0))
    bet = SideBet(name, table.cite, _counted(table, counts, "no tie"))
    return replace(bet, edge_with_surrender=bet.edge - spared / HANDS) if table.surrender else bet


def big_small() -> SideBet:
    """A wager on Big (or on Small): the three dice total 11 to 17 (4 to 10), and no triple (1.1, ruling 21)."""
    throws = Counter(map(big_or_small, product(PIPS, repeat=3)))
    lines = (
        Line("the side wagered on", Fraction(1), throws[BigSmall.BIG]),
        Line("the other side", _LOSES, throws[BigSmall.SMALL]),
        Line("any triple", _LOSES, throws[BigSmall.TRIPLE]),
    )
    return SideBet(BIG_SMALL, Cite(CROWN, "1.1"), lines)
