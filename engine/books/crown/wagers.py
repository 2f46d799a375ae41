"""Crown Melbourne 6.1: placement of wagers (8) and permissible wagers (9)."""

from __future__ import annotations

from engine.settlement.wagers import Limit, PersonalRule, Unpayable, WagerRules
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import CROWN

_STANDS = Fact(Limit.STANDS, CROWN.at("9.2.1"))
_ALONE = Fact(value=True, cite=CROWN.at("9.3.1"))

WAGERS = WagerRules(
    over={
        Bank.HOUSE: Fact(Limit.TO_THE_MAXIMUM, CROWN.at("9.2.2"), rulings=(23,)),
        Bank.PLAYER: Fact(Limit.NONE, CROWN.at("9.5")),
        # 9.5 frees only play under 10.3.2 from the maximum.
        Bank.CO_BANK: Fact(Limit.TO_THE_MAXIMUM, CROWN.at("9.2.2"), rulings=(23,)),
    },
    under={Bank.HOUSE: _STANDS, Bank.PLAYER: _STANDS, Bank.CO_BANK: _STANDS},
    box_total=None,
    personal=Fact(PersonalRule(alone=_ALONE.value), CROWN.at("9.3")),
    tokens=None,
    unpayable=Fact(Unpayable.PAID_UP, CROWN.at("9.2.3"), rulings=(22,)),
    returned=CROWN.at("12.2.1(a)"),
)
