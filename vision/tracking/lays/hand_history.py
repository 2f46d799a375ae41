"""Hands over time: successive layouts of the tiles at each place in a round.

A hand is recorded once all four tiles are still and complete: verified if every tile is, otherwise with its doubts. A
verified hand is not forgotten when a sleeve passes over it, and a poorer picture does not make it doubtful. After the
sleeve is gone the tiles must be verified again; if they cannot be, or differ, the hand is marked accordingly.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self

from vision.findings import Code, Finding
from vision.tracking.set_over_round import MORE_THAN_THE_SET

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from calibration.table.places import Place
    from engine.game.tiles import Tile
    from vision.reading import HandReading

KNOCKED: Final = Finding(Code.KNOCKED)
OTHER_TILES: Final = Finding(Code.OTHER_TILES_BEFORE)
HIDDEN: Final = Finding(Code.HIDDEN_SINCE)
MOVED_SINCE: Final = Finding(Code.MOVED_SINCE)
_LEAVING_NOTHING_CERTAIN: Final = frozenset({KNOCKED, OTHER_TILES, HIDDEN, MOVED_SINCE})
"""Doubts about the hand as a whole."""

Epoch = frozenset[tuple[int, int]]
Pairs = tuple[list[str], list[str]]
"""The sorted faces of the low and of the high hand."""


@dataclass(frozen=True, slots=True)
class LaidHand:
    """Four open tiles, still and arranged as a hand.

    Attributes:
        hand: the current hand, with its status and doubts over time.
        since_s: when the last of them came to rest.
        epoch: identifies its tiles in their positions; changes when one is moved, turned or hidden.
        certain: the faces that are individually certain.
        middles_mm: their positions at rest.
    """

    hand: HandReading
    since_s: float
    epoch: Epoch
    certain: tuple[Tile, ...] = ()
    middles_mm: tuple[tuple[float, float], ...] = ()

    @property
    def verified(self) -> bool:
        """Whether every tile is, and the layout is valid."""
        return self.hand.status == "verified"

    @property
    def pairs(self) -> Pairs:
        """Key for comparing layouts."""
        return sorted(map(str, self.hand.low)), sorted(map(str, self.hand.high))

    @property
    def faces(self) -> list[str]:
        return sorted(map(str, (*self.hand.low, *self.hand.high)))

    def with_doubt(self, doubt: Finding) -> Self:
        hand = replace(self.hand, status="uncertain", doubts=(*self.hand.doubts, doubt))
        return replace(self, hand=hand)

    def is_untouched(self, before: LaidHand, within_mm: float) -> bool:
        """Whether the same tiles are where those of another layout were, each within a distance."""
        if self.pairs != before.pairs or not before.middles_mm:
            return False
        apart_mm = (min(math.dist(here, there) for there in before.middles_mm) for here in self.middles_mm)
        return max(apart_mm, default=math.inf) < within_mm


@dataclass(frozen=True, slots=True)
class Lay(LaidHand):
    """A hand's layout from one moment of a round.

    Attributes:
        decided_s: when it had been seen enough.
    """

    decided_s: float = field(kw_only=True)

    @classmethod
    def of(cls, laid: LaidHand, decided_s: float) -> Self:
        """A new layout starting with the current tiles."""
        return cls(laid.hand, laid.since_s, laid.epoch, laid.certain, laid.middles_mm, decided_s=decided_s)

    @property
    def certain_faces(self) -> tuple[Tile, ...]:
        doubts = set(self.hand.doubts)
        if doubts <= {MORE_THAN_THE_SET}:
            return (*self.hand.low, *self.hand.high)
        return () if doubts & _LEAVING_NOTHING_CERTAIN else self.certain


@dataclass(frozen=True, slots=True)
class HandHistory:
    """History of the hand at one place in a round.

    Attributes:
        exposed_s: when three or more of its tiles were first open; None before.
        opened: its number among the hands opened in this round; 0 before.
        lays: its successive layouts.
        seen_s: when the last of them was last seen.
        present: whether it is currently visible in that layout; not if it is hidden, moved or away.
        away: whether it was put away.
    """

    place: Place
    exposed_s: float | None = None
    opened: int = 0
    lays: tuple[Lay, ...] = ()
    seen_s: float = -math.inf
    present: bool = False
    away: bool = False

    @property
    def now(self) -> HandReading | None:
        return self.lays[-1].hand if self.lays else None

    @property
    def verified(self) -> bool:
        return self.now is not None and self.now.status == "verified"

    def holds(self, face: Tile) -> bool:
        """Whether its last layout contains this face."""
        return self.now is not None and face in (*self.now.low, *self.now.high)

    def with_doubt(self, doubt: Finding) -> HandHistory:
        """A copy with its last layout in doubt."""
        last = self.lays[-1]
        return self if doubt in last.hand.doubts else self.with_last(last.with_doubt(doubt))

    def with_last(self, lay: Lay) -> HandHistory:
        """A copy with its last layout replaced."""
        return replace(self, lays=(*self.lays[:-1], lay))


@dataclass(slots=True)
class RoundHands:
    """The hands at all places of a round.

    Attributes:
        by_place: the hands, in order of first appearance.
    """

    by_place: dict[Place, HandHistory] = field(default_factory=dict)

    def __iter__(self) -> Iterator[HandHistory]:
        """The current hands; changes during iteration are safe."""
        return iter(tuple(self.by_place.values()))

    def __getitem__(self, place: Place) -> HandHistory:
        """The hand at a place; an empty history otherwise."""
        return self.by_place.get(place, HandHistory(place))

    def put(self, hand: HandHistory) -> None:
        self.by_place[hand.place] = hand

    def open(self, hand: HandHistory, since_s: float) -> None:
        """Store a hand as the latest that was opened."""
        number = 1 + max((each.opened for each in self), default=0)
        self.put(replace(hand, exposed_s=since_s, opened=number))

    def doubt(self, place: Place, doubt: Finding) -> None:
        """Add a doubt to the last layout of a hand."""
        self.put(self[place].with_doubt(doubt))

    def hide(self, shown: Collection[Place], t_s: float, unseen_s: float) -> None:
        """Mark hands as hidden that are not complete now, nor were a moment ago."""
        for hand in self:
            if hand.present and hand.place not in shown and t_s - hand.seen_s > unseen_s:
                self.put(replace(hand, present=False))

    def opened(self, place: Place) -> bool:
        return self[place].exposed_s is not None

    def in_order(self) -> tuple[HandHistory, ...]:
        return tuple(sorted((each for each in self if each.exposed_s is not None), key=lambda each: each.opened))


def swapped(one: Pairs, other: Pairs) -> bool:
    """Whether a tile moved between the low and the high hand from one layout to the other.

    A tile misread in a doubtful layout is not in both.
    """
    (low, faces), (other_low, others) = ((Counter(pairs[0]), Counter(pairs[0] + pairs[1])) for pairs in (one, other))
    return any(faces[face] == others[face] and low[face] != other_low[face] for face in faces)


def observed(known: HandHistory, laid: LaidHand, t_s: float, *, doubtful: bool) -> HandHistory:
    """Update a hand's history after four tiles were seen complete at its place.

    Args:
        known: the history before.
        laid: the current layout.
        t_s: now.
        doubtful: whether they have been there long enough to record a hand with its doubts.
    """
    lay = Lay.of(laid, t_s)
    last = known.lays[-1] if known.lays else None
    taken = doubtful or lay.verified
    seen = replace(known, seen_s=t_s, present=True, away=False)
    if last is None:
        return replace(seen, lays=(lay,)) if taken else known
    if lay.pairs == last.pairs:
        return _observed_again(known, lay, t_s, taken=taken)
    if not taken:
        return replace(known, present=False)
    if lay.faces != last.faces and last.verified:
        # Four tiles were dealt to this place; others are a misreading or worse.
        lay = lay.with_doubt(OTHER_TILES)
    # Within one epoch, the same tiles were misread: the layout did not change.
    before = known.lays[:-1] if lay.epoch == last.epoch else known.lays
    return replace(seen, lays=(*before, lay))


def _observed_again(known: HandHistory, lay: Lay, t_s: float, *, taken: bool) -> HandHistory:
    """The known layout with more or less certainty than before; its start time does not change."""
    last = known.lays[-1]
    seen = replace(known, seen_s=t_s, present=True, away=False)
    if lay.verified == last.verified:
        # Two doubtful observations count as one; the doubts of the first remain.
        return seen.with_last(replace(last, epoch=lay.epoch, certain=lay.certain, middles_mm=lay.middles_mm))
    if lay.verified:
        return seen if OTHER_TILES in last.hand.doubts else seen.with_last(replace(lay, since_s=last.since_s))
    if lay.epoch == last.epoch:
        if any(doubt.code is Code.TWO_FACES for doubt in lay.hand.doubts):
            # Nothing moved, and yet a tile differs: it was exchanged in view, or misread.
            return seen.with_last(replace(last, hand=lay.hand))
        return seen  # a poorer picture of an unmoved layout
    if not taken:
        return replace(known, present=False)
    return seen.with_last(replace(lay.with_doubt(HIDDEN), since_s=last.since_s))
