"""The bank at The Star, older rules (sections 6 and 11, rules 9.12, 9.13, 13.1 to 13.3)."""

from __future__ import annotations

from fractions import Fraction

from engine.vocabulary.banking import Banking
from engine.vocabulary.citations import STAR_CLASSIC
from engine.vocabulary.facts import ANY_BOX, Bank, Fact

at = STAR_CLASSIC.at

BANKING = Banking(
    methods=Fact(frozenset(Bank), at("11.1"), (24,)),
    chung={
        Bank.HOUSE: Fact(frozenset({1}), at("6.9")),
        Bank.PLAYER: Fact(ANY_BOX, at("13.2.1")),
        Bank.CO_BANK: Fact(ANY_BOX, at("13.3.5")),
    },
    first_offer=Fact(1, at("6.1"), (31,)),
    after_house=Fact(1, at("6.1"), (31,)),
    controller=at("6.3"),
    played=at("6.4"),
    rounds=Fact(2, at("6.5")),
    most_banks=Fact(3, at("6.5")),
    shared=at("6.6"),
    funds=at("9.12"),
    cover={
        Bank.PLAYER: Fact(Fraction(1), at("13.2.2")),
        Bank.CO_BANK: Fact(Fraction(1, 2), at("13.3.1")),
    },
    # The text refers to 13.3, co-banking, perhaps a slip for 13.1: both are used.
    fall_back=Fact(frozenset({Bank.HOUSE, Bank.CO_BANK}), at("13.2.2"), (37,)),
    co_bank_leave=Fact("casino supervisor", at("6.7")),
    no_takers=at("6.8"),
    banker_box=at("9.13"),
    against=at("1.1"),
    from_number_one=True,
)
