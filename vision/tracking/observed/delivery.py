"""The delivery as observed: when each place got its tiles, and from which stacks."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from engine.observed.observations import StacksSeen, TilesCounted, TilesDealt
from engine.vocabulary.delivery_order import STACKS
from vision.tracking.phases import Phase
from vision.tracking.tracks.tile_tracks import angle_between_deg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from calibration.table.places import Place
    from engine.observed.observations import Observation
    from vision.tracking.confirmation_terms import Terms
    from vision.tracking.table_scene import TableScene
    from vision.tracking.tracks.tile_tracks import Spot, Track

_AFTER_S: Final = 0.35
"""Tiles that came to rest less than this apart may have been dealt in any order: a sleeve hides them that long."""
_HIDING_PICTURES: Final = 2
"""The same in pictures, if they are rare: an arm in one picture hides what was placed since the previous one."""
_TURNED_DEG: Final = 75.0
"""Angle from which a tile was turned across; one in the hand that deals it lies at others."""
_JITTER_S: Final = 0.01
_BESIDE_MM: Final = (20.0, 40.0)
"""Minimum and maximum distance between centres of adjacent stacks: tiles are 25.4 mm wide."""
_AGREEING_PLACES: Final = 3
"""Places that must agree on a number of tiles before another is reported to have more."""
_COUNTED_S: Final = 0.6
_COUNTED_PICTURES: Final = 3
"""Time, and number of pictures, for which the number of tiles must be constant to be counted."""
_STANDS_MM: Final = 14.0
"""Maximum apparent distance of a stack's upper tile from its place: lower ones are seen at another angle."""
_GONE_S: Final = 2.3
_GONE_PICTURES: Final = 8
"""Time, and number of pictures, for which a stack is not seen although a neighbour is, before it counts as gone: an arm
hides it while three places are dealt to.
"""
_NEXT: Final = 2
"""How many places away a stack counts as a neighbour: the one between may be gone."""
_LAST_S: Final = 1.6
"""Seconds after the stacks are gone within which the last tiles come to rest."""
_PAUSE_S: Final = 2.5
"""Seconds without another place dealt to after which tiles at places are no longer as dealt."""
_DEALING: Final = frozenset({Phase.STACKS, Phase.DICE_SHOWN, Phase.DELIVERY})

TimedObservation = tuple[float, "Observation"]
"""Time in seconds, and observation."""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """Stacks standing and gone at a time."""

    t_s: float
    standing: tuple[int, ...]
    gone: tuple[int, ...]

    def without_gone(self, stack: int) -> _Snapshot:
        """A copy without a stack that was only hidden: it was seen again."""
        return self if stack not in self.gone else replace(self, gone=tuple(set(self.gone) - {stack}))


@dataclass(slots=True)
class _Pile:
    """Closed tiles at one place.

    Attributes:
        first: the first one seen, still or not, and when.
        dealt_s: since when they have been there: since the first was seen, if it was turned before any was still.
        lay_s: since when at least one, two ... of them have been still.
        spots: where most of them lay at once.
        steady: number of tiles still for long enough to be counted.
        sure: how many of these are certainly tiles: a shadow beside a stack is not.
        counted_s: time of the count.
        touched: whether they were moved since: spread out, more of them are visible.
    """

    first: tuple[Spot, float] | None = None
    dealt_s: float = math.inf
    lay_s: list[float] = field(default_factory=list)
    spots: tuple[Spot, ...] = ()
    steady: int = 0
    sure: int = 0
    counted_s: float = 0.0
    touched: bool = False
    _count: int = 0
    _since_s: float = 0.0
    _pictures: int = 0

    def update(self, there: Sequence[Track], scene: TableScene) -> None:
        """Process the next picture's tiles there."""
        closed = [track for track in there if not track.tile.face_up]
        if self.first is None:
            self.first = next(((track.spot, scene.t_s) for track in closed if scene.in_sight(track)), None)
        lying = [track for track in closed if scene.at_rest(track)]
        since_s = sorted(track.since_s for track in lying)
        if lying and not self.lay_s:
            self.dealt_s = since_s[0]
            if self.first is not None:
                before, first_s = self.first
                # A player may have his tiles turned across before two pictures show them still.
                if angle_between_deg(before.angle_deg, lying[0].spot.angle_deg) > _TURNED_DEG:
                    self.dealt_s = first_s
        self.lay_s += since_s[len(self.lay_s) :]
        self.count(lying, scene)

    def count(self, lying: Sequence[Track], scene: TableScene) -> None:
        """Count the still tiles of the next picture."""
        # A tile that an arm hid is tracked again where it lies.
        known = sum(any(_lies_there(track, spot, scene.terms) for track in lying) for spot in self.spots)
        self.touched = self.touched or known < min(len(lying), len(self.spots))
        if len(lying) > len(self.spots):
            self.spots = tuple(track.anchor for track in lying)
        count = len(lying)
        if count != self._count or not all(map(scene.in_sight, lying)):
            self._count, self._since_s, self._pictures = count, scene.t_s, 0
        self._pictures += 1
        if (
            self._pictures >= _COUNTED_PICTURES
            and scene.t_s - self._since_s >= _COUNTED_S
            and count > self.steady
            and not self.touched
        ):
            self.steady, self.counted_s = count, scene.t_s
            self.sure = sum(track.tile.status == "verified" for track in lying)


