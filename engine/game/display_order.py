"""Rank order in which all 32 tiles are displayed before the shuffle and at the end of gaming."""

from __future__ import annotations

from typing import Final

from engine.game.tiles import FULL_SET, Kind

SINGLY: Final[tuple[Kind, ...]] = tuple(sorted(tile.kind for tile in FULL_SET))
"""As single tiles rank: the two of a kind beside each other, Gee Jun last (crown-6.1 3.4, Appendix 1: Individual)."""
IN_PAIRS: Final[tuple[Kind, ...]] = SINGLY[-2:] + SINGLY[:-2]
"""As pairs rank: Gee Jun first (crown-6.1 3.4, Appendix 1: Pairs)."""
ORDERS: Final = {"singly": SINGLY, "in pairs": IN_PAIRS}
"""Both orders by name. Either tile of a kind may come first."""

_FIVES: Final = SINGLY.index(Kind.FIVE)
BY_POINTS: Final[tuple[Kind, ...]] = (*SINGLY[:_FIVES], Kind.GEE_JUN, *SINGLY[_FIVES:-1])
"""As single tiles rank, but Gee Jun's six before the fives: not in any book, but used by dealers."""
LAID: Final = {**ORDERS, "by points": BY_POINTS}
"""The display orders that are recognised."""
