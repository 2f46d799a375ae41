"""The course of a round in New Zealand (sections 6 to 11)."""

from __future__ import annotations

from engine.vocabulary.citations import NZ
from engine.vocabulary.facts import Bank, Fact, Milestone
from engine.vocabulary.play import Claim, Cutting, LajaRule, Lie, Means, Play, SetWhen, SeveralBoxes, Shaker

at = NZ.at

SUPERVISOR = "game supervisor"
OPERATOR = "casino operator"

_CLOSE = Fact(Milestone.BETS_CLOSED, at("9.4"), (30,))
_CHOSEN = Fact(Cutting(after_dice=False), at("9.5"))
_EITHER = Fact(frozenset({Shaker.DEALER, Shaker.BANKER}), at("9.4"))

PLAY = Play(
    ranks=((SUPERVISOR,), (OPERATOR, "House")),  # the House is the casino operator (1.0)
    boxes=Fact(8, at("3.2(a)"), (32,)),
    players_a_box=Fact(3, at("6.5"), (32,)),
    check=Fact(SUPERVISOR, at("8.0")),
    stay_shown=at("8.0"),
    replace=Fact(OPERATOR, at("10.16")),
    check_before_removal=at("10.17"),
    tile_set=at("3.3(a)"),
    shuffle=at("9.1"),
    stack=at("9.1"),
    reshuffle=Fact(SUPERVISOR, at("12.7")),
    laja=Fact(LajaRule(most=Fact(1, at("9.3")), banker_only=True), at("9.2")),
    chips=at("6.3"),
    means=Fact(frozenset({Means.CHIPS}), at("6.3")),
    wagers_after=Fact(Milestone.SHUFFLED, at("6.3")),
    announced=at("9.4"),
    close=dict.fromkeys(Bank, _CLOSE),
    no_change=at("6.9"),
    control=Fact((Claim.SEATED, Claim.HIGHEST, Claim.POSITION), at("7.1"), (32,)),
    cede=at("7.1(a)(ii)"),
    several=Fact(SeveralBoxes.HOUSE_WAY, at("7.2")),
    cut={
        Bank.HOUSE: Fact(Cutting(after_dice=False), at("9.5")),
        Bank.PLAYER: _CHOSEN,
        Bank.CO_BANK: _CHOSEN,
    },
    shakers={
        Bank.HOUSE: Fact(frozenset({Shaker.DEALER}), at("9.4")),
        Bank.PLAYER: _EITHER,
        Bank.CO_BANK: _EITHER,
    },
    dealer_first=at("9.4"),
    shake_after=dict.fromkeys(Bank, _CLOSE),
    cut_after_shake=at("9.4"),
    deliver=at("10.1"),
    collective=at("10.2"),
    retrieve=at("10.3(a)"),
    to_float={Bank.HOUSE: at("11.1(a)"), Bank.PLAYER: at("11.2(e)"), Bank.CO_BANK: at("11.3(d)")},
    set_own=at("10.7"),
    low_hand=Fact(Lie.VERTICAL, at("11.1(c)"), (39,)),
    set_final=at("10.5"),
    request=Fact(SetWhen.BEFORE_BANK, at("10.4(a)")),
    banker_request=at("10.4(c)"),
    bank_last={Bank.HOUSE: at("11.1(c)"), Bank.PLAYER: at("11.2(d)"), Bank.CO_BANK: at("11.3(e)")},
    confirm_own=at("10.4(c)"),
    confirm_house=Fact(SUPERVISOR, at("11.1(e)")),
    concede=at("10.13"),
    alone=at("10.14"),
    peek=at("11.3(e)"),
    bank_first=dict.fromkeys(Bank, at("10.10")),
    expose={Bank.HOUSE: at("11.1(f)"), Bank.PLAYER: at("11.2(f)"), Bank.CO_BANK: at("11.3(f)")},
    at_once={Bank.HOUSE: at("11.1(g)"), Bank.PLAYER: at("11.2(g)"), Bank.CO_BANK: at("11.3(g)")},
    stood_off={Bank.HOUSE: at("11.1(h)"), Bank.PLAYER: at("11.2(h)"), Bank.CO_BANK: at("11.3(h)")},
    paid_last={Bank.HOUSE: at("11.1(i)"), Bank.PLAYER: at("11.2(i)"), Bank.CO_BANK: at("11.3(i)")},
    matched=dict.fromkeys(Bank, at("10.11")),
    settle={Bank.HOUSE: at("11.1(i)"), Bank.PLAYER: at("11.2(i)"), Bank.CO_BANK: at("11.3(i)")},
    unused=at("10.12"),
    conceded_seen=Fact(SUPERVISOR, at("10.13")),
)
