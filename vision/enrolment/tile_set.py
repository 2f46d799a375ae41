"""Whether the tiles in play are still the ones enrolled, told from all that lay open one after the other.

One tile that does not look like the table's own may be dirty, or have a lamp mirrored in it; a set that was exchanged
shows tile after tile so. Each tile that lies still votes once, and the votes are added up as Page's test does (CUSUM,
Biometrika 41, 1954): log-likelihood ratios of an exchanged set against the own one, never below zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.game.tiles import Tile
    from vision.reading import Verdict
    from vision.tracking.tracks import Track

CHANCES: Final[Mapping[Verdict, tuple[float, float]]] = {
    "own": (0.2, 0.955),
    "unlike": (0.45, 0.04),
    "foreign": (0.35, 0.005),
}
"""How often a tile is judged so: of an exchanged set, and of the own one (``benchmarks/enrolment.py``, rounded to the
cautious side)."""
LIMIT: Final = 9.0
"""Sum from which the set is taken for another: four unlike tiles, of which four own ones make one in 400,000."""
LOOKS: Final = 3
"""In so many pictures a tile must be judged; the middle one counts."""
_REMEMBERED: Final = 128
_ORDER: Final[tuple[Verdict, ...]] = ("own", "unlike", "foreign")


@dataclass(frozen=True, slots=True)
class _Vote:
    """What one tile as it lies has said so far.

    Attributes:
        face: as it was read.
        looks: what each picture said.
        counted: whether it was added to the sum.
    """

    face: Tile
    looks: tuple[Verdict, ...] = ()
    counted: bool = False

    @property
    def verdict(self) -> Verdict:
        """The middle of what the pictures said."""
        return _ORDER[sorted(map(_ORDER.index, self.looks))[len(self.looks) // 2]]


@dataclass(slots=True)
class TileSetWatch:
    """Adds up what the tiles of one table say of their set.

    Attributes:
        total: the sum so far.
        unlike: faces of the tiles that made it what it is, the last one last.
    """

    total: float = 0.0
    unlike: tuple[Tile, ...] = ()
    _votes: dict[tuple[int, int], _Vote] = field(default_factory=dict)

    @property
    def exchanged(self) -> bool:
        """Whether the tiles seen are not the ones enrolled."""
        return self.total >= LIMIT

    def see(self, lying: Iterable[Track]) -> None:
        """Take the tiles that lie still in the next picture."""
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

    def begin(self) -> None:
        """Begin anew, with what lies there now judged anew too."""
        self.total, self.unlike, self._votes = 0.0, (), {}

    def _count(self, vote: _Vote) -> None:
        other, own = CHANCES[vote.verdict]
        self.total = max(0.0, self.total + math.log(other / own))
        if self.total == 0:
            self.unlike = ()
        elif vote.verdict != "own":
            self.unlike = (*self.unlike, vote.face)
