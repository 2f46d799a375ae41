"""The course of a round under the British poster, whose bulleted points are counted in the order printed, 1 to 29."""

from __future__ import annotations

from engine.vocabulary.citations import UK
from engine.vocabulary.facts import Bank, Fact, Milestone
from engine.vocabulary.play import Claim, Cutting, Lie, Play, SeveralBoxes, Shaker

at = UK.at

MANAGEMENT = "management"

PLAY = Play(
    ranks=((MANAGEMENT,),),
    boxes=Fact(7, at("point 3"), (32,)),
    players_a_box=Fact(1, at("point 4"), (32,)),  # each position has its player
    tile_set=at("point 1"),
    shuffle=at("point 3"),
    stack=at("point 3"),
    chips=at("point 2"),
    close=dict.fromkeys((Bank.HOUSE, Bank.PLAYER), Fact(Milestone.TILES_DELIVERED, at("point 2"), (30,))),
    no_change=at("point 2"),
    control=Fact((Claim.HIGHEST,), at("point 5"), (32,)),
    several=Fact(SeveralBoxes.FREE, at("point 5")),
    cut={
        Bank.HOUSE: Fact(Cutting(after_dice=None, needed=False), at("point 3")),
        Bank.PLAYER: Fact(Cutting(after_dice=None, needed=False), at("point 25")),
    },
    shakers={
        Bank.HOUSE: Fact(frozenset({Shaker.DEALER}), at("point 3")),
        Bank.PLAYER: Fact(frozenset({Shaker.BANKER}), at("point 25")),
    },
    deliver=at("point 4"),
    set_own=at("point 5"),
    low_hand=Fact(Lie.VERTICAL, at("point 13"), (39,)),
    bank_last={Bank.HOUSE: at("point 13"), Bank.PLAYER: at("point 13")},
    opened_as_set={Bank.HOUSE: at("point 13")},
    bank_first=dict.fromkeys((Bank.HOUSE, Bank.PLAYER), at("point 13")),
    matched=dict.fromkeys((Bank.HOUSE, Bank.PLAYER), at("point 14")),
    settle={Bank.HOUSE: at("point 19"), Bank.PLAYER: at("point 19")},
)
