"""The Star Sydney, rules of Pai Gow, an older page."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.star_classic.banking import BANKING
from engine.rulebooks.star_classic.contents import CONTENTS
from engine.rulebooks.star_classic.cuts import CUTS
from engine.rulebooks.star_classic.dice import DICE
from engine.rulebooks.star_classic.irregularities import IRREGULARITIES
from engine.rulebooks.star_classic.limits import LIMITS
from engine.rulebooks.star_classic.play import PLAY
from engine.rulebooks.star_classic.settlement import SETTLEMENT
from engine.rulebooks.star_classic.wagers import WAGERS
from engine.sources import STAR_CLASSIC

BOOK = Rulebook(
    source=STAR_CLASSIC,
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
