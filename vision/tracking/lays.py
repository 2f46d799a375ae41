"""Hands over time: what lay at each place in a round, from when on, in which order it was opened.

A hand is told once all four tiles lie still and whole: verified if every tile is, else with its doubts. One that was
verified is not forgotten when a sleeve passes over it, and a poorer look does not put it in doubt. What lies there
when the sleeve is gone must be verified anew; if it cannot be, or is something else, the hand says so.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.table.sizes import TILE_MM, rectangle_corners
from vision.checks import overlapping
from vision.findings import Code, Finding
from vision.hands import hands_at_places
from vision.tracking.agreement import agreement
from vision.tracking.together import NOT_TOGETHER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from calibration.table.places import Place
    from engine.game.tiles import Tile
    from vision.reading import HandReading, TileReading
    from vision.tracking.terms import Terms
    from vision.tracking.together import Decoded
    from vision.tracking.tracks import Track

KNOCKED: Final = Finding(Code.KNOCKED)
OTHER_TILES: Final = Finding(Code.OTHER_TILES_BEFORE)
HIDDEN: Final = Finding(Code.HIDDEN_SINCE)
MOVED_SINCE: Final = Finding(Code.MOVED_SINCE)
OF_THE_WHOLE: Final = frozenset({KNOCKED, OTHER_TILES, HIDDEN, MOVED_SINCE})
"""Doubts that leave nothing of a hand certain."""

_UNTOUCHED_MM: Final = 4.0
"""How far each tile of a hand may seem to lie from where it lay if nobody touched it. Laid down again by hand, at least
one of four lies further off."""

Epoch = frozenset[tuple[int, int]]
Pairs = tuple[list[str], list[str]]
"""The faces of the low and of the high hand, each in order."""


@dataclass(frozen=True, slots=True)
class Lay:
    """A hand as it lay from one moment on.

    Attributes:
        hand: as it was read, with its status and doubts over time.
        since_s: when the last of its tiles had come to rest.
        told_s: when enough had been seen of it.
        sequence: its number among all that was told at this table.
        epoch: its tiles as they lay; another once one of them was moved, turned or hidden.
        sure: the faces of those of its tiles that are beyond doubt by themselves.
        middles_mm: where its tiles lay when they came to rest.
    """

    hand: HandReading
    since_s: float
    told_s: float
    sequence: int
    epoch: Epoch
    sure: tuple[Tile, ...] = ()
    middles_mm: tuple[tuple[float, float], ...] = ()

    @property
    def held(self) -> tuple[Tile, ...]:
        """The faces that lay here for certain."""
        doubts = set(self.hand.doubts)
        if doubts <= {NOT_TOGETHER}:
            return (*self.hand.low, *self.hand.high)
        return () if doubts & OF_THE_WHOLE else self.sure

    @property
    def faces(self) -> list[str]:
        """Its four faces, in order."""
        return sorted(map(str, (*self.hand.low, *self.hand.high)))

    @property
    def pairs(self) -> Pairs:
        """What makes two lays the same."""
        return _pairs(self.hand)


@dataclass(frozen=True, slots=True)
class Hand:
    """What is known of one place in a round.

    Attributes:
        place: where.
        exposed_s: when three of its tiles or more first lay open; None before.
        sequence: its number among all that was told at this table when it was opened.
        lays: how it lay, one after the other.
        seen_s: when it was last seen to lie as the last of them.
        present: whether it lies so now; not if it is hidden, moved or away.
        away: whether it was put away.
    """

    place: Place
    exposed_s: float | None = None
    sequence: int = 0
    lays: tuple[Lay, ...] = ()
    seen_s: float = -math.inf
    present: bool = False
    away: bool = False

    @property
    def now(self) -> HandReading | None:
        """The hand as it lay last."""
        return self.lays[-1].hand if self.lays else None


@dataclass(frozen=True, slots=True)
class Whole:
    """Four tiles that lie open, still and as a hand.

    Attributes:
        hand: as they lie, with their doubts.
        since_s: when the last of them came to rest.
        looks: in how many pictures they were seen so.
        epoch: of the four tiles.
        sure: the faces of those that are beyond doubt.
        middles_mm: where they came to rest.
    """

    hand: HandReading
    since_s: float
    looks: int
    epoch: Epoch
    sure: tuple[Tile, ...] = ()
    middles_mm: tuple[tuple[float, float], ...] = ()

    @property
    def pairs(self) -> Pairs:
        """As those of a lay."""
        return _pairs(self.hand)

    def was_only_covered(self, lay: Lay) -> bool:
        """Whether the same tiles lie where they lay, closer than a hand could lay them again."""
        if self.pairs != lay.pairs or not lay.middles_mm:
            return False
        apart_mm = (min(math.dist(here, there) for there in lay.middles_mm) for here in self.middles_mm)
        return max(apart_mm, default=math.inf) < _UNTOUCHED_MM


def _pairs(hand: HandReading) -> Pairs:
    return sorted(map(str, hand.low)), sorted(map(str, hand.high))


def swapped(one: Pairs, other: Pairs) -> bool:
    """Whether a tile of two lays belongs to the low hand of one and to the high hand of the other.

    What was misread in a doubtful lay is no tile of both.
    """
    (low, faces), (other_low, others) = ((Counter(pairs[0]), Counter(pairs[0] + pairs[1])) for pairs in (one, other))
    return any(faces[face] == others[face] and low[face] != other_low[face] for face in faces)


def whole_hands(
    open_tiles: Sequence[Track],
    others: Sequence[Track],
    decoded: Decoded,
    angle_deg: Callable[[Place], float],
    terms: Terms,
    *,
    knocked: bool = False,
) -> dict[Place, Whole]:
    """The hands that lie whole on the table now, by place.

    Args:
        open_tiles: tiles at places of hands that show their face and lie still.
        others: all other tiles in sight; one of them at the same place, and there is no hand.
        decoded: what all tiles are, together.
        angle_deg: direction of a place.
        terms: what is asked of time.
        knocked: whether the camera was, so that nothing counts.
    """
    told = [*(over_time(track, decoded, terms) for track in open_tiles), *(track.tile for track in others)]
    lying = [*open_tiles, *others]
    hands, _ = hands_at_places(told, overlapping(_outlines_mm(lying)), angle_deg, TILE_MM[0])
    found = {}
    for hand in hands:
        tracks = [track for track in open_tiles if track.tile.place == hand.place]
        if len(tracks) < 4:
            continue  # one of the four moves still
        found[hand.place] = Whole(
            replace(hand, status="uncertain", doubts=(KNOCKED,)) if knocked else hand,
            max(track.since_s for track in tracks),
            min(track.looks for track in tracks),
            frozenset(track.epoch for track in tracks),
            tuple(tile.face for tile in told if tile.place == hand.place and tile.face and tile.status == "verified"),
            tuple((track.anchor.x_mm, track.anchor.y_mm) for track in tracks),
        )
    return found


def over_time(track: Track, decoded: Decoded, terms: Terms) -> TileReading:
    """What all pictures of a tile say of it."""
    agreed = agreement(track.samples)
    own = agreed.doubts(terms)
    # What is not sure by itself is not sure beside the others either: that goes without saying.
    doubts = (*own, *decoded.doubts(track.number, None if own else agreed.face))
    lying = replace(track.tile, center_mm=(track.spot.x_mm, track.spot.y_mm), angle_deg=track.spot.angle_deg)
    if not doubts:
        return replace(lying, face=agreed.face, status="verified", doubts=())
    last = (doubt for doubt in track.tile.doubts if doubt not in doubts)
    named = decoded.tracks.get(track.number)
    # What is not certain is told as it is likeliest beside the others, and never as more than that.
    face = agreed.face or (named.face if named else None) or track.tile.face
    return replace(lying, face=face, status="uncertain", doubts=(*doubts, *last))


def _outlines_mm(tracks: Sequence[Track]) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """Outlines (n, 4, 2) of tiles as they lie."""
    angles = np.deg2rad([track.spot.angle_deg for track in tracks])
    middles = [(track.spot.x_mm, track.spot.y_mm) for track in tracks]
    return np.asarray(rectangle_corners(middles, angles, TILE_MM[:2]), np.float32)


def heard(known: Hand, whole: Whole, t_s: float, sequence: int, *, ripe: bool) -> Hand:
    """What is known of a place after four tiles were seen to lie there whole.

    Args:
        known: before.
        whole: how they lie.
        t_s: now.
        sequence: the number of the next thing told at this table.
        ripe: whether it has been looked at for so long that it is told with its doubts.
    """
    lay = Lay(whole.hand, whole.since_s, t_s, sequence, whole.epoch, whole.sure, whole.middles_mm)
    last = known.lays[-1] if known.lays else None
    sure = lay.hand.status == "verified"
    ripe = ripe or sure
    if last is None:
        return replace(known, lays=(lay,), seen_s=t_s, present=True, away=False) if ripe else known
    if lay.pairs == last.pairs:
        return _same_again(known, lay, t_s, ripe=ripe)
    if not ripe:
        return replace(known, present=False)
    if lay.faces != last.faces and last.hand.status == "verified":
        # Four tiles were dealt to this place; others are a misreading or worse.
        lay = replace(lay, hand=_doubted(lay.hand, OTHER_TILES))
    # Within one look the same tiles were taken for others: nothing was laid anew.
    before = known.lays[:-1] if lay.epoch == last.epoch else known.lays
    return replace(known, lays=(*before, lay), seen_s=t_s, present=True, away=False)


def _same_again(known: Hand, lay: Lay, t_s: float, *, ripe: bool) -> Hand:
    """The lay that was known already."""
    last = known.lays[-1]
    seen = replace(known, seen_s=t_s, present=True, away=False)
    if lay.hand.status == last.hand.status:
        # Also two doubtful looks are one; the reasons told first stay.
        return replace(
            seen, lays=(*known.lays[:-1], replace(last, epoch=lay.epoch, sure=lay.sure, middles_mm=lay.middles_mm))
        )
    if lay.hand.status == "verified":
        return seen if OTHER_TILES in last.hand.doubts else replace(seen, lays=(*known.lays[:-1], _told(last, lay)))
    if lay.epoch == last.epoch:
        if any(doubt.code is Code.TWO_FACES for doubt in lay.hand.doubts):
            # Nothing seemed to move, and yet a tile is another now: it was exchanged under our eyes, or misread.
            return replace(seen, lays=(*known.lays[:-1], replace(last, hand=lay.hand)))
        return seen  # a poorer look at what lies there unmoved
    if not ripe:
        return replace(known, present=False)
    return replace(seen, lays=(*known.lays[:-1], _told(last, replace(lay, hand=_doubted(lay.hand, HIDDEN)))))


def _told(before: Lay, now: Lay) -> Lay:
    """The same lay, known better or worse than before; it lies there since it was first seen to."""
    return replace(now, since_s=before.since_s)


def doubted_hand(known: Hand, doubt: Finding) -> Hand:
    """The same with its last lay in doubt."""
    last = known.lays[-1]
    if doubt in last.hand.doubts:
        return known
    return replace(known, lays=(*known.lays[:-1], replace(last, hand=_doubted(last.hand, doubt))))


def _doubted(hand: HandReading, doubt: Finding) -> HandReading:
    return replace(hand, status="uncertain", doubts=(*hand.doubts, doubt))


def holds(known: Hand, face: Tile) -> bool:
    """Whether the hand as it lay last holds this face."""
    return known.now is not None and face in (*known.now.low, *known.now.high)
