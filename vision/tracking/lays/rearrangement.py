"""An open hand whose tiles were moved since it was recorded, and that could not be recorded again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vision.tracking.lays.hand_history import swapped

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from vision.tracking.lays.hand_history import LaidHand

_HAND_TILES: Final = 4


@dataclass(slots=True)
class Rearrangement:
    """Whether the hand at a place differs from the recorded layout.

    Attributes:
        swapped: whether two of its tiles seem to have been exchanged.
    """

    swapped: bool = False
    _since_s: float | None = None
    _until_s: float = 0.0

    def update(
        self, last: LaidHand, laid: LaidHand | None, open_tiles: AbstractSet[tuple[int, int]], t_s: float
    ) -> None:
        """Process the next picture of the place.

        Args:
            last: the recorded layout of its hand.
            laid: the current layout, if four tiles are complete.
            open_tiles: the epochs of the open, still tiles; fewer than four are inconclusive.
            t_s: now.
        """
        if len(open_tiles) < _HAND_TILES:
            return
        if last.epoch <= open_tiles or (laid is not None and laid.pairs == last.pairs):
            self._since_s, self.swapped = None, False
            return
        if self._since_s is None:
            self._since_s = t_s
        self._until_s = t_s
        self.swapped = self.swapped or (laid is not None and swapped(last.pairs, laid.pairs))

    @property
    def lasted_s(self) -> float:
        """How long it was seen to differ; 0 for a single picture, or none."""
        return 0.0 if self._since_s is None else self._until_s - self._since_s
