"""Hands whose open tiles were moved since they were told, and could not be told anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vision.tracking.lays import swapped

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from calibration.table.places import Place
    from vision.tracking.lays import Lay, Whole

_TILES = 4


@dataclass(slots=True)
class Moved:
    """The hands of one round that lie otherwise than they were told.

    Attributes:
        swapped: places where two tiles seem to have changed places.
    """

    swapped: set[Place] = field(default_factory=set)
    _seen_s: dict[Place, tuple[float, float]] = field(default_factory=dict)

    def look(
        self, place: Place, last: Lay, lying: Whole | None, open_tiles: AbstractSet[tuple[int, int]], t_s: float
    ) -> None:
        """Take the next picture of a place.

        Args:
            place: where.
            last: how its hand was told.
            lying: how it lies, if four tiles lie whole.
            open_tiles: the epochs of those that lie open and still; of fewer than four nothing is said.
            t_s: now.
        """
        if len(open_tiles) < _TILES:
            return
        if last.epoch <= open_tiles or (lying is not None and lying.pairs == last.pairs):
            self._seen_s.pop(place, None)
            self.swapped.discard(place)
            return
        since_s, _ = self._seen_s.get(place, (t_s, t_s))
        self._seen_s[place] = (since_s, t_s)
        if lying is not None and swapped(last.pairs, lying.pairs):
            self.swapped.add(place)

    def lasted_s(self, place: Place) -> float:
        """For how long it was seen to lie otherwise; 0 if one picture shows it so, or none."""
        since_s, until_s = self._seen_s.get(place, (0.0, 0.0))
        return until_s - since_s

    def clear(self) -> None:
        """Begin another round."""
        self._seen_s.clear()
        self.swapped.clear()
