"""The UK poster: bets, the dealer's bet against a player-banker. Paragraphs are counted as in `uk/settlement.py`."""

from __future__ import annotations

from engine.facts import Bank, Fact
from engine.sources import UK
from engine.wagers import DealerBet, Limit, Unpayable, WagerRules

# The poster prints no limits for players; a bet beyond the sign's was accepted, and doubt goes the player's way.
_STANDS = Fact(Limit.STANDS, UK.at("preamble"))

WAGERS = WagerRules(
    in_chips=UK.at("point 2"),
    boxes=Fact(7, UK.at("point 3"), rulings=(32,)),
    house_box=Fact(8, UK.at("point 3"), rulings=(32,)),
    players_a_box=None,
    banker_box=UK.at("point 24"),
    against_bank=UK.at("point 14"),
    over={Bank.HOUSE: _STANDS, Bank.PLAYER: Fact(Limit.NONE, UK.at("point 28"))},
    under={Bank.HOUSE: _STANDS, Bank.PLAYER: _STANDS},
    box_total=None,
    personal=None,
    concede=None,
    tokens=None,
    unpayable=Fact(Unpayable.REFUSED, UK.at("point 2")),
    returned=UK.at("point 22"),
    dealer_bet=Fact(DealerBet(box=8, most_in_all=2), UK.at("point 28"), rulings=(24,)),
)
