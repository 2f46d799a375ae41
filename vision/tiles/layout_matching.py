"""Which layout fits a tile crop best: template matching by normalised cross-correlation, coarse to fine."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.arrays import Floats, Indices
from vision.template_matching import disc_means, interpolated
from vision.tiles.faces import FACE_NAMES
from vision.tiles.layout_bank import (
    DIAMETERS,
    SHAPE,
    SHIFTS_PX,
    WIDTH_PX,
    LayoutBank,
    detrended,
    layout_bank,
    pip_area_px,
    pip_places,
)

BLACK, IVORY, GREYED = range(3)
"""Kinds of bodies: black, ivory, and black greyed by glare, against which a red pip is dark in green."""
_RED_CONTRAST: Final = np.array(((0.1, 0.65), (0.9, 0.3), (-0.5, 0.1)), np.float32)
"""Contrast of a red pip over that of a plain one on each body, in green and in red; only roughly."""
_REFINED_FACES: Final = 3
"""Faces whose alignment is refined before the margin is taken."""


@dataclass(frozen=True, eq=False, slots=True)
class LayoutMatch:
    """The best layout for each crop (n).

    Attributes:
        layout: row of the bank.
        body: kind of body.
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


def match_layouts(picture: Floats, bodies: tuple[int, ...]) -> LayoutMatch:
    """Find the layout that fits each crop, (n, 2, rows, columns) green and red, best on any of these bodies."""
    bank, count = layout_bank(), len(picture)
    planes = detrended(picture.reshape(count * 2, *SHAPE))
    maps = pip_maps(planes, 1.0)
    energy = np.asarray(np.square(planes).reshape(count, -1).sum(1), np.float32)
    return _refined(bank, maps, energy, _coarse(bank, maps, energy, bodies), bodies)


def pip_maps(planes: Floats, shrink: float) -> Floats:
    """Mean over a pip, shrunk by a factor, at every place of planes: (n, 2, sizes, rows, columns).

    The planes (2 n, rows, columns) are green and red of each crop, one after the other.
    """
    maps = disc_means(planes, [shrink * diameter * WIDTH_PX / 2 for diameter in DIAMETERS])
    return maps.reshape(-1, 2, len(DIAMETERS), *SHAPE)


def _coarse(bank: LayoutBank, maps: Floats, energy: Floats, bodies: tuple[int, ...]) -> Floats:
    """Correlation of every layout at every shift on each kind of body: (bodies, t, shifts, n)."""
    count = len(maps)
    columns = np.ascontiguousarray(maps.transpose(1, 0, 2, 3, 4).reshape(2 * count, -1).T)
    shape = (len(bank.face), len(SHIFTS_PX) ** 2, 2, count)
    plain = np.moveaxis((bank.sampler_plain @ columns).reshape(shape), 2, 0)
    red = np.moveaxis((bank.sampler_red @ columns).reshape(shape), 2, 0)
    scores = np.empty((len(bodies), *shape[:2], count), np.float32)
    for row, body in enumerate(bodies):
        sums, norm = _on_body(body, plain, red, bank.gram)
        scores[row] = sums / (norm[:, None, None] * np.sqrt(energy) + 1e-6)
    return scores


