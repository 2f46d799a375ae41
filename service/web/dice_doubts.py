"""The dice of a throw for people: each with the doubts that are its own, and below what all of them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.words.doubts import each_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.rounds.reports import DieReport, ThrowReport
    from service.words.doubts import DoubtReport


@dataclass(frozen=True, slots=True)
class ShownDice:
    """Dice and their doubts.

    Attributes:
        each: every die, in the order read, with the reasons that not all of them have.
        shared: the reasons that all of them have, and those of the throw that are no die's.
    """

    each: tuple[tuple[DieReport, tuple[DoubtReport, ...]], ...]
    shared: tuple[DoubtReport, ...]


def shown_dice(dice: Sequence[DieReport], throw: ThrowReport | None) -> ShownDice:
    """Part the doubts of a throw; each is told once where it belongs."""
    of_dice = [each_once(die.doubts) if die.status == "uncertain" else () for die in dice]
    common = [doubt for doubt in of_dice[0] if all(doubt in others for others in of_dice)] if len(of_dice) > 1 else []
    of_the_throw = (
        doubt for doubt in (() if throw is None else throw.doubts) if not any(doubt in of for of in of_dice)
    )
    return ShownDice(
        tuple(
            (die, each_once(doubt for doubt in doubts if doubt not in common))
            for die, doubts in zip(dice, of_dice, strict=True)
        ),
        each_once((*common, *of_the_throw)),
    )
