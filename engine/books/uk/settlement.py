"""The UK poster: winning, losing, ties, 19 to 20, the player-banker.

The poster numbers nothing: its paragraphs are counted as printed, from "The game uses 32 dominoes" = 1 on, the lines of
the ranking list included (6 to 12), to the re-setting of the dealer's tiles = 29; what stands before is the preamble.
"""

from __future__ import annotations

from fractions import Fraction

from engine.settlement.book_rules import BankRules, SettlementRules
from engine.settlement.commission import Commission
from engine.settlement.money import Rounding
from engine.settlement.outcome import Matching, ZeroReading
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import UK

SETTLEMENT = SettlementRules(
    matching=Matching(
        win=UK.at("point 15"),
        lose=UK.at("point 16"),
        stand_off=UK.at("point 17"),
        high_tile=UK.at("point 18"),
        copy=UK.at("point 18"),
        zero=Fact(ZeroReading.LOW_HAND_LOST, UK.at("point 18"), rulings=(15,)),
    ),
    commission=Commission(
        rate=Fact(Fraction(1, 20), UK.at("point 15"), rulings=(22,)),
        lower=None,
        # Nothing is said of commission that chips cannot make; what is ambiguous goes the player's way.
        rounding=Fact(Rounding.DOWN, UK.at("preamble")),
        banker=UK.at("point 26"),
    ),
    banks={
        Bank.HOUSE: BankRules(
            method=UK.at("point 13"),
            opened=UK.at("point 14"),
            taken=UK.at("point 16"),
            paid=UK.at("point 15"),
            stand_off=UK.at("point 17"),
            house_way=UK.at("point 13"),
        ),
        Bank.PLAYER: BankRules(
            method=UK.at("point 24"),
            opened=UK.at("point 14"),
            taken=UK.at("point 16"),
            paid=UK.at("point 15"),
            stand_off=UK.at("point 17"),
            remainder=UK.at("point 26"),
            shortfall=UK.at("point 24"),
        ),
    },
)
