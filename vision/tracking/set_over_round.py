"""Joint decoding over the entire round: the tiles that are open now, and those that were open before.

``vision.tiles.set_decoding`` decodes one picture, because each sample of a tile needs the status from its own picture,
and a single picture is all that ``houseway read`` has. The round has more information: its samples over time, and the
faces that went away with a hand and cannot return before the tiles are mixed. A contradiction is reported and leaves
none of the tiles concerned verified; a person must decide which was misread or is foreign.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.findings import Code, Finding
from vision.tiles.set_decoding import CANNOT_TELL, CLAIM, FACES, decode
from vision.tracking.tracks.consensus import consensus, log_probabilities

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engine.game.tiles import Tile
    from vision.arrays import Floats
    from vision.tiles.set_decoding import Named
    from vision.tracking.confirmation_terms import Terms
    from vision.tracking.tracks.consensus import Consensus
    from vision.tracking.tracks.tile_tracks import Track

LEAST_MARGIN: Final = math.log(1000)
"""Log-probability margin of the best assignment over the best one in which one tile differs."""
_LIKELY: Final = math.log(0.9)
"""Log-probability from which a tile without consensus counts as claiming a face."""
_CERTAIN: Final = math.log(0.999)
"""Log-probability of a previously verified face."""
_CONTRADICTED_PICTURES: Final = 3
"""Consecutive pictures for which a contradiction must persist before it counts against a verified face."""

MORE_THAN_THE_SET: Final = Finding(Code.MORE_THAN_THE_SET_IN_ROUND)
OTHER_NAMING_LIKELY: Final = Finding(Code.OTHER_NAMING_LIKELY)


@dataclass(frozen=True, slots=True)
class DecodedSet:
    """Joint decoding of all tiles of a round.

    Attributes:
        named: by track number, its decoded face.
        contradicted: faces that would occur more often than the set contains them.
    """

    named: dict[int, Named]
    contradicted: frozenset[Tile]

    def doubts(self, number: int, settled: Tile | None) -> tuple[Finding, ...]:
        """Doubts about a tile from the others; if its own pictures do not settle it, only a surplus of its face.

        Args:
            number: of its track.
            settled: the face settled by its own pictures; None otherwise.
        """
        named = self.named.get(number)
        if named is None or named.contradicted:
            return (MORE_THAN_THE_SET,) if named else ()
        if settled is None:
            return ()
        if named.face is not settled:
            return (MORE_THAN_THE_SET,)
        return () if named.margin >= LEAST_MARGIN else (OTHER_NAMING_LIKELY,)


@dataclass(slots=True)
class Contradictions:
    """Faces seen on the table more often than the set contains them.

    Attributes:
        confirmed: those of this round seen in enough consecutive pictures.
    """

    confirmed: set[Tile] = field(default_factory=set)
    _pictures: dict[Tile, int] = field(default_factory=dict)

    def update(self, contradicted: Collection[Tile]) -> None:
        """Process the faces contradicted in the next picture."""
        self._pictures = {face: self._pictures.get(face, 0) + 1 for face in contradicted}
        self.confirmed |= {face for face, times in self._pictures.items() if times >= _CONTRADICTED_PICTURES}

    def next_round(self) -> Contradictions:
        """In the next round none are confirmed yet; pending ones continue."""
        return Contradictions(_pictures=self._pictures)


def decode_round(
    open_tiles: Sequence[Track], put_away: Sequence[Tile], terms: Terms, confirmed: Collection[Tile] = ()
) -> DecodedSet:
    """Decode all tiles of a round.

    Args:
        open_tiles: those that are open now.
        put_away: faces that were open earlier in the round and no longer are.
        terms: the thresholds.
        confirmed: faces that occurred too often earlier in the round; the samples that showed it may be forgotten.
    """
    agreed = [consensus(track.samples) for track in open_tiles]
    rows = [_scores(*each, terms) for each in zip(open_tiles, agreed, strict=True)]
    rows += [_certain_scores(face) for face in put_away]
    named, _ = decode(np.array(rows) if rows else np.empty((0, CANNOT_TELL + 1)))
    contradicted = {each.face for each in named if each.contradicted and each.face is not None}
    contradicted |= {*_surplus(agreed, put_away, terms), *confirmed}
    tracks = {
        track.number: replace(each, contradicted=each.contradicted or each.face in contradicted)
        for track, each in zip(open_tiles, named, strict=False)
    }
    return DecodedSet(tracks, frozenset(contradicted))


def _surplus(agreed: Sequence[Consensus], put_away: Sequence[Tile], terms: Terms) -> set[Tile]:
    """Faces of which every copy is known, with a further tile verified in one picture and read differently in others.

    Either that picture is misleading or one of the others is foreign.
    """
    known = Counter(put_away)
    known += Counter(each.face for each in agreed if each.face is not None and not each.doubts(terms))
    return {
        each.face
        for each in agreed
        if each.face is not None
        and each.doubts(terms)
        and not each.contradicted
        and known[each.face] >= each.face.copies
    }


def _scores(track: Track, agreed: Consensus, terms: Terms) -> Floats:
    """Log-probabilities (22,) of a tile; one left open by its own pictures claims no face against others."""
    scores = log_probabilities(track.samples, agreed, terms)
    # A tile verified as two faces is being exchanged, or misleads the reader: it is no evidence about the others, and
    # is not believed itself.
    claims = scores[:CANNOT_TELL].max() >= _LIKELY and not agreed.contradicted
    if not agreed.doubts(terms) or claims:
        return scores
    unclaiming = scores.copy()
    unclaiming[CANNOT_TELL] = np.logaddexp(scores[CANNOT_TELL], 0.0)
    unclaiming -= np.logaddexp.reduce(unclaiming)
    return np.asarray(np.minimum(unclaiming, CLAIM))


def _certain_scores(face: Tile) -> Floats:
    """Log-probabilities (22,) of a previously verified face."""
    row = np.full(CANNOT_TELL + 1, math.log(0.001 / CANNOT_TELL))
    row[FACES.index(face)] = _CERTAIN
    return row
