"""Duration and number of observations required before they count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SLOWEST_S: Final = 2.6
"""Longest interval between pictures at which a table can be tracked: two seconds plus the reading time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Thresholds of time, of distance and of agreement between pictures.

    Attributes:
        still_s: time for which a tile or die must have been still.
        agreeing: pictures that must give the same reading, each verified by everything but time.
        apart_s: pictures closer together share noise and shadows, and count as one.
        kept: number of recent pictures that count, so that a long past neither outvotes the present nor adds certainty.
        dissent: required ratio of agreeing to dissenting readings of a tile.
        unseen_s: time a tile may be missing from pictures and still be the same one; hands are quick.
        blind_s: maximum time between two pictures of the same layout, if the tile is in both; tiles out of sight are
            remembered for this time.
        rest_mm: apparent movement of a tile that still counts as still.
        rest_deg: apparent rotation of a tile that still counts as still.
        doubtful_s: time an open hand must be still and complete before it is recorded with its doubts.
        doubtful_pictures: pictures that must show it so as well, each a chance to verify it.
        doubtful_most_s: time after which it is recorded with its doubts, however few pictures there were.
        gone_s: time a hand must be out of sight, without a sign of where it went, before it counts as put away.
        clear_pictures: consecutive pictures without a tile in play that end a round.
        clear_s: minimum duration of these.
    """

    still_s: float = 0.35
    agreeing: int = 3
    apart_s: float = 0.15
    kept: int = 12
    dissent: int = 3
    unseen_s: float = 0.7
    blind_s: float = SLOWEST_S
    rest_mm: float = 5.0
    rest_deg: float = 12.0
    doubtful_s: float = 1.5
    doubtful_pictures: int = 6
    doubtful_most_s: float = 6.0
    gone_s: float = 8.0
    clear_pictures: int = 3
    clear_s: float = 0.4
