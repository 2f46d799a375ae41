"""The course of a round at The Star, older rules (sections 7 to 9, 12 and 13)."""

from __future__ import annotations

from engine.vocabulary.citations import STAR_CLASSIC
from engine.vocabulary.facts import Bank, Fact, Milestone
from engine.vocabulary.play import (
    Claim,
    ClosingNotice,
    Cutting,
    LajaRule,
    Lie,
    Means,
    Play,
    SetWhen,
    SeveralBoxes,
    Shaker,
)

at = STAR_CLASSIC.at

SUPERVISOR = "casino supervisor"
GAME_SUPERVISOR = "game supervisor"
OPERATOR = "casino operator"

_CHOSEN = Fact(Cutting(after_dice=False), at("7.7"))
_EITHER = Fact(frozenset({Shaker.DEALER, Shaker.BANKER}), at("8.1"))

PLAY = Play(
    # A game supervisor, also printed games supervisor, is a casino supervisor; the House is the casino operator (1.1).
    ranks=((SUPERVISOR, GAME_SUPERVISOR, "games supervisor"), (OPERATOR, "House")),
    boxes=Fact(8, at("2.2"), (32,)),
    players_a_box=Fact(3, at("9.6"), (32,)),
    check=Fact(GAME_SUPERVISOR, at("3.3.2")),
    stay_shown=at("3.3.1"),
    replace=Fact(SUPERVISOR, at("3.5")),
    check_at_end=at("3.3"),
    tile_set=at("3.1"),
    shuffle=at("7.1"),
    stack=at("7.2"),
    reshuffle=Fact(GAME_SUPERVISOR, at("15.4")),
    laja=Fact(LajaRule(leave=Fact(SUPERVISOR, at("7.3")), by_players=True, then_bank=at("7.3.1")), at("7.3")),
    chips=at("9.2"),
    means=Fact(frozenset(Means), at("9.2")),
    wagers_after=Fact(Milestone.SHUFFLED, at("9.3")),
    close=dict.fromkeys(Bank, Fact(Milestone.CUT_NAMED, at("9.3"), (30,))),
    no_change=at("9.4"),
    consent=Fact(Bank.PLAYER, at("9.5"), rulings=(42,)),
    control=Fact((Claim.SEATED, Claim.HIGHEST, Claim.POSITION), at("9.7"), (32,)),
    cede=at("9.7.2"),
    several=Fact(SeveralBoxes.BESIDE_OTHERS, at("9.11")),
    cut={
        Bank.HOUSE: Fact(Cutting(after_dice=False), at("7.6")),
        Bank.PLAYER: _CHOSEN,
        Bank.CO_BANK: _CHOSEN,
    },
    shakers={
        Bank.HOUSE: Fact(frozenset({Shaker.DEALER}), at("8.1")),
        Bank.PLAYER: _EITHER,
        Bank.CO_BANK: _EITHER,
    },
    shake_after=dict.fromkeys(Bank, Fact(Milestone.CUT_NAMED, at("8.1"))),
    deliver=at("12.1"),
    collective=at("12.2"),
    consecutive=True,
    retrieve=at("12.3"),
    to_float={Bank.HOUSE: at("13.1.1"), Bank.PLAYER: at("13.2.4"), Bank.CO_BANK: at("13.3.3")},
    set_own=at("12.7"),
    low_hand=Fact(Lie.VERTICAL, at("13.1.4")),
    set_final=at("12.5"),
    request=Fact(SetWhen.BEFORE_BANK, at("1.1")),  # only the definition of the House way speaks of a player's request
    banker_request=at("12.6"),
    bank_last={Bank.HOUSE: at("13.1.2"), Bank.PLAYER: at("13.2.3"), Bank.CO_BANK: at("13.3.4")},
    confirm_own=at("12.6"),
    confirm_house=Fact(GAME_SUPERVISOR, at("13.1.5")),
    concede=at("12.14"),
    alone=at("12.16"),
    bank_first={Bank.HOUSE: at("13.1.3"), Bank.PLAYER: at("13.2.5"), Bank.CO_BANK: at("13.3.5")},
    expose={Bank.HOUSE: at("13.1.6"), Bank.PLAYER: at("13.2.5"), Bank.CO_BANK: at("13.3.5")},
    at_once={Bank.PLAYER: at("13.2.6"), Bank.CO_BANK: at("13.3.6")},
    stood_off={Bank.PLAYER: at("13.2.9"), Bank.CO_BANK: at("13.3.8")},
    matched=dict.fromkeys(Bank, at("12.11")),
    settle={Bank.HOUSE: at("13.1.8"), Bank.PLAYER: at("13.2.7"), Bank.CO_BANK: at("13.3.7")},
    unused=at("12.13"),
    conceded_seen=Fact(GAME_SUPERVISOR, at("12.15")),
    abstain=Fact(3, at("16.9")),
    closing=Fact(ClosingNotice(SUPERVISOR, minutes=20), at("16.8")),
)
