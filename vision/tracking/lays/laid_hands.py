"""The hands that lie whole on the table now, each tile as all its pictures and the set of the round say."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.table.sizes import TILE_MM, rectangle_corners
from vision.checks import overlapping
from vision.hand_grouping import hands_at_places, hands_by_nearness
from vision.tracking.lays.hand_history import KNOCKED, LaidHand
from vision.tracking.tracks.consensus import consensus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration.table.places import Place
    from vision.findings import Finding
    from vision.hand_grouping import Conventions
    from vision.reading import TileReading
    from vision.tracking.set_over_round import DecodedSet
    from vision.tracking.table_scene import TableScene
    from vision.tracking.tracks.tile_tracks import Track

_HAND_TILES: Final = 4


@dataclass(frozen=True, slots=True)
class LaidHands:
    """How the tiles in play lie now.

    Attributes:
        hands: those that lie whole, by place.
        findings: what is wrong with the lay elsewhere.
    """

    hands: Mapping[Place, LaidHand] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def open_at_rest(scene: TableScene) -> list[Track]:
    """The tiles in play that the latest picture shows open and at rest.

    One that is out of sight may lie elsewhere already, so it says nothing of the others.
    """
    return [track for track in scene.in_play() if track.tile.face_up and scene.in_sight(track) and scene.at_rest(track)]


def laid_hands(
    scene: TableScene, open_tiles: Sequence[Track], decoded: DecodedSet, conventions: Conventions
) -> LaidHands:
    """Put the hands together.

    Args:
        scene: the table now.
        open_tiles: the tiles in play that show their face and lie still.
        decoded: what these are, together.
        conventions: which way each place lies, and which lay is low.
    """
    shown = set(map(id, open_tiles))
    others = [track for track in scene.in_play() if id(track) not in shown]
    read = [over_time(track, decoded, scene) for track in open_tiles]
    everything = [*read, *(track.tile for track in others)]
    if not scene.calibrated:
        _, findings = hands_by_nearness(everything, set())
        return LaidHands(_by_nearness(open_tiles, read), tuple(findings))
    faulty = overlapping(_outlines_mm([*open_tiles, *others]))
    hands, findings = hands_at_places(everything, faulty, conventions, TILE_MM[0])
    laid = {}
    for hand in hands:
        tracks = [track for track in open_tiles if track.tile.place == hand.place]
        if len(tracks) < _HAND_TILES:
            continue  # one of the four moves still
        faces = (tile.face for tile in read if tile.place == hand.place and tile.status == "verified")
        laid[hand.place] = LaidHand(
            replace(hand, status="uncertain", doubts=(KNOCKED,)) if scene.knocked else hand,
            max(track.since_s for track in tracks),
            frozenset(track.epoch for track in tracks),
            tuple(face for face in faces if face is not None),
            tuple(track.anchor.middle_mm for track in tracks),
        )
    return LaidHands(laid, tuple(findings))


def _by_nearness(open_tiles: Sequence[Track], read: Sequence[TileReading]) -> dict[Place, LaidHand]:
    """The hands where no places are known; such hands are never verified."""
    if not open_tiles:
        return {}
    hands, _ = hands_by_nearness(read, set())
    since_s = max(track.since_s for track in open_tiles)
    epoch = frozenset(track.epoch for track in open_tiles)
    return {hand.place: LaidHand(hand, since_s, epoch) for hand in hands}


def over_time(track: Track, decoded: DecodedSet, scene: TableScene) -> TileReading:
    """What all pictures of a tile say of it."""
    agreed = consensus(track.samples)
    own = agreed.doubts(scene.terms)
    # What its own pictures leave open is open beside the others too, and need not be said twice.
    doubts = (*own, *decoded.doubts(track.number, None if own else agreed.face))
    lying = replace(track.tile, center_mm=track.spot.middle_mm, angle_deg=track.spot.angle_deg)
    if not doubts:
        return replace(lying, face=agreed.face, status="verified", doubts=())
    last = (doubt for doubt in track.tile.doubts if doubt not in doubts)
    named = decoded.named.get(track.number)
    # The likeliest face beside the others is shown, and never as more than that.
    face = agreed.face or (named.face if named else None) or track.tile.face
    return replace(lying, face=face, status="uncertain", doubts=(*doubts, *last))


def _outlines_mm(tracks: Sequence[Track]) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """Outlines (n, 4, 2) of tiles as they lie."""
    angles = np.deg2rad([track.spot.angle_deg for track in tracks])
    middles = [track.spot.middle_mm for track in tracks]
    return np.asarray(rectangle_corners(middles, angles, TILE_MM[:2]), np.float32)
