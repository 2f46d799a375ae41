"""Crown Melbourne, Pai Gow Rules, version 6.1."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.crown.banking import BANKING
from engine.rulebooks.crown.contents import CONTENTS
from engine.rulebooks.crown.cuts import CUTS
from engine.rulebooks.crown.dice import DICE
from engine.rulebooks.crown.irregularities import IRREGULARITIES
from engine.rulebooks.crown.limits import LIMITS
from engine.rulebooks.crown.play import PLAY
from engine.rulebooks.crown.settlement import SETTLEMENT
from engine.rulebooks.crown.side_wagers import SIDE_WAGERS
from engine.rulebooks.crown.tournament import TOURNAMENT
from engine.rulebooks.crown.variants import VARIANTS
from engine.rulebooks.crown.wagers import WAGERS
from engine.sources import CROWN

BOOK = Rulebook(
    source=CROWN,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=CONTENTS,
    limits=LIMITS,
    side_wagers=SIDE_WAGERS,
    tournament=TOURNAMENT,
    variants=VARIANTS,
)