def _beside(number: int) -> tuple[range, range]:
    """The stacks next to one on its left and on its right."""
    return range(max(number - _NEXT, 0), number), range(number + 1, min(number + _NEXT + 1, STACKS))


def _lies_there(track: Track, spot: Spot, terms: Terms) -> bool:
    return track.anchor.lies_as(spot, terms.rest_mm, terms.rest_deg)


@dataclass(slots=True)
class DeliveryWatch:
    """Tracks the delivery of one round."""

    _piles: dict[Place, _Pile] = field(default_factory=dict)
    _ended_s: float | None = None
    _unsure_s: list[float] = field(default_factory=list)
    _pictures_s: list[float] = field(default_factory=list)
    _stacks_mm: tuple[tuple[float, float], ...] = ()
    _missed_s: list[list[float]] = field(default_factory=list)
    _snapshots: list[_Snapshot] = field(default_factory=list)

    @property
    def dealt_s(self) -> dict[Place, tuple[float, float]]:
        """First and last time at which each place got its tiles: the first, and as many as at most places.

        They arrive together, but one hidden by an arm or another tile is found later.
        """
        usual = max(self._usual, 1)
        return {
            place: (pile.lay_s[0], pile.lay_s[usual - 1])
            for place, pile in self._piles.items()
            if len(pile.lay_s) >= usual
        }

    def as_dealt(self, scene: TableScene) -> list[Place]:
        """Places where all tiles that were seen after the delivery, and no others, surely lie as they were dealt.

        One that an arm hid counts where it lay before, beside another that was never out of sight: nobody took them up.
        """
        found = []
        for place, tracks in scene.at_places.items():
            pile = self._piles.get(place)
            if pile is None or pile.touched or not pile.steady or pile.sure < pile.steady:
                continue
            still = all(
                not track.tile.face_up
                and track.tile.status == "verified"
                and scene.in_sight(track)
                and scene.at_rest(track)
                and (
                    track.since_s <= pile.counted_s or any(_lies_there(track, spot, scene.terms) for spot in pile.spots)
                )
                for track in tracks
            )
            kept = any(track.since_s <= pile.counted_s for track in tracks)
            if still and kept and len(tracks) == pile.steady:
                found.append(place)
        return found

    @property
    def _usual(self) -> int:
        """Number of tiles visible at most places, of four on top of each other; 0 before three agree."""
        counts = Counter(pile.steady for pile in self._piles.values() if pile.steady)
        (count, places), *_ = [*counts.most_common(1), (0, 0)]
        return count if places >= _AGREEING_PLACES and 2 * places > sum(counts.values()) else 0

    def update(self, scene: TableScene, phase: Phase | None, *, trusted: bool) -> None:
        """Process the next picture.

        Args:
            scene: the table now.
            phase: of the table as a whole.
            trusted: whether it shows everything.
        """
        if phase is Phase.SETTING:
            self._ended_s = scene.t_s if self._ended_s is None else self._ended_s
        ended = self._ended_s is not None and scene.t_s - self._ended_s > _LAST_S
        if ended or phase not in {*_DEALING, Phase.SETTING} or self._paused(scene.t_s, _COUNTED_PICTURES + 1):
            return
        if self._paused(scene.t_s, _COUNTED_PICTURES):
            for place, pile in self._piles.items() if trusted else ():
                pile.count(scene.closed_at_rest(place), scene)
            return
        self._pictures_s.append(scene.t_s)
        if not trusted:
            self._unsure_s.append(scene.t_s)
            self._stacks_mm = ()
            return
        for place, there in scene.at_places.items():
            self._piles.setdefault(place, _Pile()).update(there, scene)
        beside = [
            track
            for track in scene.tiles
            if scene.in_sight(track) and scene.at_rest(track) and not track.tile.face_up and track.tile.place is None
        ]
        if not self._piles and phase is not Phase.DELIVERY:
            self._find_stacks(beside)
        elif self._stacks_mm:
            self._see_stacks(beside, scene.t_s)

    def observations(self, boxes: Iterable[int]) -> Iterator[TimedObservation]:
        """The observations, in order of time.

        Args:
            boxes: those of the table; a box not seen to get its tiles has an unknown time.
        """
        dealt = {place.box for place in self.dealt_s}
        found = [*self._dealt(), *self._miscounted(), *self._stacks_seen(sum(box not in dealt for box in boxes))]
        yield from sorted(found, key=lambda timed: timed[0])

    def _paused(self, t_s: float, pictures: int) -> bool:
        """Whether no place was dealt to for so long that players handle their tiles, even if some are left over.

        Where pictures are rare, for at least this number of them.
        """
        first_s = [pile.lay_s[0] for pile in self._piles.values() if pile.lay_s]
        intervals = [now - before for before, now in pairwise(self._pictures_s[-_COUNTED_PICTURES:])]
        pause_s = max(_PAUSE_S, pictures * max(intervals, default=0.0) + _JITTER_S)
        return len(first_s) > 1 and t_s - max(first_s) > pause_s

    def _dealt(self) -> Iterator[TimedObservation]:
        group: list[Place] = []
        last_s = -math.inf
        in_order = sorted(self.dealt_s.items(), key=lambda item: item[1])
        for number, (place, (_, had_s)) in enumerate(in_order):
            first_s = min(self._piles[each].dealt_s for each, _ in in_order[number:])
            unsure = any(last_s <= unsure_s <= first_s for unsure_s in self._unsure_s)
            if group and first_s - last_s >= self._apart_s(last_s, first_s) and not unsure:
                yield last_s, TilesDealt(tuple(each.box for each in group))
                group = []
            group.append(place)
            last_s = max(last_s, had_s)
        if group:
            yield last_s, TilesDealt(tuple(each.box for each in group))

    def _apart_s(self, first_s: float, last_s: float) -> float:
        """Minimum time between two places for a known order, given the picture interval."""
        intervals = [now - before for before, now in pairwise(self._pictures_s) if first_s < now <= last_s]
        return max(_AFTER_S, _HIDING_PICTURES * max(intervals, default=0.0) - _JITTER_S)

    def _miscounted(self) -> Iterator[TimedObservation]:
        usual = self._usual
        for place, pile in self._piles.items():
            if usual and place.box is not None and pile.sure > usual:
                yield pile.counted_s, TilesCounted(place.box, more=True)

    def _find_stacks(self, closed: Sequence[Track]) -> None:
        """Learn the positions of the eight stacks, from the dealer's left."""
        row = sorted(track.spot.middle_mm for track in closed)
        gaps = [math.dist(one, other) for one, other in pairwise(row)]
        if len(row) == STACKS and all(_BESIDE_MM[0] <= gap <= _BESIDE_MM[1] for gap in gaps):
            self._stacks_mm, self._missed_s = tuple(row), [[] for _ in range(STACKS)]

    def _see_stacks(self, closed: Sequence[Track], t_s: float) -> None:
        standing = {
            number
            for number, middle_mm in enumerate(self._stacks_mm)
            if any(math.dist(middle_mm, track.spot.middle_mm) <= _STANDS_MM for track in closed)
        }
        gone = {
            number
            for number, missed_s in enumerate(self._missed_s)
            if len(missed_s) >= _GONE_PICTURES and missed_s[-1] - missed_s[0] >= _GONE_S
        } - standing
        for number in range(STACKS):
            if number in standing:
                self._missed_s[number].clear()
                self._snapshots = [each.without_gone(number + 1) for each in self._snapshots]
            elif all(set(side) <= gone or standing & set(side) for side in _beside(number)):
                self._missed_s[number].append(t_s)
        now = _Snapshot(t_s, *(tuple(number + 1 for number in sorted(some)) for some in (standing, gone)))
        last = self._snapshots[-1] if self._snapshots else None
        if last is None or (last.standing, last.gone) != (now.standing, now.gone):
            self._snapshots.append(now)

    def _stacks_seen(self, unseen: int) -> Iterator[TimedObservation]:
        # Tiles before the float were dealt to a box earlier.
        dealt_s = [span for place, span in self.dealt_s.items() if place.box is not None]
        for each in self._snapshots:
            fewest = sum(had_s <= each.t_s for _, had_s in dealt_s)
            most = sum(first_s <= each.t_s for first_s, _ in dealt_s)
            # The next tiles may already have been taken from the stacks and still be moving.
            yield each.t_s, StacksSeen(each.standing, each.gone, fewest, most + 1 + unseen)
