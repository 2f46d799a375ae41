"""The Star Sydney, rules of Pai Gow, an older page."""

from __future__ import annotations

from engine.books.book import Rulebook
from engine.books.star_classic.banking import BANKING
from engine.books.star_classic.contents import CONTENTS
from engine.books.star_classic.cuts import CUTS
from engine.books.star_classic.dice import DICE
from engine.books.star_classic.house_way import HOUSE_WAY
from engine.books.star_classic.irregularities import IRREGULARITIES
from engine.books.star_classic.limits import LIMITS
from engine.books.star_classic.play import PLAY
from engine.books.star_classic.settlement import SETTLEMENT
from engine.books.star_classic.wagers import WAGERS
from engine.vocabulary.sources import STAR_CLASSIC

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
    way=HOUSE_WAY,
    limits=LIMITS,
)
