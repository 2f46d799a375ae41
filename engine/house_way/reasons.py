"""Why a setting is refused: texts of messages, and the hands that they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.game.hands import Name

if TYPE_CHECKING:
    from engine.game.hands import Hand


@dataclass(frozen=True, slots=True)
class Titled:
    """A hand by its title in a reason, such as ``Wong``, or its points."""

    hand: Hand

    def __str__(self) -> str:
        return self.hand.title


@dataclass(frozen=True, slots=True)
class Called:
    """A hand by its title in a reason, such as ``Wong`` or ``hand of 7``."""

    hand: Hand

    def __str__(self) -> str:
        return f"hand of {self.hand.points}" if self.hand.name is Name.POINTS else self.hand.title


SPLITS_A_PAIR = "it splits a pair that is kept"
KEEPS_A_PAIR = "it keeps together a pair that is split with these tiles"
WORSE = "it is worse in one hand and no better in the other"
TWO_HIGHEST_TOGETHER = "it puts the two highest tiles in one hand"
HIGHEST_ELSEWHERE = "the highest tile belongs on the {side} hand"
IS_NOT = "its {side} hand, {mine}, is not {wanted}"
INSTEAD = "a {right} is set instead of a {mine}"
OWN_SETTING = "these four tiles have a setting of their own: {right}"
TILE_ELSEWHERE = "the {tile} belongs in the {side} hand"
TOGETHER = "it puts two of {tiles} in one hand"
LESS = "its {side} hand, {mine}, is less than {right}"
FEWER_POINTS = "its {side} hand counts {mine}, less than {right}"
WORSE_HAND = "its {side} hand, {mine}, is worse than {right}"
LOWER_TOTAL = (
    "{low} and {high} add up to {total}, {right_low} and {right_high} to {right_total}: "
    "the hands can be set to a higher value"
)
FURTHER_APART = "{low} and {high} add up to no more than {right_low} and {right_high}, and lie further apart"

STEP_REASONS = (
    SPLITS_A_PAIR,
    KEEPS_A_PAIR,
    WORSE,
    TWO_HIGHEST_TOGETHER,
    HIGHEST_ELSEWHERE,
    IS_NOT,
    INSTEAD,
    OWN_SETTING,
    TILE_ELSEWHERE,
    TOGETHER,
    LESS,
    FEWER_POINTS,
    WORSE_HAND,
    LOWER_TOTAL,
    FURTHER_APART,
)
"""Reasons given by the steps of a rule against a setting, unless its owner wrote one."""
