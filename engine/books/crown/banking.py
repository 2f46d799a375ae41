"""The bank at Crown Melbourne (rules 8.6, 8.10, 10.3)."""

from __future__ import annotations

from fractions import Fraction

from engine.vocabulary.banking import Banking
from engine.vocabulary.citations import CROWN
from engine.vocabulary.facts import ANY_BOX, Bank, Fact

at = CROWN.at

BANKING = Banking(
    methods=Fact(frozenset(Bank), at("10.3"), (24,)),
    chung={
        Bank.HOUSE: Fact(frozenset({1}), at("10.3.1(a)")),
        Bank.PLAYER: Fact(ANY_BOX, at("10.3.2(e)")),
        Bank.CO_BANK: Fact(ANY_BOX, at("10.3.3(e)")),
    },
    first_offer=Fact(1, at("10.3.2(a)"), (31,)),
    after_house=Fact(1, at("10.3.2(a)"), (31,)),
    controller=at("10.3.2(d)"),
    played=at("10.3.2(b)"),
    rounds=Fact(2, at("10.3.2(f)")),
    most_banks=Fact(3, at("10.3.2(f)")),
    shared=at("10.3.2(g)"),
    funds=at("10.3.2(c)"),
    cover={
        Bank.PLAYER: Fact(Fraction(1), at("10.3.2(h)")),
        Bank.CO_BANK: Fact(Fraction(1, 2), at("10.3.3(a)")),
    },
    fall_back=Fact(frozenset({Bank.HOUSE, Bank.CO_BANK}), at("10.3.2(h)")),
    nominee=at("10.3.2(f)"),
    no_takers=at("10.3.2(d)"),
    banker_box=at("8.10"),
    against=at("1.1"),
)
