"""The course of a round at The Star, 2024 (sections 7 to 9, 12 and 13)."""

from __future__ import annotations

from engine.vocabulary.citations import STAR_2024
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

at = STAR_2024.at

SUPERVISOR = "casino supervisor"
GAMING_SUPERVISOR = "Gaming Supervisor"
OPERATOR = "casino operator"

PLAY = Play(
    # A gaming supervisor is a casino supervisor (1.1).
    ranks=(
        (SUPERVISOR, GAMING_SUPERVISOR),
        ("Assistant Gaming Manager",),
        ("Gaming Manager",),
        (OPERATOR, "The Star", "House"),  # the House is the casino operator (1.1)
    ),
    boxes=Fact(8, at("2.2"), (32,)),
    players_a_box=Fact(3, at("9.9"), (32,)),
    check=Fact(SUPERVISOR, at("3.3.1")),
    stay_shown=at("3.3.2"),
    replace=Fact(SUPERVISOR, at("3.5")),
    check_at_end=at("3.3"),
    tile_set=at("3.1"),
    shuffle=at("7.1"),
    stack=at("7.2"),
    reshuffle=Fact(SUPERVISOR, at("15.4")),
    laja=Fact(LajaRule(leave=Fact(SUPERVISOR, at("7.3")), by_players=True, then_bank=at("7.3.1")), at("7.3")),
    chips=at("9.5"),
    means=Fact(frozenset({Means.CHIPS, Means.TOKEN}), at("9.5")),
    wagers_after=Fact(Milestone.SHUFFLED, at("9.6")),
    close=dict.fromkeys((Bank.HOUSE, Bank.PLAYER), Fact(Milestone.DICE_SHOWN, at("9.6"), (30,))),
    no_change=at("9.7"),
    consent=Fact(Bank.PLAYER, at("9.8"), rulings=(42,)),
    control=Fact((Claim.SEATED, Claim.HIGHEST, Claim.POSITION), at("9.10"), (32,)),
    cede=at("9.10.2"),
    several=Fact(SeveralBoxes.ONCE_IN_CONTROL, at("9.14")),
    house_way_boxes=at("12.8.1"),
    cut={
        Bank.HOUSE: Fact(Cutting(after_dice=True), at("8.4.4")),
        Bank.PLAYER: Fact(Cutting(after_dice=True), at("8.4.3")),
    },
    shakers={
        Bank.HOUSE: Fact(frozenset({Shaker.DEALER}), at("8.1")),
        Bank.PLAYER: Fact(frozenset({Shaker.DEALER, Shaker.BANKER}), at("8.1")),
    },
    deliver=at("12.1"),
    collective=at("12.2"),
    consecutive=True,
    retrieve=at("12.3"),
    to_float={Bank.HOUSE: at("13.1.1"), Bank.PLAYER: at("13.2.4")},
    set_own=at("12.11"),
    low_hand=Fact(Lie.VERTICAL, at("13.1.4")),
    set_final=at("12.5"),
    touch_set=at("12.10"),
    request=Fact(SetWhen.BEFORE_BANK, at("12.8")),
    banker_request=at("12.6"),
    bank_last={Bank.HOUSE: at("13.1.2"), Bank.PLAYER: at("13.2.3")},
    confirm_own=at("12.9"),
    confirm_house=Fact(SUPERVISOR, at("13.1.5")),
    concede=at("12.17"),
    alone=at("12.19"),
    bank_first={Bank.HOUSE: at("13.1.3"), Bank.PLAYER: at("13.2.5")},
    expose={Bank.HOUSE: at("13.1.6"), Bank.PLAYER: at("13.2.5")},
    at_once={Bank.PLAYER: at("13.2.6")},
    stood_off={Bank.PLAYER: at("13.2.9")},
    matched=dict.fromkeys((Bank.HOUSE, Bank.PLAYER), at("12.14")),
    settle={Bank.HOUSE: at("13.1.8"), Bank.PLAYER: at("13.2.7")},
    unused=at("12.16"),
    conceded_seen=Fact(SUPERVISOR, at("12.18")),
    abstain=Fact(3, at("16.10")),
    closing=Fact(ClosingNotice(SUPERVISOR, minutes=20), at("16.9")),
)
