"""The bank: who may hold it, the order of the offer, its duration and the required cover.

Differences between the books are declared in a `Banking` for each; the rules are enforced in `engine.round`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from engine.vocabulary.facts import Bank, Fact

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from engine.game.box_order import BoxOrder
    from engine.vocabulary.citations import Cite


@dataclass(frozen=True)
class Banking:
    """A book's rules on the bank.

    Boxes are declared counter-clockwise from the book's first box: the box furthest to the dealer's right or, in books
    that say "box number 1" or "playing area one", the box of that number. `at` converts them to the numbers on the felt
    of a table.

    Attributes:
        methods: who may hold the bank (ruling 24).
        chung: by method, where the chung may lie: the bank's tiles are dealt there.
        house_first: the rule by which the House banks the first round of play; None if a player may.
        first_offer: the box where the offer starts (ruling 31).
        after_house: the box where it starts after the House has banked.
        controller: the rule that offers the bank to the player who controls a box.
        others: the rule by which it may be offered to others on the box if that player declines.
        furthest: the rule for a player on several boxes who controls none: only on the one furthest from the chung.
        played: the rule that a banker must have played the previous round; None if the book does not require it.
        rounds: rounds that one bank lasts.
        most_banks: maximum number of consecutive banks that a table may allow one box.
        once: the rule that a player banks once per rotation of the bank.
        shared: the rule by which several players at one box may share the bank.
        funds: the rule that a banker has the funds.
        cover: by method, the fraction of the players' wagers that the banker's own wager must cover.
        fall_back: how the round is banked if the player-banker does not cover the wagers.
        co_bank_leave: whose permission co-banking requires; None if a request is enough.
        nominee: the rule that somebody else shakes the cup for a banker in his second and third bank.
        no_takers: the rule that the House banks if no player does.
        banker_box: the rule that nobody else wagers on the banker's box.
        against: the rule that wagers are made by the *other* players.
        house_box_free: the rule that nobody wagers on the House's box, if it is a separate rule.
        dealer_bet: the rule by which the dealer may bet against a player-banker, and the limit on the total of wagers
            as a multiple of the house maximum.
        from_number_one: whether the book starts with the box of number 1, wherever that is.
    """

    methods: Fact[frozenset[Bank]]
    chung: Mapping[Bank, Fact[frozenset[int]]]
    first_offer: Fact[int]
    after_house: Fact[int]
    controller: Cite
    rounds: Fact[int]
    most_banks: Fact[int]
    funds: Cite
    cover: Mapping[Bank, Fact[Fraction]]
    fall_back: Fact[frozenset[Bank]]
    no_takers: Cite
    banker_box: Cite
    against: Cite
    house_first: Cite | None = None
    others: Cite | None = None
    furthest: Cite | None = None
    played: Cite | None = None
    once: Cite | None = None
    shared: Cite | None = None
    co_bank_leave: Fact[str] | None = None
    nominee: Cite | None = None
    house_box_free: Cite | None = None
    dealer_bet: Fact[int] | None = None
    from_number_one: bool = False

    def at(self, order: BoxOrder) -> Banking:
        """The same rules with the numbers on the felt of a table."""
        one = order.one(by_number=self.from_number_one)
        return replace(
            self,
            chung={
                bank: replace(at, value=frozenset(order.counted(box, one) for box in at.value))
                for bank, at in self.chung.items()
            },
            first_offer=replace(self.first_offer, value=order.counted(self.first_offer.value, one)),
            after_house=replace(self.after_house, value=order.counted(self.after_house.value, one)),
        )

    @cached_property
    def house_box(self) -> Fact[int]:
        """Where the House's tiles are dealt when it banks; nobody wagers there."""
        at = self.chung[Bank.HOUSE]
        return Fact(min(at.value), self.house_box_free or at.cite, at.rulings)

    def instead_of(self, method: Bank) -> frozenset[Bank]:
        """Possible banking methods for a round if this bank does not cover the wagers."""
        return (self.fall_back.value if method is Bank.PLAYER else frozenset({Bank.HOUSE})) - {method}
