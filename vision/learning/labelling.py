"""Crops with known faces: of a display by the order of rank, of a hand by what a person said lies there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.game.display_order import LAID
from engine.game.tiles import FULL_SET, Tile
from vision.enrolment.display_check import read_display
from vision.findings import Code
from vision.networks.classifier import TILE_CLASSES
from vision.tiles.pips import read_tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game.tiles import Kind
    from vision.arrays import Chances, Mask, TileCrops
    from vision.enrolment.learning import ReadPicture
    from vision.networks.classifier import NamesTiles
    from vision.reading import TileReading

LEAST_ODDS: Final = 20.0
"""How much likelier the way in which a person's four faces lie must be than the next way."""
_NOT_IN_ORDER: Final = frozenset({Code.NOT_IN_RANK_ORDER, Code.EXTRA_TILE, Code.SWAPPED_TILES})
"""Faults by which the places of a display do not say the faces."""
_PIPS_WEIGHT: Final = 10.0


@dataclass(frozen=True, eq=False, slots=True)
class Labelled:
    """A crop (96, 48, 3) with its face, and which tile it is: 1 to 32 of a display, 1 to 4 of a hand."""

    number: int
    face: Tile
    crop: TileCrops


def labelled_display(shot: ReadPicture) -> list[Labelled]:
    """The tiles of a display with the faces that the order of rank gives them.

    Of a kind that has two faces, such as the nines, one that was not read has the other face. Nothing is labelled where
    a tile is too many, or two lie in each other's place.
    """
    tiles = shot.reading.tiles
    display = read_display(tiles)
    if any(fault.code in _NOT_IN_ORDER for fault in display.faults):
        return []
    laid = [None if number is None else tiles[number] for number in display.tiles]
    named = [
        (place, face, tile)
        for place, (face, tile) in enumerate(zip(_faces(LAID[display.order], laid), laid, strict=True), 1)
        if face is not None and tile is not None and tile.face_up
    ]
    crops = shot.crops([tile for _, _, tile in named])
    return [Labelled(place, face, crop) for (place, face, _), crop in zip(named, crops, strict=True)]


def _faces(order: Sequence[Kind], laid: Sequence[TileReading | None]) -> list[Tile | None]:
    """The face at each place; None where the kind has two and it is not known which of them lies there."""
    found: list[Tile | None] = []
    for kind, tile in zip(order, laid, strict=True):
        of_kind = {each for each in FULL_SET if each.kind is kind}
        read = None if tile is None or tile.face not in of_kind else tile.face
        found.append(next(iter(of_kind)) if len(of_kind) == 1 else read)
    counts = Counter(face for face in found if face is not None)
    for place, kind in enumerate(order):
        unknown = [other for other in range(len(order)) if order[other] is kind and found[other] is None]
        if unknown == [place]:
            lacking = [face for face in Tile if face.kind is kind and counts[face] < face.copies]
            found[place] = lacking[0] if len(lacking) == 1 else None
    # Both of a kind read as the same face: one of them is the other, and nobody can say which.
    return [None if face is not None and counts[face] > face.copies else face for face in found]


def labelled_hand(shot: ReadPicture, place: str, faces: Sequence[Tile], name: NamesTiles) -> list[Labelled]:
    """The four tiles at a place with the faces that a person named, low hand first.

    Which face is which tile is taken from both readers together; nothing is labelled where four open tiles are not seen
    there, or the faces could as well lie in another way.
    """
    laid = [tile for tile in shot.reading.tiles if tile.face_up and str(tile.place) == place]
    if len(laid) != len(faces):
        return []
    crops = shot.crops(laid)
    logs = np.log(_both(crops, name) + 1e-6)
    scores = {
        way: float(sum(logs[tile, faces[face].index] for tile, face in enumerate(way)))
        for way in permutations(range(len(faces)))
    }
    best = max(scores, key=scores.__getitem__)
    named = [faces[face] for face in best]
    others = [score for way, score in scores.items() if [faces[face] for face in way] != named]
    if others and scores[best] - max(others) < np.log(LEAST_ODDS):
        return []
    return [Labelled(best[tile] + 1, named[tile], crops[tile]) for tile in range(len(laid))]


def _both(crops: TileCrops, name: NamesTiles) -> Chances:
    """Chances of the faces by classifier and pips; of "cannot tell" they say nothing."""
    chances = name(crops)[:, :-1].astype(np.float64)
    for row, pips in enumerate(read_tiles(crops)):
        if pips.face is not None:
            chances[row, pips.face.index] *= _PIPS_WEIGHT
    return np.asarray(chances / np.maximum(chances.sum(1, keepdims=True), 1e-12), np.float32)


def readers_on(crops: TileCrops, faces: Sequence[Tile], name: NamesTiles) -> tuple[Mask, Mask]:
    """Which labels (n,) a reader agrees with, and which both readers contradict.

    The classifier agrees where it holds the face for the likeliest, the pips where they show it. Both contradict a
    label where clear pips and the classifier see one other face.
    """
    agrees, contradicts = np.zeros((2, len(crops)), np.bool_)
    if len(crops):
        likeliest = name(crops)[:, :-1].argmax(1).tolist()
        for row, (best, face, pips) in enumerate(zip(likeliest, faces, read_tiles(crops), strict=True)):
            agrees[row] = TILE_CLASSES[best] == str(face) or pips.face is face
            contradicts[row] = pips.clear and pips.face is not face and TILE_CLASSES[best] == str(pips.face)
    return agrees, contradicts


def supported(crops: TileCrops, faces: Sequence[Tile], name: NamesTiles) -> Mask:
    """Which labels (n,) a reader agrees with."""
    return readers_on(crops, faces, name)[0]
