"""Crown Melbourne, Pai Gow Rules, version 6.1."""

from __future__ import annotations

from engine.books.book import Rulebook
from engine.books.contents import Contents
from engine.books.crown.banking import BANKING
from engine.books.crown.cuts import CUTS
from engine.books.crown.dice import DICE, VARIANTS
from engine.books.crown.house_way import HOUSE_WAY
from engine.books.crown.irregularities import IRREGULARITIES
from engine.books.crown.play import PLAY
from engine.books.crown.settlement import LIMITS, SETTLEMENT, WAGERS
from engine.books.crown.side_wagers import SIDE_WAGERS
from engine.books.crown.tournament import TOURNAMENT
from engine.vocabulary.citations import CROWN

BOOK = Rulebook(
    source=CROWN,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=Contents.of_folder(__name__, CROWN),
    way=HOUSE_WAY,
    limits=LIMITS,
    side_wagers=SIDE_WAGERS,
    tournament=TOURNAMENT,
    variants=VARIANTS,
)
