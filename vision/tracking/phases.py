"""Phases of a round, from the tiles on the table."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from calibration.table.places import Place
    from vision.tracking.table_scene import TableScene

DISPLAYED: Final = 20
"""Open tiles outside all hands that occur only while the full set is displayed."""
MIXED: Final = 12
"""Face-down tiles outside all places that occur only while mixing; of stacks eight are visible."""
_STACKS_SEEN: Final = (3, 9)
"""Minimum and maximum number of face-down tiles outside all places that are tops of stacks."""
_PICTURES: Final = 2
"""Consecutive pictures that must show another phase; of stacks, without any of mixing in between."""


class Phase(Enum):
    """The phases of a round, in order. The cut is spoken; only the cut die and the delivery are visible."""

    DISPLAY = "display"
    SHUFFLE = "shuffle"
    STACKS = "stacks"
    DICE_SHOWN = "dice-shown"
    DELIVERY = "delivery"
    SETTING = "setting"
    HOUSE_EXPOSED = "house-exposed"
    HOUSE_SET = "house-set"
    PLAYER_EXPOSED = "player-exposed"
    MATCHED = "matched"
    PUT_AWAY = "put-away"


_MIXING: Final = frozenset({Phase.DISPLAY, Phase.SHUFFLE})
_DEALT: Final = frozenset({Phase.DELIVERY, Phase.SETTING})
_AWAY: Final = frozenset({Phase.MATCHED, Phase.PUT_AWAY})


@dataclass(frozen=True, slots=True)
class PhaseStep:
    """A phase and when it started.

    Attributes:
        phase: the phase.
        since_s: when it was first seen.
        place: the hand concerned; None for phases of the entire table.
    """

    phase: Phase
    since_s: float
    place: Place | None = None


@dataclass(slots=True)
class Phases:
    """Tracks the phases of one round with hysteresis: consecutive pictures must show the next one.

    Attributes:
        steps: the phases so far, in the order in which they started.
    """

    steps: list[PhaseStep] = field(default_factory=list)
    _candidate: Phase | None = None
    _pictures: int = 0

    @property
    def of_table(self) -> Phase | None:
        """The phase of the table as a whole; None if none was seen yet."""
        return next((step.phase for step in reversed(self.steps) if step.place is None), None)

    @property
    def dealt(self) -> bool:
        return any(step.phase in _DEALT for step in self.steps)

    @property
    def mixing(self) -> bool:
        """Whether the latest step is mixing or displaying the tiles."""
        return bool(self.steps) and self.steps[-1].place is None and self.steps[-1].phase in _MIXING

    def add(self, phase: Phase, since_s: float, place: Place) -> None:
        self.steps.append(PhaseStep(phase, since_s, place))

    def take_back_away(self, place: Place) -> None:
        """Take back that a hand was put away."""
        self.steps = [step for step in self.steps if step.place != place or step.phase not in _AWAY]

    def update(self, scene: TableScene, *, hands: bool, exposed: bool, thrown: bool) -> bool:
        """Update the phase of the table as a whole.

        Args:
            scene: the table now.
            hands: whether any hand of the round is known.
            exposed: whether any was opened.
            thrown: whether dice came to rest in this round.

        Returns:
            Whether the tiles are being mixed before any hand is known, so that everything earlier belongs to no round.
        """
        before = self.of_table
        found = _phase_of(scene, before, exposed=exposed, thrown=thrown)
        if found is None and self._candidate is Phase.STACKS:
            # In rare pictures a stack that an arm hid before is not known to be still.
            return False
        if found is None or found is before:
            self._candidate = None
            return False
        self._pictures = self._pictures + 1 if self._candidate is found else 1
        self._candidate = found
        if self._pictures < _PICTURES:
            return False
        restarted = found in _MIXING and not hands
        if restarted:
            # Everything before a shuffle belongs to no round: the display, or tiles brought in.
            self.steps = [step for step in self.steps if step.phase is Phase.DISPLAY]
        self.steps.append(PhaseStep(found, scene.t_s))
        return restarted


def _phase_of(scene: TableScene, before: Phase | None, *, exposed: bool, thrown: bool) -> Phase | None:
    """The phase of the table as a whole, before hands are opened, in one picture; None if undetermined."""
    tiles = [track for track in scene.tiles if scene.in_sight(track)]
    # Hands that stay open until the end are as many tiles, but each at its place.
    if sum(track.tile.face_up and not track.tile.in_play for track in tiles) >= DISPLAYED:
        return Phase.DISPLAY
    down = [track for track in tiles if not track.tile.face_up]
    beside = [track for track in down if track.tile.place is None]
    if len(beside) >= MIXED:
        return Phase.SHUFFLE
    if exposed:
        return None
    dealt = any(track.tile.in_play and scene.at_rest(track) for track in down)
    if _STACKS_SEEN[0] <= len(beside) <= _STACKS_SEEN[1]:
        return _with_stacks(before, dealt=dealt, thrown=thrown, still=all(map(scene.at_rest, beside)))
    # Rare pictures may show the dice for the first time with the tiles dealt.
    dealing = before in (Phase.DELIVERY, Phase.DICE_SHOWN) or (before is Phase.STACKS and thrown)
    return Phase.SETTING if dealt and dealing and not beside else None


def _with_stacks(before: Phase | None, *, dealt: bool, thrown: bool, still: bool) -> Phase | None:
    """The phase of a table with stacks outside the places."""
    if dealt and before in (Phase.STACKS, Phase.DICE_SHOWN, Phase.DELIVERY):
        return Phase.DELIVERY
    if still and before in (None, *_MIXING):
        return Phase.STACKS
    return Phase.DICE_SHOWN if before is Phase.STACKS and thrown else None
