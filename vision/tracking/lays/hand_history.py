"""Hands over time: how the tiles of each place lay in a round, one lay after the other.

A hand is taken once all four tiles lie still and whole: verified if every tile is, otherwise with its doubts. One that
was verified is not forgotten when a sleeve passes over it, and a poorer picture does not put it in doubt. What lies
there when the sleeve is gone must be verified anew; if it cannot be, or is something else, the hand says so.
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
"""The faces of the low and of the high hand, each in order."""


@dataclass(frozen=True, slots=True)
class LaidHand:
    """Four tiles that lie open, still and as a hand.

    Attributes:
        hand: as they lie, with their status and doubts over time.
        since_s: when the last of them came to rest.
        epoch: its tiles as they lie; another once one of them was moved, turned or hidden.
        certain: the faces of those that are beyond doubt by themselves.
        middles_mm: where they came to rest.
    """

    hand: HandReading
    since_s: float
    epoch: Epoch
    certain: tuple[Tile, ...] = ()
    middles_mm: tuple[tuple[float, float], ...] = ()

    @property
    def verified(self) -> bool:
        """Whether every tile is, and the lay is faultless."""
        return self.hand.status == "verified"

    @property
    def pairs(self) -> Pairs:
        """What makes two lays the same."""
        return sorted(map(str, self.hand.low)), sorted(map(str, self.hand.high))

    @property
    def faces(self) -> list[str]:
        """Its four faces, in order."""
        return sorted(map(str, (*self.hand.low, *self.hand.high)))

    def doubted(self, doubt: Finding) -> Self:
        """The same with one more doubt."""
        hand = replace(self.hand, status="uncertain", doubts=(*self.hand.doubts, doubt))
        return replace(self, hand=hand)

    def is_untouched(self, before: LaidHand, within_mm: float) -> bool:
        """Whether the same tiles lie where those of another lay lay, each within a distance."""
        if self.pairs != before.pairs or not before.middles_mm:
            return False
        apart_mm = (min(math.dist(here, there) for there in before.middles_mm) for here in self.middles_mm)
        return max(apart_mm, default=math.inf) < within_mm


@dataclass(frozen=True, slots=True)
class Lay(LaidHand):
    """A hand as it lay from one moment of a round on.

    Attributes:
        decided_s: when enough had been seen of it.
    """

    decided_s: float = field(kw_only=True)

    @classmethod
    def of(cls, laid: LaidHand, decided_s: float) -> Self:
        """The lay that begins with four tiles as they lie now."""
        return cls(laid.hand, laid.since_s, laid.epoch, laid.certain, laid.middles_mm, decided_s=decided_s)

    @property
    def certain_faces(self) -> tuple[Tile, ...]:
        """The faces that lay here for certain."""
        doubts = set(self.hand.doubts)
        if doubts <= {MORE_THAN_THE_SET}:
            return (*self.hand.low, *self.hand.high)
        return () if doubts & _LEAVING_NOTHING_CERTAIN else self.certain


@dataclass(frozen=True, slots=True)
class HandHistory:
    """What is known of one place in a round.

    Attributes:
        place: where.
        exposed_s: when three of its tiles or more first lay open; None before.
        opened: its number among the hands opened in this round; 0 before.
        lays: how it lay, one after the other.
        seen_s: when it was last seen to lie as the last of them.
        present: whether it lies so now; not if it is hidden, moved or away.
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
        """The hand as it lay last."""
        return self.lays[-1].hand if self.lays else None

    @property
    def verified(self) -> bool:
        """Whether it is verified as it lay last."""
        return self.now is not None and self.now.status == "verified"

    def holds(self, face: Tile) -> bool:
        """Whether the hand as it lay last holds this face."""
        return self.now is not None and face in (*self.now.low, *self.now.high)

    def doubted(self, doubt: Finding) -> HandHistory:
        """The same with its last lay in doubt."""
        last = self.lays[-1]
        return self if doubt in last.hand.doubts else self.with_last(last.doubted(doubt))

    def with_last(self, lay: Lay) -> HandHistory:
        """The same with its last lay known otherwise."""
        return replace(self, lays=(*self.lays[:-1], lay))


