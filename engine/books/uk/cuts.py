"""The UK poster: a player-banker may choose a cut, but none is named (point 25)."""

from __future__ import annotations

from engine.books.uk.banking import BANKING
from engine.vocabulary.citations import UK
from engine.vocabulary.cuts import Choice, Chooser, Cuts, Leave
from engine.vocabulary.facts import Bank, Fact

_POINT_25 = UK.at("point 25")

CUTS = Cuts(
    named=(),
    cite=_POINT_25,
    choice={
        # Against the house the stacks are dealt uncut; no cut is mentioned.
        Bank.HOUSE: Choice((), UK.at("point 3")),
        Bank.PLAYER: Choice((Chooser.BANKER,), _POINT_25),
    },
    banking=BANKING,
    others=Fact(Leave("management", frozenset({Bank.PLAYER}), besides="if it designated it beforehand"), _POINT_25),
)
