"""What a book lays down about side wagers, and the paytables of those that hang on the tiles.

The House pays and takes side wagers whoever banks: they are no part of what a bank covers, and no commission is
collected of them. Their edge is counted from the same lines that they are settled by.
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


@dataclass(frozen=True)
class BonusRules:
    """The wager on the player's four tiles.

    Attributes:
        with_main: the casino may ask for a main wager beside it.
        any_bank_hand: it is paid whatever the bank holds.
        any_two_tiles: for the lines below the top ones any two of the tiles are enough.
        any_setting: beside a main wager the setting does not matter.
        two_pairs_set: how two pairs are set without a main wager.
        lucky_duck_set: how a Lucky Duck is.
        bank_dealt: what the dealer does where nothing but Bonus wagers is placed.
    """

    options: tuple[Paytable, ...]
    with_main: Cite
    any_bank_hand: Cite
    any_two_tiles: Cite
    any_setting: Cite
    two_pairs_set: Cite
    lucky_duck_set: Cite
    bank_dealt: Fact[str]


@dataclass(frozen=True)
class TieRules:
    """The wager on a stand-off.

    Attributes:
        one_setting: the one setting of the tiles decides main wager and Tie.
        own_setting: players set their tiles themselves.
        asked_setting: or ask for the House Way.
        surrender: half of it may be forfeited where that is offered, until this.
        surrender_from: from when on.
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
    """The wager on the total of three dice.

    Attributes:
        meaning: which totals win; a triple makes both sides lose.
        settled: when it is settled.
        pays: its odds to one.
        beside: it lies only where there is another wager.
        first: who may place it first.
        afterwards: who may place it then.
    """

    meaning: Cite
    settled: Cite
    pays: Fact[int]
    beside: Cite
    first: Cite
    afterwards: Cite


@dataclass(frozen=True)
class SideWagerRules:
    """What a book lays down about side wagers.

    Attributes:
        bets: main wager, Bonus and Tie may each be placed without the others.
        combined: and in any combination.
        banker: whether a player who holds the bank may place it.
        house_pays: the House pays them, not a player who banks.
        removed: lost ones are removed as the hand is opened.
        stays: won and surrendered ones stay until all hands are open.
        paid: the order on each box: Bonus, Tie or surrender, main wager.
        in_chips: what becomes of a payment that chips cannot make.
        decides: by kind of bet, in this order, whose wager decides about the tiles.
        highest_decides: among wagers of one kind the highest does.
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
        """The paytables a table may choose from; none for Big/Small."""
        return {BONUS: self.bonus.options, TIE: self.tie.options}.get(offer, ())

    def offered(self, offer: str, terms: TableTerms) -> Paytable:
        """The paytable that a table chose."""
        return next(option for option in self.options(offer) if option.name == terms.side[offer].option)
