"""The Star 2024: wagers (9), minimum and maximum (10).

A player's own minimum is also the one under which he began to play (star-2024 10.6.1); whoever comes after a change has
the table's (star-2024 10.6.4).
"""

from __future__ import annotations

from engine.settlement.wagers import Limit, PersonalRule, Unpayable, WagerRules
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import STAR_2024

WAGERS = WagerRules(
    over={
        Bank.HOUSE: Fact(Limit.TO_THE_MAXIMUM, STAR_2024.at("10.3"), rulings=(23,)),
        Bank.PLAYER: Fact(Limit.NONE, STAR_2024.at("10.2")),
    },
    under={
        Bank.HOUSE: Fact(Limit.STANDS, STAR_2024.at("10.3")),
        Bank.PLAYER: Fact(Limit.STANDS, STAR_2024.at("10.2")),
    },
    box_total=None,
    personal=Fact(PersonalRule(), STAR_2024.at("10.7")),
    tokens=Fact(value=False, cite=STAR_2024.at("1.1 casino promotional token")),
    unpayable=Fact(Unpayable.REFUSED, STAR_2024.at("9.5")),
    returned=STAR_2024.at("1.1"),
)
