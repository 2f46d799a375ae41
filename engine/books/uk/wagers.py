"""The UK poster: bets, the dealer's bet against a player-banker. Paragraphs are counted as in `uk/settlement.py`."""

from __future__ import annotations

from engine.settlement.wagers import Limit, Unpayable, WagerRules
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.sources import UK

# The poster prints no limits for players; a bet beyond the sign's was accepted, and doubt goes the player's way.
_STANDS = Fact(Limit.STANDS, UK.at("preamble"))

WAGERS = WagerRules(
    over={Bank.HOUSE: _STANDS, Bank.PLAYER: Fact(Limit.NONE, UK.at("point 28"))},
    under={Bank.HOUSE: _STANDS, Bank.PLAYER: _STANDS},
    box_total=None,
    personal=None,
    tokens=None,
    unpayable=Fact(Unpayable.REFUSED, UK.at("point 2")),
    returned=UK.at("point 22"),
)