def _refined(bank: LayoutBank, maps: Floats, energy: Floats, scores: Floats, bodies: tuple[int, ...]) -> LayoutMatch:
    """Refine the alignment of the likeliest faces' layouts, as scored on these bodies, and choose among them."""
    count = scores.shape[-1]
    by_layout = scores.transpose(3, 1, 0, 2).reshape(count, len(bank.face), -1)
    best_of_layout = by_layout.max(-1)
    best_layout = np.stack(
        [
            np.flatnonzero(bank.face == face)[best_of_layout[:, bank.face == face].argmax(1)]
            for face in range(len(FACE_NAMES))
        ],
        axis=1,
    )
    of_face = np.take_along_axis(best_of_layout, best_layout, 1)
    faces = np.argsort(-of_face, axis=1)[:, :_REFINED_FACES]
    layout = np.take_along_axis(best_layout, faces, 1)
    crop = np.arange(count)[:, None]
    kind, shift = np.divmod(by_layout[crop, layout].argmax(-1), len(SHIFTS_PX) ** 2)
    body = np.array(bodies)[kind]
    shifts = np.array(SHIFTS_PX, np.float32)
    # Alignment: shift down, shift right, turn, stretch.
    pose = np.stack([shifts[shift // len(SHIFTS_PX)], shifts[shift % len(SHIFTS_PX)], 0.0 * shift, 0.0 * shift], -1)
    pose = pose.astype(np.float32)
    table = lookup_table(maps)
    for steps in (_steps((0.5, 0.5, 0, 0)), _steps((0, 0, 0.045, 0.04)), _steps((0.33, 0.33, 0, 0))):
        tried = pose[:, :, None] + steps
        value = _pose_scores(bank, table, energy, layout, body, tried)
        pick = value.argmax(-1)[..., None]
        pose = np.take_along_axis(tried, pick[..., None], 2)[:, :, 0]
        match = np.take_along_axis(value, pick, 2)[..., 0]
    np.put_along_axis(of_face, faces, match, 1)
    ranked = np.sort(of_face, axis=1)
    first = match.argmax(1)
    row = np.arange(count)
    chosen, aligned = layout[row, first], pose[row, first]
    return LayoutMatch(
        layout=chosen,
        body=body[row, first],
        pose=aligned,
        places=pip_places(bank.uv[chosen], aligned),
        slots=pip_places(bank.slots[(bank.size[chosen] == 0).any(1).astype(int)], aligned),
        match=match[row, first],
        margin=ranked[:, -1] - ranked[:, -2],
    )


def _steps(step: tuple[float, float, float, float]) -> Floats:
    """All combinations of a step back, none and a step on in the alignment's parts that move: (m, 4)."""
    axes = [(-size, 0.0, size) if size else (0.0,) for size in step]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 4).astype(np.float32)


def _pose_scores(
    bank: LayoutBank, table: Floats, energy: Floats, layout: Indices, body: Indices, poses: Floats
) -> Floats:
    """Correlation (n, c, m) of c layouts (n, c) on bodies (n, c) for each crop under m alignments (n, c, m, 4)."""
    places = pip_places(bank.uv[layout][:, :, None], poses)
    crop = np.arange(len(energy))[:, None, None, None]
    values = interpolated(table, crop * len(DIAMETERS) + bank.size[layout][:, :, None], places, SHAPE)
    counts = np.stack([bank.plain[layout], bank.red[layout]], -1) * pip_area_px(bank.size[layout])[..., None]
    # (n, c, m, channel, pip) by (n, c, pip, colour), which is one product of small matrices for each layout.
    by_channel = np.ascontiguousarray(np.swapaxes(values, -1, -2))
    sums = by_channel.reshape(*layout.shape, -1, counts.shape[-2]) @ counts
    plain, red = np.moveaxis(sums.reshape(*poses.shape[:3], 2, 2), (-1, -2), (0, 1))
    products, norm = _on_body(body[..., None], plain, red, bank.gram[layout][:, :, None])
    return np.asarray(products / (norm * np.sqrt(energy)[:, None, None] + 1e-6), np.float32)


def _on_body(body: int | Indices, plain: Floats, red: Floats, gram: Floats) -> tuple[Floats, Floats]:
    """Product of layout and picture (green and red, ...) on some kind of body (...), and the layout's norm."""
    weights = np.moveaxis(_RED_CONTRAST[body], -1, 0)
    sums = plain[0] + plain[1] + weights[0] * red[0] + weights[1] * red[1]
    norm = np.sqrt(sum(gram[..., 0] + 2 * weight * gram[..., 1] + weight**2 * gram[..., 2] for weight in weights))
    sign = np.where(np.equal(body, IVORY), np.float32(-1), np.float32(1))
    return sign * sums, np.asarray(norm, np.float32)


def lookup_table(maps: Floats) -> Floats:
    """Maps (n, 2, sizes, rows, columns) as one list of pixels with both channels side by side, quick to look up in."""
    table = np.empty((*np.delete(maps.shape, 1).tolist(), 2), np.float32)
    table[..., 0], table[..., 1] = maps[:, 0], maps[:, 1]
    return table.reshape(-1, 2)