@dataclass(slots=True)
class RoundHands:
    """What is known of each place of a round.

    Attributes:
        by_place: the hands, in the order in which they were first known.
    """

    by_place: dict[Place, HandHistory] = field(default_factory=dict)

    def __iter__(self) -> Iterator[HandHistory]:
        """The hands known now; what is put meanwhile does not disturb."""
        return iter(tuple(self.by_place.values()))

    def __getitem__(self, place: Place) -> HandHistory:
        """What is known of a place; a hand of which nothing is known if that is nothing."""
        return self.by_place.get(place, HandHistory(place))

    def put(self, hand: HandHistory) -> None:
        """Know a hand so from now on."""
        self.by_place[hand.place] = hand

    def open(self, hand: HandHistory, since_s: float) -> None:
        """Know a hand as the latest that was opened."""
        number = 1 + max((each.opened for each in self), default=0)
        self.put(replace(hand, exposed_s=since_s, opened=number))

    def doubt(self, place: Place, doubt: Finding) -> None:
        """Put the last lay of a hand in doubt."""
        self.put(self[place].doubted(doubt))

    def hide(self, shown: Collection[Place], t_s: float, unseen_s: float) -> None:
        """Know hands to be hidden that do not lie whole now, nor did since a moment ago."""
        for hand in self:
            if hand.present and hand.place not in shown and t_s - hand.seen_s > unseen_s:
                self.put(replace(hand, present=False))

    def opened(self, place: Place) -> bool:
        """Whether the hand at a place was opened in this round."""
        return self[place].exposed_s is not None

    def in_order(self) -> tuple[HandHistory, ...]:
        """The hands that were opened, in that order."""
        return tuple(sorted((each for each in self if each.exposed_s is not None), key=lambda each: each.opened))


def swapped(one: Pairs, other: Pairs) -> bool:
    """Whether a tile of two lays belongs to the low hand of one and to the high hand of the other.

    What was misread in a doubtful lay is no tile of both.
    """
    (low, faces), (other_low, others) = ((Counter(pairs[0]), Counter(pairs[0] + pairs[1])) for pairs in (one, other))
    return any(faces[face] == others[face] and low[face] != other_low[face] for face in faces)


def observed(known: HandHistory, laid: LaidHand, t_s: float, *, doubtful: bool) -> HandHistory:
    """What is known of a place after four tiles were seen to lie there whole.

    Args:
        known: before.
        laid: how they lie.
        t_s: now.
        doubtful: whether they have lain there for so long that a hand is taken also with its doubts.
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
        lay = lay.doubted(OTHER_TILES)
    # Within one epoch the same tiles were taken for others: nothing was laid anew.
    before = known.lays[:-1] if lay.epoch == last.epoch else known.lays
    return replace(seen, lays=(*before, lay))


def _observed_again(known: HandHistory, lay: Lay, t_s: float, *, taken: bool) -> HandHistory:
    """The lay that was known already, known better or worse than before; it lies there since it was first seen to."""
    last = known.lays[-1]
    seen = replace(known, seen_s=t_s, present=True, away=False)
    if lay.verified == last.verified:
        # Two doubtful observations are one; the doubts of the first stay.
        return seen.with_last(replace(last, epoch=lay.epoch, certain=lay.certain, middles_mm=lay.middles_mm))
    if lay.verified:
        return seen if OTHER_TILES in last.hand.doubts else seen.with_last(replace(lay, since_s=last.since_s))
    if lay.epoch == last.epoch:
        if any(doubt.code is Code.TWO_FACES for doubt in lay.hand.doubts):
            # Nothing seemed to move, and yet a tile is another now: it was exchanged under our eyes, or misread.
            return seen.with_last(replace(last, hand=lay.hand))
        return seen  # a poorer picture of what lies there unmoved
    if not taken:
        return replace(known, present=False)
    return seen.with_last(replace(lay.doubted(HIDDEN), since_s=last.since_s))
