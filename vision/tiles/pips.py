"""The second reader: names a tile from its pips as measured in the picture, and shares nothing with the network.

A crop is matched with every layout that a maker may use, both ways round, on all kinds of bodies. Only if every pip of
the best layout is there in its colour, and nothing where it has none though it would be seen, is the reading ``clear``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

import cv2
import numpy as np

from engine.game.tiles import Tile
from vision.arrays import Floats, Mask, TileCrops
from vision.findings import Code
from vision.template_matching import disc_means, interpolated, middle
from vision.tiles.faces import FACE_NAMES
from vision.tiles.layout_bank import DIAMETERS, FACE_AREA, ROWS, SHAPE, WIDTH_PX, detrended, layout_bank
from vision.tiles.layout_matching import BLACK, GREYED, IVORY, LayoutMatch, lookup_table, match_layouts, pip_maps

CROP_SHAPE: Final = (96, 48, 3)
"""A tile crop: the face covers its middle 80 by 32 pixels, upright."""
_GREYED_RED_BOOST: Final = 0.8
"""Share of red less green added to the red of a greyed body, so that red pips show there at all."""

LEAST_MATCH: Final = 0.35
"""Correlation below which no face is named at all."""
CLEAR_MATCH: Final = 0.55
"""Correlation below which a face is not clear: much lies in the crop that its pips do not explain."""
NARROW_MARGIN: Final = 0.04
"""Correlation margin below which a tile is read once more with amplified colours."""
AMPLIFIED_RED_CONTRAST: Final = 0.8
"""Contrast of red pips over that of white ones in amplified colours."""
MAX_RED_GAIN: Final = 8.0
"""Largest gain of red over green, which amplifies the noise as well."""
_PIP_PERCENTILE, _BODY_PERCENTILE = 97, 40
"""Percentiles of a face's grey levels that show its pips and its body."""
_FLANKS: Final = (0.197, 0.245)
"""Distances of the side columns from the middle, in widths: where a pair would lie instead of a single pip."""

# Contrasts are over the median contrast of the layout's own pips, with bounds between what clean pips show (0.7 to 1.3,
# red ones from 0.4) and what bare body shows (below 0.25).
LEAST_PIP_CONTRAST: Final = 0.2
LEAST_PIP_LEVELS: Final = 10.0
"""Grey levels by which even a dark red pip must stand out."""
LEAST_CONTRAST_OF_COLOUR: Final = 0.45
"""Contrast of a pip over the median of those of its colour."""
MOST_BARE_CONTRAST: Final = 0.4
MOST_FLANK_CONTRAST: Final = 0.7
"""Contrast on both sides of a single pip over that in its middle: more, and it may be a faint pair."""
LEAST_CONTRAST: Final = 12.0
"""Grey levels between pip and body below which the picture says nothing."""
LEAST_HEADROOM: Final = 0.35
"""Contrast between bare body and the pips: a glare as bright as a pip would hide one."""
MOST_RED_TINT: Final = 0.93
LEAST_PLAIN_TINT: Final = 0.8
"""Strength of a pip in the hiding channel over that in the other, less the light's colour cast."""
LEAST_TINT_GAP: Final = 0.05
"""Difference of that ratio between a face's red and plain pips."""
MOST_DULL_CONTRAST: Final = 0.75
"""Contrast of red pips over that of plain ones, where little light has washed the colour out of both."""
CAST_TINTS: Final = (0.75, 1.35)
"""Tints of plain pips that may come from the light; others come from misread pips."""
FEWEST_FOR_CAST: Final = 3
"""Tiles needed for a median tint that one misread tile does not move."""


@dataclass(frozen=True, slots=True)
class PipReading:
    """Reading of one tile by its pips.

    Attributes:
        face: the face whose layout fits best; None if none fits.
        margin: correlation of that layout less that of the best layout of another face.
        red: red pips seen at the places of the layout or beside them.
        white: plain pips seen (black ones on an ivory body).
        match: correlation of the layout with the crop, in [-1, 1].
        clear: whether every pip and every bare place of the layout was confirmed.
        doubt: if not clear, what speaks against it.
        offset: of the pips from where the crop has the face: right and down in pixels of the crop, and turned from
            right to down in radians.
        tint: strength of a plain pip in the hiding channel over that in the other; None where it has none, or where the
            pips fit the face only roughly.
    """

    face: Tile | None
    margin: float
    red: int
    white: int
    match: float
    clear: bool
    doubt: Code | None = None
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tint: float | None = None


