"""The Star's older rules: three dice for the first box and no cut die (2.3, 2.4, 7.8 to 8.3)."""

from __future__ import annotations

from engine.dice import ANY_BOX, BOXES, Buttons, Dice, DiceOf, Role
from engine.facts import Bank, Fact, Milestone
from engine.sources import STAR_CLASSIC

_VALUES = Fact(frozenset(range(-4, 5)) - {0}, STAR_CLASSIC.at("2.4.2"))

DICE = Dice(
    cup=(DiceOf(Role.BOX, 3, STAR_CLASSIC.at("2.3")),),
    faces=STAR_CLASSIC.at("2.3"),
    flat=STAR_CLASSIC.at("8.2"),
    boxes=Fact(BOXES, STAR_CLASSIC.at("8.3.1"), rulings=(32,)),
    counting=Fact(1, STAR_CLASSIC.at("8.3.1"), rulings=(25, 26)),
    chung={
        Bank.HOUSE: Fact(frozenset({1}), STAR_CLASSIC.at("6.9")),
        Bank.PLAYER: Fact(ANY_BOX, STAR_CLASSIC.at("13.2.1")),
        Bank.CO_BANK: Fact(ANY_BOX, STAR_CLASSIC.at("13.3.5")),
    },
    methods=STAR_CLASSIC.at("11.1"),
    # 7.7 and 13.3 call whoever co-banks a player/banker too.
    buttons=Fact(
        Buttons(
            values=_VALUES.value,
            banks=frozenset({Bank.PLAYER, Bank.CO_BANK}),
            after=Milestone.CUT_NAMED,
            before=Milestone.DICE_SHOWN,
        ),
        STAR_CLASSIC.at("7.8"),
        rulings=(26,),
    ),
)
