"""The bank at The Star, 2024 (sections 6 and 11, rules 9.15, 9.16, 13.1, 13.2)."""

from __future__ import annotations

from fractions import Fraction

from engine.vocabulary.banking import Banking
from engine.vocabulary.citations import STAR_2024
from engine.vocabulary.facts import ANY_BOX, Bank, Fact

at = STAR_2024.at

BANKING = Banking(
    methods=Fact(frozenset({Bank.HOUSE, Bank.PLAYER}), at("11.1"), (24,)),
    chung={
        Bank.HOUSE: Fact(frozenset({1}), at("6.10")),
        Bank.PLAYER: Fact(ANY_BOX, at("13.2.1")),
    },
    first_offer=Fact(1, at("6.1"), (31,)),
    after_house=Fact(2, at("6.1"), (31,)),  # the House's bank was at area one, the next is directly to its left
    controller=at("6.1"),
    others=at("6.2"),
    furthest=at("6.5"),
    played=at("6.6"),
    rounds=Fact(2, at("6.7")),
    most_banks=Fact(3, at("6.7")),
    shared=at("6.8"),
    funds=at("9.15"),
    cover={Bank.PLAYER: Fact(Fraction(1), at("13.2.2"))},
    fall_back=Fact(frozenset({Bank.HOUSE}), at("13.2.2")),
    no_takers=at("6.9"),
    banker_box=at("9.16"),
    against=at("1.1"),
    from_number_one=True,
)
