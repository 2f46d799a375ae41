"""Upright crops of tiles and dice, made identically for training and reading."""

import cv2
import numpy as np

from vision.arrays import Box, DieCrops, Floats, Pixels, Quads, TileCrops

TILE_CROP_PX = (48, 96)
"""Width and height of a tile's crop; the face covers the middle 32 x 80."""
DIE_CROP_PX = (80, 80)
"""Width and height of a die's crop; the upper face covers the middle 40 x 40, the body is visible around it."""
TILE_MARGIN_PX = 8
DIE_MARGIN_PX = 20
DIE_FACE = slice(DIE_MARGIN_PX, DIE_CROP_PX[0] - DIE_MARGIN_PX)
"""Rows, and columns, of a die's crop that the upper face covers."""

_MAX_BILINEAR_REDUCTION = 1.5
"""Reduction up to which bilinear interpolation skips no pixels."""


def cropped(image: Pixels, box: Box) -> Pixels:
    """Return a part of a picture, as a view."""
    left, top, right, bottom = box
    return image[top:bottom, left:right]


def crop_corners(size: tuple[int, int], margin_px: float) -> Floats:
    """Positions of a quad's corners in a crop of this size, (4, 2): pixel centres at integers, clockwise."""
    width, height = size
    left, top, right, bottom = margin_px - 0.5, margin_px - 0.5, width - margin_px - 0.5, height - margin_px - 0.5
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def tile_crops(image: Pixels, quads_px: Quads) -> TileCrops:
    """Cut out tiles, upright."""
    return _crops(image, quads_px, TILE_CROP_PX, TILE_MARGIN_PX)


def die_crops(image: Pixels, quads_px: Quads) -> DieCrops:
    """Cut out dice by their upper faces."""
    return _crops(image, quads_px, DIE_CROP_PX, DIE_MARGIN_PX)


def in_sides(quads_px: Quads, vectors_px: Floats) -> Floats:
    """Vectors in the picture (n, 2) in crop axes of these quads: right and down, in sides."""
    axes = np.stack([quads_px[:, 1] - quads_px[:, 0], quads_px[:, 3] - quads_px[:, 0]], -1).astype(np.float64)
    return np.asarray(np.linalg.solve(axes, vectors_px.astype(np.float64)[..., None])[..., 0], np.float32)


def with_foot(crops: DieCrops, foot: Floats) -> Pixels:
    """Add a fourth channel that shows where each die would stand if flat: 255 on a square the size of the upper face.

    The foot (n, 2) is measured from the middle of the upper face, right and down in its sides; nan is skipped.
    """
    side_px = DIE_CROP_PX[0] - 2 * DIE_MARGIN_PX
    away = np.arange(DIE_CROP_PX[0]) - (DIE_CROP_PX[0] - 1) / 2 - foot[..., None] * side_px
    inside = np.nan_to_num(np.clip(side_px / 2 + 0.5 - np.abs(away), 0, 1)).astype(np.float32)  # (n, 2, 80)
    drawn = cv2.cvtColor(crops.reshape(-1, *DIE_CROP_PX[1:], 3), cv2.COLOR_BGR2BGRA).reshape(*crops.shape[:-1], 4)
    drawn[..., 3] = inside[:, 1, :, None] * (255 * inside[:, 0, None]) + 0.5
    return drawn.astype(np.uint8, copy=False)


def _crops(image: Pixels, quads_px: Quads, size: tuple[int, int], margin_px: float) -> Pixels:
    """Cut quads (n, 4, 2) out of the picture; a large one is averaged down first, against aliasing."""
    corners = crop_corners(size, margin_px)
    quads = np.asarray(quads_px, np.float32).reshape(-1, 4, 2)
    sides_px = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2)
    crop_sides_px = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    crops = np.empty((len(quads), *size[::-1], 3), np.uint8)
    for crop, quad, reduction in zip(crops, quads, (sides_px / crop_sides_px).min(1).tolist(), strict=True):
        source, source_quad = image, quad
        if reduction > _MAX_BILINEAR_REDUCTION:
            source, source_quad = _reduced(image, quad, reduction, margin_px / crop_sides_px.min())
        homography = cv2.getPerspectiveTransform(source_quad, corners)
        cv2.warpPerspective(source, homography, size, crop, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return crops


def _reduced(image: Pixels, quad_px: Floats, reduction: float, margin: float) -> tuple[Pixels, Floats]:
    """The surroundings of a quad (4, 2) averaged down, with a margin in short sides, and the quad there."""
    height, width = image.shape[:2]
    pad = 2.0 * reduction + margin * float(np.linalg.norm(quad_px - np.roll(quad_px, -1, axis=0), axis=1).max())
    left, top = np.clip(np.floor(quad_px.min(axis=0) - pad), 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(np.ceil(quad_px.max(axis=0) + pad) + 1, (left + 1, top + 1), (width, height)).astype(int)
    part = image[top:bottom, left:right]
    size = (max(1, round(part.shape[1] / reduction)), max(1, round(part.shape[0] / reduction)))
    small = cv2.resize(part, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
    factor = np.array(size, np.float32) / np.array(part.shape[1::-1], np.float32)
    moved = (quad_px - np.array([left, top], np.float32) + 0.5) * factor - 0.5
    return small, moved.astype(np.float32)
