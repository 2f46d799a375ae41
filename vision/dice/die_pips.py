"""The second reader of dice: matches the pip pattern of the upper face in any colour and rotation.

Small regions brighter or darker than their surroundings in any channel are pip candidates; larger ones are removed
first by morphology, and elongated ones are attenuated. Pips that show through a transparent die are fainter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

import cv2
import numpy as np
from scipy import sparse

from vision.arrays import DieCrops, Floats, Indices, Mask, Pixels
from vision.findings import Code
from vision.template_matching import Templates, disc_means, filtered, interpolated, middle

CROP_SHAPE: Final = (80, 80, 3)
"""A die crop: the upper face covers its middle 40 by 40 pixels."""
_MIDDLE: Final = slice(8, -8)
"""Rows and columns that are measured; the die's sides are outside."""

# Everything is measured at half the crop's resolution.
_SIZE, _SIDE = 32, 20
_SHAPE: Final = (_SIZE, _SIZE)
_CENTRE = (_SIZE - 1) / 2
_LARGEST_PIP_PX: Final = 7
_BAR_LENGTH_PX: Final = 7
_BAR_DIRECTIONS: Final = 8
_BAR_SUPPRESSION: Final = 0.5
"""Length, directions and removed share of bars, the appearance of far pips of a transparent die; a 6 has them too."""

_PATTERNS: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
}
_CLOSE_ROWS: Final = 0.65
"""Distance of the rows of three of a six from its middle, in pitches, as many makers drill them: closer together."""
_BESIDE_CLOSE_ROWS: Final = ((0.0, -1.4), (0.0, 1.4), (-1.0, -1.4), (1.0, 1.4), (-1.0, 1.4), (1.0, -1.4))
"""Places beside them without a pip."""
_LATTICE: Final = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1))
_MAX_PIPS: Final = 6

_RADII: Final = (0.07, 0.105, 0.16)
"""Radii of pips in sides of the face; the largest only for a single pip."""
_PITCHES: Final = (0.15, 0.175, 0.2, 0.23, 0.265)
"""Distances of neighbouring pips in sides of the face; below real dice, since a crop may include the sides."""
_PITCH_OF_ONE: Final = 0.23
"""The same around a single pip, where its neighbours would be."""
_SHIFTS_PX: Final = (-1.5, -0.75, 0.0, 0.75, 1.5)
_TURN_STEP_DEG: Final = 7.5
"""Step of the shifts and rotations tried for every pattern."""

_GLINT_PERCENTILE: Final = 98.5
"""Percentile of a face above which values are clipped: all but five pixels; a pip has twelve or more."""
LEAST_MATCH: Final = 0.4
"""Correlation below which no value is returned."""
LEAST_CONTRAST: Final = 8.0
"""Minimum contrast of a pip in grey levels."""
LEAST_PIP_CONTRAST: Final = 0.45
MOST_BARE_CONTRAST: Final = 0.6
"""Contrast relative to the median of the pattern's pips: minimum for each pip, maximum for a place without a pip."""


@dataclass(frozen=True, slots=True)
class DiePipReading:
    """Reading of one die by its pips, in terms of ``vision.tiles.pips.PipReading``; value None: no pattern fits."""

    value: int | None
    margin: float
    match: float
    clear: bool
    doubt: Code | None = None


@dataclass(frozen=True, eq=False, slots=True)
class _PatternBank:
    """Templates of the patterns, one row for each value, size, pitch and turn (t).

    Attributes:
        size: (t,) index into _RADII.
        places: (2, t, 6) row and column of the pips, padded.
        used: (t, 6) 1 for a pip, 0 for padding.
        bare: (2, t, most) places where a die may have pips and this pattern has none, padded by repetition.
        norm: (t,) of the pattern image with its mean removed.
        templates: the same pips as templates.
        sums: (t, places) sums over the pips of a template, by the pixels they cover.
    """

    value: Indices
    size: Indices
    places: Floats
    used: Floats
    bare: Floats
    norm: Floats
    templates: Templates
    sums: sparse.csr_matrix


