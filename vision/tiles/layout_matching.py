"""The best layout for a tile crop: template matching by normalised cross-correlation, coarse to fine."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from vision.arrays import Floats, Indices
from vision.template_matching import disc_means, interpolated
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
"""Approximate contrast of a red pip relative to a plain one on each body, in green and in red."""
_REFINED_FACES: Final = 3
"""Faces whose alignment is refined before the margin is taken."""


@dataclass(frozen=True, eq=False, slots=True)
class LayoutMatch:
    """The best layout for each crop (n).

    Attributes:
        layout: row of the bank.
        body: kind of body.
        pose: (n, 4) its alignment: down and right in half-resolution pixels, rotation and stretch.
        places: (2, n, 12) row and column of each pip.
        slots: (2, n, k) the same for every possible pip position.
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
    """Find the best layout for each crop, (n, 2, rows, columns) green and red, on any of these bodies."""
    bank, count = layout_bank(), len(picture)
    planes = detrended(picture.reshape(count * 2, *SHAPE))
    maps = pip_maps(planes, 1.0)
    energy = np.asarray(np.square(planes).reshape(count, -1).sum(1), np.float32)
    return _refined(bank, maps, energy, _coarse(bank, maps, energy, bodies), bodies)


def pip_maps(planes: Floats, shrink: float) -> Floats:
    """Mean over a pip, shrunk by a factor, at every position of planes: (sizes, rows, columns, 2 n).

    The planes (2 n, rows, columns) are green and red of each crop in turn.
    """
    return disc_means(planes, [shrink * diameter * WIDTH_PX / 2 for diameter in DIAMETERS])


def _coarse(bank: LayoutBank, maps: Floats, energy: Floats, bodies: tuple[int, ...]) -> Floats:
    """Correlation of every layout at every shift on each kind of body: (bodies, t, shifts, n)."""
    values = bank.templates.values(maps)
    levels = np.sqrt(energy)[:, None] + np.float32(1e-6)
    green, red = np.moveaxis(values.reshape(len(values), len(SHIFTS_PX) ** 2, -1, 2) / levels, -1, 0)
    plain = bank.plain_sums @ (green + red).reshape(len(values), -1)
    scores = np.empty((len(bodies), len(bank.face), *green.shape[1:]), np.float32)
    for row, body in enumerate(bodies):
        in_green, in_red = _RED_CONTRAST[body]
        sums = plain + bank.red_sums @ (in_green * green + in_red * red).reshape(len(values), -1)
        np.multiply(sums.reshape(scores.shape[1:]), (_sign(body) / _norm(body, bank.gram))[:, None, None], scores[row])
    return scores


def _refined(bank: LayoutBank, maps: Floats, energy: Floats, scores: Floats, bodies: tuple[int, ...]) -> LayoutMatch:
    """Refine the alignment of the likeliest faces' layouts, as scored on these bodies, and choose the best."""
    count = scores.shape[-1]
    best_of_layout = np.ascontiguousarray(scores.max(0).max(1).T)
    best_layout = np.stack([rows.start + best_of_layout[:, rows].argmax(1) for rows in bank.faces], axis=1)
    of_face = np.take_along_axis(best_of_layout, best_layout, 1)
    faces = np.argsort(-of_face, axis=1)[:, :_REFINED_FACES]
    layout = np.take_along_axis(best_layout, faces, 1)
    at_shifts = scores[:, layout, :, np.arange(count)[:, None]]  # (n, faces, bodies, shifts)
    kind, shift = np.divmod(at_shifts.reshape(*layout.shape, -1).argmax(-1), len(SHIFTS_PX) ** 2)
    body = np.array(bodies)[kind]
    likely = _Likely.of(bank, layout, body, energy)
    # Alignment: shift down, shift right, turn, stretch.
    pose = np.zeros((*layout.shape, 4), np.float32)
    pose[..., 0], pose[..., 1] = np.array(SHIFTS_PX, np.float32)[np.stack(np.divmod(shift, len(SHIFTS_PX)))]
    for steps in _STEPS:
        tried = pose[:, :, None] + steps
        value = likely.scores(maps, tried)
        pick = value.argmax(-1)[..., None]
        pose = np.take_along_axis(tried, pick[..., None], 2)[:, :, 0]
        match = np.take_along_axis(value, pick, 2)[..., 0]
    np.put_along_axis(of_face, faces, match, 1)
    ranked = np.sort(of_face, axis=1)
    row, first = np.arange(count), match.argmax(1)
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


