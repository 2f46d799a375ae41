"""Where in a round the table is, told from how its tiles lie."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration.table.places import Place
    from vision.tracking.lays import Hand
    from vision.tracking.terms import Terms
    from vision.tracking.throws import Throw
    from vision.tracking.tracks import Track

_DISPLAYED: Final = 20
"""As many open tiles lie together only while the whole set is shown."""
_MIXED: Final = 12
"""As many lie face down beside all places only while they are mixed; of stacks eight are seen."""
STACKS_SEEN: Final = (3, 9)


class Phase(Enum):
    """The phases of a round, in their order. The cut is spoken: what is seen of it are the cut die and the delivery."""

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


@dataclass(frozen=True, slots=True)
class Step:
    """A phase and when it began.

    Attributes:
        phase: the phase.
        since_s: when it was first seen.
        place: whose hand it is about; None for those about the whole table.
    """

    phase: Phase
    since_s: float
    place: Place | None = None


def plays(place: Place | None) -> bool:
    """Whether hands lie at this place."""
    return place is not None and place.has_hand


def phase_of(  # noqa: PLR0911 - one case after the other
    tiles: Sequence[Track],
    hands: Mapping[Place, Hand],
    throw: Throw | None,
    t_s: float,
    terms: Terms,
    before: Phase | None,
) -> Phase | None:
    """The phase that the table as a whole is in before hands are opened; None where it does not say.

    Args:
        tiles: those in sight.
        hands: what is known of each place.
        throw: the dice as they came to rest in this round.
        t_s: now.
        terms: what is asked of time.
        before: the phase so far.
    """
    # Hands that stay open until the end are as many tiles, but each at its place.
    if sum(track.tile.face_up and not plays(track.tile.place) for track in tiles) >= _DISPLAYED:
        return Phase.DISPLAY
    down = [track for track in tiles if not track.tile.face_up]
    beside = [track for track in down if track.tile.place is None]
    if len(beside) >= _MIXED:
        return Phase.SHUFFLE
    if any(hand.exposed_s is not None for hand in hands.values()):
        return None
    at_places = [track for track in down if plays(track.tile.place) and track.lies(t_s, terms)]
    if STACKS_SEEN[0] <= len(beside) <= STACKS_SEEN[1]:
        if at_places and before in (Phase.STACKS, Phase.DICE_SHOWN, Phase.DELIVERY):
            return Phase.DELIVERY
        still = all(track.lies(t_s, terms) for track in beside)
        if still and before in (None, Phase.DISPLAY, Phase.SHUFFLE):
            return Phase.STACKS
        return Phase.DICE_SHOWN if before is Phase.STACKS and throw is not None else None
    return Phase.SETTING if at_places and not beside and before in (Phase.DELIVERY, Phase.DICE_SHOWN) else None
