"""Measurements of pips and bare positions of the best layouts in tile crops, and doubts about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import cv2
import numpy as np

from vision.findings import Code
from vision.template_matching import interpolated, middles
from vision.tiles.layout_bank import FACE_AREA, ROWS, SHAPE, WIDTH_PX, layout_bank
from vision.tiles.layout_matching import GREYED, IVORY, pip_maps, pip_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.arrays import Floats, Mask
    from vision.tiles.layout_matching import LayoutMatch

_GREYED_RED_BOOST: Final = 0.8
"""Share of red minus green added to the red of a greyed body, to make red pips visible."""

_FLANKS: Final = WIDTH_PX * np.array(((0,) * 5, (0, -0.197, -0.245, 0.197, 0.245)), np.float32)[..., None, None]
"""Positions down and right of a pip: its own, and to its left and right the side columns at two distances, where a pair
would be instead.
"""
_FACE_ROWS: Final = np.arange(FACE_AREA[0].stop - FACE_AREA[0].start)
_AROUND: Final = np.pad(_FACE_ROWS, 3, mode="reflect")[_FACE_ROWS[:, None] + np.arange(7)]
"""The seven rows of the face around each of its rows."""
_NEAREST: Final = np.clip(np.arange(ROWS) - FACE_AREA[0].start, 0, _FACE_ROWS[-1])
"""Nearest row of the face for each row of a crop."""
_TINTS_OF_OTHERS: Final = np.array((0.5, 1.0))[:, None, None]
"""Default tints of red and of plain pips for comparing a face without such pips."""

# Contrasts are relative to the median contrast of the layout's own pips, with limits between clean pips (0.7 to 1.3,
# red ones from 0.4) and bare body (below 0.25).
LEAST_PIP_CONTRAST: Final = 0.2
LEAST_PIP_LEVELS: Final = 10.0
"""Minimum contrast in grey levels even of a dark red pip."""
LEAST_CONTRAST_OF_COLOUR: Final = 0.45
"""Minimum contrast of a pip relative to the median of its colour."""
MOST_BARE_CONTRAST: Final = 0.4
MOST_FLANK_CONTRAST: Final = 0.7
"""Contrast on both sides of a single pip relative to its centre from which it may be a faint pair."""
LEAST_CONTRAST: Final = 12.0
"""Grey levels between pip and body below which the picture is inconclusive."""
LEAST_HEADROOM: Final = 0.35
"""Minimum contrast between bare body and pips: glare as bright as a pip would hide one."""
MOST_RED_TINT: Final = 0.93
LEAST_PLAIN_TINT: Final = 0.8
"""Strength of a pip in the hiding channel relative to the other, without the light's colour cast."""
LEAST_TINT_GAP: Final = 0.05
"""Difference of that ratio between a face's red and plain pips."""
MOST_DULL_CONTRAST: Final = 0.75
"""Contrast of red pips relative to plain ones below which low light has washed out both colours."""


