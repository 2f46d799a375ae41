"""New Zealand Gazette of 29 January 1998, Division 12 (Pai Gow), Appendix 4: House Way.

The rules stand in ``house_way.toml`` beside this file.
"""

from engine.books.nz.irregularities import IRREGULARITIES
from engine.house_way.written.reading import printed_way
from engine.vocabulary.citations import NZ

HOUSE_WAY = printed_way("engine.books.nz", NZ, IRREGULARITIES)
