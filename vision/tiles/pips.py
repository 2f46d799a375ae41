"""The second reader: recognises a tile from pips measured in the picture, independent of the network.

A crop is matched with every manufacturer's layouts, in both orientations, on all kinds of bodies. The reading is
``clear`` only if every pip of the best layout is present in its colour, and nothing is at its bare positions, where a
pip would be visible.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from statistics import median
from typing import Final

import cv2
import numpy as np

from engine.game.tiles import Tile
from vision.arrays import Floats, TileCrops
from vision.findings import Code
from vision.template_matching import disc_means
from vision.tiles.faces import FACE_NAMES
from vision.tiles.layout_bank import DIAMETERS, FACE_AREA, WIDTH_PX, detrended, layout_bank
from vision.tiles.layout_matching import BLACK, GREYED, IVORY, match_layouts
from vision.tiles.pip_measurements import PipMeasurements

CROP_SHAPE: Final = (96, 48, 3)
"""A tile crop: the face covers its middle 80 by 32 pixels, upright."""

LEAST_MATCH: Final = 0.35
"""Correlation below which no face is returned."""
CLEAR_MATCH: Final = 0.55
"""Correlation below which a face is not clear: the crop contains too much that its pips do not explain."""
NARROW_MARGIN: Final = 0.04
"""Correlation margin below which a tile is read again with amplified colours."""
AMPLIFIED_RED_CONTRAST: Final = 0.8
"""Contrast of red pips relative to white ones in amplified colours."""
MAX_RED_GAIN: Final = 8.0
"""Maximum gain of red over green, which amplifies the noise as well."""
_PIP_PERCENTILE, _BODY_PERCENTILE = 97, 40
"""Percentiles of a face's grey levels for pips and body."""
CAST_TINTS: Final = (0.75, 1.35)
"""Plausible tints of plain pips due to the light; others come from misread pips."""
FEWEST_FOR_CAST: Final = 3
"""Tiles needed for a median tint that is robust to one misread tile."""
_TILES: Final = tuple(Tile.parse(name) for name in FACE_NAMES)


@dataclass(frozen=True, slots=True)
class PipReading:
    """Reading of one tile by its pips.

    Attributes:
        face: the face whose layout fits best; None if none fits.
        margin: correlation of that layout minus that of the best layout of another face.
        red: red pips found at the positions of the layout or near them.
        white: plain pips found (black ones on an ivory body).
        match: correlation of the layout with the crop, in [-1, 1].
        clear: whether every pip and every bare position of the layout was confirmed.
        doubt: if not clear, the reason.
        offset: of the pips relative to the face in the crop: right and down in pixels of the crop, and rotation from
            right to down in radians.
        tint: strength of a plain pip in the hiding channel relative to the other; None if it has none, or if the pips
            fit the face only roughly.
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
    """Read all tiles of one picture together, since the light's colour cast is estimated from all of them.

    Tiles may have either orientation; ``others`` are readings of further tiles in the same light.
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
    """Choose between a reading of the original crop and one in amplified colours, which also amplifies noise.

    The latter must find every pip, and two clear readings must agree.
    """
    if not strong.clear:
        return usual
    if usual.clear and usual.face is not strong.face:
        return replace(usual, clear=False, doubt=Code.PIPS_DIFFER_IN_STRONG_COLOURS)
    return max(usual, replace(strong, tint=usual.tint), key=lambda reading: (reading.clear, reading.margin))


def _with_amplified_red(picture: Floats, cast: float) -> Floats:
    """Crops (n, 2, rows, columns) in which red pips contrast with the body nearly as much as plain ones do.

    A dark red pip differs little from a black body in any single channel, but a plain pip and the body, corrected for
    the light's cast, do not differ between the channels at all.
    """
    green = picture[:, 0]
    redness = picture[:, 1] - green / cast
    gain = AMPLIFIED_RED_CONTRAST * _contrast(green) / np.maximum(_contrast(redness), 1.0)
    red = green + np.minimum(gain, MAX_RED_GAIN)[:, None, None] * redness
    return np.asarray(np.stack([green, red], 1), np.float32)


def _contrast(planes: Floats) -> Floats:
    """Contrast of pips and body in one-coloured crops (n, rows, columns), (n,)."""
    means = disc_means(detrended(planes), [DIAMETERS[0] * WIDTH_PX / 2])[0, *FACE_AREA].reshape(-1, len(planes))
    pips, body = np.percentile(means.T, (_PIP_PERCENTILE, _BODY_PERCENTILE), axis=1)
    return np.asarray(pips - body, np.float32)


def _halved(crops: TileCrops) -> Floats:
    """Green and red of the face and its border at half resolution: (n, 2, rows, columns)."""
    tall = crops.reshape(-1, *CROP_SHAPE[1:])
    planes = np.stack([cv2.extractChannel(tall, channel).reshape(crops.shape[:3]) for channel in (1, 2)], 1)
    inner = planes[:, :, 4:92, 4:44]
    rows = np.add(inner[:, :, 0::2], inner[:, :, 1::2], dtype=np.uint16)
    return (rows[..., 0::2] + rows[..., 1::2]).astype(np.float32) / np.float32(4)


def _read(picture: Floats, bodies: tuple[int, ...], tints: Sequence[float | None]) -> list[PipReading]:
    """Match crops (n, 2, rows, columns), green and red, and check all pips and bare positions of the best layouts."""
    found = match_layouts(picture, bodies)
    measured = PipMeasurements.of(picture, found)
    # A back has no pips; its best-fitting layout tells nothing about the light.
    fits = found.match >= CLEAR_MATCH
    own_tints = [
        tint if fit and not isnan(tint) else None
        for fit, tint in zip(fits.tolist(), measured.plain_tint().tolist(), strict=True)
    ]
    rows = zip(
        layout_bank().face[found.layout].tolist(),
        found.match.tolist(),
        found.margin.tolist(),
        found.pose.tolist(),
        own_tints,
        *measured.judged(_cast([*own_tints, *tints])),
        strict=True,
    )
    readings = []
    for number, match, margin, (down, right, turn, _), tint, red, white, doubt in rows:
        face = _TILES[number] if match >= LEAST_MATCH else None
        why = Code.PIPS_FIT_NO_FACE if face is None else doubt
        if match < CLEAR_MATCH:
            why = why or Code.PIPS_FIT_ROUGHLY
        readings.append(PipReading(face, margin, red, white, match, not why, why, (2 * right, 2 * down, turn), tint))
    return readings


def _cast(tints: Sequence[float | None]) -> float:
    """Tint of a plain pip in this light, since a set is uniformly black or ivory; 1 if too few tiles show it."""
    plain = [tint for tint in tints if tint is not None and CAST_TINTS[0] < tint < CAST_TINTS[1]]
    return median(plain) if len(plain) >= FEWEST_FOR_CAST else 1.0
