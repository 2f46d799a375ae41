"""Paytables of side wagers that hang on the tiles: which lines four tiles make, and what the best of them pays.

What a table pays is declared in the rulebook's own folder; `engine.analysis.side_bets` counts its edge and
`engine.settlement.side_wagers` settles by it, both from the same lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from engine.game.hands import Name
from engine.game.tiles import Kind
from engine.house_way.terms import FOURS, SEVENS, TEEN_OR_DAY, consists_of, two_pairs

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.game.hands import Hand
    from engine.game.setting import Deal
    from engine.vocabulary.sources import Cite


class Made(Enum):
    """What a paytable pays for, in the words of crown-6.1 Table 3 to Table 9."""

    BOTH_TWO_PAIR = "Player has Two Pair when the Dealer has Two Pair"
    GEE_JUN_AND_TEEN = "Gee Jun pair with Teen pair"
    GEE_JUN_AND_DAY = "Gee Jun pair with Day pair"
    TEEN_AND_DAY = "Teen and Day pair"
    LUCKY_DUCK = "High 6, Low 6 with any 7 and any 4"
    TWO_PAIR = "Two Pair"
    GREAT_PAIR = "Gee Jun, Teen or Day pair"
    ONE_PAIR = "One Pair"
    WONG = "Wong"
    WONG_OR_PAIR = "Wong or One Pair"
    TIE_WITH_GONG = "Tie with the low hand at least a Gong"
    TIE = "Tie"


@dataclass(frozen=True, slots=True)
class Paytable:
    """One option of a side wager.

    Attributes:
        name: such as ``bonus-a``.
        wins: the rule by which the wager wins or loses.
        pays: its lines, best first, with the odds to one.
        surrender: whether it has a line for giving up half.
    """

    name: str
    cite: Cite
    wins: Cite
    pays: tuple[tuple[Made, int], ...]
    surrender: bool = False

    @property
    def needs_bank(self) -> bool:
        """Whether it has a line that the bank's hand decides as well."""
        return any(line is Made.BOTH_TWO_PAIR for line, _ in self.pays)

    def best(self, made: Collection[Made]) -> tuple[Made, int] | None:
        """The one line that is paid, with its odds; None where the wager loses."""
        return next(((line, odds) for line, odds in self.pays if line in made), None)


def dealt_lines(deal: Deal) -> frozenset[Made]:
    """Every line that four tiles make, however they are set: crown-6.1 13.4.1, 13.4.3."""
    return top_lines(deal) | lower_lines(deal)


def top_lines(deal: Deal) -> frozenset[Made]:
    """Those lines of two pairs and above that the player's tiles make by themselves."""
    if lucky_duck(deal):
        return frozenset({Made.LUCKY_DUCK})
    if not two_pairs(deal):
        return frozenset()
    own = {
        (Kind.TEEN, Kind.GEE_JUN): Made.GEE_JUN_AND_TEEN,
        (Kind.DAY, Kind.GEE_JUN): Made.GEE_JUN_AND_DAY,
        (Kind.TEEN, Kind.DAY): Made.TEEN_AND_DAY,
    }
    return frozenset({Made.TWO_PAIR, own.get((deal.kinds[0], deal.kinds[2]), Made.TWO_PAIR)})


def lower_lines(deal: Deal) -> frozenset[Made]:
    """The lines for which any two of the four tiles are enough: a pair, or a Wong."""
    made = set()
    if pairs := {kind for kind in deal.kinds if deal.kinds.count(kind) == 2}:
        made |= {Made.ONE_PAIR, Made.WONG_OR_PAIR}
        if pairs & {Kind.GEE_JUN, *TEEN_OR_DAY}:
            made.add(Made.GREAT_PAIR)
    if Kind.NINE in deal.kinds and not TEEN_OR_DAY.isdisjoint(deal.kinds):
        made |= {Made.WONG, Made.WONG_OR_PAIR}
    return frozenset(made)


def tie_lines(deal: Deal, low: Hand, *, tied: bool) -> frozenset[Made]:
    """The lines of a Tie wager whose main wager stands off or not: crown-6.1 13.5.1(a) and 13.5.1(b)."""
    if not tied:
        return top_lines(deal)
    strong = {Made.TIE_WITH_GONG} if low.name in (Name.GONG, Name.WONG, Name.PAIR) else set()
    return top_lines(deal) | strong | {Made.TIE}


def lucky_duck(deal: Deal) -> bool:
    """High 6 and Low 6 with any 7 and any 4."""
    return consists_of(deal, Kind.HIGH_6, Kind.LOW_6, SEVENS, FOURS)
