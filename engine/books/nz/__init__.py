"""New Zealand Gazette of 29 January 1998, Division 12: Pai Gow."""

from __future__ import annotations

from datetime import date

from engine.books.book import Rulebook
from engine.books.contents import Contents
from engine.books.nz.banking import BANKING
from engine.books.nz.cuts import CUTS
from engine.books.nz.dice import DICE
from engine.books.nz.house_way import HOUSE_WAY
from engine.books.nz.irregularities import IRREGULARITIES
from engine.books.nz.play import PLAY
from engine.books.nz.settlement import SETTLEMENT, WAGERS
from engine.vocabulary.citations import NZ

BOOK = Rulebook(
    in_force=date(1998, 2, 1),  # "with effect from 1 February 1998"
    source=NZ,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=Contents.of_folder(__name__, NZ),
    way=HOUSE_WAY,
)
