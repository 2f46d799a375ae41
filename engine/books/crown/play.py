"""The course of a round at Crown Melbourne (rules 3 to 5, 8 and 10)."""

from __future__ import annotations

from engine.vocabulary.citations import CROWN
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

at = CROWN.at

HIGHER_DUTIES = "TG Higher Duties Dealer"
AREA_MANAGER = "TG Area Manager"
ASSISTANT_MANAGER = "TG Assistant Casino Manager"

_CHOSEN = Fact(Cutting(after_dice=False), at("5.4.2"))
_EITHER = frozenset({Shaker.DEALER, Shaker.BANKER})

PLAY = Play(
    # The House is Crown itself (1.1).
    ranks=((HIGHER_DUTIES,), (AREA_MANAGER,), (ASSISTANT_MANAGER,), ("Crown", "House")),
    boxes=Fact(8, at("2.2.1"), (32,)),
    fewer_boxes=at("2.1"),
    players_a_box=Fact(5, at("8.7"), (32,)),
    check=Fact(HIGHER_DUTIES, at("3.1.1")),
    stay_shown=at("3.1.2"),
    replace_notice=Fact(AREA_MANAGER, at("3.2")),
    check_at_end=at("3.1"),
    check_before_removal=at("3.3"),
    tile_set=at("2.3"),
    shuffle=at("5.1"),
    stack=at("5.2"),
    reshuffle=Fact(HIGHER_DUTIES, at("5.5")),
    laja=Fact(
        LajaRule(leave=Fact(ASSISTANT_MANAGER, at("5.3")), by_players=True, exposed=Fact(HIGHER_DUTIES, at("12.1"))),
        at("5.3"),
    ),
    chips=at("8.1"),
    means=Fact(frozenset({Means.CHIPS}), at("8.1")),
    announced=at("8.3"),
    close={
        Bank.HOUSE: Fact(Milestone.BETS_CLOSED, at("8.3.1"), (30,)),
        Bank.PLAYER: Fact(Milestone.BETS_CLOSED, at("8.3.2"), (30,)),
        Bank.CO_BANK: Fact(Milestone.BETS_CLOSED, at("8.3.2"), (30,)),
    },
    no_change=at("8.4"),
    control=Fact((Claim.HIGHEST, Claim.POSITION, Claim.PREVIOUS), at("8.8"), (32,)),
    several=Fact(SeveralBoxes.BLIND, at("8.11")),
    cut={
        Bank.HOUSE: Fact(Cutting(after_dice=True), at("5.4.1")),
        Bank.PLAYER: _CHOSEN,
        Bank.CO_BANK: _CHOSEN,
    },
    shakers={
        Bank.HOUSE: Fact(frozenset({Shaker.DEALER}), at("4.2")),
        Bank.PLAYER: Fact(_EITHER, at("4.2")),
        Bank.CO_BANK: Fact(_EITHER, at("4.2")),
    },
    shake_after={Bank.HOUSE: Fact(Milestone.BETS_CLOSED, at("8.3.1"), (30,))},
    deliver=at("10.1.1"),
    retrieve=at("10.1.2"),
    to_float={Bank.HOUSE: at("10.3.1(b)"), Bank.PLAYER: at("10.3.2(j)"), Bank.CO_BANK: at("10.3.3(c)")},
    set_own=at("10.2.5"),
    low_hand=Fact(Lie.VERTICAL, at("10.2.8")),
    set_final=at("10.2.4"),
    # "Final settlement" (10.2.3(a)) may be the opening of the hands or the later payment. A reading: such a hand is
    # opened in its turn like the others (10.3.1(c)(ii)).
    request=Fact(SetWhen.AT_SETTLEMENT, at("10.2.3")),
    banker_request=at("10.2.3"),
    bank_last={Bank.HOUSE: at("10.3.1(c)"), Bank.PLAYER: at("10.3.2(i)"), Bank.CO_BANK: at("10.3.3(d)")},
    opened_as_set={Bank.HOUSE: at("10.3.1(c)(i)")},
    concede=at("10.2.10"),
    bank_first=dict.fromkeys(Bank, at("10.2.7")),
    expose={Bank.HOUSE: at("10.3.1(c)(ii)"), Bank.PLAYER: at("10.3.2(k)"), Bank.CO_BANK: at("10.3.3(e)")},
    at_once={Bank.PLAYER: at("10.3.2(l)"), Bank.CO_BANK: at("10.3.3(f)")},
    stood_off={Bank.PLAYER: at("10.3.2(o)"), Bank.CO_BANK: at("10.3.3(j)")},
    paid_last=dict.fromkeys(Bank, at("10.2.9")),
    matched={Bank.HOUSE: at("10.3.1(c)(ii)"), Bank.PLAYER: at("10.3.2(k)"), Bank.CO_BANK: at("10.3.3(e)")},
    settle={Bank.HOUSE: at("10.3.1(e)"), Bank.PLAYER: at("10.3.2(m)"), Bank.CO_BANK: at("10.3.3(g)")},
    unused=at("10.1.4"),
    unused_dealer=at("10.1.3"),
    abstain=Fact(3, at("16.9")),
    closing=Fact(ClosingNotice(HIGHER_DUTIES, rounds=3), at("16.8")),
)
