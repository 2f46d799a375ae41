"""The tiles of a table at the moment of the latest picture."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration.table.places import Place
    from vision.tracking.terms import Terms
    from vision.tracking.tracks.tile_tracks import Track, Tracks


@dataclass(frozen=True, slots=True)
class TableScene:
    """The tracks of a table, and where and how they lie.

    Attributes:
        t_s: when the latest picture was taken.
        tiles: all tiles that are followed.
        at_places: those in sight, or out of it for a moment, by the place at which their hand is played.
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
        """The scene that tracks show."""
        at_places: dict[Place, list[Track]] = defaultdict(list)
        for track in tracks.tiles:
            place = track.tile.place
            if place is not None and track.tile.in_play and tracks.t_s - track.seen_s <= terms.unseen_s:
                at_places[place].append(track)
        return cls(
            tracks.t_s, tracks.tiles, dict(sorted(at_places.items())), terms, calibrated, tracks.knock is not None
        )

    def in_sight(self, track: Track) -> bool:
        """Whether the latest picture shows a tile."""
        return track.seen_s == self.t_s

    def at_rest(self, track: Track) -> bool:
        """Whether a tile lies still, and is in sight or was a moment ago."""
        return track.at_rest(self.t_s, self.terms)

    def in_play(self) -> list[Track]:
        """The tiles in sight or out of it for a moment that belong to hands; all of them where no places are known."""
        present = (track for track in self.tiles if self.t_s - track.seen_s <= self.terms.unseen_s)
        return [track for track in present if track.tile.in_play or not self.calibrated]

    def open_tiles(self, place: Place) -> int:
        """How many tiles lie open at a place in the latest picture."""
        return sum(track.tile.face_up and self.in_sight(track) for track in self.at_places.get(place, ()))
