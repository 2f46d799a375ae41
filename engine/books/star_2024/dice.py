"""The Star 2024: three box dice and a cut die (2.3 to 2.5, 8.1 to 8.4)."""

from __future__ import annotations

from engine.books.star_2024.banking import BANKING
from engine.vocabulary.citations import STAR_2024
from engine.vocabulary.dice import Buttons, Dice, DiceOf, Role
from engine.vocabulary.facts import Bank, Fact, Milestone

_VALUES = Fact(frozenset(range(-4, 5)) - {0}, STAR_2024.at("2.5.3"))

DICE = Dice(
    cup=(
        DiceOf(Role.BOX, 3, STAR_2024.at("2.5.1"), one_colour=True),
        DiceOf(Role.CUT, 1, STAR_2024.at("2.4"), one_colour=True),
    ),
    faces=STAR_2024.at("2.3"),
    flat=STAR_2024.at("8.3"),
    counting=Fact(1, STAR_2024.at("8.4.1"), rulings=(25, 26)),
    banking=BANKING,
    shaken_again=STAR_2024.at("8.4.7"),
    buttons=Fact(
        Buttons(
            values=_VALUES.value,
            banks=frozenset({Bank.PLAYER}),
            before=Milestone.DICE_SHOWN,
        ),
        STAR_2024.at("8.2"),
        rulings=(26,),
    ),
)
