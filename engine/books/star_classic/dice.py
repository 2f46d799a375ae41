"""The Star's older rules: three dice for the first box and no cut die (2.3, 2.4, 7.8 to 8.3)."""

from __future__ import annotations

from engine.books.star_classic.banking import BANKING
from engine.vocabulary.citations import STAR_CLASSIC
from engine.vocabulary.dice import Buttons, Dice, DiceOf, Role
from engine.vocabulary.facts import Bank, Fact, Milestone

_VALUES = Fact(frozenset(range(-4, 5)) - {0}, STAR_CLASSIC.at("2.4.2"))

DICE = Dice(
    cup=(DiceOf(Role.BOX, 3, STAR_CLASSIC.at("2.3")),),
    faces=STAR_CLASSIC.at("2.3"),
    flat=STAR_CLASSIC.at("8.2"),
    counting=Fact(1, STAR_CLASSIC.at("8.3.1"), rulings=(25, 26)),
    banking=BANKING,
    shaken_again=STAR_CLASSIC.at("8.3.3"),
    # 7.7 and 13.3 call a co-banker a player/banker too.
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
