"""Crops to learn from: cut out of the bank's windows a little off, as a detector cuts, and photographed again."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models import augment
from models.bank import DIE, TILE_DOWN, TILE_UP, Bank, BankError
from models.targets import axes_of
from vision.crops import DIE_CROP_PX, DIE_MARGIN_PX, TILE_CROP_PX, TILE_MARGIN_PX, crop_corners, in_sides, with_foot
from vision.dice.outlines import areas, facing

CANNOT_TELL_TILE = 21
CANNOT_TELL_DIE = 6
UNKNOWN = -1
UNKNOWN_FOOT = np.full(2, np.nan, np.float32)
NO_MOVE = np.full(4, np.nan, np.float32)
MOST_DRAWS = 10_000

# A face counts as readable from here on; below the second figure nobody could read it; between, it teaches nothing.
READABLE_VISIBLE, UNREADABLE_VISIBLE = 0.9, 0.7
READABLE_CONTRAST, UNREADABLE_CONTRAST = 10.0, 4.0
# A tile hidden more than this shows another tile in its place.
COVERED_VISIBLE = 0.3
SMALLEST_SIDE_PX = 9.0
"""Objects with a shorter side in the bank teach nothing about what their pips look like."""

MOST_TURN_RAD = 0.65
"""Turn up to which it is learnt back: beyond it, close to an eighth of a turn, either way would do."""
MOVED = 0.5
"""Share of the dice cut out as after a move."""
AS_DRAWN = 0.3
"""Share of the crops that are not photographed again: fine differences must not drown in rough ones."""

FOUND_SIDES = 0.2
FOUND_SCALE = 0.25
"""How far beside the upper face an outline that was found may lie, in sides, and how much (as a logarithm) it may be
larger or smaller, if it is to be learnt as one of that face. On another face a die has another value, and must not be
called flat."""

HARD_SHARE = 0.25
"""Share of the dice drawn among those that the networks in use do not read well enough, where it is known
(``models.found``)."""
HARD_VALUE, HOPELESS = 0.98, 0.7
"""A value is hard to read below the first chance of it (what a verified one must have, ``vision.verification``), and
beyond hope above the second chance of "cannot tell"."""
HARD_FLAT, HARD_LEANING = 0.15, 0.9
"""A flat die is hard to tell above the first chance of leaning (from which it may lean, ``vision.verification``), a
leaning one below the second (from which somebody is alarmed)."""

FOOT_UNTOLD = 0.15
"""Share of the dice whose foot is kept from the network."""
FOOT_SPREAD = 0.05

GLINT_GREY = 245
GLINT_MOST_PX = 45
"""Grey level from which a lamp is mirrored, and the widest mirror image that may pass for a die."""

# Grey levels by which a crop's pattern must still vary after new light and noise. Below the first nobody could read
# it, from the second on it counts as readable.
WIPED_OUT_CONTRAST, CLEAR_CONTRAST = 4.0, 7.0


Axes = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""Centre, vector along, vector across, each (2,)."""


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """One crop and its truth.

    Attributes:
        crop: (height, width, 3) uint8 BGR; of dice with the foot as a fourth colour.
        label: class, or UNKNOWN where the class does not count.
        move: how the quad must move to lie on the die's upper face, see ``dice.outlines.corrected``; NaN where that is
            not to be learnt.
    """

    crop: NDArray[np.uint8]
    label: int
    move: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Jitter:
    """How far a quad may be off.

    Attributes:
        shift: most, as a share of the short side.
        turn_rad: most.
        scale: most, as a share.
        shear: most.
        any_turn: chance of an angle that has nothing to do with the object.
    """

    shift: float
    turn_rad: float
    scale: float
    shear: float
    any_turn: float


TILE_JITTER = Jitter(shift=0.12, turn_rad=0.105, scale=0.10, shear=0.05, any_turn=0.0)
DIE_JITTER = Jitter(shift=0.24, turn_rad=0.25, scale=0.18, shear=0.08, any_turn=0.45)
MOVED_DIE_JITTER = Jitter(shift=0.03, turn_rad=0.06, scale=0.05, shear=0.04, any_turn=0.0)
"""Of dice as the detector finds them (a leaning one's square may be turned by as much as an eighth of a turn), and as
they are cut out again after they were moved to where they are."""
FOUND_JITTER = Jitter(shift=0.05, turn_rad=0.01, scale=0.01, shear=0.0, any_turn=0.0)
"""Of dice as found in use, which are cut out a little to all sides (``AUGMENTATION_SHIFT_SIDES``)."""


