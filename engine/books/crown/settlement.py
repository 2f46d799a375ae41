"""Crown Melbourne 6.1: settlement (8, 10, 11), placement of wagers (8) and permissible wagers (9)."""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.money import Commission, Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.settlement.wagers import BankRules, Limit, PersonalRule, SettlementRules, Unpayable, WagerRules
from engine.vocabulary.citations import CROWN
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.limits import LimitRules

at = CROWN.at

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=at("8.14.1"),
        lose=at("8.13.1"),
        stand_off=at("8.15"),
        high_tile=at("8.12.1"),
        copy=at("8.12"),
        zero=Fact(ZeroReading.TILES_COMPARED, at("8.13.2"), rulings=(15,)),
    ),
    commission=Commission(
        rate=Fact(Fraction(5, 100), at("11.1"), rulings=(22,)),
        lower=at("11.2"),
        rounding=Fact(Rounding.DOWN, at("11.3"), rulings=(22,)),
        banker=at("10.3.2(m)"),
    ),
    banks={
        Bank.HOUSE: BankRules(
            method=at("10.3.1"),
            opened=at("10.3.1(c)"),
            taken=at("10.3.1(d)"),
            paid=at("10.3.1(e)"),
            stand_off=at("10.3.1(f)"),
            house_way=at("1.1"),
        ),
        Bank.PLAYER: BankRules(
            method=at("10.3.2"),
            opened=at("10.3.2(k)"),
            taken=at("10.3.2(l)"),
            paid=at("10.3.2(m)"),
            stand_off=at("10.3.2(o)"),
            remainder=at("10.3.2(m)"),
            shortfall=at("10.3.2(n)"),
        ),
        Bank.CO_BANK: BankRules(
            method=at("10.3.3"),
            opened=at("10.3.3(e)"),
            taken=at("10.3.3(f)"),
            paid=at("10.3.3(g)"),
            stand_off=at("10.3.3(j)"),
            house_way=at("10.3.3(d)"),
            remainder=at("10.3.3(h)"),
            shortfall=at("10.3.3(i)"),
            commission=at("10.3.3(h)"),
        ),
    },
)

_STANDS = Fact(Limit.STANDS, at("9.2.1"))

WAGERS = WagerRules(
    over={
        Bank.HOUSE: Fact(Limit.TO_THE_MAXIMUM, at("9.2.2"), rulings=(23,)),
        Bank.PLAYER: Fact(Limit.NONE, at("9.5")),
        # 9.5 frees only play under 10.3.2 from the maximum.
        Bank.CO_BANK: Fact(Limit.TO_THE_MAXIMUM, at("9.2.2"), rulings=(23,)),
    },
    under={Bank.HOUSE: _STANDS, Bank.PLAYER: _STANDS, Bank.CO_BANK: _STANDS},
    box_total=None,
    per_box=Fact("as the sign at the table says", at("9.1"), rulings=(40,)),
    personal=Fact(PersonalRule(alone=at("9.3.1")), at("9.3")),
    tokens=None,
    unpayable=Fact(Unpayable.PAID_UP, at("9.2.3"), rulings=(22,)),
    returned=at("12.2.1(a)"),
    void_round=at("16.5"),
)

LIMITS = LimitRules(raised=at("9.1"))
