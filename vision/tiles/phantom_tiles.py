"""Phantom tiles: adjacent halves of two tiles that pass for a third between them.

When two tiles with pairs of pips lie side by side, adjacent columns have the spacing of one tile. A tile detected there
agrees with both readers; but half a tile to the side its face is readable as well, without a detection there.
"""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from engine.game.tiles import Tile
from vision.arrays import NO_QUADS, Mask, Pixels, Quads
from vision.crops import tile_crops
from vision.tiles.pips import PipReading, read_tiles

PAIRED_FACES: Final = frozenset(tile for tile in Tile if set(tile.halves) <= {2, 4, 6})
"""Faces without a pip in the middle: two columns of pairs, which may belong to two tiles."""
MOST_COVERED_SHARE: Final = 0.5
"""Share of the strip beside a tile, half as wide as it, above which other tiles explain a reading there."""
LEAST_MATCH_DROP: Final = 0.12
"""Minimum correlation drop half a tile to the side; for an isolated tile it is 0.23."""


def phantom_tiles(
    image: Pixels,
    quads_px: Quads,
    up: Mask,
    pips: Sequence[PipReading],
    others_px: Quads = NO_QUADS,
    others: Sequence[PipReading] = (),
) -> set[int]:
    """Indices of the open tiles (``up``) whose columns of pips, as read, may belong to two others.

    Other tiles (m, 4, 2) with their readings, which are not evaluated, may be next to them.
    """
    paired = [index for index in np.flatnonzero(up).tolist() if pips[index].face in PAIRED_FACES]
    around = np.concatenate([quads_px, others_px])
    free = [index for index in paired if _has_free_edges(around, index)]
    if not free:
        return set()
    half_px = (quads_px[free, 1] - quads_px[free, 0])[:, None] / 2
    beside = np.stack([quads_px[free] - half_px, quads_px[free] + half_px], 1).reshape(-1, 4, 2)
    read = read_tiles(tile_crops(image, beside.astype(np.float32)), (*others, *pips))
    return {
        index
        for row, index in enumerate(free)
        for other in read[2 * row : 2 * row + 2]
        if other.face is pips[index].face and other.match > pips[index].match - LEAST_MATCH_DROP
    }


def _has_free_edges(quads_px: Quads, index: int) -> bool:
    """Whether no other tile is adjacent to either long edge of this one."""
    quad, others = quads_px[index], np.delete(quads_px, index, axis=0)
    half_px = (quad[1] - quad[0]) / 2
    for edge, out in ((quad[[0, 3]], -half_px), (quad[[2, 1]], half_px)):
        strip = np.concatenate([edge, edge[::-1] + out])
        covered = sum(float(cv2.intersectConvexConvex(strip, other)[0]) for other in others)
        if covered > MOST_COVERED_SHARE * abs(float(cv2.contourArea(strip))):
            return False
    return True