class Objects:
    """The bank's objects in some windows, ready to be drawn from.

    Args:
        bank: the bank.
        windows: indices of the windows.
    """

    def __init__(self, bank: Bank, windows: NDArray[np.int64]) -> None:
        self.bank = bank
        self.windows = windows
        self.window_of = bank.window_of
        self.mine = np.isin(self.window_of, windows)
        along, across = axes_of(bank.quad_px)
        self.centre_px = bank.quad_px.mean(axis=1)
        self.along, self.across = along, across
        self.large = np.minimum(np.hypot(*along.T), np.hypot(*across.T)) >= SMALLEST_SIDE_PX

    def which(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the indices of the objects of a mask (m,) that lie in the windows."""
        return np.flatnonzero(mask & self.mine)

    def coincides(self, window: int, centre_px: NDArray[np.float32], *, dice: bool, slack: float) -> bool:
        """Tell whether a quad about a centre (2,) could be taken for one of the window's own objects."""
        items = slice(self.bank.first[window], self.bank.first[window + 1])
        same = (self.bank.kind[items] == DIE) == dice
        away = centre_px - self.centre_px[items][same]
        along, across = self.along[items][same], self.across[items][same]
        u = np.abs((away * along).sum(1)) / (along**2).sum(1)
        v = np.abs((away * across).sum(1)) / (across**2).sum(1)
        return bool(((u < slack) & (v < slack)).any())


def cut(
    pixels: NDArray[np.uint8], quad_px: NDArray[np.float32], size: tuple[int, int], margin_px: float
) -> augment.Picture:
    """Cut a quad (4, 2) out of a window as ``vision.crops`` does, (height, width, 3)."""
    matrix = cv2.getPerspectiveTransform(quad_px.astype(np.float32), crop_corners(size, margin_px))
    crop = cv2.warpPerspective(pixels, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return crop.astype(np.uint8, copy=False)


def jittered(
    centre_px: NDArray[np.float32],
    along: NDArray[np.float32],
    across: NDArray[np.float32],
    jitter: Jitter,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Return a quad (4, 2) a little off the object with this centre and axes, either end up, at times mirrored."""
    short_px = float(np.hypot(*across))
    angle = rng.uniform(-1, 1) * jitter.turn_rad
    if rng.random() < jitter.any_turn:
        angle = rng.uniform(0, 2 * np.pi)
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, -sine], [sine, cosine]])
    scale = np.exp(rng.uniform(-1, 1) * np.log1p(jitter.scale) + rng.normal(0, 0.02, 2))
    u = turn @ along * scale[0] * rng.choice((-0.5, 0.5))
    v = turn @ across * scale[1] * rng.choice((-0.5, 0.5))
    v = v + u * rng.uniform(-1, 1) * jitter.shear * np.hypot(*v) / np.hypot(*u)
    middle = centre_px + rng.uniform(-1, 1, 2) * jitter.shift * short_px
    quad_px: NDArray[np.float32] = (middle + np.stack([-u - v, -u + v, u + v, u - v])).astype(np.float32)
    return quad_px


def finished(crop: augment.Picture, rng: np.random.Generator) -> augment.Picture:
    """Take a crop again: at times from farther away, always with other light, lens and sensor."""
    if rng.random() < 0.5:
        height, width = crop.shape[:2]
        share = rng.uniform(0.33, 0.95)
        small = cv2.resize(crop, (int(width * share), int(height * share)), interpolation=cv2.INTER_AREA)
        crop = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.uint8, copy=False)
    return augment.photograph(crop, rng, augment.CROPS)


def _foot_told(
    quad_px: NDArray[np.float32], foot_px: NDArray[np.float32], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return a die's foot (2,) as it would be told for a quad (4, 2) whose size is not quite right."""
    told = in_sides(quad_px[None], foot_px[None])[0] * np.exp(rng.normal(0, FOOT_SPREAD))
    return np.asarray(told, np.float32)


def move_onto(quad_px: NDArray[np.float32], axes: Axes) -> NDArray[np.float32]:
    """Return the move (4,) that brings a quad (4, 2) onto the face with these axes, see ``dice.outlines.corrected``.

    The turn is unknown for a quad so far turned that it could as well be turned the other way.
    """
    centre_px, along, across = axes
    right, down = in_sides(quad_px[None], (centre_px - quad_px.mean(0))[None])[0]
    sides = quad_px[1] - quad_px[0], quad_px[3] - quad_px[0]
    area, wanted = (abs(float(u[0] * v[1] - u[1] * v[0])) for u, v in (sides, (along, across)))
    along_right, along_down = in_sides(quad_px[None], along[None])[0]
    turn = (np.arctan2(along_down, along_right) + np.pi / 4) % (np.pi / 2) - np.pi / 4
    known = abs(turn) <= MOST_TURN_RAD
    return np.array([right, down, np.log(wanted / area) / 2, turn if known else np.nan], np.float32)


def contrast_kept(before: augment.Picture, after: augment.Picture, margin_px: int) -> float:
    """Return by how many grey levels the pattern in the middle of a crop still varies after it was photographed again.

    Noise does not count: only what follows the old pattern, over areas of about a pip.
    """
    inner = slice(margin_px + 1, -margin_px - 1)
    old, new = (
        np.asarray(cv2.resize(crop[inner, inner], None, fx=0.5, fy=0.5), np.float32).reshape(-1, 3)
        for crop in (before, after)
    )
    old, new = old - old.mean(axis=0), new - new.mean(axis=0)
    # The colour that shows the pattern best: red pips on black hardly differ in brightness.
    return float((np.abs((old * new).mean(axis=0)) / np.sqrt((old * old).mean(axis=0) + 1.0)).max())


Draw = Callable[[np.random.Generator], Sample | None]


class Sampler:
    """Draws crops of tiles or dice by chance among several sources.

    Args:
        objects: what to cut from.
        plain: leave crops as rendered (for measuring).
    """

    _size: tuple[int, int]
    _margin_px: int
    _jitter: Jitter
    _cannot_tell: int

    def __init__(self, objects: Objects, *, plain: bool) -> None:
        self.objects, self.bank = objects, objects.bank
        self._plain = plain
        self._sources: list[tuple[float, Draw]] = []

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return one crop; a source that has none just now leaves the turn to another.

        Raises:
            BankError: no source has any: the windows hold nothing to cut out.
        """
        chances = [chance for chance, _ in self._sources]
        edges = np.cumsum(chances) / sum(chances)
        for _ in range(MOST_DRAWS):
            sample = self._sources[min(int(np.searchsorted(edges, rng.random())), len(edges) - 1)][1](rng)
            if sample is not None:
                return sample
        raise BankError("the windows hold nothing to cut out: make a larger bank")

    def _axes(self, chosen: int) -> Axes:
        """Return the axes of one of the bank's objects."""
        return self.objects.centre_px[chosen], self.objects.along[chosen], self.objects.across[chosen]

    def _cut(
        self,
        window: int,
        axes: Axes,
        label: int,
        rng: np.random.Generator,
        foot_px: NDArray[np.float32] = UNKNOWN_FOOT,
        found: Axes | None = None,
    ) -> Sample | None:
        """Cut a quad about some axes out of a window; None if it came out neither readable nor unreadable.

        What was ``found`` in use is cut out there, and the axes only say how the quad must move.
        """
        quad_px = self._quad(axes, foot_px, rng, found)
        crop = cut(self.bank.pixels[window], quad_px, self._size, self._margin_px)
        foot, move = _foot_told(quad_px, foot_px, rng), self._move(quad_px, axes)
        if self._plain or rng.random() < AS_DRAWN:
            return Sample(self._shown(crop, foot), label, move)
        taken = finished(crop, rng)
        kept = CLEAR_CONTRAST if label == self._cannot_tell else contrast_kept(crop, taken, self._margin_px)
        if kept >= CLEAR_CONTRAST:
            return Sample(self._shown(taken, foot), label, move)
        return Sample(self._shown(taken, foot), self._cannot_tell, NO_MOVE) if kept < WIPED_OUT_CONTRAST else None

    def _quad(
        self, axes: Axes, foot_px: NDArray[np.float32], rng: np.random.Generator, found: Axes | None
    ) -> NDArray[np.float32]:
        """Return a quad (4, 2) to cut with, a little off the object with these axes and this foot (2,)."""
        del foot_px, found
        return jittered(*axes, self._jitter, rng)

    def _move(self, quad_px: NDArray[np.float32], axes: Axes) -> NDArray[np.float32]:
        """Return the move (4,) to be learnt with a quad (4, 2) about these axes."""
        del quad_px, axes
        return NO_MOVE

    def _shown(self, crop: augment.Picture, foot: NDArray[np.float32]) -> augment.Picture:
        """Return what the network is shown of a crop and, in its axes, the foot (2,) told with it."""
        del foot
        return crop

    def _window(self, chosen: int) -> int:
        """Return the window of one of the bank's objects."""
        return int(self.objects.window_of[chosen])

    def _anywhere(self, rng: np.random.Generator, side_px: tuple[float, float], aspect: float) -> tuple[int, Axes]:
        """Return a window and axes that have nothing to do with its objects."""
        window = int(rng.choice(self.objects.windows))
        centre_px = rng.uniform(0, len(self.bank.pixels[window]), 2).astype(np.float32)
        angle, long_px = rng.uniform(0, np.pi), rng.uniform(*side_px)
        along = np.array([np.cos(angle), np.sin(angle)], np.float32) * long_px
        return window, (centre_px, along, np.array([-along[1], along[0]], np.float32) * aspect)


class TileSampler(Sampler):
    """Draws tile crops: faces evenly, and everything that must be answered with "cannot tell".

    Args:
        objects: what to cut from.
        plain: readable faces only, as rendered (for measuring).
    """

    _size, _margin_px, _jitter, _cannot_tell = TILE_CROP_PX, TILE_MARGIN_PX, TILE_JITTER, CANNOT_TELL_TILE

    def __init__(self, objects: Objects, *, plain: bool = False) -> None:
        super().__init__(objects, plain=plain)
        bank, which = objects.bank, objects.which
        up, present = bank.kind == TILE_UP, bank.visible >= COVERED_VISIBLE
        readable = up & objects.large & (bank.visible >= READABLE_VISIBLE) & (bank.contrast >= READABLE_CONTRAST)
        unreadable = up & present & ((bank.visible < UNREADABLE_VISIBLE) | (bank.contrast < UNREADABLE_CONTRAST))
        self._faces = [each for face in range(CANNOT_TELL_TILE) if len(each := which(readable & (bank.label == face)))]
        self._unreadable = which(unreadable)
        self._backs = which((bank.kind == TILE_DOWN) & present)
        self._tiles = which((bank.kind != DIE) & present)
        self._sources = [(0.72, self._face)]
        if not plain:
            self._sources += [
                (0.08, self._back),
                (0.06, self._unseen),
                (0.09, self._misplaced),
                (0.05, self._background),
            ]

    def _face(self, rng: np.random.Generator) -> Sample | None:
        if not self._faces:
            return None
        chosen = int(rng.choice(self._faces[rng.integers(len(self._faces))]))
        return self._cut(self._window(chosen), self._axes(chosen), int(self.bank.label[chosen]), rng)

    def _back(self, rng: np.random.Generator) -> Sample | None:
        return self._untold(self._backs, rng)

    def _unseen(self, rng: np.random.Generator) -> Sample | None:
        return self._untold(self._unreadable, rng)

    def _untold(self, pool: NDArray[np.int64], rng: np.random.Generator) -> Sample | None:
        if not len(pool):
            return None
        chosen = int(rng.choice(pool))
        return self._cut(self._window(chosen), self._axes(chosen), CANNOT_TELL_TILE, rng)

    def _misplaced(self, rng: np.random.Generator) -> Sample | None:
        """A quad off its tile: between two, turned across, much too large or too small."""
        if not len(self._tiles):
            return None
        chosen = int(rng.choice(self._tiles))
        window = self._window(chosen)
        centre_px, along, across = self._axes(chosen)
        way = rng.integers(3)
        if way == 0:
            centre_px = centre_px + rng.uniform(-0.7, 0.7) * along + rng.uniform(-1.2, 1.2) * across
            if self.objects.coincides(window, centre_px, dice=False, slack=0.32):
                return None
        elif way == 1:
            angle = rng.uniform(np.radians(35), np.radians(145))
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], np.float32)
            along, across = turn @ along, turn @ across
        else:
            factor = rng.choice((rng.uniform(0.35, 0.6), rng.uniform(1.65, 2.2)))
            along, across = along * factor, across * factor
        return self._cut(window, (centre_px, along, across), CANNOT_TELL_TILE, rng)

    def _background(self, rng: np.random.Generator) -> Sample | None:
        window, axes = self._anywhere(rng, (36, 100), 0.4)
        if self.objects.coincides(window, axes[0], dice=False, slack=0.4):
            return None
        return self._cut(window, axes, CANNOT_TELL_TILE, rng)


class _OfDice(Sampler):
    """What the samplers of dice have in common.

    Args:
        objects: what to cut from.
        plain: as rendered (for measuring).
    """

    _size, _margin_px = DIE_CROP_PX, DIE_MARGIN_PX
    _found_share: float

    def __init__(self, objects: Objects, *, plain: bool) -> None:
        super().__init__(objects, plain=plain)
        bank, which = objects.bank, objects.which
        dice = (bank.kind == DIE) & objects.large
        flat = dice & ~bank.cocked & (bank.visible >= READABLE_VISIBLE)
        self._values = [each for value in range(1, 7) if len(each := which(flat & (bank.label == value)))]
        self._leaning = which(dice & bank.cocked & (bank.visible >= UNREADABLE_VISIBLE))
        self._found = _found_well(bank)
        hard = self._hard(bank) & (not plain)
        self._hard_values = [each[hard[each]] for each in self._values]
        self._hard_leaning = self._leaning[hard[self._leaning]]

    def _hard(self, bank: Bank) -> NDArray[np.bool_]:
        """Return which objects (m,) the networks in use do not read well enough."""
        raise NotImplementedError

    def _any_flat(self, rng: np.random.Generator) -> int | None:
        """Return a flat die, all values alike often."""
        if not self._values:
            return None
        value = rng.integers(len(self._values))
        return self._one_of(self._values[value], self._hard_values[value], rng)

    def _any_leaning(self, rng: np.random.Generator) -> int | None:
        """Return a leaning die."""
        return self._one_of(self._leaning, self._hard_leaning, rng) if len(self._leaning) else None

    def _one_of(self, dice: NDArray[np.int64], hard: NDArray[np.int64], rng: np.random.Generator) -> int:
        """Return one of some dice, often a hard one."""
        return int(rng.choice(hard if len(hard) and rng.random() < HARD_SHARE else dice))

    def _quad(
        self, axes: Axes, foot_px: NDArray[np.float32], rng: np.random.Generator, found: Axes | None
    ) -> NDArray[np.float32]:
        quad_px = jittered(*axes, self._off(rng), rng) if found is None else jittered(*found, FOUND_JITTER, rng)
        return np.asarray(facing(quad_px[None], foot_px[None])[0])

    def _off(self, rng: np.random.Generator) -> Jitter:
        """Return how far the next quad may be off."""
        del rng
        return MOVED_DIE_JITTER

    def _shown(self, crop: augment.Picture, foot: NDArray[np.float32]) -> augment.Picture:
        return np.asarray(with_foot(crop[None], foot[None])[0])

    def _die(self, chosen: int | None, label: int, rng: np.random.Generator) -> Sample | None:
        if chosen is None:
            return None
        window, axes = self._window(chosen), self._square(chosen, rng)
        if not self._found[chosen] or rng.random() >= self._found_share:
            return self._cut(window, axes, label, rng, self._foot(chosen, rng))
        quad_px = self.bank.found_px[chosen]
        along, across = (vector[0] for vector in axes_of(quad_px[None]))
        if rng.random() < 0.5:
            along, across = across, -along
        foot_px = self.bank.found_foot_px[chosen] if self._foot_told(rng) else UNKNOWN_FOOT
        return self._cut(window, axes, label, rng, foot_px, (quad_px.mean(0), along, across))

    def _foot(self, chosen: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Return a die's foot (2,), or that it is not known: of a photograph nobody knows where the camera was."""
        return np.asarray(self.bank.foot_px[chosen] if self._foot_told(rng) else UNKNOWN_FOOT)

    def _foot_told(self, rng: np.random.Generator) -> bool:
        """Return whether to tell the network the foot."""
        return self._plain or rng.random() >= FOOT_UNTOLD

    def _square(self, chosen: int, rng: np.random.Generator) -> Axes:
        """Return a die's axes with any of its edges up, and mostly as a square, which is how the detector answers."""
        centre_px, along, across = self._axes(chosen)
        if rng.random() < 0.5:
            along, across = across, -along
        if rng.random() < 0.8:
            along = along * np.sqrt(np.hypot(*across) / np.hypot(*along))
            across = np.array([-along[1], along[0]], np.float32)
        return centre_px, along, across


def _found_well(bank: Bank) -> NDArray[np.bool_]:
    """Which objects (m,) were found, and on the upper face."""
    away = np.linalg.norm(bank.found_px.mean(1) - bank.quad_px.mean(1), axis=1)
    sides, found = (np.sqrt(np.maximum(areas(quads_px), 1.0)) for quads_px in (bank.quad_px, bank.found_px))
    return np.asarray((away <= FOUND_SIDES * sides) & (np.abs(np.log(found / sides)) <= FOUND_SCALE))


class DieSampler(_OfDice):
    """Draws dice crops: values evenly, leaning dice, and what is no readable die.

    Args:
        objects: what to cut from.
        plain: flat dice seen whole, as rendered (for measuring).
    """

    _cannot_tell = CANNOT_TELL_DIE
    _found_share = 0.3

    def __init__(self, objects: Objects, *, plain: bool = False) -> None:
        super().__init__(objects, plain=plain)
        bank, which = objects.bank, objects.which
        dice = (bank.kind == DIE) & objects.large
        self._covered = which(dice & (bank.visible >= 0.1) & (bank.visible < 0.6))
        self._seen = which(dice & (bank.visible >= 0.6))
        self._tiles = which((bank.kind == TILE_UP) & (bank.visible >= UNREADABLE_VISIBLE))
        self._sources = [(0.6, self._value)]
        if not plain:
            self._sources += [(0.15, self._cocked), (0.06, self._hidden), (0.07, self._misplaced)]
            self._sources += [(0.06, self._part_of_tile), (0.06, self._background), (0.06, self._glint)]

    def _hard(self, bank: Bank) -> NDArray[np.bool_]:
        values = bank.found_chances[np.arange(len(bank.label)), np.clip(bank.label, 1, 6) - 1]
        hopeful = bank.found_chances[:, CANNOT_TELL_DIE] <= HOPELESS
        return np.asarray(self._found & ~bank.cocked & hopeful & (values < HARD_VALUE))

    def _off(self, rng: np.random.Generator) -> Jitter:
        return MOVED_DIE_JITTER if rng.random() < MOVED else DIE_JITTER

    def _move(self, quad_px: NDArray[np.float32], axes: Axes) -> NDArray[np.float32]:
        return move_onto(quad_px, axes)

    def _value(self, rng: np.random.Generator) -> Sample | None:
        chosen = self._any_flat(rng)
        return None if chosen is None else self._die(chosen, int(self.bank.label[chosen]) - 1, rng)

    def _cocked(self, rng: np.random.Generator) -> Sample | None:
        """A leaning die: its value is not asked for, where it lies is."""
        return self._die(self._any_leaning(rng), UNKNOWN, rng)

    def _hidden(self, rng: np.random.Generator) -> Sample | None:
        return self._die(int(rng.choice(self._covered)), CANNOT_TELL_DIE, rng) if len(self._covered) else None

    def _no_die(self, window: int, axes: Axes, rng: np.random.Generator) -> Sample | None:
        """Cut out what is no die, with such a foot as a die of that size has, there or elsewhere."""
        foot_px = UNKNOWN_FOOT
        if len(self._seen):
            near = self._seen[slice(*np.searchsorted(self._seen, self.bank.first[window : window + 2]))]
            chosen = int(rng.choice(near if len(near) else self._seen))
            larger = np.hypot(*axes[1]) / np.hypot(*self.objects.along[chosen])
            foot_px = np.asarray(self._foot(chosen, rng) * larger, np.float32)
        sample = self._cut(window, axes, CANNOT_TELL_DIE, rng, foot_px)
        return None if sample is None else replace(sample, move=NO_MOVE)

    def _misplaced(self, rng: np.random.Generator) -> Sample | None:
        """A quad off its die, or of quite another size: a side face, a pip, a whole group."""
        if not len(self._seen):
            return None
        chosen = int(rng.choice(self._seen))
        window = self._window(chosen)
        centre_px, along, across = self._axes(chosen)
        if rng.random() < 0.5:
            centre_px = centre_px + rng.uniform(-1.3, 1.3) * along + rng.uniform(-1.3, 1.3) * across
            if self.objects.coincides(window, centre_px, dice=True, slack=0.5):
                return None
        else:
            factor = rng.choice((rng.uniform(0.2, 0.5), rng.uniform(1.9, 3.0)))
            along, across = along * factor, across * factor
        return self._no_die(window, (centre_px, along, across), rng)

    def _part_of_tile(self, rng: np.random.Generator) -> Sample | None:
        """A square on a tile, whose pips could pass for those of a die."""
        if not len(self._tiles):
            return None
        chosen = int(rng.choice(self._tiles))
        centre_px, along, across = self._axes(chosen)
        centre_px = centre_px + rng.uniform(-0.45, 0.45) * along + rng.uniform(-0.3, 0.3) * across
        if self.objects.coincides(self._window(chosen), centre_px, dice=True, slack=0.6):
            return None
        side = across * rng.uniform(0.3, 1.2)
        axes = (centre_px, side, np.array([-side[1], side[0]], np.float32))
        return self._no_die(self._window(chosen), axes, rng)

    def _background(self, rng: np.random.Generator) -> Sample | None:
        window, axes = self._anywhere(rng, (10, 42), 1.0)
        if self.objects.coincides(window, axes[0], dice=True, slack=0.7):
            return None
        return self._no_die(window, axes, rng)

    def _glint(self, rng: np.random.Generator) -> Sample | None:
        """A square on a lamp mirrored in something, such as the cup's dome: as white and as large as a die."""
        window = int(rng.choice(self.objects.windows))
        burnt = (self.bank.pixels[window].min(-1) >= GLINT_GREY).astype(np.uint8)
        _, _, boxes, middles = cv2.connectedComponentsWithStats(burnt)
        short, sides = np.sort(boxes[:, cv2.CC_STAT_WIDTH : cv2.CC_STAT_HEIGHT + 1], 1).T
        fitting = np.flatnonzero((sides >= SMALLEST_SIDE_PX) & (sides <= GLINT_MOST_PX) & (2 * short >= sides))
        if not len(fitting):
            return None
        chosen = int(rng.choice(fitting))
        centre_px, side_px = middles[chosen].astype(np.float32), float(sides[chosen]) * rng.uniform(0.7, 1.4)
        if any(self.objects.coincides(window, centre_px, dice=dice, slack=0.8) for dice in (False, True)):
            return None
        angle = rng.uniform(0, np.pi / 2)
        along = np.array([np.cos(angle), np.sin(angle)], np.float32) * side_px
        return self._no_die(window, (centre_px, along, np.array([-along[1], along[0]], np.float32)), rng)


class LeanSampler(_OfDice):
    """Draws dice crops for telling flat ones (class 0) from leaning ones (class 1), cut out where they are.

    Args:
        objects: what to cut from.
        plain: as rendered (for measuring).
    """

    _cannot_tell = UNKNOWN
    _found_share = 0.6

    def __init__(self, objects: Objects, *, plain: bool = False) -> None:
        super().__init__(objects, plain=plain)
        self._sources = [(0.5, self._flat), (0.5, self._leans)]
        self._found |= np.isfinite(objects.bank.found_px[:, 0, 0]) & objects.bank.cocked

    def _hard(self, bank: Bank) -> NDArray[np.bool_]:
        hard_flat = self._found & ~bank.cocked & (bank.found_leaning > HARD_FLAT)
        return np.asarray(hard_flat | (bank.cocked & (bank.found_leaning < HARD_LEANING)))

    def _flat(self, rng: np.random.Generator) -> Sample | None:
        return self._die(self._any_flat(rng), 0, rng)

    def _leans(self, rng: np.random.Generator) -> Sample | None:
        return self._die(self._any_leaning(rng), 1, rng)
