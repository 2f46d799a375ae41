"""Pai Gow Tiles, the poster of a British casino."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.uk.banking import BANKING
from engine.rulebooks.uk.play import PLAY
from engine.sources import UK

BOOK = Rulebook(source=UK, prints_house_way=False, banking=BANKING, play=PLAY)
