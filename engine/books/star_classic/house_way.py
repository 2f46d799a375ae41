"""The Star, Sydney, the older page of rules ("Official Rules of Pai Gow Poker"), Appendix 2: House Way.

The rules stand in ``house_way.toml`` beside this file.
"""

from engine.books.star_2024.house_way import HOUSE_WAY as AS_IN_2024
from engine.books.star_classic.irregularities import IRREGULARITIES
from engine.house_way.written.reading import printed_way
from engine.vocabulary.citations import STAR_CLASSIC

HOUSE_WAY = printed_way("engine.books.star_classic", STAR_CLASSIC, IRREGULARITIES, like=AS_IN_2024)
