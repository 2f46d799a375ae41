"""Crown Melbourne, Pai Gow Rules, version 6.1."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.crown.contents import CONTENTS
from engine.sources import CROWN

BOOK = Rulebook(source=CROWN, contents=CONTENTS)
