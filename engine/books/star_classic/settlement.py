"""The Star's older page: matching (9.1), procedures (13), settlement (14)."""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.book_rules import BankRules, SettlementRules
from engine.settlement.commission import Commission
from engine.settlement.money import Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import STAR_CLASSIC

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=STAR_CLASSIC.at("9.1.1.1.1"),
        lose=STAR_CLASSIC.at("9.1.1.2.1"),
        stand_off=STAR_CLASSIC.at("9.1.1.3"),
        high_tile=STAR_CLASSIC.at("9.1.1.1.2"),
        copy=STAR_CLASSIC.at("9.1.1.2.4"),
        zero=Fact(ZeroReading.WAGER_LOST, STAR_CLASSIC.at("9.1.1.2.2"), rulings=(15,)),
    ),
    commission=Commission(
        rate=Fact(Fraction(5, 100), STAR_CLASSIC.at("14.1"), rulings=(22,)),
        lower=None,
        rounding=Fact(Rounding.DOWN, STAR_CLASSIC.at("14.3"), rulings=(22,)),
        banker=STAR_CLASSIC.at("14.2"),
    ),
    banks={
        Bank.HOUSE: BankRules(
            method=STAR_CLASSIC.at("11.1.1"),
            opened=STAR_CLASSIC.at("13.1.6"),
            taken=STAR_CLASSIC.at("13.1.7"),
            paid=STAR_CLASSIC.at("13.1.8"),
            stand_off=STAR_CLASSIC.at("13.1.9"),
            house_way=STAR_CLASSIC.at("13.1.5"),
        ),
        Bank.PLAYER: BankRules(
            method=STAR_CLASSIC.at("11.1.2"),
            opened=STAR_CLASSIC.at("13.2.5"),
            taken=STAR_CLASSIC.at("13.2.6"),
            paid=STAR_CLASSIC.at("13.2.7"),
            stand_off=STAR_CLASSIC.at("13.2.9"),
            remainder=STAR_CLASSIC.at("13.2.7"),
            shortfall=STAR_CLASSIC.at("13.2.8"),
        ),
        Bank.CO_BANK: BankRules(
            method=STAR_CLASSIC.at("11.1.3"),
            opened=STAR_CLASSIC.at("13.3.5"),
            taken=STAR_CLASSIC.at("13.3.6"),
            paid=STAR_CLASSIC.at("13.3.7"),
            stand_off=STAR_CLASSIC.at("13.3.8"),
            house_way=STAR_CLASSIC.at("13.3.4"),
            remainder=STAR_CLASSIC.at("13.3.10"),
            shortfall=STAR_CLASSIC.at("13.3.11"),
        ),
    },
)
