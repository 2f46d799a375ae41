"""Whether the tiles in play are still the enrolled ones, from all face-up tiles over time.

A single tile that does not look like the table's own may be dirty or reflect a lamp; an exchanged set shows one after
another. Each tile at rest votes once, and the votes are summed by Page's test (CUSUM, Biometrika 41, 1954):
log-likelihood ratios of an exchanged set to the own one, never below zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.game.tiles import Tile
    from vision.reading import Verdict
    from vision.tracking.tracks.tile_tracks import Track

CHANCES: Final[Mapping[Verdict, tuple[float, float]]] = {
    "own": (0.2, 0.955),
    "unlike": (0.45, 0.04),
    "foreign": (0.35, 0.005),
}
"""Probability of each verdict for a tile of an exchanged set and of the own one."""
LIMIT: Final = 9.0
"""Log-likelihood ratio from which the set is considered exchanged: four unlike tiles."""
LOOKS: Final = 3
"""Pictures in which a tile must be judged; the median verdict counts."""
_REMEMBERED: Final = 128
_ORDER: Final[tuple[Verdict, ...]] = ("own", "unlike", "foreign")


@dataclass(frozen=True, slots=True)
class _Vote:
    """The verdicts on one tile while it rests in its place.

    Attributes:
        face: its face as read.
        looks: the verdict from each picture.
        counted: whether it was added to the sum.
    """

    face: Tile
    looks: tuple[Verdict, ...] = ()
    counted: bool = False

    @property
    def verdict(self) -> Verdict:
        return _ORDER[sorted(map(_ORDER.index, self.looks))[len(self.looks) // 2]]


@dataclass(slots=True)
class TileSetWatch:
    """Sums the votes of one table's tiles on their set.

    Attributes:
        total: the current sum.
        unlike: faces of the tiles that raised the sum, the latest last.
    """

    total: float = 0.0
    unlike: tuple[Tile, ...] = ()
    _votes: dict[tuple[int, int], _Vote] = field(default_factory=dict)

    @property
    def exchanged(self) -> bool:
        """Whether the tiles seen are not the enrolled ones."""
        return self.total >= LIMIT

    def see(self, lying: Iterable[Track]) -> None:
        """Process the tiles at rest in the next picture."""
        for track in lying:
            face, own = track.tile.face, track.tile.own
            if own is None or face is None:
                continue
            known = self._votes.pop(track.epoch, None)
            vote = known if known is not None and known.face is face else _Vote(face)
            if not vote.counted:
                vote = replace(vote, looks=(*vote.looks, own))
                if len(vote.looks) >= LOOKS:
                    self._count(vote)
                    vote = replace(vote, counted=True)
            self._votes[track.epoch] = vote
        while len(self._votes) > _REMEMBERED:
            del self._votes[next(iter(self._votes))]

    def restart(self) -> None:
        """Start over; tiles resting on the table are judged again."""
        self.total, self.unlike, self._votes = 0.0, (), {}

    def _count(self, vote: _Vote) -> None:
        other, own = CHANCES[vote.verdict]
        self.total = max(0.0, self.total + math.log(other / own))
        if self.total == 0:
            self.unlike = ()
        elif vote.verdict != "own":
            self.unlike = (*self.unlike, vote.face)
