"""New Zealand 1998: three dice for the first box and no cut die (3.3, 9.4 to 9.9)."""

from __future__ import annotations

from engine.books.nz.banking import BANKING
from engine.vocabulary.citations import NZ
from engine.vocabulary.dice import Buttons, Dice, DiceOf, Role
from engine.vocabulary.facts import Bank, Fact, Milestone

_VALUES = Fact(frozenset({-4, +4}), NZ.at("3.3(d)"))

DICE = Dice(
    cup=(DiceOf(Role.BOX, 3, NZ.at("3.3(b)"), least_mm=10),),
    faces=NZ.at("3.3(b)(ii)"),
    flat=NZ.at("9.8"),
    counting=Fact(1, NZ.at("9.9"), rulings=(25, 26)),
    banking=BANKING,
    # A co-banker is a player/banker too, by the definition in 1.0.
    buttons=Fact(
        Buttons(
            values=_VALUES.value,
            banks=frozenset({Bank.PLAYER, Bank.CO_BANK}),
            after=Milestone.CUT_NAMED,
            before=Milestone.DICE_SHOWN,
            where_offered=True,
        ),
        NZ.at("9.6"),
        rulings=(26,),
    ),
)