def read_tiles(crops: TileCrops, others: Sequence[PipReading] = ()) -> list[PipReading]:
    """Read all tiles of one picture together, for the light's colour cast is estimated from all of them.

    The tiles may lie either way round; the others are readings of further tiles in the same light.
    """
    if crops.shape[1:] != CROP_SHAPE:
        raise ValueError(f"tile crops have shape (n, 96, 48, 3), not {crops.shape}")
    if not len(crops):
        return []
    picture = _halved(crops)
    tints = [other.tint for other in others]
    readings = _read(picture, (BLACK, IVORY, GREYED), tints)
    doubted = [index for index, reading in enumerate(readings) if not reading.clear or reading.margin < NARROW_MARGIN]
    if doubted:
        cast = _cast([*tints, *(reading.tint for reading in readings)])
        amplified = _read(_with_amplified_red(picture[doubted], cast), (BLACK,), [])
        for index, reading in zip(doubted, amplified, strict=True):
            readings[index] = _surer(readings[index], reading)
    return readings


def _surer(usual: PipReading, strong: PipReading) -> PipReading:
    """Choose between a reading of a tile as it is and one in amplified colours, in which noise is amplified as well.

    Every pip must be seen in the latter, and two clear readings must agree.
    """
    if not strong.clear:
        return usual
    if usual.clear and usual.face is not strong.face:
        return replace(usual, clear=False, doubt=Code.PIPS_DIFFER_IN_STRONG_COLOURS)
    return max(usual, replace(strong, tint=usual.tint), key=lambda reading: (reading.clear, reading.margin))


def _with_amplified_red(picture: Floats, cast: float) -> Floats:
    """Crops (n, 2, rows, columns) in which red pips stand out from the body nearly as plain ones do.

    A dark red pip differs little from a black body in any one channel, but a plain one and the body, once the light's
    cast is taken out, do not differ between the channels at all.
    """
    green = picture[:, 0]
    redness = picture[:, 1] - green / cast
    gain = AMPLIFIED_RED_CONTRAST * _contrast(green) / np.maximum(_contrast(redness), 1.0)
    red = green + np.minimum(gain, MAX_RED_GAIN)[:, None, None] * redness
    return np.asarray(np.stack([green, red], 1), np.float32)


def _contrast(planes: Floats) -> Floats:
    """Contrast of pips and body in one-coloured crops (n, rows, columns), (n,)."""
    means = disc_means(detrended(planes), [DIAMETERS[0] * WIDTH_PX / 2])[:, 0, *FACE_AREA].reshape(len(planes), -1)
    pips, body = np.percentile(means, (_PIP_PERCENTILE, _BODY_PERCENTILE), axis=1)
    return np.asarray(pips - body, np.float32)


def _halved(crops: TileCrops) -> Floats:
    """Green and red of the face and its border at half resolution: (n, 2, rows, columns)."""
    inner = crops[:, 4:92, 4:44, 1:]
    rows = np.add(inner[:, 0::2], inner[:, 1::2], dtype=np.uint16)
    sums = rows[:, :, 0::2] + rows[:, :, 1::2]
    return np.ascontiguousarray(sums.transpose(0, 3, 1, 2), np.float32) / np.float32(4)


