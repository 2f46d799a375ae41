"""Crown Melbourne 6.1: matching (8.12 to 8.15), dealing and paying under each bank (10.3), settlement (11)."""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.book_rules import BankRules, SettlementRules
from engine.settlement.commission import Commission
from engine.settlement.money import Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import CROWN

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=CROWN.at("8.14.1"),
        lose=CROWN.at("8.13.1"),
        stand_off=CROWN.at("8.15"),
        high_tile=CROWN.at("8.12.1"),
        copy=CROWN.at("8.12"),
        zero=Fact(ZeroReading.TILES_COMPARED, CROWN.at("8.13.2"), rulings=(15,)),
    ),
    commission=Commission(
        rate=Fact(Fraction(5, 100), CROWN.at("11.1"), rulings=(22,)),
        lower=CROWN.at("11.2"),
        rounding=Fact(Rounding.DOWN, CROWN.at("11.3"), rulings=(22,)),
        banker=CROWN.at("10.3.2(m)"),
    ),
    banks={
        Bank.HOUSE: BankRules(
            method=CROWN.at("10.3.1"),
            opened=CROWN.at("10.3.1(c)"),
            taken=CROWN.at("10.3.1(d)"),
            paid=CROWN.at("10.3.1(e)"),
            stand_off=CROWN.at("10.3.1(f)"),
            house_way=CROWN.at("1.1"),
        ),
        Bank.PLAYER: BankRules(
            method=CROWN.at("10.3.2"),
            opened=CROWN.at("10.3.2(k)"),
            taken=CROWN.at("10.3.2(l)"),
            paid=CROWN.at("10.3.2(m)"),
            stand_off=CROWN.at("10.3.2(o)"),
            remainder=CROWN.at("10.3.2(m)"),
            shortfall=CROWN.at("10.3.2(n)"),
        ),
        Bank.CO_BANK: BankRules(
            method=CROWN.at("10.3.3"),
            opened=CROWN.at("10.3.3(e)"),
            taken=CROWN.at("10.3.3(f)"),
            paid=CROWN.at("10.3.3(g)"),
            stand_off=CROWN.at("10.3.3(j)"),
            house_way=CROWN.at("10.3.3(d)"),
            remainder=CROWN.at("10.3.3(h)"),
            shortfall=CROWN.at("10.3.3(i)"),
            commission=CROWN.at("10.3.3(h)"),
        ),
    },
)
