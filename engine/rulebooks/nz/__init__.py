"""New Zealand Gazette of 29 January 1998, Division 12: Pai Gow."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.nz.banking import BANKING
from engine.rulebooks.nz.play import PLAY
from engine.sources import NZ

BOOK = Rulebook(source=NZ, banking=BANKING, play=PLAY)
