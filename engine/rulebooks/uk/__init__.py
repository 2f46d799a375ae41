"""Pai Gow Tiles, the poster of a British casino."""

from __future__ import annotations

from engine.rulebooks.book import Rulebook
from engine.rulebooks.uk.contents import CONTENTS
from engine.sources import UK

BOOK = Rulebook(source=UK, contents=CONTENTS, prints_house_way=False)
