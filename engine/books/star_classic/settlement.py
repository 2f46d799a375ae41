"""The Star's older page: matching and wagers (9), minimum and maximum (10), procedures (13), settlement (14)."""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.money import Commission, Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.settlement.wagers import BankRules, Limit, PersonalRule, SettlementRules, Unpayable, WagerRules
from engine.vocabulary.citations import STAR_CLASSIC
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.limits import LimitRules

at = STAR_CLASSIC.at

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=at("9.1.1.1.1"),
        lose=at("9.1.1.2.1"),
        stand_off=at("9.1.1.3"),
        high_tile=at("9.1.1.1.2"),
        copy=at("9.1.1.2.4"),
        zero=Fact(ZeroReading.WAGER_LOST, at("9.1.1.2.2"), rulings=(15,)),
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
        Bank.CO_BANK: BankRules(
            method=at("11.1.3"),
            opened=at("13.3.5"),
            taken=at("13.3.6"),
            paid=at("13.3.7"),
            stand_off=at("13.3.8"),
            house_way=at("13.3.4"),
            remainder=at("13.3.10"),
            shortfall=at("13.3.11"),
        ),
    },
)

_STANDS = Fact(Limit.STANDS, at("10.3"), rulings=(23,))

WAGERS = WagerRules(
    over={
        Bank.HOUSE: _STANDS,
        Bank.PLAYER: Fact(Limit.NONE, at("10.2")),
        # A co-bank covers wagers up to the displayed maximum and no further.
        Bank.CO_BANK: Fact(Limit.TO_THE_MAXIMUM, at("11.1.3")),
    },
    # The House is one of the bankers of a co-bank, so 10.3 holds there too; with a player-banker the minimum applies.
    under={
        Bank.HOUSE: _STANDS,
        Bank.PLAYER: Fact(Limit.REFUSED, at("10.2")),
        Bank.CO_BANK: _STANDS,
    },
    box_total=None,
    per_box=Fact("as the sign at the table says", at("10.1"), rulings=(40,)),
    personal=Fact(PersonalRule(), at("10.5")),
    tokens=Fact(value=True, cite=at("1.1 casino promotional token or voucher"), rulings=(45,)),
    unpayable=Fact(Unpayable.REFUSED, at("9.2")),
    returned=at("1.1"),
    void_round=at("16.5"),
)

LIMITS = LimitRules(raised=at("10.4"), by=Fact("casino supervisor", at("10.4")))