@dataclass(frozen=True, eq=False, slots=True)
class _Likely:
    """The likeliest layouts (c) of each crop (n), each on a kind of body.

    Attributes:
        uv: (n, c, 1, 12, 2) pip centres.
        size: (n, c, 1, 12) index into DIAMETERS.
        weight: (2, n, c, 12, 1) of each pip in green and in red.
        norm: (n, c, 1) of the layout image and the crop.
    """

    uv: Floats
    size: Indices
    weight: Floats
    norm: Floats

    @classmethod
    def of(cls, bank: LayoutBank, layout: Indices, body: Indices, energy: Floats) -> Self:
        """Layouts (n, c) on bodies (n, c) for crops of some energy (n,)."""
        size = bank.size[layout]
        red_contrast = np.moveaxis(_RED_CONTRAST[body], -1, 0)
        weight = bank.plain[layout] + red_contrast[..., None] * bank.red[layout]
        weight *= pip_area_px(size) * _sign(body)[..., None]
        norm = _norm(body, bank.gram[layout]) * np.sqrt(energy)[:, None] + np.float32(1e-6)
        return cls(bank.uv[layout][:, :, None], size[:, :, None], weight[..., None], norm[..., None])

    def scores(self, maps: Floats, poses: Floats) -> Floats:
        """Correlation (n, c, m) of the layouts with the maps of each crop under m alignments (n, c, m, 4)."""
        values = pip_values(maps, self.size, pip_places(self.uv, poses))
        # (channel, n, c, m, pip) by (channel, n, c, pip), which is a small product for each layout.
        return np.asarray((values @ self.weight)[..., 0].sum(0) / self.norm, np.float32)


def _steps(down: float, right: float, turn: float, stretch: float) -> Floats:
    """All combinations of a step back, none and a step forward in the varied alignment parameters: (m, 4)."""
    axes = [(-size, 0.0, size) if size else (0.0,) for size in (down, right, turn, stretch)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 4).astype(np.float32)


_STEPS: Final = (_steps(0.5, 0.5, 0, 0), _steps(0, 0, 0.045, 0.04), _steps(0.33, 0.33, 0, 0))
"""Successive search steps for refining an alignment."""


def _norm(body: int | Indices, gram: Floats) -> Floats:
    """Norm (...) of layout images on some kind of body (...), from the products (..., 3) of their pips."""
    of_colour = [
        gram[..., 0] + 2 * weight * gram[..., 1] + weight**2 * gram[..., 2]
        for weight in np.moveaxis(_RED_CONTRAST[body], -1, 0)
    ]
    return np.asarray(np.sqrt(of_colour[0] + of_colour[1]), np.float32)


def _sign(body: int | Indices) -> Floats:
    """Sign of the contrast of pips on some kind of body (...)."""
    return np.where(np.equal(body, IVORY), np.float32(-1), np.float32(1))


def pip_values(maps: Floats, size: Indices, places: Floats) -> Floats:
    """Values (2, n, ...) of green and red at positions (2, n, ...), row and column, on the maps for pips of some size.

    The maps (sizes, rows, columns, 2 n) are those of ``pip_maps``; the size (n, ...), or broadcastable to it,
    is an index into DIAMETERS.
    """
    plane = np.arange(maps.shape[-1]).reshape(-1, 2).T
    return interpolated(maps, size, plane.reshape(*plane.shape, *[1] * (places.ndim - 2)), places)
