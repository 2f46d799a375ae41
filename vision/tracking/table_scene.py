"""The tiles of a table at the latest picture."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration.table.places import Place
    from vision.tracking.confirmation_terms import Terms
    from vision.tracking.tracks.tile_tracks import Track, Tracks


@dataclass(frozen=True, slots=True)
class TableScene:
    """The tracks of a table, and their positions.

    Attributes:
        t_s: when the latest picture was taken.
        tiles: all tracked tiles.
        at_places: those in sight, or briefly out of it, by the place of their hand.
        terms: the thresholds.
        calibrated: whether the places of the table are known.
        knocked: whether the camera seems to have been knocked, so that no picture counts.
    """

    t_s: float
    tiles: tuple[Track, ...]
    at_places: Mapping[Place, Sequence[Track]]
    terms: Terms
    calibrated: bool
    knocked: bool

    @classmethod
    def of(cls, tracks: Tracks, terms: Terms, *, calibrated: bool) -> TableScene:
        at_places: dict[Place, list[Track]] = defaultdict(list)
        for track in tracks.tiles:
            place = track.tile.place
            if place is not None and track.tile.in_play and tracks.t_s - track.seen_s <= terms.unseen_s:
                at_places[place].append(track)
        return cls(
            tracks.t_s, tracks.tiles, dict(sorted(at_places.items())), terms, calibrated, tracks.knock is not None
        )

    def in_sight(self, track: Track) -> bool:
        return track.seen_s == self.t_s

    def at_rest(self, track: Track) -> bool:
        """Whether a tile is still, and is in sight or was a moment ago."""
        return track.at_rest(self.t_s, self.terms)

    def in_play(self) -> list[Track]:
        """Tiles of hands that are in sight or briefly out of it; all tiles if no places are known."""
        present = (track for track in self.tiles if self.t_s - track.seen_s <= self.terms.unseen_s)
        return [track for track in present if track.tile.in_play or not self.calibrated]

    def open_tiles(self, place: Place) -> int:
        """Number of open tiles at a place in the latest picture."""
        return sum(track.tile.face_up and self.in_sight(track) for track in self.at_places.get(place, ()))

    def closed_at_rest(self, place: Place) -> list[Track]:
        """The face-down tiles at a place that lie still."""
        return [track for track in self.at_places.get(place, ()) if not track.tile.face_up and self.at_rest(track)]