def read_dice(crops: DieCrops) -> list[DiePipReading]:
    """Read dice; faces may have any rotation."""
    if crops.shape[1:] != CROP_SHAPE:
        raise ValueError(f"die crops have shape (n, 80, 80, 3), not {crops.shape}")
    if not len(crops):
        return []
    bank = _pattern_bank()
    count = len(crops)
    hats = _top_hats(crops[:, _MIDDLE, _MIDDLE])
    within = _face_disc()
    face = hats.reshape(count * 2, _SIZE, _SIZE)[:, within]
    # A glint must not have more weight than a pip; the only pip of a 1 is not a glint.
    face = np.minimum(face, np.percentile(face, _GLINT_PERCENTILE, axis=1, keepdims=True).astype(np.float32) + 3)
    levelled = face - face.mean(1, keepdims=True)
    planes = np.zeros((count * 2, _SIZE, _SIZE), np.float32)
    planes[:, within] = levelled
    values = bank.templates.values(disc_means(planes, [radius * _SIDE for radius in _RADII]))
    sums = (bank.sums @ values).reshape(len(bank.value), -1, count, 2)
    energy = np.sqrt(np.einsum("np,np->n", levelled, levelled)).reshape(count, 2)
    scores = sums / (bank.norm[:, None, None, None] * energy + 1e-6)
    # NumPy is fast at the maximum over many rows, and slow at that over a few numbers each.
    by_pattern = np.ascontiguousarray(np.moveaxis(scores, 1, 0)).max(0).max(-1).T
    by_value = np.stack([by_pattern[:, bank.value == value].max(1) for value in _PATTERNS], 1)
    ranked = np.sort(by_value, axis=1)
    pattern = by_pattern.argmax(1)
    shift, light = np.divmod(scores[pattern, :, np.arange(count)].reshape(count, -1).argmax(1), 2)
    moved = np.array(_SHIFTS_PX, np.float32)[np.stack(np.divmod(shift, len(_SHIFTS_PX)))][..., None]
    maps = disc_means(hats.reshape(count * 2, _SIZE, _SIZE), [radius * _SIDE for radius in _RADII])
    plane = np.arange(count) * 2 + light
    pips, bare = (
        interpolated(maps, bank.size[pattern][:, None], plane[:, None], places[:, pattern] + moved)
        for places in (bank.places, bank.bare)
    )
    readings = []
    for index, row in enumerate(pattern):
        match = float(ranked[index, -1])
        doubt: Code | None = Code.DIE_PIPS_FIT_NO_VALUE
        if match >= LEAST_MATCH:
            doubt = _doubt(pips[index][bank.used[row] > 0], bare[index])
        value = int(bank.value[row]) if match >= LEAST_MATCH else None
        readings.append(DiePipReading(value, float(ranked[index, -1] - ranked[index, -2]), match, not doubt, doubt))
    return readings


def _doubt(pips: Floats, bare: Floats) -> Code | None:
    """Return the doubt about the pattern, from the contrast of its pips and of its bare places."""
    usual = middle(pips)
    if usual < LEAST_CONTRAST:
        return Code.DIE_PIPS_INDISTINCT
    if pips.min() < LEAST_PIP_CONTRAST * usual:
        return Code.DIE_PIP_MISSING
    if bare.max() > MOST_BARE_CONTRAST * usual:
        return Code.DIE_PIP_TOO_MANY
    return None


def _top_hats(crops: DieCrops) -> Floats:
    """Top-hat and black-hat of each crop, by a neighbourhood larger than a pip: (n, 2, rows, columns).

    Channel 0 for brighter, 1 for darker, in the colour channel with the strongest response; less a share of their
    opening by lines longer than a pip.
    """
    rows = crops[:, 0::2].astype(np.float32) + crops[:, 1::2]
    halved = (rows[:, :, 0::2] + rows[:, :, 1::2]) / 4
    beside = np.ascontiguousarray(halved.transpose(1, 2, 3, 0), np.float32).reshape(_SIZE, _SIZE, -1)
    kernel = np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_LARGEST_PIP_PX, _LARGEST_PIP_PX)), np.uint8)
    both = [filtered(beside, partial(_morphed, kind, kernel)) for kind in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT)]
    hats = np.concatenate([np.maximum.reduce(np.split(hat, 3, axis=-1)) for hat in both], -1)
    bars = np.max([filtered(hats, partial(_morphed, cv2.MORPH_OPEN, line)) for line in _lines()], axis=0)
    less_bars = (hats - _BAR_SUPPRESSION * bars).reshape(_SIZE, _SIZE, 2, -1)
    return np.ascontiguousarray(less_bars.transpose(3, 2, 0, 1), np.float32)


def _morphed(kind: int, kernel: Pixels, planes: Floats) -> Any:  # noqa: ANN401 - as OpenCV has it
    return cv2.morphologyEx(planes, kind, kernel)


@cache
def _lines() -> tuple[Pixels, ...]:
    """Lines of a bar's length in all directions, one pixel wide."""
    middle_px = (_BAR_LENGTH_PX - 1) / 2
    lines = []
    for angle in np.arange(_BAR_DIRECTIONS) * np.pi / _BAR_DIRECTIONS:
        along = np.array([np.cos(angle), np.sin(angle)]) * middle_px
        one, other = np.round([middle_px - along, middle_px + along]).astype(int).tolist()
        lines.append(
            cv2.line(np.zeros((_BAR_LENGTH_PX, _BAR_LENGTH_PX), np.uint8), one, other, 1).astype(np.uint8, copy=False)
        )
    return tuple(lines)