@dataclass(frozen=True, eq=False, slots=True)
class PipMeasurements:
    """Measurements of crops (n) at the p pips of their best layouts, and at b other positions.

    Attributes:
        used: (n, p) which pips the layout has.
        red: (n, p) which of them are red.
        pips: (2, n, p) contrast of each pip to the body, hiding channel and showing channel.
        level: (n, p) brightness of each pip.
        free: (n, b) positions without a pip in the layout.
        bare: (n, b) contrast there, showing channel.
        bare_body: (n, b) brightness of the body there.
        paired: (n,) whether a single pip may be a faint pair.
    """

    used: Mask
    red: Mask
    pips: Floats
    level: Floats
    free: Mask
    bare: Floats
    bare_body: Floats
    paired: Mask

    @classmethod
    def of(cls, picture: Floats, found: LayoutMatch) -> Self:
        """Measure crops (n, 2, rows, columns), green and red."""
        bank, row = layout_bank(), found.layout
        # From here on pips are bright; channel 0 shows only plain pips, channel 1 all of them.
        bright = picture.copy()
        bright[found.body == IVORY] = 255.0 - picture[found.body == IVORY, ::-1]
        bright[found.body == GREYED, 1] += _GREYED_RED_BOOST * (picture[:, 1] - picture[:, 0])[found.body == GREYED]
        body = _body_level(bright)
        planes = (bright - body[..., None]).reshape(-1, *SHAPE)
        # A disc slightly smaller than the pip stays on it despite small misalignment.
        maps = pip_maps(planes, 0.8)
        size = bank.size[row]
        pips = pip_values(maps, size, found.places)
        bare = pip_values(maps, np.where((size == 0).any(1), 0, 2)[:, None], found.slots)
        crop = np.arange(len(picture))[:, None]
        bare_body, pip_body = (
            body[crop, 1, np.clip(np.rint(places[0]), 0, ROWS - 1).astype(np.int64)]
            for places in (found.slots, found.places)
        )
        return cls(
            used=bank.plain[row] + bank.red[row] > 0,
            red=bank.red[row] > 0,
            pips=pips,
            level=pips[1] + pip_body,
            free=bank.bare[row],
            bare=bare[1],
            bare_body=bare_body,
            paired=_paired(maps, found),
        )

    def tint(self) -> Floats:
        """Strength (n, p) of each pip in the hiding channel relative to the showing one."""
        return np.asarray(self.pips[0] / np.maximum(self.pips[1], 1.0), np.float32)

    def plain_tint(self) -> NDArray[np.float64]:
        """The same for the plain pips of each crop (n,); nan if it has none."""
        return middles(self.tint(), self.used & ~self.red)

    def judged(self, cast: float) -> tuple[list[int], list[int], list[Code | None]]:
        """Count red and plain pips of each crop, and return the doubt about its layout, if any."""
        contrast, plain = self.pips[1], self.used & ~self.red
        usual, usual_red, usual_plain = middles(contrast, np.stack([self.used, self.red, plain]))
        present = contrast > _of_each(np.maximum(LEAST_PIP_CONTRAST * usual, LEAST_PIP_LEVELS))
        for colour, usual_of_colour in ((self.red, usual_red), (plain, usual_plain)):
            present &= ~colour | (contrast > _of_each(LEAST_CONTRAST_OF_COLOUR * usual_of_colour))
        present &= self.used
        extra = self.free & (self.bare > _of_each(MOST_BARE_CONTRAST * usual))
        # Of a face of one colour the contrast of the other is nan, and comparisons are false.
        distinguishable, seen_red = self._colours(cast, plain, usual_red < MOST_DULL_CONTRAST * usual_plain)
        indistinct = usual < LEAST_CONTRAST
        red = np.where(indistinct, 0, (present & seen_red).sum(1))
        white = np.where(indistinct, 0, (present & ~seen_red).sum(1) + extra.sum(1))
        checks = {
            Code.PIPS_INDISTINCT: indistinct,
            Code.PIP_MISSING: (present != self.used).any(1),
            Code.PIP_MAY_BE_TWO: self.paired,
            Code.PIP_TOO_MANY: extra.any(1),
            Code.PIP_COLOURS_UNKNOWN: ~distinguishable,
            Code.PIP_COLOURS_MISPLACED: ((seen_red != self.red) & self.used).any(1),
            Code.PIP_GLARE: self._glare(usual),
        }
        rows = np.stack(list(checks.values()), 1).tolist()
        doubts = [next((code for code, holds in zip(checks, row, strict=True) if holds), None) for row in rows]
        return red.tolist(), white.tolist(), doubts

    def _colours(self, cast: float, plain: Mask, dull: Mask) -> tuple[Mask, Mask]:
        """Whether red and plain pips are distinguishable (n,), and which are red (n, p).

        Args:
            cast: of the light.
            plain: (n, p) which pips of the layout are plain.
            dull: (n,) crops whose red pips are much fainter than plain ones.
        """
        tint = self.tint() / cast
        red_tint, plain_tint = middles(tint, np.stack([self.red, plain]), _TINTS_OF_OTHERS)
        distinct = (red_tint <= MOST_RED_TINT) & (plain_tint - red_tint >= LEAST_TINT_GAP)
        distinguishable = (distinct | (dull & (red_tint < plain_tint))) & (plain_tint >= LEAST_PLAIN_TINT)
        # In washed-out colour single pips scatter more than the two kinds differ; the medians must suffice.
        sure = plain_tint - red_tint > 4 * LEAST_TINT_GAP
        return distinguishable, np.where(
            (sure | ~distinguishable)[:, None], tint < _of_each((red_tint + plain_tint) / 2), self.red
        )

    def _glare(self, usual: NDArray[np.float64]) -> Mask:
        """Whether some bare position (n,) is about as bright as the pips, so that a pip there would not be visible."""
        brightest = np.where(self.free, self.bare_body, -np.inf).max(1, initial=-np.inf)
        headroom = middles(self.level, self.used).astype(np.float32) - brightest
        return np.asarray(headroom < (LEAST_HEADROOM * usual).astype(np.float32))


def _of_each(bounds: NDArray[np.float64]) -> Floats:
    """Limits (n,) for comparison with measurements of each crop (n, p)."""
    return bounds.astype(np.float32)[:, None]


def _paired(maps: Floats, found: LayoutMatch) -> Mask:
    """Whether a single pip of the layout may be a faint pair, (n,): it is no fainter on its sides."""
    # The smallest disc of the showing channel distinguishes the centre of one pip from the gap between two.
    crop = np.arange(len(found.layout))[:, None]
    at = interpolated(maps, np.array(0), 2 * crop + 1, found.places[:, None] + _FLANKS)
    paired = (np.minimum(at[1:3], at[3:5]) > MOST_FLANK_CONTRAST * at[0]).any(0)
    return np.asarray((paired & layout_bank().single[found.layout]).any(1))


def _body_level(bright: Floats) -> Floats:
    """Level of the bare body along the tile: (n, 2, rows), the lower quarter around each row."""
    face = bright[:, :, *FACE_AREA]
    values = face[:, :, _AROUND].reshape(*face.shape[:3], -1)
    quarter = values.shape[-1] // 4
    values.partition(quarter, axis=-1)
    level = values[..., quarter]
    even = cv2.blur(level.reshape(-1, level.shape[-1]), (5, 1), borderType=cv2.BORDER_REPLICATE).reshape(level.shape)
    return np.asarray(even[..., _NEAREST], np.float32)
