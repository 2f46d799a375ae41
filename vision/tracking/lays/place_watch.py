"""Observations at one place since the round started."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vision.findings import Code, Finding
from vision.hand_grouping import TILES_OF_A_HAND
from vision.tracking.lays.exposure import ShownTiles
from vision.tracking.lays.hand_history import swapped
from vision.tracking.lays.requests import Request

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from calibration.table.places import Place
    from vision.tracking.lays.hand_history import LaidHand
    from vision.tracking.table_scene import TableScene


@dataclass(slots=True)
class Rearrangement:
    """Whether the hand at a place differs from the recorded layout.

    Attributes:
        swapped: whether two of its tiles seem to have been exchanged.
    """

    swapped: bool = False
    _since_s: float | None = None
    _until_s: float = 0.0

    def update(
        self, last: LaidHand, laid: LaidHand | None, open_tiles: AbstractSet[tuple[int, int]], t_s: float
    ) -> None:
        """Process the next picture of the place.

        Args:
            last: the recorded layout of its hand.
            laid: the current layout, if four tiles are complete.
            open_tiles: the epochs of the open, still tiles; fewer than four are inconclusive.
            t_s: now.
        """
        if len(open_tiles) < TILES_OF_A_HAND:
            return
        if last.epoch <= open_tiles or (laid is not None and laid.pairs == last.pairs):
            self._since_s, self.swapped = None, False
            return
        if self._since_s is None:
            self._since_s = t_s
        self._until_s = t_s
        self.swapped = self.swapped or (laid is not None and swapped(last.pairs, laid.pairs))

    @property
    def lasted_s(self) -> float:
        """How long it was seen to differ; 0 for a single picture, or none."""
        return 0.0 if self._since_s is None else self._until_s - self._since_s


@dataclass(slots=True)
class PlaceWatch:
    """Tracks one place, regardless of its hand.

    Attributes:
        open_s: when a tile was last seen face up there; None if never.
        pictures_since: pictures after that.
        closed_s: when tiles of an unopened hand were last face down there; None if never.
        request: whether the dealer was asked to set its hand.
        rearrangement: whether its open hand differs from the recorded layout.
    """

    place: Place
    open_s: float | None = None
    pictures_since: int = 0
    closed_s: float | None = None
    request: Request = field(default_factory=Request)
    rearrangement: Rearrangement = field(default_factory=Rearrangement)
    _shown: ShownTiles = field(default_factory=ShownTiles)

    def see_open(self, scene: TableScene) -> None:
        """Update when a tile was last face up there."""
        self.pictures_since += 1
        if scene.open_tiles(self.place):
            self.open_s, self.pictures_since = scene.t_s, 0

    def see_face_down(self, scene: TableScene) -> None:
        """Update when a tile of an unopened hand was last face down there."""
        down = scene.closed_at_rest(self.place)
        self.closed_s = max((track.seen_s for track in down), default=self.closed_s)

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
        down = scene.closed_at_rest(self.place)
        shown = [track for track in tracks if scene.in_sight(track)]
        if not any(track.tile.face_up for track in shown):
            self.request.glimpse(shown, angle_deg)
        self.request.update(down, angle_deg, scene.t_s, alone=len(down) == len(tracks))
        return [
            Finding.of(Code.TILE_EXPOSED, place=str(self.place), **({"face": str(face)} if face else {}))
            for face in exposed
        ]
