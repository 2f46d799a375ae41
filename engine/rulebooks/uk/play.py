"""The course of a round under the British poster, whose points are counted from the top, 1 to 29."""

from __future__ import annotations

from engine.play import Claim, CutBy, Cutting, Play, SeveralBoxes, Shaker
from engine.rulebooks.terms import Bank, Fact, Milestone
from engine.sources import UK

at = UK.at

PLAY = Play(
    ranks=(("management",),),
    boxes=Fact(7, at("3"), (32,)),
    players_a_box=Fact(1, at("4"), (32,)),  # each position has its player
    tile_set=at("1"),
    shuffle=at("3"),
    stack=at("3"),
    chips=at("2"),
    close=dict.fromkeys((Bank.HOUSE, Bank.PLAYER), Fact(Milestone.TILES_DELIVERED, at("2"), (30,))),
    no_change=at("2"),
    control=Fact((Claim.HIGHEST,), at("5"), (32,)),
    several=Fact(SeveralBoxes.FREE, at("5")),
    cut={
        Bank.HOUSE: Fact(Cutting(frozenset({CutBy.HOUSE}), after_dice=None, needed=False), at("3")),
        Bank.PLAYER: Fact(Cutting(frozenset({CutBy.BANKER, CutBy.HOUSE}), after_dice=None, needed=False), at("25")),
    },
    shakers={
        Bank.HOUSE: Fact(frozenset({Shaker.DEALER}), at("3")),
        Bank.PLAYER: Fact(frozenset({Shaker.BANKER}), at("25")),
    },
    cocked=at("3"),
    box_dice=Fact(frozenset({3}), at("3")),
    cut_die=Fact(value=False, cite=at("3")),
    count=at("3"),
    deliver=at("4"),
    set_own=at("5"),
    bank_last={Bank.HOUSE: at("13"), Bank.PLAYER: at("13")},
    opened_as_set={Bank.HOUSE: at("13")},
    bank_first=at("13"),
    matched=at("14"),
    settle={Bank.HOUSE: at("19"), Bank.PLAYER: at("19")},
    void=Fact(None, at("22")),
)
