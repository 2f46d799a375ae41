"""Observations of one round in the order in which they count, for checking against the rulebook."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from calibration.table.places import DISCARD
from engine.observed.observations import (
    DeliveryEnded,
    DiceLeft,
    DiceSeen,
    HandOpened,
    HandPutAway,
    HouseWayAsked,
    LeaningDiceLeft,
    OldDiceLeft,
    SetDisplayed,
    TilesHandled,
    TilesMixed,
    TilesStacked,
    UnusedOpen,
)
from vision.tracking.observed.delivery import DeliveryWatch, TimedObservation
from vision.tracking.phases import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from calibration.table.places import Place
    from engine.observed.observations import Observation
    from vision.reading import DieReading
    from vision.tracking.lays.hand_history import RoundHands
    from vision.tracking.phases import PhaseStep
    from vision.tracking.table_scene import TableScene
    from vision.tracking.throws import Throw

_OF_TABLE: Final[Mapping[Phase, type[Observation]]] = {
    Phase.DISPLAY: SetDisplayed,
    Phase.SHUFFLE: TilesMixed,
    Phase.STACKS: TilesStacked,
    Phase.SETTING: DeliveryEnded,
}
_UNUSED_S: Final = 0.6
_UNUSED_PICTURES: Final = 3
"""Time, and number of pictures, for which a tile out of play must lie face up before it counts."""
_OLD_PICTURES: Final = 3
"""Pictures that must show dealt tiles and the dice of the round before."""
_UNDISTINGUISHED: Final = frozenset({2, 3})
"""Numbers of dice whose values count if none of them is distinguished: they may be all box dice, or one each of several
kinds.
"""


@dataclass(slots=True)
class ObservationLog:
    """Collects the observations of a round.

    Attributes:
        delivery: when each place got its tiles.
    """

    delivery: DeliveryWatch = field(default_factory=DeliveryWatch)
    _hands: list[TimedObservation] = field(default_factory=list)
    _throws: list[Throw] = field(default_factory=list)
    _leaning_s: float | None = None
    _left_s: float | None = None
    _old_s: float | None = None
    _old_pictures: int = 0
    _unused_s: float | None = None
    _unused_pictures: int = 0
    _as_dealt_s: dict[Place, float] = field(default_factory=dict)

    def restart(self) -> None:
        """Forget everything before the tiles were mixed: it belongs to no round."""
        self.delivery = DeliveryWatch()
        self._hands.clear()
        self._throws.clear()
        self._as_dealt_s.clear()
        self._leaning_s = self._left_s = self._old_s = self._unused_s = None
        self._old_pictures = self._unused_pictures = 0

    def open(self, place: Place, shown_s: float, scene: TableScene, hands: RoundHands) -> None:
        """A hand was opened for the first time, as a picture at that time shows."""
        lying = [
            other.place for other in hands if hands.opened(other.place) and not other.away and
            scene.open_tiles(other.place) and other.place != place
        ]  # fmt: skip
        still = (each for each, t_s in self._as_dealt_s.items() if t_s >= shown_s)
        as_dealt = _boxes(each for each in still if not hands.opened(each) and each != place)
        seen = HandOpened(place.box, _closed(place, scene, hands), _boxes(lying), as_dealt=as_dealt)
        self._hands.append((scene.t_s, seen))

    def see_as_dealt(self, scene: TableScene, hands: RoundHands) -> None:
        """Add places whose tiles still lie as dealt to the hands opened before: an arm may have hidden them then."""
        places = [each for each in self.delivery.as_dealt(scene) if not hands.opened(each)]
        self._as_dealt_s.update(dict.fromkeys(places, scene.t_s))
        still = _boxes(places)
        for number, (t_s, seen) in enumerate(self._hands):
            if isinstance(seen, HandOpened) and not set(still) <= set(seen.as_dealt):
                known = tuple(sorted({*seen.as_dealt, *still}))
                self._hands[number] = t_s, replace(seen, as_dealt=known)

    def see_closed(self, place: Place, closed: Iterable[Place]) -> None:
        """Add closed places to the hand opened last: an arm may have hidden them, or they are open by now."""
        looks = [n for n, (_, seen) in enumerate(self._hands) if isinstance(seen, HandOpened | HandPutAway)]
        t_s, last = self._hands[looks[-1]] if looks else (0.0, None)
        if isinstance(last, HandOpened) and last.box == place.box:
            self._hands[looks[-1]] = t_s, replace(last, closed=_in_order(closed, last.closed))

    def remember(self, place: Place, t_s: float) -> None:
        """A hand was opened before tracking started."""
        self._hands.append((t_s, HandOpened(place.box)))

    def ask(self, place: Place, t_s: float) -> None:
        """The dealer sets a hand: he was asked to, or always does there."""
        if place.box is not None:
            self._hands.append((t_s, HouseWayAsked(place.box)))

    def handle(self, place: Place, t_s: float) -> None:
        """The closed tiles of a box lie as a set hand."""
        if place.box is not None:
            self._hands.append((t_s, TilesHandled(place.box)))

    def see_unused(self, scene: TableScene, phase: Phase | None) -> None:
        """Process the tiles out of play in a picture before any hand was opened.

        Args:
            scene: the table now.
            phase: of the table as a whole.
        """
        if self._unused_s is not None or (phase is not Phase.SETTING and len(self.delivery.dealt_s) <= 1):
            return
        shown = [
            track
            for track in scene.tiles
            if track.tile.face_up
            and track.tile.place == DISCARD
            and track.tile.status == "verified"
            and scene.in_sight(track)
            and scene.at_rest(track)
        ]
        self._unused_pictures = self._unused_pictures + 1 if shown else 0
        if self._unused_pictures >= _UNUSED_PICTURES and scene.t_s - min(t.since_s for t in shown) >= _UNUSED_S:
            self._unused_s = scene.t_s

    def put_away(self, place: Place, scene: TableScene, hands: RoundHands, closed_after: Sequence[Place]) -> None:
        """An open hand was put away.

        Args:
            place: where it lay.
            scene: the table now.
            hands: the hands of the round.
            closed_after: places whose tiles still lay closed after it was last in sight; they may be open by now.
        """
        later = (each for each in closed_after if each != place)
        self._hands.append((scene.t_s, HandPutAway(place.box, _in_order(later, _closed(place, scene, hands)))))

    def take_back_away(self, place: Place) -> None:
        """Take back that a hand was put away."""
        self._hands = [
            timed for timed in self._hands if not (isinstance(timed[1], HandPutAway) and timed[1].box == place.box)
        ]

    def old_dice(self, t_s: float) -> None:
        """Process a picture in which the dice lie as thrown in the round before."""
        if not self._throws and len(self.delivery.dealt_s) > 1:
            self._old_pictures += 1
            self._old_s = t_s if self._old_s is None and self._old_pictures >= _OLD_PICTURES else self._old_s

    def throw(self, now: Throw | None, t_s: float, *, still: bool) -> None:
        """Process the dice as they last came to rest.

        Args:
            now: the throw; None before the first.
            t_s: when the latest picture was taken.
            still: whether the latest picture shows all of them there.
        """
        if now is None:
            return
        if self._throws and now.lies_as(self._throws[-1]):
            self._throws[-1] = now
        else:
            self._throws.append(now)
        if still and self._leaning_s is None and any(die.cocked for die in now.dice):
            # A single place may have a false back; tiles at two were dealt.
            self._leaning_s = t_s if len(self.delivery.dealt_s) > 1 else None
        if still and self._left_s is None and any(isinstance(each, HandOpened) for _, each in self._hands):
            # Rare pictures show the dice only once the first places have their tiles; they are shaken again after all.
            dealt_s = sorted(first_s for first_s, _ in self.delivery.dealt_s.values())
            self._left_s = t_s if len(dealt_s) > 1 and now.since_s < dealt_s[len(dealt_s) // 2] else None

    def observations(
        self, steps: Sequence[PhaseStep], boxes: Iterable[int], hands: RoundHands
    ) -> tuple[TimedObservation, ...]:
        """All observations by time; for a hand, its last layout if that is certain.

        Args:
            steps: the phases of the round.
            boxes: those of the table.
            hands: the hands of the round.
        """
        found: list[TimedObservation] = [
            (step.since_s, _OF_TABLE[step.phase]()) for step in steps if step.phase in _OF_TABLE
        ]
        found += [(throw.since_s, _dice(throw)) for throw in self._throws]
        found += self.delivery.observations(boxes)
        if self._leaning_s is not None:
            found.append((self._leaning_s, LeaningDiceLeft()))
        if self._old_s is not None:
            found.append((self._old_s, OldDiceLeft()))
        if self._left_s is not None:
            found.append((self._left_s, DiceLeft()))
        if self._unused_s is not None:
            found.append((self._unused_s, UnusedOpen()))
        lays = {hand.place.box: hand.lays[-1].hand for hand in hands if hand.lays}
        for t_s, seen in self._hands:
            lay = lays.get(seen.box) if isinstance(seen, HandOpened) else None
            read = lay is not None and lay.status == "verified"
            found.append((t_s, replace(seen, low=lay.low, high=lay.high) if lay is not None and read else seen))  # type: ignore[call-arg]
        return tuple(sorted(found, key=lambda timed: timed[0]))


def _boxes(places: Iterable[Place]) -> tuple[int, ...]:
    return tuple(sorted(place.box for place in places if place.box is not None))


def _closed(of: Place, scene: TableScene, hands: RoundHands) -> tuple[int | None, ...]:
    """Other boxes with still, closed tiles of an unopened hand; None before the float."""
    lying = [
        place for place in scene.at_places if place != of and not hands.opened(place) and scene.closed_at_rest(place)
    ]
    return _in_order(lying)


def _in_order(places: Iterable[Place], known: Iterable[int | None] = ()) -> tuple[int | None, ...]:
    """Boxes in order, after the place before the float; with those already known."""
    found = {place.box for place in places if place.is_house or place.box is not None}
    return tuple(sorted({*found, *known}, key=lambda box: box or 0))


def _dice(throw: Throw) -> DiceSeen:
    """An observed throw; without a number unless it was read with certainty.

    The box dice count also beside a cut die that is not: they alone decide the first box (ruling 47).
    """
    cocked = any(die.cocked for die in throw.dice)
    flat = [die for die in throw.dice if not die.cocked and die.value is not None]
    if not cocked and not throw.verified:
        box_dice = [die for die in throw.dice if die.role == "box"]
        rest = {die.role for die in throw.dice} - {"box"}
        if rest == {"cut"} and len(box_dice) + 1 == len(throw.dice) and _all_verified(box_dice):
            return DiceSeen(tuple(die.value for die in box_dice if die.value is not None))
        return DiceSeen(())
    box, cut = _by_role(flat, len(throw.dice))
    return DiceSeen(box, cut, cocked, distinguished=not box or any(die.role is not None for die in flat))


def _all_verified(dice: Sequence[DieReading]) -> bool:
    return all(die.status == "verified" and die.value is not None for die in dice)


def _by_role(flat: Sequence[DieReading], thrown: int) -> tuple[tuple[int, ...], int | None]:
    """Values of the box dice and of the cut die; empty if they were not distinguished."""
    values = [(die.role, die.value) for die in flat if die.value is not None]
    if any(role is None for role, _ in values):
        all_alike = thrown in _UNDISTINGUISHED and all(role is None for role, _ in values)
        return (tuple(value for _, value in values), None) if all_alike else ((), None)
    cut = [value for role, value in values if role == "cut"]
    return tuple(value for role, value in values if role == "box"), cut[0] if len(cut) == 1 else None
