"""The Star Sydney, rules of Pai Gow, an older page."""

from __future__ import annotations

import re

from engine.books import star_2024
from engine.books.book import Rulebook
from engine.books.contents import Contents
from engine.books.star_classic.banking import BANKING
from engine.books.star_classic.cuts import CUTS
from engine.books.star_classic.dice import DICE
from engine.books.star_classic.house_way import HOUSE_WAY
from engine.books.star_classic.irregularities import IRREGULARITIES
from engine.books.star_classic.play import PLAY
from engine.books.star_classic.settlement import LIMITS, SETTLEMENT, WAGERS
from engine.vocabulary.citations import STAR_CLASSIC


def _by_points(number: str) -> str:
    """Points of Appendix 2 as cited here; 2024 numbers some of them and prints others as lines."""
    return re.sub(r"^(Appendix 2: \w+)(?:\.| line )", r"\1 point ", number)


BOOK = Rulebook(
    source=STAR_CLASSIC,
    dice=DICE,
    cuts=CUTS,
    banking=BANKING,
    play=PLAY,
    wagers=WAGERS,
    settlement=SETTLEMENT,
    irregularities=IRREGULARITIES,
    contents=Contents.of_folder(__name__, STAR_CLASSIC, like=star_2024.BOOK.contents, renumber=_by_points),
    way=HOUSE_WAY,
    limits=LIMITS,
)
