"""The Star's older page: wagers (9), minimum and maximum (10)."""

from __future__ import annotations

from engine.settlement.wagers import Limit, PersonalRule, Unpayable, WagerRules
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import STAR_CLASSIC

_STANDS = Fact(Limit.STANDS, STAR_CLASSIC.at("10.3"), rulings=(23,))

WAGERS = WagerRules(
    over={
        Bank.HOUSE: _STANDS,
        Bank.PLAYER: Fact(Limit.NONE, STAR_CLASSIC.at("10.2")),
        # A co-bank covers wagers up to the displayed maximum and no further.
        Bank.CO_BANK: Fact(Limit.TO_THE_MAXIMUM, STAR_CLASSIC.at("11.1.3")),
    },
    # The House is one of the bankers of a co-bank, so 10.3 holds there too; with a player-banker the minimum applies.
    under={
        Bank.HOUSE: _STANDS,
        Bank.PLAYER: Fact(Limit.REFUSED, STAR_CLASSIC.at("10.2")),
        Bank.CO_BANK: _STANDS,
    },
    box_total=None,
    personal=Fact(PersonalRule(), STAR_CLASSIC.at("10.5")),
    tokens=Fact(value=True, cite=STAR_CLASSIC.at("1.1 casino promotional token or voucher")),
    unpayable=Fact(Unpayable.REFUSED, STAR_CLASSIC.at("9.2")),
    returned=STAR_CLASSIC.at("1.1"),
)
