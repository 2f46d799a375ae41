"""Crown Melbourne, Pai Gow Rules, version 6.1."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.crown.settlement import SETTLEMENT
from engine.rulebooks.crown.wagers import WAGERS
from engine.sources import CROWN

BOOK = Rulebook(source=CROWN, wagers=WAGERS, settlement=SETTLEMENT)
