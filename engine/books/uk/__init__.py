"""Pai Gow Tiles, the poster of a British casino."""

from __future__ import annotations

from engine.books.book import Rulebook
from engine.books.contents import Contents
from engine.books.uk.banking import BANKING
from engine.books.uk.cuts import CUTS
from engine.books.uk.dice import DICE
from engine.books.uk.irregularities import IRREGULARITIES
from engine.books.uk.play import PLAY
from engine.books.uk.settlement import SETTLEMENT, WAGERS
from engine.vocabulary.citations import UK
from engine.vocabulary.facts import Fact

BOOK = Rulebook(
    source=UK,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=Contents.of_folder(__name__, UK),
    way=Fact("it says that it is displayed near the table", UK.at("point 13"), rulings=(12,)),
)
