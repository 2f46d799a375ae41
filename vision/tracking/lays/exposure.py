"""Which hands are opened, and whether in the order in which they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from calibration.table.places import HOUSE
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from calibration.table.places import Place
    from vision.tracking.lays.round_hands import RoundHands
    from vision.tracking.scene import Scene

_OPENED_TILES: Final = 3
"""Tiles of a hand that must lie open before it counts as opened; a single one may have come up by mistake."""


def opened_since(place: Place, scene: Scene) -> float | None:
    """Since when the hand at a place lies open; None if it does not."""
    open_ = [track for track in scene.at_places[place] if scene.at_rest(track) and track.tile.face_up]
    return min(track.since_s for track in open_) if len(open_) >= _OPENED_TILES else None


def exposure_findings(place: Place, scene: Scene, hands: RoundHands) -> list[Finding]:
    """What is wrong with opening a hand now: before the bank's, or before a box whose turn it is.

    Args:
        place: of the hand.
        scene: the table now.
        hands: of the round, before this one was opened.
    """
    findings = []
    if place.box is not None and not hands.opened(HOUSE):
        findings.append(Finding.of(Code.EXPOSED_BEFORE_BANK, place=str(place)))
    if waiting := _closed_before(place, scene, hands):
        findings.append(Finding.of(Code.EXPOSED_OUT_OF_TURN, place=str(place), waiting=tuple(map(str, waiting))))
    return findings


def _closed_before(place: Place, scene: Scene, hands: RoundHands) -> list[Place]:
    """Boxes whose turn it is before this one's and whose tiles lie closed."""
    if place.box is None:
        return []
    return [
        other
        for other, tracks in scene.at_places.items()
        if other.box is not None
        and other < place
        and not hands.opened(other)
        and any(not track.tile.face_up and scene.at_rest(track) for track in tracks)
    ]
