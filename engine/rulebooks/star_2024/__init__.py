"""The Star Sydney, Rules for the playing of Pai Gow, 2024."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.star_2024.banking import BANKING
from engine.rulebooks.star_2024.contents import CONTENTS
from engine.rulebooks.star_2024.cuts import CUTS
from engine.rulebooks.star_2024.dice import DICE
from engine.rulebooks.star_2024.irregularities import IRREGULARITIES
from engine.rulebooks.star_2024.limits import LIMITS
from engine.rulebooks.star_2024.play import PLAY
from engine.rulebooks.star_2024.settlement import SETTLEMENT
from engine.rulebooks.star_2024.wagers import WAGERS
from engine.sources import STAR_2024

BOOK = Rulebook(
    source=STAR_2024,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=CONTENTS,
    limits=LIMITS,
)
