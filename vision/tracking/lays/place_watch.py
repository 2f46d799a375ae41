"""Observations at one place since the round started."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vision.findings import Code, Finding
from vision.tracking.lays.exposure import ShownTiles
from vision.tracking.lays.rearrangement import Rearrangement
from vision.tracking.lays.requests import Request

if TYPE_CHECKING:
    from calibration.table.places import Place
    from vision.tracking.table_scene import TableScene


@dataclass(slots=True)
class PlaceWatch:
    """Tracks one place, regardless of its hand.

    Attributes:
        open_s: when a tile was last seen face up there; None if never.
        closed_s: when tiles of an unopened hand were last face down there; None if never.
        request: whether the dealer was asked to set its hand.
        rearrangement: whether its open hand differs from the recorded layout.
    """

    place: Place
    open_s: float | None = None
    closed_s: float | None = None
    request: Request = field(default_factory=Request)
    rearrangement: Rearrangement = field(default_factory=Rearrangement)
    _shown: ShownTiles = field(default_factory=ShownTiles)

    def see_open(self, scene: TableScene) -> None:
        """Update when a tile was last face up there."""
        if scene.open_tiles(self.place):
            self.open_s = scene.t_s

    def see_closed(self, scene: TableScene, angle_deg: float) -> list[Finding]:
        """Process the next picture of a player's unopened hand.

        Args:
            scene: the table now.
            angle_deg: direction of the place, 0 if straight for the dealer.

        Returns:
            A finding for each tile that was exposed and turned down again.
        """
        tracks = scene.at_places[self.place]
        exposed = [face for track in tracks for face in self._shown.update(track)]
        down = [track for track in tracks if scene.at_rest(track) and not track.tile.face_up]
        if down:
            self.closed_s = max(track.seen_s for track in down)
        self.request.update(down, angle_deg, alone=len(down) == len(tracks))
        return [
            Finding.of(Code.TILE_EXPOSED, place=str(self.place), **({"face": str(face)} if face else {}))
            for face in exposed
        ]
