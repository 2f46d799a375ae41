"""Crown Melbourne, Pai Gow Rules, version 6.1."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.crown.banking import BANKING
from engine.rulebooks.crown.play import PLAY
from engine.sources import CROWN

BOOK = Rulebook(source=CROWN, banking=BANKING, play=PLAY)
