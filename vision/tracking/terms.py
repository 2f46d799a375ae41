"""How long and how often something must be seen before it counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is asked of time.

    Attributes:
        still_s: how long a tile or die must have lain still.
        agreeing: in how many pictures it must have been read alike and verified by everything but time.
        apart_s: pictures closer together share their noise and their shadows, and count as one.
        kept: how many of the last pictures count; older ones are forgotten, so that no error is outvoted for ever by
            a long look in the past, and no long look makes a tile surer than this many pictures can.
        dissent: a tile counts only if it was agreed on this many times as often as it was read otherwise.
        unseen_s: how long a tile may be missing from pictures and still be the one that lay there; hands are quick, so
            it is short. After it, the tile must be seen anew.
        blind_s: how far two pictures may be apart and still be of the same lay, if the tile is in both.
        rest_mm: how far a tile may seem to go and still lie still.
        rest_deg: likewise how far it may seem to turn.
        doubtful_s: how long an open hand lies still and whole before it is told as it is, doubts and all.
        gone_s: how long a hand is out of sight, with no sign of where it went, before it counts as put away.
        clear_pictures: pictures in a row without a tile in play that end a round.
        clear_s: and how long they must last.
    """

    still_s: float = 0.35
    agreeing: int = 3
    apart_s: float = 0.15
    kept: int = 12
    dissent: int = 3
    unseen_s: float = 0.7
    blind_s: float = 2.0
    rest_mm: float = 5.0
    rest_deg: float = 12.0
    doubtful_s: float = 1.5
    gone_s: float = 8.0
    clear_pictures: int = 3
    clear_s: float = 0.4
