"""Whether a table is clear of tiles, and when its round is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vision.reading import Reading
    from vision.tracking.confirmation_terms import Terms
    from vision.tracking.lays.hand_history import HandHistory


@dataclass(slots=True)
class Clearing:
    """Follows whether anything lies in play.

    Attributes:
        clear: whether nothing has been in play long enough to end a round.
        was_clear: whether that was so since a tile was last open.
    """

    clear: bool = False
    was_clear: bool = False
    _pictures: int = 0
    _since_s: float = 0.0

    def update(self, reading: Reading, t_s: float, terms: Terms, *, fit: bool) -> None:
        """Process the next picture; an unfit one does not show that the table is clear."""
        in_play = [tile for tile in reading.tiles if tile.in_play or not reading.calibrated]
        if any(tile.face_up for tile in in_play):
            self.was_clear = False
        if not self._pictures:
            self._since_s = t_s
        self._pictures = self._pictures + 1 if fit and not in_play else 0
        self.clear = self._pictures >= terms.clear_pictures and t_s - self._since_s >= terms.clear_s
        self.was_clear = self.was_clear or self.clear

    def is_over(self, hands: Iterable[HandHistory], *, mixing: bool, calibrated: bool) -> bool:
        """Whether a round is over: its hands are put away and nothing is in play, or its tiles are being mixed again.

        Args:
            hands: of the round.
            mixing: whether its tiles are being mixed or displayed.
            calibrated: whether the places are known, so that hands can be recognised as put away.
        """
        known = tuple(hands)
        if not any(hand.lays for hand in known):
            return False
        if mixing:
            return True
        # Closed tiles on a table that was clear belong to the next round, even if the removal of the open ones was not
        # seen.
        return self.was_clear and (not calibrated or all(hand.away for hand in known if hand.exposed_s is not None))
