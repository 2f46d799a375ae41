"""The second reader: names a tile from its pips as measured in the picture, and shares nothing with the network.

A crop is compared with every layout a maker may use (``vision.tiles.faces``), both ways round, on black and on ivory
bodies, by correlation: where must the picture be bright or dark, and where red, if this were the face? Then the pips of
the best layout are looked at one by one, and so are the places where it has none: is each there, is it red or plain, is
nothing else there, and would a pip be seen if it were? Only if all of that holds is the reading ``clear``.

Red is told from plain by the channel a red pip hides in: on a black body it is as dark as the body in green, on an
ivory one nearly as bright as the body in red. Some red is so dark that such pips hardly count beside white ones: what
is left in doubt is read once more with its colours made strong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.game.tiles import Tile
from vision.findings import Code
from vision.pip_matching import filtered, middle, sampled, summing_matrix
from vision.tiles.faces import FACES, Pip, layouts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from vision.pip_matching import Floats, Indices

CROP_SHAPE: Final = (96, 48, 3)
"""A tile crop: the face covers its middle 80 by 32 pixels, upright."""

# Everything is measured at half the crop's resolution, on the face and a small border around it.
_BORDER, _LENGTH, _WIDTH = 2, 40, 16
_ROWS, _COLUMNS = _LENGTH + 2 * _BORDER, _WIDTH + 2 * _BORDER
# The rounded edge and its highlight are left out: 2 pixels at the ends, 1 at the sides.
_SHAPE: Final = (_ROWS, _COLUMNS)
_FACE = (slice(_BORDER + 2, _BORDER + _LENGTH - 2), slice(_BORDER + 1, _BORDER + _WIDTH - 1))

_DIAMETERS: Final = (0.21, 0.32, 0.33)
_MOST_PIPS: Final = 12

_BLACK, _IVORY, _GREYED = range(3)
# How strongly a red pip shows beside a plain one, in green and in red, on a black body, an ivory one, and a black one
# greyed by glare, against which a red pip is dark in green. Only the rough proportion matters.
_RED_SHOWS: Final = np.array(((0.1, 0.65), (0.9, 0.3), (-0.5, 0.1)), np.float32)
_BODIES: Final = (_BLACK, _IVORY, _GREYED)
_REDNESS: Final = 0.8
"""What a greyed body adds of a pip's red over green to its red, that red pips show there at all."""

_SHIFTS: Final = (-2.0, -1.0, 0.0, 1.0, 2.0)
_REFINED: Final = 3
"""Faces whose alignment is refined before the margin is taken."""

LEAST_MATCH: Final = 0.35
"""Correlation below which no face is named at all."""

_CLEAR_OF_PIP: Final = 0.95
"""A place for a pip this many diameters away from the layout's pips shows bare body."""
_FLANKS: Final = (0.197, 0.245)
"""Distances of the side columns from the middle, in widths: where a pair would lie instead of a single pip."""

NARROW: Final = 0.04
"""Correlation margin below which a tile is read once more with strong colours."""
STRONG_RED: Final = 0.8
MOST_STRONGER: Final = 8.0
"""Contrast of red pips over that of white ones in strong colours, and by how much the difference of red from green, and
its noise with it, grows at most."""
_SHOWN, _GROUND = 97, 40
"""Percentiles of a face's levels that tell its pips from its body."""
CLEAR_MATCH: Final = 0.55
"""Correlation below which a face may be named but not clearly: much lies in the crop that its pips do not explain."""

