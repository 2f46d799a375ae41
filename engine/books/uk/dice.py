"""The UK poster: three dice, counted from the banker (point 3)."""

from __future__ import annotations

from engine.books.uk.banking import BANKING
from engine.vocabulary.citations import UK
from engine.vocabulary.dice import Buttons, Dice, DiceOf, Role
from engine.vocabulary.facts import Fact

_POINT_3 = UK.at("point 3")

DICE = Dice(
    cup=(DiceOf(Role.BOX, 3, _POINT_3),),
    faces=_POINT_3,
    flat=None,
    counting=Fact(1, _POINT_3, rulings=(25,)),
    banking=BANKING,
    # Nothing on the poster lets a banker move the first box.
    buttons=Fact(Buttons(), _POINT_3),
    doubtful=frozenset({8, 9, 16, 17}),
    doubt=Fact(
        "of its two examples 3 counts the banker as 1 and 8 does not; a banker of 1 holds",
        _POINT_3,
        rulings=(25,),
    ),
    # "If the dice total 8 the Banker gets the first dominoes": as if the banker were counted as 0 (ruling 48).
    doubtful_start=0,
)
