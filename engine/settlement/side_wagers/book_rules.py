"""A book's rules on side wagers, and the paytables of those that depend on the tiles.

The House pays and takes side wagers regardless of who banks: they are not part of a bank's cover, and no commission is
collected on them. Their edge is computed from the same paytables used for settlement.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from engine.game.hands import Name
from engine.game.tiles import Kind
from engine.house_way.terms import FOURS, SEVENS, TEEN_OR_DAY, consists_of, two_pairs
from engine.settlement.wagers import BONUS, TIE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from engine.game.hands import Hand
    from engine.game.setting import Deal
    from engine.settlement.wagers import TableTerms
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Bank, Fact, Milestone


class Made(Enum):
    """The lines of paytables, in the words of crown-6.1 Table 3 to Table 9."""

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
        """Whether it has a line that depends on the bank's hand as well."""
        return any(line is Made.BOTH_TWO_PAIR for line, _ in self.pays)

    def best(self, made: Collection[Made]) -> tuple[Made, int] | None:
        """The one line that is paid, with its odds; None if the wager loses."""
        return next(((line, odds) for line, odds in self.pays if line in made), None)


def dealt_lines(deal: Deal) -> frozenset[Made]:
    """All lines made by four tiles in any setting: crown-6.1 13.4.1, 13.4.3."""
    return top_lines(deal) | lower_lines(deal)


def top_lines(deal: Deal) -> frozenset[Made]:
    """The lines of two pairs and above made by the player's tiles alone."""
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
    """The lines that need only two of the four tiles: a pair, or a Wong."""
    made = set()
    if pairs := {kind for kind in deal.kinds if deal.kinds.count(kind) == 2}:
        made |= {Made.ONE_PAIR, Made.WONG_OR_PAIR}
        if pairs & {Kind.GEE_JUN, *TEEN_OR_DAY}:
            made.add(Made.GREAT_PAIR)
    if Kind.NINE in deal.kinds and not TEEN_OR_DAY.isdisjoint(deal.kinds):
        made |= {Made.WONG, Made.WONG_OR_PAIR}
    return frozenset(made)


def tie_lines(deal: Deal, low: Hand, *, tied: bool) -> frozenset[Made]:
    """The lines of a Tie wager, whether or not its main wager stands off: crown-6.1 13.5.1(a) and 13.5.1(b)."""
    if not tied:
        return top_lines(deal)
    strong = {Made.TIE_WITH_GONG} if low.name in (Name.GONG, Name.WONG, Name.PAIR) else set()
    return top_lines(deal) | strong | {Made.TIE}


def lucky_duck(deal: Deal) -> bool:
    """High 6 and Low 6 with any 7 and any 4."""
    return consists_of(deal, Kind.HIGH_6, Kind.LOW_6, SEVENS, FOURS)


@dataclass(frozen=True)
class BonusRules:
    """The Bonus wager, on the player's four tiles.

    Attributes:
        with_main: the casino may ask for a main wager beside it.
        any_bank_hand: it is paid regardless of the bank's hand.
        any_two_tiles: lines below the top ones need only two of the tiles.
        any_setting: with a main wager the setting does not matter.
        two_pairs_set: how two pairs are set without a main wager.
        lucky_duck_set: how a Lucky Duck is set without a main wager.
        when_conceded: the tiles dealt decide it even if the hand was conceded; by a person if nobody saw them.
        bank_dealt: what the dealer does if only Bonus wagers are placed.
    """

    options: tuple[Paytable, ...]
    with_main: Cite
    any_bank_hand: Cite
    any_two_tiles: Cite
    any_setting: Cite
    two_pairs_set: Cite
    lucky_duck_set: Cite
    when_conceded: Fact[str]
    bank_dealt: Fact[str]


@dataclass(frozen=True)
class TieRules:
    """The Tie wager, on a stand-off.

    Attributes:
        one_setting: the same setting of the tiles decides main wager and Tie.
        own_setting: players set their tiles themselves.
        asked_setting: or request the House Way.
        surrender: if offered, half of it may be forfeited, until this milestone.
        surrender_from: the first milestone for a surrender.
        surrendered_by: each player on a box chooses for himself.
        surrender_collected: when the half is collected.
    """

    options: tuple[Paytable, ...]
    one_setting: Cite
    own_setting: Cite
    asked_setting: Cite
    surrender: Fact[Milestone]
    surrender_from: Fact[Milestone]
    surrendered_by: Cite
    surrender_collected: Cite
    players: Mapping[Bank, Fact[bool]]


@dataclass(frozen=True)
class BigSmallRules:
    """The Big/Small wager, on the total of three dice.

    Attributes:
        meaning: which totals win; a triple makes both sides lose.
        settled: when it is settled.
        pays: its odds to one.
        beside: it requires a valid main wager on the box.
        first: players with first right to place it.
        afterwards: players who may place it after those.
    """

    meaning: Cite
    settled: Cite
    pays: Fact[int]
    beside: Cite
    first: Cite
    afterwards: Cite


@dataclass(frozen=True)
class SideWagerRules:
    """A book's rules on side wagers.

    Attributes:
        bets: main wager, Bonus and Tie may each be placed without the others.
        combined: and in any combination.
        banker: whether the player-banker may place it.
        house_pays: the House pays them, not a player-banker.
        removed: lost ones are removed as the hand is opened.
        stays: won and surrendered ones stay until all hands are open.
        paid: the order on each box: Bonus, Tie or surrender, main wager.
        in_chips: treatment of a payment that chips cannot make.
        decides: kinds of bet in order of precedence for deciding on the tiles.
        highest_decides: among wagers of one kind the highest decides.
    """

    bets: Mapping[str, Cite]
    combined: Cite
    bonus: BonusRules
    tie: TieRules
    big_small: BigSmallRules
    banker: Mapping[str, Fact[bool]]
    house_pays: Cite
    removed: Cite
    stays: Cite
    paid: Cite
    in_chips: Fact[str]
    decides: Mapping[str, Cite]
    highest_decides: Cite

    def options(self, offer: str) -> tuple[Paytable, ...]:
        return {BONUS: self.bonus.options, TIE: self.tie.options}.get(offer, ())

    def offered(self, offer: str, terms: TableTerms) -> Paytable:
        return next(option for option in self.options(offer) if option.name == terms.side[offer].option)
