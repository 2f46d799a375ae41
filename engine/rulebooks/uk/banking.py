"""The bank under the British poster, which numbers nothing: its points are counted from the top, 1 to 29."""

from __future__ import annotations

from fractions import Fraction

from engine.banking import Banking
from engine.rulebooks.terms import Bank, Fact
from engine.sources import UK

at = UK.at

BANKING = Banking(
    methods=Fact(frozenset({Bank.HOUSE, Bank.PLAYER}), at("24"), (24,)),
    house_box=Fact(8, at("3"), (32,)),  # the dealer's own place, from which the positions are counted
    first_offer=Fact(1, at("24"), (31,)),
    after_house=Fact(1, at("24"), (31,)),
    controller=at("24"),
    rounds=Fact(1, at("27")),
    most_banks=Fact(1, at("27")),
    once=at("27"),
    funds=at("24"),
    cover={Bank.PLAYER: Fact(Fraction(1), at("24"))},
    fall_back=Fact(frozenset({Bank.HOUSE}), at("24")),
    no_takers=at("24"),
    banker_box=at("25"),
    against=at("24"),
    dealer_bet=Fact(2, at("28"), (24,)),
)
