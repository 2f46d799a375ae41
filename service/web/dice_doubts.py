"""The dice of a throw for people: each with the doubts that are its own, and below what all of them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.rounds.reports import DieReport, Reason, ThrowReport


@dataclass(frozen=True, slots=True)
class ShownDice:
    """Dice and their doubts.

    Attributes:
        each: every die, in the order read, with the reasons that not all of them have.
        shared: the reasons that all of them have, and those of the throw that are no die's.
    """

    each: tuple[tuple[DieReport, tuple[Reason, ...]], ...]
    shared: tuple[Reason, ...]


def shown_dice(dice: Sequence[DieReport], throw: ThrowReport | None) -> ShownDice:
    """Part the doubts of a throw; each is told once where it belongs."""
    of_dice = [{reason.text: reason for reason in die.said if die.status == "uncertain"} for die in dice]
    common = [text for text in of_dice[0] if all(text in others for others in of_dice)] if len(of_dice) > 1 else []
    known = {text: reason for reasons in of_dice for text, reason in reasons.items()}
    of_the_throw = {reason.text: reason for reason in (() if throw is None else throw.said) if reason.text not in known}
    return ShownDice(
        tuple(
            (die, tuple(reason for text, reason in reasons.items() if text not in common))
            for die, reasons in zip(dice, of_dice, strict=True)
        ),
        (*(known[text] for text in common), *of_the_throw.values()),
    )
