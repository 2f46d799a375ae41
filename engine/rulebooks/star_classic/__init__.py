"""The Star Sydney, rules of Pai Gow, an older page."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.star_classic.banking import BANKING
from engine.rulebooks.star_classic.play import PLAY
from engine.sources import STAR_CLASSIC

BOOK = Rulebook(source=STAR_CLASSIC, banking=BANKING, play=PLAY)
