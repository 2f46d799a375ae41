"""What was seen at one place since the round began."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vision.findings import Code, Finding
from vision.tracking.lays.exposure import ShownTiles
from vision.tracking.lays.rearrangement import Rearrangement
from vision.tracking.lays.requests import Request

if TYPE_CHECKING:
    from calibration.table.places import Place
    from vision.tracking.scene import TableScene


@dataclass(slots=True)
class PlaceWatch:
    """Follows what lies at one place, whatever hand it makes.

    Attributes:
        place: where.
        open_s: when a tile was last seen there face up; None if none was.
        closed_s: when tiles of a hand not yet opened last lay there face down; None if none did.
        request: whether the dealer was asked to set its hand.
        rearrangement: whether its open hand lies otherwise than it was taken.
    """

    place: Place
    open_s: float | None = None
    closed_s: float | None = None
    request: Request = field(default_factory=Request)
    rearrangement: Rearrangement = field(default_factory=Rearrangement)
    _shown: ShownTiles = field(default_factory=ShownTiles)

    def see_open(self, scene: TableScene) -> None:
        """Note whether a tile lies there face up."""
        if scene.open_tiles(self.place):
            self.open_s = scene.t_s

    def see_closed(self, scene: TableScene, angle_deg: float) -> list[Finding]:
        """Take the next picture of a player's hand that was not opened before it.

        Args:
            scene: the table now.
            angle_deg: direction of the place, 0 where the dealer sees it straight.

        Returns:
            A finding for each tile that came up and was turned down again.
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
