"""The set decoded over the whole table and the whole round.

What lies open is one witness, what lay open earlier in the round another: a face that went away with a retrieved hand
cannot lie on the table again before the tiles are mixed. What contradicts that is told, and none of the tiles it
concerns counts as verified; which of them was misread, or whether one is foreign, is for a person to say.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.findings import Code, Finding
from vision.tiles.set_decoding import CANNOT_TELL, CLAIM, FACES, decode
from vision.tracking.agreement import agreement, log_probabilities

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engine.game.tiles import Tile
    from vision.arrays import Floats
    from vision.tiles.set_decoding import Named
    from vision.tracking.agreement import Agreement
    from vision.tracking.terms import Terms
    from vision.tracking.tracks import Track

MARGIN_LEAST: Final = math.log(1000)
"""By how much the best naming of all tiles must beat the best in which one tile is something else."""
INSISTS: Final = math.log(0.9)
"""From here on a tile that is not agreed on has a say in what the others can be."""
_KNOWN: Final = math.log(0.999)

NOT_TOGETHER: Final = Finding(Code.MORE_THAN_THE_SET_IN_ROUND)
NO_MARGIN: Final = Finding(Code.OTHER_NAMING_LIKELY)


@dataclass(frozen=True, slots=True)
class Decoded:
    """What all tiles are, together.

    Attributes:
        tracks: by number of the track, what it is.
        contradicted: faces of which there would be more than the set holds.
    """

    tracks: dict[int, Named]
    contradicted: frozenset[Tile]

    def doubts(self, number: int, settled: Tile | None) -> tuple[Finding, ...]:
        """What the others say against a tile; of one not settled by itself only that it lies there too often.

        Args:
            number: of its track.
            settled: what its own pictures settle that it is; None if they do not.
        """
        named = self.tracks.get(number)
        if named is None or named.contradicted:
            return (NOT_TOGETHER,) if named else ()
        if settled is None:
            return ()
        if named.face is not settled:
            return (NOT_TOGETHER,)
        return () if named.margin >= MARGIN_LEAST else (NO_MARGIN,)


def decode_together(
    open_tiles: Sequence[Track], gone: Sequence[Tile], terms: Terms, told: Collection[Tile] = ()
) -> Decoded:
    """Name all tiles of a round.

    Args:
        open_tiles: those that lie open now.
        gone: faces that lay open earlier in the round and do not any more.
        terms: what is asked of time.
        told: faces that were told as lying there too often: what spoke of it may be forgotten, but was not explained.
    """
    agreed = [agreement(track.samples) for track in open_tiles]
    rows = [_said(*each, terms) for each in zip(open_tiles, agreed, strict=True)] + [_certain(face) for face in gone]
    named, _ = decode(np.array(rows) if rows else np.empty((0, CANNOT_TELL + 1)))
    contradicted = {each.face for each in named if each.contradicted and each.face is not None}
    contradicted |= {*_one_more(agreed, gone, terms), *told}
    tracks = {
        track.number: replace(each, contradicted=each.contradicted or each.face in contradicted)
        for track, each in zip(open_tiles, named, strict=False)
    }
    return Decoded(tracks, frozenset(contradicted))


def _one_more(agreed: Sequence[Agreement], gone: Sequence[Tile], terms: Terms) -> set[Tile]:
    """Faces of which every copy is known, and one tile more was verified in some picture and read otherwise in others.

    Either that picture deceives or one of the others is foreign.
    """
    known = Counter(gone) + Counter(each.face for each in agreed if each.face is not None and not each.doubts(terms))
    return {
        each.face
        for each in agreed
        if each.face is not None
        and each.doubts(terms)
        and not each.contradicted
        and known[each.face] >= each.face.copies
    }


def _said(track: Track, agreed: Agreement, terms: Terms) -> Floats:
    """What the pictures of a tile say; one that nobody is sure of claims no face against others."""
    scores = log_probabilities(track.samples, agreed, terms)
    # What was verified as two faces is in the middle of being exchanged, or deceives the reader: it says nothing of
    # the others, and is not believed itself.
    insists = scores[:CANNOT_TELL].max() >= INSISTS and not agreed.contradicted
    if not agreed.doubts(terms) or insists:
        return scores
    quiet = scores.copy()
    quiet[CANNOT_TELL] = np.logaddexp(scores[CANNOT_TELL], 0.0)
    quiet -= np.logaddexp.reduce(quiet)
    return np.asarray(np.minimum(quiet, CLAIM))


def _certain(face: Tile) -> Floats:
    """A face that was verified before."""
    row = np.full(CANNOT_TELL + 1, math.log(0.001 / CANNOT_TELL))
    row[FACES.index(face)] = _KNOWN
    return row
