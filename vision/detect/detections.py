"""Tiles and dice detected in a picture, and non-maximum suppression."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Box, Floats, Mask, Pixels, Quads, Rows

TILE_UP, TILE_DOWN, DIE = 0, 1, 2
KINDS: Final = ("tile_up", "tile_down", "die")

NMS_IOU: Final = 0.35
"""Intersection over union above which two detections are one object; for touching tiles it is near zero."""
NMS_CONTAINMENT: Final = 0.65
"""Share of the smaller detection inside another (of an uncertain one in all others) above which they are one object."""
MOST_COVERED: Final = 0.3
"""Maximum share, of a detection without a recognised face, that is covered by recognised tiles."""
SAME_OUTLINE_IOU: Final = 0.7
"""Intersection over union above which two detections are the same outline, regardless of their faces."""

SURE_SCORE: Final = 0.6
"""Minimum score of a tile that counts towards the tile size of the picture."""


@dataclass(frozen=True, eq=False, slots=True)
class Detections(Rows):
    """Tiles and dice found in one picture, best first.

    Attributes:
        kind: (n,) int8; TILE_UP, TILE_DOWN or DIE.
        score: (n,) float32 in [0, 1].
        centre_px: (n, 2) float32; of the upper face.
        size_px: (n, 2) float32; long and short side, for dice the same side twice.
        angle_rad: (n,) float32; direction of the long side, x right and y down, modulo pi (dice modulo pi/2).
        body_px: (n, 4) float32; box x0, y0, x1, y1 of the visible body; for tiles the box of the quad.
    """

    kind: NDArray[np.int8]
    score: Floats
    centre_px: Floats
    size_px: Floats
    angle_rad: Floats
    body_px: Floats

    def __len__(self) -> int:
        return len(self.kind)

    def quads_px(self) -> Quads:
        """The outlines; corners 0-1 are a short edge."""
        along = np.stack([np.cos(self.angle_rad), np.sin(self.angle_rad)], -1) * self.size_px[:, :1] / 2
        # In order of the ends along the axis, the right-hand side is the axis turned clockwise by a quarter.
        across = np.stack([-np.sin(self.angle_rad), np.cos(self.angle_rad)], -1) * self.size_px[:, 1:] / 2
        corners = [-along + across, -along - across, along - across, along + across]
        quads: Quads = (self.centre_px[:, None] + np.stack(corners, 1)).astype(np.float32)
        return quads

    def scaled(self, factor: float) -> Self:
        """Return the detections in a picture enlarged by ``factor``, pixel centres at integers."""
        shift = (factor - 1) / 2
        return replace(
            self,
            centre_px=self.centre_px * factor + shift,
            size_px=self.size_px * factor,
            body_px=self.body_px * factor + shift,
        )

    def translated(self, x_px: int, y_px: int) -> Self:
        """Return the detections in the coordinates of the picture that was cropped at (x, y)."""
        by = np.array((x_px, y_px), np.float32)
        return replace(self, centre_px=self.centre_px + by, body_px=self.body_px + np.tile(by, 2))


class FindsObjects(Protocol):
    """Interface of the detector for the pipeline."""

    def detect(self, image: Pixels, scale_hint: float | None, part: Box | None = None) -> Detections:
        """Detect tiles and dice in a part of a picture; ``scale_hint`` is a tile's expected length in pixels."""

    def detect_parts(self, image: Pixels, scale_hint: float | None, parts: Sequence[Box]) -> list[Detections]:
        """Detect tiles and dice in several parts of a picture."""

    def glance(self, image: Pixels, scale_hint: float) -> Floats:
        """Centres (n, 2) of what may be a tile or a die in a small version of a picture."""


def are_duplicates(shared: float, one: float, other: float) -> bool:
    """Whether two outlines with these areas and this intersection count as one object."""
    return shared > NMS_IOU * (one + other - shared) or shared > NMS_CONTAINMENT * min(one, other)


def non_maximum_suppression(found: Detections, *, known: Mask | None = None, keep_rivals: bool = False) -> Detections:
    """Keep the best detection of each object; neighbours that merely touch all stay.

    Args:
        found: the detections.
        known: which ones (n,) have recognised faces and take precedence: at unknown scale, the blank middle of a tile
            passes for a back, and halves of two tiles for one across them.
        keep_rivals: whether to keep open tiles that duplicate a better one with a different outline: of two
            half-overlapping tiles the lower one may score higher, and only their faces tell them apart.
    """
    order = np.argsort(-(found.score if known is None else found.score + known), kind="stable")
    found, known = found.take(order), None if known is None else known[order]
    quads_px = found.quads_px()
    areas = found.size_px.prod(axis=1)
    reach_px = np.hypot(*found.size_px.T) / 2
    tiles, open_ = found.kind != DIE, found.kind == TILE_UP
    apart_px = np.linalg.norm(found.centre_px[:, None] - found.centre_px[None], axis=-1)
    close = (tiles[:, None] == tiles[None]) & (apart_px < reach_px[:, None] + reach_px[None])
    kept: list[int] = []
    for index in range(len(found)):
        covered = 0.0
        for other in (other for other in kept if close[index, other]):
            shared = float(cv2.intersectConvexConvex(quads_px[other], quads_px[index])[0])
            union = areas[other] + areas[index] - shared
            if not are_duplicates(shared, areas[other], areas[index]):
                covered += shared
            elif not (keep_rivals and open_[index] and open_[other]) or shared > SAME_OUTLINE_IOU * union:
                break
        else:
            # An uncertain detection across two others is their boundary; a tile on top of them is certain.
            most = MOST_COVERED if known is not None and not known[index] else NMS_CONTAINMENT
            if covered <= most * areas[index] or (known is None and found.score[index] >= SURE_SCORE):
                kept.append(index)
    return found.take(np.array(kept, np.int64))
