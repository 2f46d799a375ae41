"""The complete hands on the table now, with each tile decoded from all its pictures and the set of the round."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from calibration.table.sizes import TILE_MM, rectangle_corners
from vision.checks import overlapping
from vision.hand_grouping import TILES_OF_A_HAND, hands_at_places, hands_by_nearness
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


@dataclass(frozen=True, slots=True)
class LaidHands:
    """Current layout of the tiles in play.

    Attributes:
        hands: complete hands by place.
        findings: faults of layouts elsewhere.
    """

    hands: Mapping[Place, LaidHand] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def open_at_rest(scene: TableScene) -> list[Track]:
    """The tiles in play that are open and at rest in the latest picture.

    A tile out of sight may have moved, so it is no constraint on the others.
    """
    return [track for track in scene.in_play() if track.tile.face_up and scene.in_sight(track) and scene.at_rest(track)]


def laid_hands(
    scene: TableScene, open_tiles: Sequence[Track], decoded: DecodedSet, conventions: Conventions
) -> LaidHands:
    """Assemble the hands.

    Args:
        scene: the table now.
        open_tiles: the tiles in play that are face up and still.
        decoded: their joint decoding.
        conventions: direction of each place, and how low hands lie.
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
        if len(tracks) < TILES_OF_A_HAND:
            continue  # one of the four is still moving
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
    """The hands if no places are known; such hands are never verified."""
    if not open_tiles:
        return {}
    hands, _ = hands_by_nearness(read, set())
    since_s = max(track.since_s for track in open_tiles)
    epoch = frozenset(track.epoch for track in open_tiles)
    return {hand.place: LaidHand(hand, since_s, epoch) for hand in hands}


def over_time(track: Track, decoded: DecodedSet, scene: TableScene) -> TileReading:
    """Combined reading from all pictures of a tile."""
    agreed = consensus(track.samples)
    own = agreed.doubts(scene.terms)
    # A face left open by its own pictures is also open jointly, and need not be reported twice.
    doubts = (*own, *decoded.doubts(track.number, None if own else agreed.face))
    lying = replace(track.tile, center_mm=track.spot.middle_mm, angle_deg=track.spot.angle_deg)
    if not doubts:
        return replace(lying, face=agreed.face, status="verified", doubts=())
    last = (doubt for doubt in track.tile.doubts if doubt not in doubts)
    named = decoded.named.get(track.number)
    # The jointly likeliest face is reported, but never as more than that.
    face = agreed.face or (named.face if named else None) or track.tile.face
    return replace(lying, face=face, status="uncertain", doubts=(*doubts, *last))


def _outlines_mm(tracks: Sequence[Track]) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """Current outlines (n, 4, 2) of tiles."""
    angles = np.deg2rad([track.spot.angle_deg for track in tracks])
    middles = [track.spot.middle_mm for track in tracks]
    return np.asarray(rectangle_corners(middles, angles, TILE_MM[:2]), np.float32)
