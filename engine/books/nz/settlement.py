"""New Zealand 1998: wagers, matching and commission (6), variations of play and settlement (10, 11)."""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.money import Commission, Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.settlement.wagers import BankRules, Limit, PersonalRule, SettlementRules, Unpayable, WagerRules
from engine.vocabulary.citations import NZ
from engine.vocabulary.facts import Bank, Fact

at = NZ.at

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=at("6.1(a)(i)"),
        lose=at("6.1(b)(i)"),
        stand_off=at("6.1(c)"),
        high_tile=at("6.1(a)(ii)"),
        copy=at("6.1(b)(iii)"),
        zero=Fact(ZeroReading.WAGER_LOST, at("6.1(b)(ii)"), rulings=(15,)),
    ),
    commission=Commission(
        rate=Fact(Fraction(5, 100), at("6.11"), rulings=(22,)),
        lower=None,
        rounding=Fact(Rounding.EXACT, at("6.12"), rulings=(22,)),
        banker=at("6.14"),
    ),
    banks={
        Bank.HOUSE: BankRules(
            method=at("11.1"),
            opened=at("11.1(f)"),
            taken=at("11.1(g)"),
            paid=at("11.1(i)"),
            stand_off=at("11.1(h)"),
            house_way=at("11.1(e)"),
        ),
        Bank.PLAYER: BankRules(
            method=at("11.2"),
            opened=at("11.2(f)"),
            taken=at("11.2(g)"),
            paid=at("11.2(i)"),
            stand_off=at("11.2(h)"),
            remainder=at("11.2(i)"),
            shortfall=at("11.2(j)"),
        ),
        Bank.CO_BANK: BankRules(
            method=at("11.3"),
            opened=at("11.3(f)"),
            taken=at("11.3(g)"),
            paid=at("11.3(i)"),
            stand_off=at("11.3(h)"),
            house_way=at("11.3(e)"),
            remainder=at("11.3(k)"),
            shortfall=at("11.3(l)"),
        ),
    },
)

# Division 12 leaves the minimum of a house-banked table to the general rules of division 1, which it applies (2.0).
_MINIMUM = Fact(Limit.REFUSED, at("2.0"))

WAGERS = WagerRules(
    over={
        Bank.HOUSE: Fact(Limit.REFUSED, at("6.6"), rulings=(23,)),
        Bank.PLAYER: Fact(Limit.NONE, at("6.8")),
        Bank.CO_BANK: Fact(Limit.REFUSED, at("6.6"), rulings=(23,)),
    },
    under={Bank.HOUSE: _MINIMUM, Bank.PLAYER: Fact(Limit.REFUSED, at("6.8")), Bank.CO_BANK: _MINIMUM},
    box_total=at("6.6"),
    personal=Fact(PersonalRule(minimum_too=False), at("6.6")),
    tokens=None,
    unpayable=Fact(Unpayable.PART_VOID, at("6.13"), rulings=(22,)),
    returned=at("12.3"),
    # Division 12 has no rule on a game disrupted from outside; the general rules apply with it.
    void_round=at("2.0"),
)
