"""Crown Melbourne 6.1: the dice of Pai Gow (rules 2.4 and 4); Crown Pai Gow (14), which has a single box die."""

from __future__ import annotations

from dataclasses import replace

from engine.books.crown.banking import BANKING
from engine.vocabulary.citations import CROWN
from engine.vocabulary.dice import Buttons, Dice, DiceOf, Role
from engine.vocabulary.facts import ANY_BOX, Bank, Fact
from engine.vocabulary.variants import Variant

at = CROWN.at

DICE = Dice(
    cup=(
        DiceOf(Role.BOX, 3, at("2.4.3"), one_colour=True, least_mm=10),
        DiceOf(Role.CUT, 1, at("2.4.3"), one_colour=True, least_mm=10),
    ),
    faces=at("2.4.2"),
    flat=at("4.3"),
    counting=Fact(1, at("4.4.2"), rulings=(25,)),
    banking=BANKING,
    # Crown lists its further equipment in 2.5; plus and minus buttons are not among it.
    buttons=Fact(Buttons(), at("2.5")),
    big_small=Fact((Role.BOX,), at("4.1.1"), rulings=(21,)),
    fewer=Fact("the chung's box is counted as 1, 9 and 17, which is eight boxes; this table has fewer", at("4.4.2")),
)

_BOX_1 = Fact(ANY_BOX, at("14.3.2(c)(i)"))  # the bank's box counts as 1, wherever it is

CROWN_PAI_GOW = replace(
    DICE,
    cup=(
        DiceOf(Role.BOX, 1, at("14.2.1(a)"), one_colour=True, least_mm=10),
        DiceOf(Role.CUT, 1, at("14.2.1(b)"), one_colour=True, least_mm=10),
        DiceOf(Role.BIG_SMALL, 1, at("14.2.1(c)"), one_colour=True, least_mm=10, where_offered=True),
    ),
    flat=at("14.3.2"),
    counting=Fact(1, at("14.3.2(c)"), rulings=(27,)),
    banking=replace(BANKING, chung={**BANKING.chung, Bank.PLAYER: _BOX_1, Bank.CO_BANK: _BOX_1}),
    big_small=Fact((Role.BOX, Role.CUT, Role.BIG_SMALL), at("14.2.1(c)"), rulings=(21,)),
    # Table 2 gives boxes 1 to 6, counted from the chung (14.3.2(c)(i)): a table of six counts its six.
    fewer=None,
    counts_round=True,
)
"""The variant has one box die, so that only the chung's box and the five after it can get the first tiles."""

VARIANTS = {
    "crown-pai-gow": Variant(
        name="crown-pai-gow",
        title="Crown Pai Gow",
        dice=CROWN_PAI_GOW,
        thrown=Fact((2, 3), at("14.3.1")),
        other_rules=at("14.1"),
        dealt=Fact(4, at("14.4.1")),
        taken_back=at("14.4.2"),
        may_add=Fact("Bonanza Pai Gow", at("13.1")),
    )
}
