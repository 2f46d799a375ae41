"""Windows of a picture: rectangles of whole pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

Window = tuple[int, int, int, int]
"""x0, y0, x1, y1 of a window, pixels."""
BLOCK: Final = 16
"""Windows begin and end at blocks of this size, as JPEG's do, so that a window is compressed as the whole would be."""


def grown(box: Window, by: int, size: tuple[int, int]) -> Window:
    """Grow a window by so many pixels on each side, within the picture."""
    return max(0, box[0] - by), max(0, box[1] - by), min(size[0], box[2] + by), min(size[1], box[3] + by)


def blocks(box: Window, size: tuple[int, int]) -> Window:
    """Grow a window to whole blocks."""
    x0, y0 = box[0] // BLOCK * BLOCK, box[1] // BLOCK * BLOCK
    return x0, y0, min(size[0], -(-box[2] // BLOCK) * BLOCK), min(size[1], -(-box[3] // BLOCK) * BLOCK)


def inside(box: Window, size: tuple[int, int]) -> bool:
    """Whether a part of the window lies in the picture."""
    return box[0] < size[0] and box[1] < size[1] and box[2] > 0 and box[3] > 0


def overlap(one: Window, other: Window) -> bool:
    """Whether two windows share a pixel."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def union(boxes: Iterable[Window]) -> Window:
    """The smallest window that holds all of these."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _area(box: Window) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def merged(boxes: list[Window]) -> list[Window]:
    """Merge windows: two become one where that draws hardly more pixels, overlaps counted twice."""
    left = list(boxes)
    done: list[Window] = []
    while left:
        box = left.pop()
        for k, other in enumerate(left):
            both = union((box, other))
            # Drawing a window costs about as much as 60 x 60 pixels more of it.
            if _area(both) <= _area(box) + _area(other) + 3600:
                left[k] = both
                break
        else:
            done.append(box)
    return done
