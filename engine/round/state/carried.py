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
        offer_from: the box with which the offer of the bank begins.
        tenure: the bank that may go on, if one may.
        played: who wagered or banked in the round before, and on which boxes.
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
