"""New Zealand 1998: matching and commission (6), variations of play and settlement (11)."""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.book_rules import BankRules, SettlementRules
from engine.settlement.commission import Commission
from engine.settlement.money import Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import NZ

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=NZ.at("6.1(a)(i)"),
        lose=NZ.at("6.1(b)(i)"),
        stand_off=NZ.at("6.1(c)"),
        high_tile=NZ.at("6.1(a)(ii)"),
        copy=NZ.at("6.1(b)(iii)"),
        zero=Fact(ZeroReading.WAGER_LOST, NZ.at("6.1(b)(ii)"), rulings=(15,)),
    ),
    commission=Commission(
        rate=Fact(Fraction(5, 100), NZ.at("6.11"), rulings=(22,)),
        lower=None,
        rounding=Fact(Rounding.EXACT, NZ.at("6.12"), rulings=(22,)),
        banker=NZ.at("6.14"),
    ),
    banks={
        Bank.HOUSE: BankRules(
            method=NZ.at("11.1"),
            opened=NZ.at("11.1(f)"),
            taken=NZ.at("11.1(g)"),
            paid=NZ.at("11.1(i)"),
            stand_off=NZ.at("11.1(h)"),
            house_way=NZ.at("11.1(e)"),
        ),
        Bank.PLAYER: BankRules(
            method=NZ.at("11.2"),
            opened=NZ.at("11.2(f)"),
            taken=NZ.at("11.2(g)"),
            paid=NZ.at("11.2(i)"),
            stand_off=NZ.at("11.2(h)"),
            remainder=NZ.at("11.2(i)"),
            shortfall=NZ.at("11.2(j)"),
        ),
        Bank.CO_BANK: BankRules(
            method=NZ.at("11.3"),
            opened=NZ.at("11.3(f)"),
            taken=NZ.at("11.3(g)"),
            paid=NZ.at("11.3(i)"),
            stand_off=NZ.at("11.3(h)"),
            house_way=NZ.at("11.3(e)"),
            remainder=NZ.at("11.3(k)"),
            shortfall=NZ.at("11.3(l)"),
        ),
    },
)
