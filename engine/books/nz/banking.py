"""The bank in New Zealand (section 5, rules 6.5, 11.2, 11.3)."""

from __future__ import annotations

from fractions import Fraction

from engine.vocabulary.banking import Banking
from engine.vocabulary.citations import NZ
from engine.vocabulary.facts import ANY_BOX, Bank, Fact

at = NZ.at

BANKING = Banking(
    methods=Fact(frozenset(Bank), at("5.1"), (24,)),
    chung={
        Bank.HOUSE: Fact(frozenset({1}), at("11.1(a)")),
        Bank.PLAYER: Fact(ANY_BOX, at("11.2(a)")),
        Bank.CO_BANK: Fact(ANY_BOX, at("11.3(a)")),
    },
    house_box_free=at("11.1(b)"),
    house_first=at("5.2"),
    first_offer=Fact(1, at("5.2"), (31,)),
    after_house=Fact(1, at("5.2"), (31,)),
    controller=at("5.3(b)"),
    played=at("5.3(a)"),
    rounds=Fact(2, at("5.4")),
    most_banks=Fact(1, at("5.4")),
    shared=at("5.5"),
    funds=at("5.3(c)"),
    cover={
        Bank.PLAYER: Fact(Fraction(1), at("11.2(b)")),
        Bank.CO_BANK: Fact(Fraction(1, 2), at("11.3(b)")),
    },
    fall_back=Fact(frozenset({Bank.HOUSE, Bank.CO_BANK}), at("11.2(b)")),
    no_takers=at("5.6"),
    banker_box=at("6.5"),
    against=at("6.1"),
    from_number_one=True,
)