def _read(picture: Floats, bodies: tuple[int, ...], tints: Sequence[float | None]) -> list[PipReading]:
    """Match crops (n, 2, rows, columns), green and red, and check each pip and each bare place of the best layouts."""
    bank, found = layout_bank(), match_layouts(picture, bodies)
    # From here on pips are bright; channel 0 shows plain pips alone, channel 1 all of them.
    bright = picture.copy()
    bright[found.body == IVORY] = 255.0 - picture[found.body == IVORY, ::-1]
    bright[found.body == GREYED, 1] += _GREYED_RED_BOOST * (picture[:, 1] - picture[:, 0])[found.body == GREYED]
    body = _body_level(bright)
    planes = (bright - body[..., None]).reshape(-1, *SHAPE)
    # A slightly smaller disc than the pip stays on it when the alignment is a little off.
    table = lookup_table(pip_maps(planes, 0.8))
    crop = np.arange(len(picture))[:, None]
    size = bank.size[found.layout]
    pips = interpolated(table, crop * len(DIAMETERS) + size, found.places, SHAPE)
    slot_size = np.where((size == 0).any(1), 0, 2)[:, None]
    bare = interpolated(table, crop * len(DIAMETERS) + slot_size, found.slots, SHAPE)
    bare_body, pip_body = (
        body[crop, 1, np.clip(np.rint(places[..., 0]), 0, ROWS - 1).astype(np.int64)]
        for places in (found.slots, found.places)
    )
    paired = _paired(table, found)
    measured = []
    for index, row in enumerate(found.layout):
        used, free = bank.plain[row] + bank.red[row] > 0, bank.bare[row]
        measured.append(
            _PipMeasurements(
                pips=pips[index][used],
                red=bank.red[row][used] > 0,
                level=(pips[index, :, 1] + pip_body[index])[used],
                bare=bare[index][free],
                bare_body=bare_body[index][free],
                paired=bool(paired[index]),
            )
        )
    # A back has no pips; whatever of it fits a layout best says nothing of the light.
    own_tints = [
        each.plain_tint() if match >= CLEAR_MATCH else None for each, match in zip(measured, found.match, strict=True)
    ]
    cast = _cast([*own_tints, *tints])
    readings = []
    for index, (each, tint) in enumerate(zip(measured, own_tints, strict=True)):
        match, margin = float(found.match[index]), float(found.margin[index])
        down, right, turn, _ = found.pose[index].tolist()
        red, white, doubt = each.judged(cast)
        face = Tile.parse(FACE_NAMES[bank.face[found.layout[index]]]) if match >= LEAST_MATCH else None
        if face is None:
            doubt = Code.PIPS_FIT_NO_FACE
        elif match < CLEAR_MATCH:
            doubt = doubt or Code.PIPS_FIT_ROUGHLY
        readings.append(
            PipReading(face, margin, red, white, match, not doubt, doubt, offset=(2 * right, 2 * down, turn), tint=tint)
        )
    return readings


def _paired(table: Floats, found: LayoutMatch) -> Mask:
    """Whether a single pip of the layout may as well be a faint pair, (n,): it is no fainter on its sides."""
    crop = np.arange(len(found.layout))[:, None]
    # The smallest disc tells the middle of one pip from the gap between two.
    middles = interpolated(table, crop * len(DIAMETERS), found.places, SHAPE)[..., 1]
    paired = np.zeros(middles.shape, np.bool_)
    for flank in _FLANKS:
        sides = [
            interpolated(table, crop * len(DIAMETERS), found.places + np.array((0, side * WIDTH_PX), np.float32), SHAPE)
            for side in (-flank, flank)
        ]
        paired |= np.minimum(sides[0][..., 1], sides[1][..., 1]) > MOST_FLANK_CONTRAST * middles
    return np.asarray((paired & layout_bank().single[found.layout]).any(1))


