"""New Zealand 1998: wagers (6), and what 10 and 11 say of them."""

from __future__ import annotations

from engine.settlement.wagers import Limit, PersonalRule, Unpayable, WagerRules
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import NZ

# Division 12 leaves the minimum of a house-banked table to the general rules of division 1, which it applies (2.0).
_MINIMUM = Fact(Limit.REFUSED, NZ.at("2.0"))

WAGERS = WagerRules(
    over={
        Bank.HOUSE: Fact(Limit.REFUSED, NZ.at("6.6"), rulings=(23,)),
        Bank.PLAYER: Fact(Limit.NONE, NZ.at("6.8")),
        Bank.CO_BANK: Fact(Limit.REFUSED, NZ.at("6.6"), rulings=(23,)),
    },
    under={Bank.HOUSE: _MINIMUM, Bank.PLAYER: Fact(Limit.REFUSED, NZ.at("6.8")), Bank.CO_BANK: _MINIMUM},
    box_total=NZ.at("6.6"),
    personal=Fact(PersonalRule(minimum_too=False), NZ.at("6.6")),
    tokens=None,
    unpayable=Fact(Unpayable.PART_VOID, NZ.at("6.13"), rulings=(22,)),
    returned=NZ.at("12.3"),
)
