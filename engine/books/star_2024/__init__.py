"""The Star Sydney, Rules for the playing of Pai Gow, 2024."""

from __future__ import annotations

from datetime import date

from engine.books.book import Rulebook
from engine.books.contents import Contents
from engine.books.star_2024.banking import BANKING
from engine.books.star_2024.cuts import CUTS
from engine.books.star_2024.dice import DICE
from engine.books.star_2024.house_way import HOUSE_WAY
from engine.books.star_2024.irregularities import IRREGULARITIES
from engine.books.star_2024.play import PLAY
from engine.books.star_2024.settlement import LIMITS, SETTLEMENT, WAGERS
from engine.vocabulary.citations import STAR_2024

BOOK = Rulebook(
    in_force=date(2024, 8, 16),  # the order takes effect when it is published, and it was signed on this day
    source=STAR_2024,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=Contents.of_folder(__name__, STAR_2024),
    way=HOUSE_WAY,
    limits=LIMITS,
)
