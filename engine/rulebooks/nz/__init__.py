"""New Zealand Gazette of 29 January 1998, Division 12: Pai Gow."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.nz.banking import BANKING
from engine.rulebooks.nz.contents import CONTENTS
from engine.rulebooks.nz.cuts import CUTS
from engine.rulebooks.nz.dice import DICE
from engine.rulebooks.nz.irregularities import IRREGULARITIES
from engine.rulebooks.nz.play import PLAY
from engine.rulebooks.nz.settlement import SETTLEMENT
from engine.rulebooks.nz.wagers import WAGERS
from engine.sources import NZ

BOOK = Rulebook(
    source=NZ,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=CONTENTS,
)