# The slot test. Contrasts are over the median contrast of the layout's own pips. The values are broad: between what
# clean pips show (0.7 to 1.3, red ones from 0.4) and what bare body shows (below 0.25).
LEAST_PIP: Final = 0.2
LEAST_GREY: Final = 10.0
"""Grey levels that even a dark red pip must stand out by."""
LEAST_OF_ITS_COLOUR: Final = 0.45
MOST_BARE: Final = 0.4
MOST_BESIDE: Final = 0.7
"""Contrast on both sides of a single pip over that in its middle: more, and it may be a faint pair."""
LEAST_CONTRAST: Final = 12.0
"""Grey levels between pip and body below which the picture says nothing."""
LEAST_HEADROOM: Final = 0.35
"""How far bare body must stay below the level of the pips: a glare as bright as a pip would hide one."""
RED_AT_MOST: Final = 0.93
PLAIN_AT_LEAST: Final = 0.8
"""Strength of a pip in the hiding channel over that in the other, with the light's cast taken out."""
COLOUR_GAP: Final = 0.05
"""Least difference of that ratio between a face's red and plain pips."""
DULL_AT_MOST: Final = 0.75
"""Contrast of red pips over that of plain ones, where little light has washed the colour out of both."""


@dataclass(frozen=True, slots=True)
class PipReading:
    """What the pips of one tile say.

    Attributes:
        face: the face whose layout fits best; None if none fits.
        margin: correlation of that layout less that of the best layout of another face.
        red: red pips seen at the places of the layout or beside them.
        white: plain pips seen (black ones on an ivory body).
        match: correlation of the layout with the crop, in [-1, 1].
        clear: whether every pip and every bare place of the layout was seen to be so.
        doubt: if not clear, what speaks against it.
        off: how far the pips lie from where the crop has the face: right and down in pixels of the crop, and turned
            from right to down in radians.
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
    off: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tint: float | None = None


@dataclass(frozen=True, eq=False, slots=True)
class _Bank:
    """The layouts as arrays, one row for each layout and turn (t), pips padded to twelve.

    Attributes:
        face: (t,) index into FACES.
        uv: (t, 12, 2) pip centres.
        size: (t, 12) index into _DIAMETERS.
        red, plain: (t, 12) 1 where the pip is so, 0 elsewhere and in the padding.
        gram: (t, 3) plain.plain, plain.red and red.red products of the drawn pips, tilt removed.
        sampler_plain, sampler_red: (t * shifts, pixels of all filtered maps) sums over the pips of the filtered map.
        slots: per pip size 0 and 2, (k, 2) every place where a maker puts a pip.
        bare: (t, k) which of them lie clear of all pips of the layout.
        single: (t, 12) which pips are the single red one of a half.
    """

    face: Indices
    uv: Floats
    size: Indices
    red: Floats
    plain: Floats
    gram: Floats
    sampler_plain: sparse.csr_matrix
    sampler_red: sparse.csr_matrix
    slots: Floats
    bare: NDArray[np.bool_]
    single: NDArray[np.bool_]


def read_tile(crop: NDArray[np.uint8]) -> PipReading:
    """Read one upright tile crop (96, 48, 3) BGR."""
    return read_tiles(crop[None])[0]


def read_tiles(crops: NDArray[np.uint8], beside: Sequence[PipReading] = ()) -> list[PipReading]:
    """Read all tile crops of one picture together, for the light's cast is taken from all of them.

    Args:
        crops: (n, 96, 48, 3) uint8 BGR; either end may be on top.
        beside: what other tiles of the picture were read as, in the same light.
    """
    if crops.shape[1:] != CROP_SHAPE:
        raise ValueError(f"tile crops have shape (n, 96, 48, 3), not {crops.shape}")
    if not len(crops):
        return []
    bank = _bank()
    picture = _halved(crops)
    tints = [other.tint for other in beside]
    readings = _read(bank, picture, _BODIES, tints)
    doubted = [index for index, reading in enumerate(readings) if not reading.clear or reading.margin < NARROW]
    if doubted:
        strong = _in_strong_colours(picture[doubted], _cast([*tints, *(reading.tint for reading in readings)]))
        for index, reading in zip(doubted, _read(bank, strong, (_BLACK,), []), strict=True):
            readings[index] = _surer(readings[index], reading)
    return readings


def _surer(usual: PipReading, strong: PipReading) -> PipReading:
    """Choose between a reading of a tile as it is and one in strong colours, in which noise is strong as well.

    Every pip must be seen in the latter, and two clear readings must agree.
    """
    if not strong.clear:
        return usual
    if usual.clear and usual.face is not strong.face:
        return replace(usual, clear=False, doubt=Code.PIPS_DIFFER_IN_STRONG_COLOURS)
    return max(usual, replace(strong, tint=usual.tint), key=lambda reading: (reading.clear, reading.margin))


def _in_strong_colours(picture: Floats, cast: float) -> Floats:
    """Crops (n, 2, rows, columns) in which red pips stand out from the body nearly as plain ones do.

    A dark red pip differs little from a black body in any one channel, but a plain one and the body, once the light's
    cast is taken out, do not differ between the channels at all.
    """
    green = picture[:, 0]
    redness = picture[:, 1] - green / cast
    stronger = STRONG_RED * _contrast(green) / np.maximum(_contrast(redness), 1.0)
    red = green + np.minimum(stronger, MOST_STRONGER)[:, None, None] * redness
    return np.asarray(np.stack([green, red], 1), np.float32)


def _contrast(planes: Floats) -> Floats:
    """By how much the pips of one-coloured crops (n, rows, columns) stand out from their bodies, (n,)."""
    means = filtered(_face_levelled(planes), [_DIAMETERS[0] * _WIDTH / 2])[:, 0, *_FACE].reshape(len(planes), -1)
    shown, ground = np.percentile(means, (_SHOWN, _GROUND), axis=1)
    return np.asarray(shown - ground, np.float32)


def _read(bank: _Bank, picture: Floats, bodies: tuple[int, ...], tints: Sequence[float | None]) -> list[PipReading]:
    """Read crops (n, 2, rows, columns) as faces on some kinds of body; tints are those of other tiles."""
    maps, energy = _filtered(picture)
    found = _refined(bank, maps, energy, _coarse(bank, maps, energy, bodies), bodies)
    return _measured(bank, picture, found, tints)


def _halved(crops: NDArray[np.uint8]) -> Floats:
    """Green and red of the face and its border at half resolution: (n, 2, rows, columns)."""
    inner = crops[:, 4:92, 4:44, 1:].transpose(0, 3, 1, 2).astype(np.float32)
    rows = inner[:, :, 0::2] + inner[:, :, 1::2]
    return np.asarray((rows[..., 0::2] + rows[..., 1::2]) / 4, np.float32)


@cache
def _tilt() -> Floats:
    """Orthonormal basis (pixels, 3) of constant and sloping light over the face."""
    rows, columns = np.mgrid[0:_ROWS, 0:_COLUMNS].astype(np.float32)
    basis = np.stack([np.ones_like(rows), rows - rows.mean(), columns - columns.mean()])[:, *_FACE].reshape(3, -1)
    return np.linalg.qr(basis.T)[0].astype(np.float32)


def _levelled(values: Floats) -> Floats:
    """Values over the face (..., pixels) without their constant and slope."""
    tilt = _tilt()
    return np.asarray(values - (values @ tilt) @ tilt.T, np.float32)


def _face_levelled(planes: Floats) -> Floats:
    """Planes (n, rows, columns) levelled over the face, and zero around it."""
    face = planes[:, *_FACE]
    out = np.zeros_like(planes)
    out[:, *_FACE] = _levelled(face.reshape(len(planes), -1)).reshape(face.shape)
    return out


def _filtered(picture: Floats) -> tuple[Floats, Floats]:
    """Mean over a pip at every place of the levelled face: maps (n, 2, sizes, rows, columns), and energy (n,)."""
    count = len(picture)
    planes = _face_levelled(picture.reshape(count * 2, _ROWS, _COLUMNS))
    maps = filtered(planes, [diameter * _WIDTH / 2 for diameter in _DIAMETERS])
    energy = np.square(planes).reshape(count, -1).sum(1)
    return maps.reshape(count, 2, len(_DIAMETERS), _ROWS, _COLUMNS), np.asarray(energy, np.float32)


def _coarse(bank: _Bank, maps: Floats, energy: Floats, bodies: tuple[int, ...]) -> Floats:
    """Correlation of every layout at every shift on each kind of body: (bodies, t, shifts, n)."""
    count = len(maps)
    columns = np.ascontiguousarray(maps.transpose(1, 0, 2, 3, 4).reshape(2 * count, -1).T)
    shape = (len(bank.face), len(_SHIFTS) ** 2, 2, count)
    plain = np.moveaxis((bank.sampler_plain @ columns).reshape(shape), 2, 0)
    red = np.moveaxis((bank.sampler_red @ columns).reshape(shape), 2, 0)
    scores = np.empty((len(bodies), *shape[:2], count), np.float32)
    for row, body in enumerate(bodies):
        sums, norm = _on_body(body, plain, red, bank.gram)
        scores[row] = sums / (norm[:, None, None] * np.sqrt(energy) + 1e-6)
    return scores


def _on_body(body: int | Indices, plain: Floats, red: Floats, gram: Floats) -> tuple[Floats, Floats]:
    """Product of layout and picture (green and red, ...) on some kind of body (...), and the layout's norm."""
    weights = np.moveaxis(_RED_SHOWS[body], -1, 0)
    sums = plain[0] + plain[1] + weights[0] * red[0] + weights[1] * red[1]
    norm = np.sqrt(sum(gram[..., 0] + 2 * weight * gram[..., 1] + weight**2 * gram[..., 2] for weight in weights))
    sign = np.where(np.equal(body, _IVORY), np.float32(-1), np.float32(1))
    return sign * sums, np.asarray(norm, np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class _Found:
    """The best layout for each crop (n).

    Attributes:
        layout: row of the bank.
        body: kind of body, as in ``_RED_SHOWS``.
        pose: (n, 4) its alignment: down and right in half the crop's pixels, turn and stretch.
        places: (n, 12, 2) row and column of each pip.
        slots: (n, k, 2) the same of every place of a pip.
        match, margin: correlations.
    """

    layout: Indices
    body: Indices
    pose: Floats
    places: Floats
    slots: Floats
    match: Floats
    margin: Floats


def _refined(bank: _Bank, maps: Floats, energy: Floats, scores: Floats, bodies: tuple[int, ...]) -> _Found:
    """Align the layouts of the likeliest faces more finely and choose among them, as scored on these bodies."""
    count = scores.shape[-1]
    by_layout = scores.transpose(3, 1, 0, 2).reshape(count, len(bank.face), -1)
    best_of_layout = by_layout.max(-1)
    best_layout = np.stack(
        [
            np.flatnonzero(bank.face == face)[best_of_layout[:, bank.face == face].argmax(1)]
            for face in range(len(FACES))
        ],
        axis=1,
    )
    of_face = np.take_along_axis(best_of_layout, best_layout, 1)
    faces = np.argsort(-of_face, axis=1)[:, :_REFINED]
    layout = np.take_along_axis(best_layout, faces, 1)
    crop = np.arange(count)[:, None]
    kind, shift = np.divmod(by_layout[crop, layout].argmax(-1), len(_SHIFTS) ** 2)
    body = np.array(bodies)[kind]
    steps = np.array(_SHIFTS, np.float32)
    # Alignment: shift down, shift right, turn, stretch.
    pose = np.stack([steps[shift // len(_SHIFTS)], steps[shift % len(_SHIFTS)], 0.0 * shift, 0.0 * shift], -1)
    pose = pose.astype(np.float32)
    table = _table(maps)
    for moves in (_moves((0.5, 0.5, 0, 0)), _moves((0, 0, 0.045, 0.04)), _moves((0.33, 0.33, 0, 0))):
        tried = pose[:, :, None] + moves
        value = _pose_scores(bank, table, energy, (layout, body, tried))
        pick = value.argmax(-1)[..., None]
        pose = np.take_along_axis(tried, pick[..., None], 2)[:, :, 0]
        match = np.take_along_axis(value, pick, 2)[..., 0]
    np.put_along_axis(of_face, faces, match, 1)
    ranked = np.sort(of_face, axis=1)
    first = match.argmax(1)
    row = np.arange(count)
    chosen, aligned = layout[row, first], pose[row, first]
    return _Found(
        layout=chosen,
        body=body[row, first],
        pose=aligned,
        places=_posed(bank.uv[chosen], aligned),
        slots=_posed(bank.slots[(bank.size[chosen] == 0).any(1).astype(int)], aligned),
        match=match[row, first],
        margin=ranked[:, -1] - ranked[:, -2],
    )


def _moves(step: tuple[float, float, float, float]) -> Floats:
    """All combinations of a step back, none and a step on in the alignment's parts that move: (m, 4)."""
    axes = [(-size, 0.0, size) if size else (0.0,) for size in step]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 4).astype(np.float32)


def _posed(uv: Floats, pose: Floats) -> Floats:
    """Row and column (..., p, 2) of places (..., p, 2) on the face, under an alignment (..., 4)."""
    down, right, turn, stretch = np.moveaxis(pose[..., None, :], -1, 0)
    along = (uv[..., 0] - 0.5) * _LENGTH * (1 + stretch)
    across = (uv[..., 1] - 0.5) * _WIDTH * (1 + stretch)
    middle_row, middle_column = (_ROWS - 1) / 2, (_COLUMNS - 1) / 2
    return np.stack([middle_row + down + along + turn * across, middle_column + right + across - turn * along], -1)


def _pose_scores(
    bank: _Bank,
    table: Floats,
    energy: Floats,
    posed: tuple[Indices, Indices, Floats],
) -> Floats:
    """Correlation (n, c, m) of c layouts (n, c) on bodies (n, c) for each crop under m alignments (n, c, m, 4)."""
    layout, body, poses = posed
    places = _posed(bank.uv[layout][:, :, None], poses)
    crop = np.arange(len(energy))[:, None, None, None]
    values = sampled(table, crop * len(_DIAMETERS) + bank.size[layout][:, :, None], places, _SHAPE)
    counts = np.stack([bank.plain[layout], bank.red[layout]], -1) * _area(bank.size[layout])[..., None]
    # (n, c, m, channel, pip) by (n, c, pip, colour), which is one product of small matrices for each layout.
    by_channel = np.ascontiguousarray(np.swapaxes(values, -1, -2))
    sums = by_channel.reshape(*layout.shape, -1, counts.shape[-2]) @ counts
    plain, red = np.moveaxis(sums.reshape(*poses.shape[:3], 2, 2), (-1, -2), (0, 1))
    products, norm = _on_body(body[..., None], plain, red, bank.gram[layout][:, :, None])
    return np.asarray(products / (norm * np.sqrt(energy)[:, None, None] + 1e-6), np.float32)


def _area(size: Indices) -> Floats:
    """Pixels that a pip covers."""
    return np.array([np.pi * (diameter * _WIDTH / 2) ** 2 for diameter in _DIAMETERS], np.float32)[size]


def _table(maps: Floats) -> Floats:
    """Maps (n, 2, sizes, rows, columns) as one list of pixels with both channels side by side, quick to look up in."""
    return np.ascontiguousarray(np.moveaxis(maps, 1, -1)).reshape(-1, 2)


def _measured(bank: _Bank, picture: Floats, found: _Found, beside: Sequence[float | None]) -> list[PipReading]:
    """Look at each pip of the best layouts and at each bare place; beside are the tints of other tiles."""
    count = len(picture)
    # From here on pips are bright; channel 0 shows plain pips alone, channel 1 all of them.
    bright = picture.copy()
    bright[found.body == _IVORY] = 255.0 - picture[found.body == _IVORY, ::-1]
    bright[found.body == _GREYED, 1] += _REDNESS * (picture[:, 1] - picture[:, 0])[found.body == _GREYED]
    body = _body_level(bright)
    planes = (bright - body[..., None]).reshape(count * 2, _ROWS, _COLUMNS)
    # A slightly smaller disc than the pip stays on it when the alignment is a little off.
    maps = filtered(planes, [0.8 * diameter * _WIDTH / 2 for diameter in _DIAMETERS])
    table = _table(maps.reshape(count, 2, len(_DIAMETERS), _ROWS, _COLUMNS))
    crop = np.arange(count)[:, None]
    size = bank.size[found.layout]
    pips = sampled(table, crop * len(_DIAMETERS) + size, found.places, _SHAPE)
    small = (size == 0).any(1)
    slot_size = np.where(small, 0, 2)[:, None]
    bare = sampled(table, crop * len(_DIAMETERS) + slot_size, found.slots, _SHAPE)
    slot_row = np.clip(np.rint(found.slots[..., 0]), 0, _ROWS - 1).astype(np.int64)
    bare_body = body[crop, 1, slot_row]
    pip_row = np.clip(np.rint(found.places[..., 0]), 0, _ROWS - 1).astype(np.int64)
    level = pips[..., 1] + body[crop, 1, pip_row]
    paired = _paired(bank, table, found)
    sights = [
        _Sight(
            pips=pips[index][bank.plain[row] + bank.red[row] > 0],
            red=bank.red[row][bank.plain[row] + bank.red[row] > 0] > 0,
            level=level[index][bank.plain[row] + bank.red[row] > 0],
            bare=bare[index][bank.bare[row]],
            bare_body=bare_body[index][bank.bare[row]],
            paired=bool(paired[index]),
        )
        for index, row in enumerate(found.layout)
    ]
    # A back has no pips; whatever of it fits a layout best says nothing of the light.
    tints = [
        sight.plain_tint() if match >= CLEAR_MATCH else None for sight, match in zip(sights, found.match, strict=True)
    ]
    cast = _cast([*tints, *beside])
    readings = []
    for index, (sight, tint) in enumerate(zip(sights, tints, strict=True)):
        match, margin = float(found.match[index]), float(found.margin[index])
        down, right, turn, _ = found.pose[index].tolist()
        red, white, doubt = sight.judged(cast)
        face = Tile.parse(FACES[bank.face[found.layout[index]]]) if match >= LEAST_MATCH else None
        if face is None:
            doubt = Code.PIPS_FIT_NO_FACE
        elif match < CLEAR_MATCH:
            doubt = doubt or Code.PIPS_FIT_ROUGHLY
        readings.append(
            PipReading(face, margin, red, white, match, not doubt, doubt, off=(2 * right, 2 * down, turn), tint=tint)
        )
    return readings


def _paired(bank: _Bank, table: Floats, found: _Found) -> NDArray[np.bool_]:
    """Whether a single pip of the layout may as well be a faint pair, (n,): it is no fainter on its sides."""
    crop = np.arange(len(found.layout))[:, None]
    # The smallest disc tells the middle of one pip from the gap between two.
    middles = sampled(table, crop * len(_DIAMETERS), found.places, _SHAPE)[..., 1]
    paired = np.zeros(middles.shape, np.bool_)
    for flank in _FLANKS:
        sides = [
            sampled(table, crop * len(_DIAMETERS), found.places + np.array((0, side * _WIDTH), np.float32), _SHAPE)
            for side in (-flank, flank)
        ]
        paired |= np.minimum(sides[0][..., 1], sides[1][..., 1]) > MOST_BESIDE * middles
    return np.asarray((paired & bank.single[found.layout]).any(1))


@dataclass(frozen=True, eq=False, slots=True)
class _Sight:
    """What one crop shows at the places of its best layout.

    Attributes:
        pips: (p, 2) contrast of each pip with the body, hiding channel and showing channel.
        red: (p,) whether the layout has it red.
        level: (p,) brightness of each pip.
        bare: (b, 2) contrast at the places where the layout has no pip.
        bare_body: (b,) brightness of the body there.
        paired: whether a single pip may as well be a faint pair.
    """

    pips: Floats
    red: NDArray[np.bool_]
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
        present = contrast > max(LEAST_PIP * usual, LEAST_GREY)
        for colour in (self.red, ~self.red):
            if colour.any():
                present[colour] &= contrast[colour] > LEAST_OF_ITS_COLOUR * middle(contrast[colour])
        extra = self.bare[:, 1] > MOST_BARE * usual
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

    def _colours(self, cast: float) -> tuple[bool, NDArray[np.bool_]]:
        """Whether red and plain pips can be told apart, and which are red (p,)."""
        contrast, tint = self.pips[:, 1], self.tint() / cast
        # A face of one colour is held against what the other colour shows.
        red_tint = middle(tint[self.red]) if self.red.any() else 0.5
        plain_tint = middle(tint[~self.red]) if (~self.red).any() else 1.0
        dull = False
        if self.red.any() and (~self.red).any():
            dull = middle(contrast[self.red]) < DULL_AT_MOST * middle(contrast[~self.red])
        told = (red_tint <= RED_AT_MOST and plain_tint - red_tint >= COLOUR_GAP) or (dull and red_tint < plain_tint)
        told = told and plain_tint >= PLAIN_AT_LEAST
        # In washed-out colour single pips scatter more than the two kinds differ; there the medians must do.
        sure = plain_tint - red_tint > 4 * COLOUR_GAP
        return told, (tint < (red_tint + plain_tint) / 2 if sure or not told else self.red)

    def _glare(self, usual: float) -> bool:
        """Whether some bare place is about as bright as the pips, so that a pip there would not be seen."""
        if not len(self.bare_body):
            return False
        return bool(middle(self.level) - self.bare_body.max() < LEAST_HEADROOM * usual)


def _cast(tints: Sequence[float | None]) -> float:
    """Tint of a plain pip under this light, for a set is black or ivory throughout; 1 if too few tiles say so."""
    plain = [tint for tint in tints if tint is not None and 0.75 < tint < 1.35]
    return median(plain) if len(plain) >= 3 else 1.0


def _body_level(bright: Floats) -> Floats:
    """Level of the bare body along the tile: (n, 2, rows), the lower quarter around each row."""
    rows, columns = _FACE
    face = bright[:, :, rows, columns]
    padded = np.pad(face, ((0, 0), (0, 0), (3, 3), (0, 0)), mode="reflect")
    around = np.lib.stride_tricks.sliding_window_view(padded, 7, axis=2)
    values = around.transpose(0, 1, 2, 4, 3).reshape(*face.shape[:3], -1)
    quarter = values.shape[-1] // 4
    level = np.partition(values, quarter, axis=-1)[..., quarter]
    even = cv2.blur(level.reshape(-1, level.shape[-1]), (5, 1), borderType=cv2.BORDER_REPLICATE).reshape(level.shape)
    return np.pad(even, ((0, 0), (0, 0), (rows.start, _ROWS - rows.stop)), mode="edge").astype(np.float32)


@cache
def _bank() -> _Bank:
    """All layouts both ways round, drawn once."""
    entries: dict[tuple[int, tuple[tuple[float, float, bool, float], ...]], None] = {}
    for face, name in enumerate(FACES):
        for pips in layouts(name):
            for turned in (False, True):
                entries[face, _key(pips, turned=turned)] = None
    count = len(entries)
    uv = np.full((count, _MOST_PIPS, 2), 0.5, np.float32)
    size = np.full((count, _MOST_PIPS), 2, np.int64)
    red, plain = np.zeros((2, count, _MOST_PIPS), np.float32)
    for row, (_, places) in enumerate(entries):
        for column, (u, v, is_red, diameter) in enumerate(places):
            uv[row, column] = u, v
            size[row, column] = _DIAMETERS.index(diameter)
            (red if is_red else plain)[row, column] = 1
        # Padding repeats the kind of the first pip, so that it does not make a layout of large pips look small.
        size[row, len(places) :] = size[row, 0]
    slots = _slots(uv, size, red + plain)
    small = (size == 0).any(1).astype(int)
    gap = (uv[:, None] - slots[small][:, :, None]) * np.array([_LENGTH / _WIDTH, 1], np.float32)
    apart = np.hypot(*np.moveaxis(gap, -1, 0)) / np.array(_DIAMETERS, np.float32)[size][:, None]
    near = (apart < _CLEAR_OF_PIP) & ((red + plain) > 0)[:, None]
    return _Bank(
        face=np.array([face for face, _ in entries]),
        uv=uv,
        size=size,
        red=red,
        plain=plain,
        gram=_gram(uv, size, red, plain),
        sampler_plain=_sampler(uv, size, plain),
        sampler_red=_sampler(uv, size, red),
        slots=slots,
        bare=~near.any(-1),
        single=(red > 0) & (np.abs(uv[..., 1] - 0.5) < 1e-3),
    )


def _key(pips: tuple[Pip, ...], *, turned: bool) -> tuple[tuple[float, float, bool, float], ...]:
    """The pips in a fixed order, so that a layout that a turn maps onto itself is kept once."""
    turn = [(1 - pip.u, 1 - pip.v) if turned else (pip.u, pip.v) for pip in pips]
    return tuple(
        sorted((round(u, 4), round(v, 4), pip.red, pip.diameter) for (u, v), pip in zip(turn, pips, strict=True))
    )


def _slots(uv: Floats, size: Indices, used: Floats) -> Floats:
    """Every place of a pip in the sets with large (0) and with small pips (1), near ones merged: (2, k, 2)."""
    small = (size == 0).any(1)
    lists = []
    for kind in (False, True):
        places: list[NDArray[np.float32]] = []
        for place in uv[small == kind][used[small == kind] > 0]:
            if all(abs(place[0] - u) > 0.03 or abs(place[1] - v) > 0.05 for u, v in places):
                places.append(place)
        lists.append(places)
    longest = max(map(len, lists))
    # Padding by repetition: a place looked at twice says nothing new.
    return np.array([places + [places[0]] * (longest - len(places)) for places in lists], np.float32)


def _gram(uv: Floats, size: Indices, red: Floats, plain: Floats) -> Floats:
    """Products of the drawn layouts, tilt removed: (t, 3)."""
    rows, columns = np.mgrid[0:_ROWS, 0:_COLUMNS].astype(np.float32)
    places = _posed(uv, np.zeros((len(uv), 4), np.float32))
    far = np.hypot(rows - places[..., 0, None, None], columns - places[..., 1, None, None])
    radius = np.array(_DIAMETERS, np.float32)[size][..., None, None] * _WIDTH / 2
    discs = np.clip(radius - far + 0.5, 0, 1)[:, :, *_FACE].reshape(len(uv), _MOST_PIPS, -1)
    drawn_plain = _levelled(np.einsum("tpx,tp->tx", discs, plain))
    drawn_red = _levelled(np.einsum("tpx,tp->tx", discs, red))
    pairs = ((drawn_plain, drawn_plain), (drawn_plain, drawn_red), (drawn_red, drawn_red))
    return np.stack([np.einsum("tx,tx->t", one, other) for one, other in pairs], -1)


def _sampler(uv: Floats, size: Indices, weight: Floats) -> sparse.csr_matrix:
    """Matrix (t * shifts, sizes * rows * columns) that sums the filtered maps over the pips."""
    shifts = np.array([(down, right, 0, 0) for down in _SHIFTS for right in _SHIFTS], np.float32)
    places = _posed(uv[:, None], np.broadcast_to(shifts, (len(uv), *shifts.shape)))
    return summing_matrix(places, size, weight * _area(size), (len(_DIAMETERS), _ROWS, _COLUMNS))
