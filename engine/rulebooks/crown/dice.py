"""Crown Melbourne 6.1: the dice of Pai Gow (rules 2.4 and 4) and of Crown Pai Gow (14.2 and 14.3)."""

from __future__ import annotations

from engine.dice import ANY_BOX, BOXES, Buttons, Dice, DiceOf, Role
from engine.facts import Bank, Fact
from engine.sources import CROWN

# Crown lists its further equipment in 2.5; plus and minus buttons are not among it.
_NO_BUTTONS = Fact(Buttons(), CROWN.at("2.5"))
_BOXES = Fact(BOXES, CROWN.at("2.1"), rulings=(32,))

DICE = Dice(
    cup=(
        DiceOf(Role.BOX, 3, CROWN.at("2.4.3"), told_apart=True, least_mm=10),
        DiceOf(Role.CUT, 1, CROWN.at("2.4.3"), told_apart=True, least_mm=10),
    ),
    faces=CROWN.at("2.4.2"),
    flat=CROWN.at("4.3"),
    boxes=_BOXES,
    counting=Fact(1, CROWN.at("4.4.2"), rulings=(25,)),
    chung={
        Bank.HOUSE: Fact(frozenset({1}), CROWN.at("10.3.1(a)")),
        Bank.PLAYER: Fact(ANY_BOX, CROWN.at("10.3.2(e)")),
        Bank.CO_BANK: Fact(ANY_BOX, CROWN.at("10.3.3(e)")),
    },
    methods=CROWN.at("10.3"),
    buttons=_NO_BUTTONS,
    big_small=Fact((Role.BOX,), CROWN.at("4.1.1"), rulings=(21,)),
)

CROWN_PAI_GOW = Dice(
    cup=(
        DiceOf(Role.BOX, 1, CROWN.at("14.2.1(a)"), told_apart=True, least_mm=10),
        DiceOf(Role.CUT, 1, CROWN.at("14.2.1(b)"), told_apart=True, least_mm=10),
        DiceOf(Role.BIG_SMALL, 1, CROWN.at("14.2.1(c)"), told_apart=True, least_mm=10, where_offered=True),
    ),
    faces=CROWN.at("2.4.2"),
    flat=CROWN.at("14.3.2"),
    boxes=_BOXES,
    counting=Fact(1, CROWN.at("14.3.2(c)"), rulings=(27,)),
    chung={
        Bank.HOUSE: Fact(frozenset({1}), CROWN.at("10.3.1(a)")),
        Bank.PLAYER: Fact(ANY_BOX, CROWN.at("14.3.2(c)(i)")),
        Bank.CO_BANK: Fact(ANY_BOX, CROWN.at("14.3.2(c)(i)")),
    },
    methods=CROWN.at("10.3"),
    buttons=_NO_BUTTONS,
    big_small=Fact((Role.BOX, Role.CUT, Role.BIG_SMALL), CROWN.at("14.2.1(c)"), rulings=(21,)),
)
"""The variant has one box die, so that only the chung's box and the five after it can get the first tiles."""
