"""The bank under the British poster, whose bulleted points are counted in the order printed, 1 to 29."""

from __future__ import annotations

from fractions import Fraction

from engine.game.box_order import BOXES
from engine.vocabulary.banking import Banking
from engine.vocabulary.citations import UK
from engine.vocabulary.facts import ANY_BOX, Bank, Fact

at = UK.at

BANKING = Banking(
    methods=Fact(frozenset({Bank.HOUSE, Bank.PLAYER}), at("point 24"), (24,)),
    chung={
        # the dealer's own place, from which the positions are counted
        Bank.HOUSE: Fact(frozenset({BOXES}), at("point 3"), (32,)),
        Bank.PLAYER: Fact(ANY_BOX - {BOXES}, at("point 25"), (32,)),
    },
    first_offer=Fact(1, at("point 24"), (31,)),
    after_house=Fact(1, at("point 24"), (31,)),
    controller=at("point 24"),
    rounds=Fact(1, at("point 27")),
    most_banks=Fact(1, at("point 27")),
    once=at("point 27"),
    funds=at("point 24"),
    cover={Bank.PLAYER: Fact(Fraction(1), at("point 24"))},
    fall_back=Fact(frozenset({Bank.HOUSE}), at("point 24")),
    no_takers=at("point 24"),
    banker_box=at("point 25"),
    against=at("point 24"),
    dealer_bet=Fact(2, at("point 28"), (24,)),
)
