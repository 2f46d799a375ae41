"""How long and how often something must be seen before it counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SLOWEST_S: Final = 2.6
"""Longest time from one picture to the next at which a table is followed: two seconds, and what reading one takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Thresholds of time, of distance and of agreement between pictures.

    Attributes:
        still_s: how long a tile or die must have lain still.
        agreeing: pictures that must read it alike, each verified by everything but time.
        apart_s: pictures closer together share their noise and their shadows, and count as one.
        kept: the last pictures that count, so that neither a long past outvotes the present nor makes it surer.
        dissent: how many times as often a tile must be agreed on as it is read otherwise.
        unseen_s: how long a tile may be missing from pictures and still be the one that lay there; hands are quick.
        blind_s: how far apart two pictures of the same lay may be, if the tile is in both; for so long a tile that is
            out of sight is remembered at all.
        rest_mm: how far a tile may seem to go and still lie still.
        rest_deg: how far it may seem to turn and still lie still.
        doubtful_s: how long an open hand lies still and whole before it is taken with its doubts.
        gone_s: how long a hand is out of sight, with no sign of where it went, before it counts as put away.
        clear_pictures: pictures in a row without a tile in play that end a round.
        clear_s: how long these must last.
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
    gone_s: float = 8.0
    clear_pictures: int = 3
    clear_s: float = 0.4
