"""The Star Sydney, Rules for the playing of Pai Gow, 2024."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.star_2024.banking import BANKING
from engine.rulebooks.star_2024.play import PLAY
from engine.sources import STAR_2024

BOOK = Rulebook(source=STAR_2024, banking=BANKING, play=PLAY)