@dataclass(frozen=True, eq=False, slots=True)
class _PipMeasurements:
    """Measurements of one crop at the places of its best layout.

    Attributes:
        pips: (p, 2) contrast of each pip with the body, hiding channel and showing channel.
        red: (p,) whether the layout has it red.
        level: (p,) brightness of each pip.
        bare: (b, 2) contrast at the places where the layout has no pip.
        bare_body: (b,) brightness of the body there.
        paired: whether a single pip may as well be a faint pair.
    """

    pips: Floats
    red: Mask
    level: Floats
    bare: Floats
    bare_body: Floats
    paired: bool

    def tint(self) -> Floats:
        """Strength of each pip in the hiding channel over that in the showing one."""
        return np.asarray(self.pips[:, 0] / np.maximum(self.pips[:, 1], 1.0), np.float32)

    def plain_tint(self) -> float | None:
        """The same of its plain pips; None if it has none."""
        return None if self.red.all() else float(middle(self.tint()[~self.red]))

    def judged(self, cast: float) -> tuple[int, int, Code | None]:
        """Count red and plain pips and say what speaks against the layout, or nothing."""
        contrast = self.pips[:, 1]
        usual = middle(contrast)
        if usual < LEAST_CONTRAST:
            return 0, 0, Code.PIPS_INDISTINCT
        present = contrast > max(LEAST_PIP_CONTRAST * usual, LEAST_PIP_LEVELS)
        for colour in (self.red, ~self.red):
            if colour.any():
                present[colour] &= contrast[colour] > LEAST_CONTRAST_OF_COLOUR * middle(contrast[colour])
        extra = self.bare[:, 1] > MOST_BARE_CONTRAST * usual
        told, seen_red = self._colours(cast)
        red, white = int((present & seen_red).sum()), int((present & ~seen_red).sum()) + int(extra.sum())
        checks = (
            (not present.all(), Code.PIP_MISSING),
            (self.paired, Code.PIP_MAY_BE_TWO),
            (bool(extra.any()), Code.PIP_TOO_MANY),
            (not told, Code.PIP_COLOURS_UNKNOWN),
            (bool((seen_red != self.red).any()), Code.PIP_COLOURS_MISPLACED),
            (self._glare(usual), Code.PIP_GLARE),
        )
        return red, white, next((doubt for holds, doubt in checks if holds), None)

    def _colours(self, cast: float) -> tuple[bool, Mask]:
        """Whether red and plain pips can be told apart, and which are red (p,)."""
        contrast, tint = self.pips[:, 1], self.tint() / cast
        # A face of one colour is held against what the other colour shows.
        red_tint = middle(tint[self.red]) if self.red.any() else 0.5
        plain_tint = middle(tint[~self.red]) if (~self.red).any() else 1.0
        both = bool(self.red.any() and (~self.red).any())
        dull = both and middle(contrast[self.red]) < MOST_DULL_CONTRAST * middle(contrast[~self.red])
        distinct = red_tint <= MOST_RED_TINT and plain_tint - red_tint >= LEAST_TINT_GAP
        told = distinct or (dull and red_tint < plain_tint)
        told = told and plain_tint >= LEAST_PLAIN_TINT
        # In washed-out colour single pips scatter more than the two kinds differ; there the medians must do.
        sure = plain_tint - red_tint > 4 * LEAST_TINT_GAP
        return told, (tint < (red_tint + plain_tint) / 2 if sure or not told else self.red)

    def _glare(self, usual: float) -> bool:
        """Whether some bare place is about as bright as the pips, so that a pip there would not be seen."""
        if not len(self.bare_body):
            return False
        return bool(middle(self.level) - self.bare_body.max() < LEAST_HEADROOM * usual)


def _cast(tints: Sequence[float | None]) -> float:
    """Tint of a plain pip in this light, for a set is black or ivory throughout; 1 if too few tiles show it."""
    plain = [tint for tint in tints if tint is not None and CAST_TINTS[0] < tint < CAST_TINTS[1]]
    return median(plain) if len(plain) >= FEWEST_FOR_CAST else 1.0


def _body_level(bright: Floats) -> Floats:
    """Level of the bare body along the tile: (n, 2, rows), the lower quarter around each row."""
    rows, columns = FACE_AREA
    face = bright[:, :, rows, columns]
    padded = np.pad(face, ((0, 0), (0, 0), (3, 3), (0, 0)), mode="reflect")
    around = np.lib.stride_tricks.sliding_window_view(padded, 7, axis=2)
    values = around.transpose(0, 1, 2, 4, 3).reshape(*face.shape[:3], -1)
    quarter = values.shape[-1] // 4
    level = np.partition(values, quarter, axis=-1)[..., quarter]
    even = cv2.blur(level.reshape(-1, level.shape[-1]), (5, 1), borderType=cv2.BORDER_REPLICATE).reshape(level.shape)
    return np.pad(even, ((0, 0), (0, 0), (rows.start, ROWS - rows.stop)), mode="edge").astype(np.float32)
