"""Which candidates of a stationary camera must be read again, and which are unchanged since their last reading.

A tile or die is read in the first pictures that show it, far enough apart for independent noise, and whenever anything
on or around it changes. After that its reading is trusted for a short time only: every object is read again within
seconds, so that no unnoticed gradual change, such as a fading lamp or glare, lasts longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.detect.detections import DIE
from vision.detect.motion_gate import DOWNSCALE, MIN_CHANGE_LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.arrays import Floats, Indices, Mask
    from vision.detect.detections import Detections
    from vision.detect.motion_gate import Levels
    from vision.observing import Observed

APART_S: Final = 0.15
"""Readings closer together share their noise (``vision.tracking.confirmation_terms``)."""
ENOUGH_READINGS: Final = 6
"""Readings since the last change after which an undoubted object is trusted: twice as many as needed for
verification.
"""
TRUSTED_S: Final = 2.0
"""Maximum time for which a reading is trusted."""
LONGEST_GAP_S: Final = 1.0
"""Time between two pictures after which everything is read: an object may have been exchanged unseen."""
READ_AT_ONCE: Final = 8
"""Expired objects read again per picture; the others follow in the next ones."""
MARGIN_TILES: Final = 0.3
"""Margin around an object, in tile lengths, that belongs to it: its shadow, and the ground it contrasts with."""
SAME_PLACE_TILES: Final = 0.05
SAME_DIRECTION_RAD: Final = 0.06
SAME_SIZE_LOG: Final = 0.1
"""Differences of position (in tile lengths), direction and size up to which two detections are the same object at
rest.
"""
_SAMPLED: Final = np.s_[::2, ::2]
"""Subsampling for estimating the light of a picture."""
MOST_LIGHT_LOG: Final = math.log(1.1)
"""Change of light of the full picture from which everything is read again."""


@dataclass(frozen=True, eq=False, slots=True)
class _Candidate:
    """A candidate as last read.

    Attributes:
        cells: rows and columns of the downscaled picture on and around it.
        levels: grey levels there.
        light: of the picture, relative to the first one.
        read_s: time of the reading.
        times: number of readings since its last change.
        settled: whether it has no doubts.
    """

    cells: tuple[slice, slice]
    levels: Floats
    light: float
    read_s: float
    times: int
    settled: bool

    def is_unchanged(self, grey: Floats, light: float) -> bool:
        """Whether it is unchanged, apart from changes of the overall light within bounds."""
        if abs(math.log(light / self.light)) > MOST_LIGHT_LOG:
            return False
        now = grey[self.cells] * np.float32(self.light / light)
        return bool(np.abs(now - self.levels).max(initial=0.0) <= MIN_CHANGE_LEVELS)


class Rereading:
    """Remembers the readings of one camera's pictures."""

    def __init__(self) -> None:
        self._candidates: Sequence[_Candidate] = ()
        self._grey: Floats | None = None
        self._light = 1.0
        self._t_s = -math.inf
        self._times: NDArray[np.int64] = np.zeros(0, np.int64)
        self.observed: Observed | None = None

    def same(self, view: Levels, found: Detections, tile_px: float, t_s: float) -> tuple[Observed | None, Indices]:
        """The previous picture's observations, and its candidate that each (n,) still matches; -1 to be read.

        Args:
            view: the picture, downscaled.
            found: its candidates.
            tile_px: length of a tile.
            t_s: capture time.
        """
        before, then_s, self._t_s = self._grey, self._t_s, t_s
        self._grey = view.grey
        unmatched = np.full(len(found), -1)
        self._times = np.zeros(len(found), np.int64)
        comparable = before is not None and before.shape == view.grey.shape and 0 < t_s - then_s <= LONGEST_GAP_S
        if before is None or self.observed is None or not comparable:
            self.observed = None
            return None, unmatched
        self._light *= float(np.median((view.grey[_SAMPLED] + 1) / (before[_SAMPLED] + 1)))
        same = _associated(found, self.observed.found, tile_px)
        known = same >= 0
        unchanged = known.copy()
        unchanged[known] = [self._candidates[n].is_unchanged(view.grey, self._light) for n in same[known].tolist()]
        before_s, times = np.full(len(found), -math.inf), np.zeros(len(found), np.int64)
        settled = np.zeros(len(found), np.bool_)
        for index in np.flatnonzero(unchanged).tolist():
            candidate = self._candidates[same[index]]
            before_s[index], times[index], settled[index] = candidate.read_s, candidate.times, candidate.settled
        # Pictures do not arrive quite evenly.
        apart = t_s - before_s > 0.9 * APART_S
        self._times = times + np.where(apart & unchanged, 0, -1) * unchanged
        sampled = apart & ~((times >= ENOUGH_READINGS) & settled)
        groups = _groups(found, tile_px)
        read = np.isin(groups, groups[~unchanged | sampled])
        read |= np.isin(groups, _due(groups, t_s - before_s, read))
        same[read] = -1
        return self.observed, same

    def remember(self, view: Levels, observed: Observed, same: Indices, tile_px: float, doubted: Mask) -> None:
        """Keep the observations of a picture for the next ones.

        Args:
            view: the picture, downscaled.
            observed: its observations.
            same: the result of ``same`` for it.
            tile_px: length of a tile.
            doubted: (n,) candidates whose objects have doubts.
        """
        boxes = _about(observed.found, MARGIN_TILES * tile_px) - np.tile(view.origin_px, 2)
        cells = np.floor(boxes / DOWNSCALE).astype(int)
        cells[:, 2:] += 1
        cells = cells.clip(0)
        self._candidates = [
            self._candidates[before]
            if before >= 0
            else _Candidate(
                (rows := (slice(y0, y1), slice(x0, x1))),
                view.grey[rows].copy(),
                self._light,
                self._t_s,
                int(times) + 1,
                not doubt,
            )
            for before, (x0, y0, x1, y1), times, doubt in zip(
                same.tolist(), cells.tolist(), self._times.tolist(), doubted.tolist(), strict=True
            )
        ]
        self.observed = observed


