"""Meanings of markers, as in the rulebooks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

MOST_ADJUSTED: Final = 4
"""The greatest value on a plus/minus button (nz-1998 3.3(d); star-2024 2.5.3; star-classic 2.4.2)."""
_WRITTEN: Final = re.compile(r"([a-z_]+)([+-][1-4])?")


class MarkerKind(StrEnum):
    """Kind of a marker."""

    CHUNG = "chung"
    """The banker's box (crown-6.1 2.5.3; star-2024 2.5.5; star-classic 2.4.4, 6.2); how it is banked is not implied."""
    CHUNG_HOUSE = "chung_house"
    """A chung stating that the House banks (crown-6.1 10.3.1(a); star-2024 6.10; star-classic 6.9)."""
    CHUNG_CO_BANK = "chung_co_bank"
    """A chung with its co-banker face up (nz-1998 3.3(f))."""
    OFF_BUTTON = "off_button"
    """A box out of play (crown-6.1 2.5.2; nz-1998 3.3(e); star-2024 2.5.4; star-classic 2.4.3)."""
    PLUS_MINUS = "plus_minus"
    """Adjustment of the point of delivery, shown by the button (nz-1998 9.7; star-2024 8.2; star-classic 7.9)."""


CHUNGS: Final = frozenset({MarkerKind.CHUNG, MarkerKind.CHUNG_HOUSE, MarkerKind.CHUNG_CO_BANK})
"""The kinds placed at the banker's box."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """Meaning of a marker: its kind, and the value of a plus/minus button; written ``chung`` or ``plus_minus-4``.

    Raises:
        ValueError: a value for another kind of marker, or a plus/minus button without one.
    """

    kind: MarkerKind
    value: int | None = None

    def __post_init__(self) -> None:
        if (self.kind is MarkerKind.PLUS_MINUS) != (self.value is not None):
            raise ValueError("a plus/minus button has a value, as in plus_minus+4; no other marker has")
        if self.value is not None and not 1 <= abs(self.value) <= MOST_ADJUSTED:
            raise ValueError(f"a plus/minus button shows -{MOST_ADJUSTED} to +{MOST_ADJUSTED}, not {self.value}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a meaning; ValueError if it is invalid."""
        found = _WRITTEN.fullmatch(text)
        if found is None or found[1] not in set(MarkerKind):
            raise ValueError(f"there is no marker {text!r}; there are {', '.join(MarkerKind)} (plus_minus+4)")
        return cls(MarkerKind(found[1]), int(found[2]) if found[2] else None)

    def __str__(self) -> str:
        return self.kind if self.value is None else f"{self.kind}{self.value:+d}"
