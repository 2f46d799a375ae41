"""Crown's side bets, line by line: Bonus options A to E, Tie options A and B, Big/Small.

Every chance is counted, none drawn. The tables are those of Crown Melbourne's rule 13; Big/Small is that of
crown-6.1 1.1 Big/Small and 11.4.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from typing import TYPE_CHECKING

from engine.dice import PIPS, BigSmall, big_or_small
from engine.edge import AGAINST_ONE, HANDS, PAIRS_OF_DEALS, chances_by_deal
from engine.errors import UnknownBetError
from engine.hands import Name
from engine.house_way.terms import FOURS, SEVENS, TEEN_OR_DAY, consists_of, lone_pair, two_pairs
from engine.setting import all_deals
from engine.sources import Cite
from engine.tiles import Kind

if TYPE_CHECKING:
    from engine.edge import Table
    from engine.hands import Hand
    from engine.house_way.rules import HouseWay
    from engine.setting import Deal

CROWN = "crown-6.1"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a paytable.

    Attributes:
        name: as printed.
        pays: to one; -1 where the wager is lost.
        count: how many of the bet's cases end on this line, and on no better one.
    """

    name: str
    pays: Fraction
    count: int


@dataclass(frozen=True, slots=True)
class SideBet:
    """A side bet, counted.

    Attributes:
        name: such as ``bonus-a``.
        cite: where its table is printed.
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
        """All cases."""
        return sum(line.count for line in self.lines)

    @property
    def edge(self) -> Fraction:
        """What the house keeps of one unit wagered."""
        return -sum((line.pays * line.count for line in self.lines), Fraction(0)) / self.total


_DEALER_TOO = "Player has Two Pair when the Dealer has Two Pair"
_GEE_JUN_TEEN = "Gee Jun pair with Teen pair"
_GEE_JUN_DAY = "Gee Jun pair with Day pair"
_TEEN_DAY = "Teen and Day pair"
_LUCKY_DUCK = "High 6, Low 6 with any 7 and any 4"
_TWO_PAIR = "Two Pair"
_HIGH_PAIR = "Gee Jun, Teen or Day pair"
_ONE_PAIR = "One Pair"
_WONG = "Wong"
_WONG_OR_PAIR = "Wong or One Pair"
_NOTHING = "all other hands"

_BONUS: dict[str, tuple[Cite, tuple[tuple[str, int], ...]]] = {
    "bonus-a": (
        Cite(CROWN, "13.4, Table 3"),
        (
            (_GEE_JUN_TEEN, 200),
            (_GEE_JUN_DAY, 60),
            (_TEEN_DAY, 30),
            (_LUCKY_DUCK, 20),
            (_TWO_PAIR, 12),
            (_HIGH_PAIR, 5),
            (_ONE_PAIR, 2),
            (_WONG, 1),
        ),
    ),
    **{
        f"bonus-{option}": (
            cite,
            tuple(
                zip(
                    (_DEALER_TOO, _GEE_JUN_TEEN, _GEE_JUN_DAY, _LUCKY_DUCK, _TWO_PAIR, _HIGH_PAIR, _WONG_OR_PAIR),
                    pays,
                    strict=True,
                )
            ),
        )
        for option, cite, pays in (
            ("b", Cite(CROWN, "13.4, Table 4"), (250, 100, 50, 20, 10, 4, 2)),
            ("c", Cite(CROWN, "13.4, Table 5"), (200, 80, 40, 20, 10, 4, 2)),
            ("d", Cite(CROWN, "13.4, Table 6"), (250, 100, 50, 15, 8, 4, 2)),
            ("e", Cite(CROWN, "13.4, Table 7"), (500, 100, 50, 15, 8, 3, 2)),
        )
    },
}

TIE_A = "tie-a"
TIE_B = "tie-b"
BIG_SMALL = "big-small"
SIDE_BETS: tuple[str, ...] = (*_BONUS, TIE_A, TIE_B, BIG_SMALL)

# The other of 14 untouched ranks: a dealer facing two pairs has them with any two of the pairs left.
_DEALER_TWO_PAIR = comb(14, 2)
_LOSES = Fraction(-1)


def side_bet(name: str, way: HouseWay, player: Table | None = None) -> SideBet:
    """Count a side bet at a table that sets by this House Way.

    Args:
        name: one of `SIDE_BETS`.
        way: how the bank sets.
        player: how the player sets, where it is another way; only the Tie wagers ask.

    Raises:
        UnknownBetError: no such bet, or the rulebook does not offer it.
    """
    if name not in SIDE_BETS:
        raise UnknownBetError(f"no bet is called {name!r}; known: {', '.join(SIDE_BETS)}")
    if name not in way.side_bets:
        offered = ", ".join(way.side_bets) or "none"
        raise UnknownBetError(f"{way.rulebook} does not offer {name}; it offers: {offered}. {CROWN} offers it")
    if name == BIG_SMALL:
        return big_small()
    return tie(name, way, player) if name in (TIE_A, TIE_B) else bonus(name)


@cache
def bonus(name: str) -> SideBet:
    """The Bonus wager: the best line that the player's four tiles make.

    crown-6.1 13.2.1, 13.4.1, 13.4.3, 13.4.3(a); ruling 20.
    """
    cite, printed = _BONUS[name]
    pays = dict(printed)
    against_dealer = _DEALER_TOO in pays
    counts: Counter[str] = Counter()
    for deal in all_deals():
        line = next((line for line in _lines_made(deal) if line in pays), _NOTHING)
        cases = deal.ways * (AGAINST_ONE if against_dealer else 1)
        if against_dealer and two_pairs(deal):
            counts[_DEALER_TOO] += deal.ways * _DEALER_TWO_PAIR
            cases -= deal.ways * _DEALER_TWO_PAIR
        counts[line] += cases
    lines = [Line(line, Fraction(odds), counts[line]) for line, odds in printed]
    return SideBet(name, cite, (*lines, Line(_NOTHING, _LOSES, counts[_NOTHING])))


def _lines_made(deal: Deal) -> list[str]:
    """The lines that four tiles make, best first."""
    if two_pairs(deal):
        own = {
            (Kind.TEEN, Kind.GEE_JUN): [_GEE_JUN_TEEN],
            (Kind.DAY, Kind.GEE_JUN): [_GEE_JUN_DAY],
            (Kind.TEEN, Kind.DAY): [_TEEN_DAY],
        }
        return [*own.get((deal.kinds[0], deal.kinds[2]), []), _TWO_PAIR]
    if lucky_duck(deal):
        return [_LUCKY_DUCK]
    pair = lone_pair(deal)
    if pair in TEEN_OR_DAY or pair is Kind.GEE_JUN:
        return [_HIGH_PAIR]
    if pair is not None:
        return [_ONE_PAIR, _WONG_OR_PAIR]
    wong = Kind.NINE in deal.kinds and not TEEN_OR_DAY.isdisjoint(deal.kinds)
    return [_WONG, _WONG_OR_PAIR] if wong else []


def lucky_duck(deal: Deal) -> bool:
    """High 6 and Low 6 with any 7 and any 4."""
    return consists_of(deal, Kind.HIGH_6, Kind.LOW_6, SEVENS, FOURS)


def tie(name: str, way: HouseWay, player: Table | None = None) -> SideBet:
    """The Tie wager: it wins when the main bet stands off. Both sides set the House Way by default.

    Of option B's lines the best one is paid, once. The surrender is counted apart: a player who may surrender does so
    with the hands whose Tie wager would lose more than half on average (crown-6.1 13.2.2 to 13.2.4, 13.5.1(a),
    13.5.1(b); ruling 19).
    """
    player = way.table if player is None else player
    return (_tie_a if name == TIE_A else _tie_b)(player, way.table)


def _tie_a(player: Table, bank: Table) -> SideBet:
    strong = plain = 0
    for deal, one in chances_by_deal(player, bank).items():
        if _at_least_a_gong(player[deal].low):
            strong += deal.ways * one.pushes
        else:
            plain += deal.ways * one.pushes
    lines = (
        Line("Tie with the low hand at least a Gong", Fraction(25), strong),
        Line("Tie", Fraction(1), plain),
        Line("no tie", _LOSES, PAIRS_OF_DEALS - strong - plain),
    )
    return SideBet(TIE_A, Cite(CROWN, "13.5, Table 8"), lines)


def _tie_b(player: Table, bank: Table) -> SideBet:
    duck = pairs = plain = 0
    spared = Fraction(0)
    for deal, one in chances_by_deal(player, bank).items():
        if lucky_duck(deal):
            duck += deal.ways * AGAINST_ONE
        elif two_pairs(deal):
            pairs += deal.ways * AGAINST_ONE
        else:
            plain += deal.ways * one.pushes
            loss = 1 - Fraction(2 * one.pushes, AGAINST_ONE)
            spared += deal.ways * max(loss - Fraction(1, 2), Fraction(0))
    lines = (
        Line("Lucky Duck", Fraction(3), duck),
        Line(_TWO_PAIR, Fraction(2), pairs),
        Line("Tie", Fraction(1), plain),
        Line("no tie", _LOSES, PAIRS_OF_DEALS - duck - pairs - plain),
    )
    bet = SideBet(TIE_B, Cite(CROWN, "13.5, Table 9"), lines)
    return SideBet(TIE_B, bet.cite, lines, edge_with_surrender=bet.edge - spared / HANDS)


def _at_least_a_gong(low: Hand) -> bool:
    return low.name in (Name.GONG, Name.WONG, Name.PAIR)


def big_small() -> SideBet:
    """A wager on Big (or on Small): the three dice total 11 to 17 (4 to 10), and no triple (1.1, ruling 21)."""
    throws = Counter(map(big_or_small, product(PIPS, repeat=3)))
    lines = (
        Line("the side wagered on", Fraction(1), throws[BigSmall.BIG]),
        Line("the other side", _LOSES, throws[BigSmall.SMALL]),
        Line("any triple", _LOSES, throws[BigSmall.TRIPLE]),
    )
    return SideBet(BIG_SMALL, Cite(CROWN, "1.1"), lines)
