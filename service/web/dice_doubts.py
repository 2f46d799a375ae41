"""The dice of a throw for people: each with the doubts that are its own, and below what all of them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.rounds.reports import DieReport, ThrowReport


@dataclass(frozen=True, slots=True)
class ShownDice:
    """Dice and their doubts.

    Attributes:
        each: every die, in the order read, with the reasons that not all of them have.
        shared: the reasons that all of them have, and those of the throw that are no die's.
    """

    each: tuple[tuple[DieReport, tuple[str, ...]], ...]
    shared: tuple[str, ...]


def shown_dice(dice: Sequence[DieReport], throw: ThrowReport | None) -> ShownDice:
    """Part the doubts of a throw; each is told once where it belongs."""
    said = [dict.fromkeys(die.reasons if die.status == "uncertain" else ()) for die in dice]
    common = [reason for reason in said[0] if all(reason in others for others in said)] if len(said) > 1 else []
    known = {reason for reasons in said for reason in reasons}
    of_the_throw = [reason for reason in (throw.reasons if throw is not None else ()) if reason not in known]
    return ShownDice(
        tuple(
            (die, tuple(reason for reason in reasons if reason not in common))
            for die, reasons in zip(dice, said, strict=True)
        ),
        tuple(dict.fromkeys((*common, *of_the_throw))),
    )
