"""What a round takes over from those before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.vocabulary.limits import Limits  # noqa: TC001  the written form reads the annotations

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Tenure:
    """A bank that its holder may go on with.

    Attributes:
        box: the holder's.
        player: the holder.
        rounds: rounds of this bank already played.
        banks: banks in a row already over.
    """

    box: int
    player: str
    rounds: int
    banks: int


@dataclass(frozen=True, slots=True)
class Before:
    """What a round takes over from those before it.

    Attributes:
        commencement: whether play begins with it.
        check_due: whether the tiles must be checked first.
        seats: who sits at which box.
        offer_from: the box with which the offer of the bank begins.
        tenure: the bank that may go on, if one may.
        played: who wagered or banked in the round before, and on which boxes.
        control: who controlled which box in it.
        chung: where the chung lay.
        rotation: who has banked in this rotation of the bank.
        out: boxes that are out of play.
        limits: what the sign says; None for what the table says of itself.
        kept: the minimum of each player who began under another than the sign's.
    """

    commencement: bool = True
    check_due: bool = True
    seats: Mapping[int, str] = field(default_factory=dict)
    offer_from: int = 1
    tenure: Tenure | None = None
    played: Mapping[str, frozenset[int]] = field(default_factory=dict)
    control: Mapping[int, str] = field(default_factory=dict)
    chung: int | None = None
    rotation: frozenset[str] = frozenset()
    out: frozenset[int] = frozenset()
    limits: Limits | None = None
    kept: Mapping[str, int] = field(default_factory=dict)
