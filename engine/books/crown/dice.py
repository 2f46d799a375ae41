"""Crown Melbourne 6.1: the dice of Pai Gow (rules 2.4 and 4) and of Crown Pai Gow (14.2 and 14.3)."""

from __future__ import annotations

from dataclasses import replace

from engine.books.crown.banking import BANKING
from engine.vocabulary.dice import Buttons, Dice, DiceOf, Role
from engine.vocabulary.facts import ANY_BOX, Bank, Fact
from engine.vocabulary.sources import CROWN

# Crown lists its further equipment in 2.5; plus and minus buttons are not among it.
_NO_BUTTONS = Fact(Buttons(), CROWN.at("2.5"))

DICE = Dice(
    cup=(
        DiceOf(Role.BOX, 3, CROWN.at("2.4.3"), told_apart=True, least_mm=10),
        DiceOf(Role.CUT, 1, CROWN.at("2.4.3"), told_apart=True, least_mm=10),
    ),
    faces=CROWN.at("2.4.2"),
    flat=CROWN.at("4.3"),
    counting=Fact(1, CROWN.at("4.4.2"), rulings=(25,)),
    banking=BANKING,
    buttons=_NO_BUTTONS,
    big_small=Fact((Role.BOX,), CROWN.at("4.1.1"), rulings=(21,)),
)

_BOX_1 = Fact(ANY_BOX, CROWN.at("14.3.2(c)(i)"))  # the bank's box counts as 1, wherever it is
_BANKING = replace(BANKING, chung={**BANKING.chung, Bank.PLAYER: _BOX_1, Bank.CO_BANK: _BOX_1})

CROWN_PAI_GOW = Dice(
    cup=(
        DiceOf(Role.BOX, 1, CROWN.at("14.2.1(a)"), told_apart=True, least_mm=10),
        DiceOf(Role.CUT, 1, CROWN.at("14.2.1(b)"), told_apart=True, least_mm=10),
        DiceOf(Role.BIG_SMALL, 1, CROWN.at("14.2.1(c)"), told_apart=True, least_mm=10, where_offered=True),
    ),
    faces=CROWN.at("2.4.2"),
    flat=CROWN.at("14.3.2"),
    counting=Fact(1, CROWN.at("14.3.2(c)"), rulings=(27,)),
    banking=_BANKING,
    buttons=_NO_BUTTONS,
    big_small=Fact((Role.BOX, Role.CUT, Role.BIG_SMALL), CROWN.at("14.2.1(c)"), rulings=(21,)),
)
"""The variant has one box die, so that only the chung's box and the five after it can get the first tiles."""
