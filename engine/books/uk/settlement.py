"""The British poster: winning, losing, ties, 19 to 20, wagers; its points are counted in the order printed."""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.money import Commission, Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.settlement.wagers import BankRules, Limit, SettlementRules, Unpayable, WagerRules
from engine.vocabulary.citations import UK
from engine.vocabulary.facts import Bank, Fact

at = UK.at

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=at("point 15"),
        lose=at("point 16"),
        stand_off=at("point 17"),
        high_tile=at("point 18"),
        copy=at("point 18"),
        zero=Fact(ZeroReading.LOW_HAND_LOST, at("point 18"), rulings=(15,)),
    ),
    commission=Commission(
        rate=Fact(Fraction(1, 20), at("point 15"), rulings=(22,)),
        lower=None,
        # Commission that chips cannot make is not mentioned; ambiguity is resolved in the player's favour.
        rounding=Fact(Rounding.DOWN, at("preamble")),
        banker=at("point 26"),
    ),
    banks={
        Bank.HOUSE: BankRules(
            method=at("point 13"),
            opened=at("point 14"),
            taken=at("point 16"),
            paid=at("point 15"),
            stand_off=at("point 17"),
            house_way=at("point 13"),
        ),
        Bank.PLAYER: BankRules(
            method=at("point 24"),
            opened=at("point 14"),
            taken=at("point 16"),
            paid=at("point 15"),
            stand_off=at("point 17"),
            remainder=at("point 26"),
            shortfall=at("point 24"),
        ),
    },
)

# The poster prints no limits for players; a bet beyond the sign's was accepted, and doubt is resolved in the player's
# favour.
_STANDS = Fact(Limit.STANDS, at("preamble"))

WAGERS = WagerRules(
    over={Bank.HOUSE: _STANDS, Bank.PLAYER: Fact(Limit.NONE, at("point 28"))},
    under={Bank.HOUSE: _STANDS, Bank.PLAYER: _STANDS},
    box_total=None,
    personal=None,
    tokens=None,
    unpayable=Fact(Unpayable.REFUSED, at("point 2")),
    # Point 22 is about a misdeal only; what else is void goes back in the player's favour.
    returned=at("preamble"),
    void_round=at("preamble"),
)
