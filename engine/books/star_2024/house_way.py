"""The Star, Sydney, game rules of Pai Gow of 16 August 2024, Appendix 2: House Way (star-2024 4.1).

The rules stand in ``house_way.toml`` beside this file.
"""

from engine.books.star_2024.irregularities import IRREGULARITIES
from engine.house_way.written.reading import printed_way
from engine.vocabulary.citations import STAR_2024

HOUSE_WAY = printed_way("engine.books.star_2024", STAR_2024, IRREGULARITIES)
