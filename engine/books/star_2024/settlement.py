"""The Star 2024: matching (9.3, its parts printed as 9.2.x, ruling 37), limits (10), procedures (13), settlement (14).

A player's own minimum is also the one under which he started to play (star-2024 10.6.1); players who join after a
change have the table's (star-2024 10.6.4).
"""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.money import Commission, Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.settlement.wagers import BankRules, Limit, PersonalRule, SettlementRules, Unpayable, WagerRules
from engine.vocabulary.citations import STAR_2024
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.limits import LimitRules

at = STAR_2024.at

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=at("9.2.1.1"),
        lose=at("9.2.2.1"),
        stand_off=at("9.2.3"),
        high_tile=at("9.2.1.2"),
        copy=at("9.2.2.4"),
        zero=Fact(ZeroReading.WAGER_LOST, at("9.2.2.2"), rulings=(15,)),
    ),
    commission=Commission(
        rate=Fact(Fraction(5, 100), at("14.1"), rulings=(22,)),
        lower=None,
        rounding=Fact(Rounding.DOWN, at("14.3"), rulings=(22,)),
        banker=at("14.2"),
    ),
    banks={
        Bank.HOUSE: BankRules(
            method=at("11.1.1"),
            opened=at("13.1.6"),
            taken=at("13.1.7"),
            paid=at("13.1.8"),
            stand_off=at("13.1.9"),
            house_way=at("13.1.5"),
        ),
        Bank.PLAYER: BankRules(
            method=at("11.1.2"),
            opened=at("13.2.5"),
            taken=at("13.2.6"),
            paid=at("13.2.7"),
            stand_off=at("13.2.9"),
            remainder=at("13.2.7"),
            shortfall=at("13.2.8"),
        ),
    },
)

WAGERS = WagerRules(
    over={
        Bank.HOUSE: Fact(Limit.TO_THE_MAXIMUM, at("10.3"), rulings=(23,)),
        Bank.PLAYER: Fact(Limit.NONE, at("10.2")),
    },
    under={
        Bank.HOUSE: Fact(Limit.STANDS, at("10.3")),
        Bank.PLAYER: Fact(Limit.STANDS, at("10.2")),
    },
    box_total=None,
    per_box=Fact("as the sign at the table says", at("10.1"), rulings=(40,)),
    personal=Fact(PersonalRule(), at("10.7")),
    tokens=Fact(value=False, cite=at("1.1 casino promotional token")),
    unpayable=Fact(Unpayable.REFUSED, at("9.5")),
    returned=at("1.1"),
    void_round=at("16.6"),
)

LIMITS = LimitRules(
    raised=at("10.6"),
    by=Fact("casino supervisor", at("10.6")),
    kept=at("10.6.1"),
    newcomers=at("10.6.4"),
)
