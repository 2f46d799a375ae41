"""Crown Melbourne, Pai Gow Rules version 6.1, rule 7: House Way.

The rules stand in ``house_way.toml`` beside this file.
"""

from engine.books.crown.irregularities import IRREGULARITIES
from engine.house_way.written.reading import printed_way
from engine.vocabulary.citations import CROWN

HOUSE_WAY = printed_way(
    "engine.books.crown",
    CROWN,
    IRREGULARITIES,
    side_bets=("bonus-a", "bonus-b", "bonus-c", "bonus-d", "bonus-e", "tie-a", "tie-b", "big-small"),
)
