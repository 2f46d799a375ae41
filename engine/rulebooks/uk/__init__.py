"""Pai Gow Tiles, the poster of a British casino."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.uk.banking import BANKING
from engine.rulebooks.uk.contents import CONTENTS
from engine.rulebooks.uk.cuts import CUTS
from engine.rulebooks.uk.dice import DICE
from engine.rulebooks.uk.irregularities import IRREGULARITIES
from engine.rulebooks.uk.play import PLAY
from engine.rulebooks.uk.settlement import SETTLEMENT
from engine.rulebooks.uk.wagers import WAGERS
from engine.sources import UK

BOOK = Rulebook(
    source=UK,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=CONTENTS,
    prints_house_way=False,
)
