"""What a book lays down about side wagers.

Bonus and Tie hang on the tiles, Big and Small on the dice. The House pays and takes them whoever banks: they are no
part of what a bank covers, and no commission is collected of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.settlement.wagers import BONUS, TIE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.settlement.side_wagers.paytables import Paytable
    from engine.settlement.wagers import TableTerms
    from engine.vocabulary.facts import Bank, Fact, Milestone
    from engine.vocabulary.sources import Cite


@dataclass(frozen=True)
class BonusRules:
    """The wager on the player's four tiles.

    Attributes:
        options: its paytables; a table offers one of them.
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
        options: its paytables; a table offers one of them.
        one_setting: the one setting of the tiles decides main wager and Tie.
        own_setting: players set their tiles themselves.
        asked_setting: or ask for the House Way.
        surrender: half of it may be forfeited where that is offered, until this.
        surrender_from: from when on.
        surrendered_by: each player on a box chooses for himself.
        surrender_collected: when the half is collected.
        players: by who banks, whether players may place it.
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
