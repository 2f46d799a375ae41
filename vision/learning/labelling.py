"""Labels for crops: from the rank order of a display, or from a person's statement about a hand."""

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
"""Minimum likelihood ratio between the best and the next assignment of a person's four faces."""
_NOT_IN_ORDER: Final = frozenset({Code.NOT_IN_RANK_ORDER, Code.EXTRA_TILE, Code.SWAPPED_TILES})
"""Faults that prevent labelling a display by its places."""
_PIPS_WEIGHT: Final = 10.0


@dataclass(frozen=True, eq=False, slots=True)
class Labelled:
    """A crop (96, 48, 3) with its face and index: 1 to 32 of a display, 1 to 4 of a hand."""

    number: int
    face: Tile
    crop: TileCrops


def labelled_display(shot: ReadPicture) -> list[Labelled]:
    """The tiles of a display, labelled by rank order.

    For kinds with two faces, such as the nines, an unread tile gets the other face. Nothing is labelled if there is an
    extra tile, or two tiles are swapped.
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
    """The face at each place; None for a kind with two faces if it is unknown which one is there."""
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
    # Both of a kind read as the same face: one of them is wrong, and it is unknown which.
    return [None if face is not None and counts[face] > face.copies else face for face in found]


def labelled_hand(shot: ReadPicture, place: str, faces: Sequence[Tile], name: NamesTiles) -> list[Labelled]:
    """The four tiles at a place, labelled with the faces named by a person, low hand first.

    Both readers together assign faces to tiles; nothing is labelled unless four open tiles are there and the assignment
    is unambiguous.
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
    """Probabilities of the faces by classifier and pips, excluding "cannot tell"."""
    chances = name(crops)[:, :-1].astype(np.float64)
    for row, pips in enumerate(read_tiles(crops)):
        if pips.face is not None:
            chances[row, pips.face.index] *= _PIPS_WEIGHT
    return np.asarray(chances / np.maximum(chances.sum(1, keepdims=True), 1e-12), np.float32)


def readers_on(crops: TileCrops, faces: Sequence[Tile], name: NamesTiles) -> tuple[Mask, Mask]:
    """Which labels (n,) a reader agrees with, and which both readers contradict.

    The classifier agrees if the label is its likeliest face, the pips if they match it. Both contradict a label if
    clear pips and the classifier agree on another face.
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
