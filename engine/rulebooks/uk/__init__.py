"""Pai Gow Tiles, the poster of a British casino."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.uk.settlement import SETTLEMENT
from engine.rulebooks.uk.wagers import WAGERS
from engine.sources import UK

BOOK = Rulebook(source=UK, wagers=WAGERS, settlement=SETTLEMENT, prints_house_way=False)