@cache
def _face_disc() -> Mask:
    """The largest disc on the upper face: at any rotation it contains the pips and nothing outside the face."""
    rows, columns = np.mgrid[0:_SIZE, 0:_SIZE] - _CENTRE
    return np.asarray(rows**2 + columns**2 <= (_SIDE / 2) ** 2)


@cache
def _pattern_bank() -> _PatternBank:
    rows: list[tuple[int, int, Floats, Floats]] = []
    for value, pattern, bare in _layouts():
        sizes = range(len(_RADII)) if value == 1 else range(len(_RADII) - 1)
        # 4 and 5 repeat after a quarter turn, 2, 3 and 6 after a half turn.
        turns = (0.0,) if value == 1 else np.arange(0, 90 if value in {4, 5} else 180, _TURN_STEP_DEG)
        for size in sizes:
            for pitch in (_PITCH_OF_ONE,) if value == 1 else _PITCHES:
                for turn in turns:
                    pips = _placed(pattern, pitch, float(turn))
                    rows.append((value, size, pips, _placed(bare, pitch, float(turn))))
    places = np.full((len(rows), _MAX_PIPS, 2), _CENTRE, np.float32)
    used = np.zeros((len(rows), _MAX_PIPS), np.float32)
    most_bare = max(len(bare) for *_, bare in rows)
    bare_places = np.empty((len(rows), most_bare, 2), np.float32)
    for row, (_, _, pips, bare_of) in enumerate(rows):
        places[row, : len(pips)] = pips
        used[row, : len(pips)] = 1
        bare_places[row] = bare_of[np.arange(most_bare) % len(bare_of)]
    size_of = np.array([size for _, size, *_ in rows])
    area = np.array([np.pi * (radius * _SIDE) ** 2 for radius in _RADII], np.float32)[size_of]
    shifts = np.array([(down, right) for down in _SHIFTS_PX for right in _SHIFTS_PX], np.float32)
    layer = np.broadcast_to(size_of[:, None], used.shape)
    templates = Templates.of(places, layer, shifts, (len(_RADII), *_SHAPE))
    return _PatternBank(
        value=np.array([value for value, *_ in rows]),
        size=size_of,
        places=np.ascontiguousarray(np.moveaxis(places, -1, 0)),
        used=used,
        bare=np.ascontiguousarray(np.moveaxis(bare_places, -1, 0)),
        norm=_norm(places, used, size_of),
        templates=templates,
        sums=templates.weighted(used * area[:, None]),
    )


def _layouts() -> Iterator[tuple[int, Sequence[tuple[float, float]], Sequence[tuple[float, float]]]]:
    """Each value with its pips and the places without one, in pitches; of a six, both layouts."""
    for value, pattern in _PATTERNS.items():
        yield value, pattern, _around_one() if value == 1 else [place for place in _LATTICE if place not in pattern]
    yield 6, [(row, _CLOSE_ROWS * column) for row, column in _PATTERNS[6]], _BESIDE_CLOSE_ROWS


def _placed(pattern: Sequence[tuple[float, float]], pitch: float, turn_deg: float) -> Floats:
    """Row and column (p, 2) of a pattern's pips on a face turned by an angle."""
    angle = np.deg2rad(turn_deg)
    turned = np.array(pattern) @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(_CENTRE + turned * pitch * _SIDE, np.float32)


def _around_one() -> list[tuple[float, float]]:
    """Places around a single pip where others would be, at any rotation."""
    angles = np.arange(0, 2 * np.pi, np.pi / 6)
    return [(float(far * np.cos(angle)), float(far * np.sin(angle))) for far in (1.0, 1.4) for angle in angles]


def _norm(places: Floats, used: Floats, size: Indices) -> Floats:
    """Norm (t,) of each pattern image over the face with its mean removed."""
    rows, columns = np.mgrid[0:_SIZE, 0:_SIZE].astype(np.float32)
    radius = (np.array(_RADII, np.float32) * _SIDE)[size]
    norms = np.empty(len(places), np.float32)
    for index, pips in enumerate(places[..., None, None]):
        far = np.hypot(rows - pips[:, 0], columns - pips[:, 1])
        drawn = (np.clip(radius[index] - far + 0.5, 0, 1) * used[index][:, None, None]).sum(0)[_face_disc()]
        norms[index] = np.linalg.norm(drawn - drawn.mean())
    return norms
