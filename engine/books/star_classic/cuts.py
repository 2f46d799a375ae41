"""The Star's older rules: the cuts of Appendix 3, and who decides which is made (7.4 to 7.7)."""

from __future__ import annotations

from dataclasses import replace

from engine.books.star_2024.cuts import NAMED as PRINTED_AGAIN_IN_2024
from engine.books.star_classic.banking import BANKING
from engine.vocabulary.citations import STAR_CLASSIC
from engine.vocabulary.cuts import Choice, Chooser, Cuts, Leave
from engine.vocabulary.facts import Bank, Fact

_LIST = STAR_CLASSIC.at("Appendix 3")
_SUPERVISOR = "game supervisor"
_BANKER_ELSE_SUPERVISOR = Choice((Chooser.BANKER, Chooser.SUPERVISOR), STAR_CLASSIC.at("7.7"), _SUPERVISOR)

CUTS = Cuts(
    named=tuple(replace(cut, cite=_LIST) for cut in PRINTED_AGAIN_IN_2024),
    cite=_LIST,
    choice={
        Bank.HOUSE: Choice((Chooser.SUPERVISOR,), STAR_CLASSIC.at("7.6"), _SUPERVISOR),
        Bank.PLAYER: _BANKER_ELSE_SUPERVISOR,
        Bank.CO_BANK: _BANKER_ELSE_SUPERVISOR,
    },
    banking=BANKING,
    others=Fact(
        Leave(
            "casino supervisor",
            frozenset({Bank.HOUSE, Bank.PLAYER, Bank.CO_BANK}),
            besides="if the regulator approved it before",
        ),
        STAR_CLASSIC.at("7.5"),
    ),
)
