"""The UK poster: three dice, counted from the banker; box 8 is the dealer's own place (points 3 and 25)."""

from __future__ import annotations

from engine.dice import BOXES, Buttons, Dice, DiceOf, Role
from engine.facts import Bank, Fact
from engine.sources import UK

_POINT_3 = UK.at("point 3")
_DEALER = BOXES

DICE = Dice(
    cup=(DiceOf(Role.BOX, 3, _POINT_3),),
    faces=_POINT_3,
    flat=None,
    boxes=Fact(BOXES, _POINT_3, rulings=(32,)),
    counting=Fact(1, _POINT_3, rulings=(25,)),
    chung={
        Bank.HOUSE: Fact(frozenset({_DEALER}), _POINT_3, rulings=(32,)),
        Bank.PLAYER: Fact(frozenset(range(1, _DEALER)), UK.at("point 25"), rulings=(32,)),
    },
    methods=UK.at("point 24"),
    # Nothing on the poster lets a banker move the first box.
    buttons=Fact(Buttons(), _POINT_3),
    doubtful=frozenset({8, 9, 16, 17}),
    doubt=Fact(
        "of its two examples 3 counts the banker as 1 and 8 does not; a banker of 1 holds",
        _POINT_3,
        rulings=(25,),
    ),
    dealers_place=_DEALER,
)