def _associated(found: Detections, before: Detections, tile_px: float) -> Indices:
    """The detection (m,) of an earlier picture at the position of each new one (n,), -1 otherwise."""
    if not len(found) or not len(before):
        return np.full(len(found), -1)
    apart = np.linalg.norm(found.centre_px[:, None] - before.centre_px, axis=-1)
    turn = np.where(found.kind == DIE, np.pi / 2, np.pi)[:, None]
    off = np.abs((found.angle_rad[:, None] - before.angle_rad + turn / 2) % turn - turn / 2)
    size = np.abs(np.log(found.size_px[:, None] / before.size_px)).max(-1)
    fits = (apart <= SAME_PLACE_TILES * tile_px) & (off <= SAME_DIRECTION_RAD) & (size <= SAME_SIZE_LOG)
    apart[~fits | (found.kind[:, None] != before.kind)] = np.inf
    nearest = apart.argmin(1)
    mutual = np.isfinite(apart.min(1)) & (apart.argmin(0)[nearest] == np.arange(len(found)))
    return np.where(mutual, nearest, -1)


def _about(found: Detections, margin_px: float) -> Floats:
    """Boxes (n, 4) on and around objects, left, top, right and bottom."""
    quads_px = found.quads_px()
    low = np.minimum(quads_px.min(1), found.body_px[:, :2]) - margin_px
    high = np.maximum(quads_px.max(1), found.body_px[:, 2:]) + margin_px
    return np.concatenate([low, high], 1)


def _groups(found: Detections, tile_px: float) -> Indices:
    """Group number (n,) of each: overlapping objects, or neighbouring dice, are read together.

    Which of two detections is the upper tile, or how many dice there are, can only be decided jointly.
    """
    if not len(found):
        return np.zeros(0, np.int64)
    boxes = _about(found, 0.0)
    dice = found.kind == DIE
    boxes[dice] += np.float32(MARGIN_TILES * tile_px) * np.array((-1, -1, 1, 1), np.float32)
    touch = (boxes[:, None, :2] < boxes[None, :, 2:]).all(-1)
    touch &= touch.T & (dice[:, None] == dice)
    return _connected(touch)


def _connected(touch: Mask) -> Indices:
    """Connected components (n,) of an adjacency matrix (n, n), numbered in order.

    SciPy has this too, but takes four times as long for small inputs, and eleven megabytes to import.
    """
    reached = touch | np.eye(len(touch), dtype=np.bool_)
    while not np.array_equal(wider := reached.astype(np.float32) @ reached > 0, reached):
        reached = wider
    # The lowest reachable index identifies the group.
    return np.asarray(np.unique(reached.argmax(axis=1), return_inverse=True)[1], np.int64)


def _due(groups: Indices, age_s: NDArray[np.float64], read: Mask) -> list[int]:
    """Groups whose trust has expired, the oldest first, limited in the number of objects."""
    due: list[int] = []
    for index in np.argsort(-age_s, kind="stable").tolist():
        if age_s[index] < TRUSTED_S or np.isin(groups, due).sum() >= READ_AT_ONCE:
            break
        if not read[index] and groups[index] not in due:
            due.append(int(groups[index]))
    return due
