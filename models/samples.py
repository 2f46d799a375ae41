"""Crops to learn from: cut out of the bank's windows as a detector would cut them, a little off, and photographed again."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models import augment
from models.bank import DIE, TILE_DOWN, TILE_UP, Bank
from models.targets import axes_of
from vision.crops import DIE_CROP_PX, DIE_MARGIN_PX, TILE_CROP_PX, TILE_MARGIN_PX, crop_corners

CANNOT_TELL_TILE = 21
CANNOT_TELL_DIE = 6
UNKNOWN = -1

# A face counts as readable from here on; below the second figure nobody could read it; between, it teaches nothing.
READABLE_VISIBLE, UNREADABLE_VISIBLE = 0.9, 0.7
READABLE_CONTRAST, UNREADABLE_CONTRAST = 12.0, 6.0
# A tile hidden more than this shows another tile in its place.
COVERED_VISIBLE = 0.3


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """One crop and its truth.

    Attributes:
        crop: (height, width, 3) uint8 BGR.
        label: class, or UNKNOWN where the class does not count.
        cocked: 0, 1, or UNKNOWN.
    """

    crop: NDArray[np.uint8]
    label: int
    cocked: int


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
DIE_JITTER = Jitter(shift=0.12, turn_rad=0.25, scale=0.18, shear=0.08, any_turn=0.3)


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

    def which(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the indices of the objects of a mask (m,) that lie in the windows."""
        return np.flatnonzero(mask & self.mine)

    def coincides(self, window: int, centre_px: NDArray[np.float32], dice: bool, slack: float) -> bool:  # noqa: FBT001
        """Tell whether a quad about a centre (2,) could be taken for one of the window's own objects."""
        items = slice(self.bank.first[window], self.bank.first[window + 1])
        same = (self.bank.kind[items] == DIE) == dice
        away = centre_px - self.centre_px[items][same]
        along, across = self.along[items][same], self.across[items][same]
        u = np.abs((away * along).sum(1)) / (along**2).sum(1)
        v = np.abs((away * across).sum(1)) / (across**2).sum(1)
        return bool(((u < slack) & (v < slack)).any())


def cut(pixels: NDArray[np.uint8], quad_px: NDArray[np.float32], size: tuple[int, int], margin_px: float) -> augment.Picture:
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
    """Return a quad (4, 2) a little off the object with this centre and these axes, either end up, at times mirrored."""
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
    return (middle + np.stack([-u - v, -u + v, u + v, u - v])).astype(np.float32)


def finished(crop: augment.Picture, rng: np.random.Generator) -> augment.Picture:
    """Take a crop again: at times from farther away, always with other light, lens and sensor."""
    if rng.random() < 0.5:
        height, width = crop.shape[:2]
        share = rng.uniform(0.33, 0.95)
        small = cv2.resize(crop, (int(width * share), int(height * share)), interpolation=cv2.INTER_AREA)
        crop = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.uint8, copy=False)
    return augment.photograph(crop, rng, augment.CROPS)


class Sampler:
    """Draws crops of one kind by chance among several sources.

    Args:
        sources: chance and function of each source; a function may return None, then another is asked.
    """

    def __init__(self, sources: list[tuple[float, Callable[[np.random.Generator], Sample | None]]]) -> None:
        chances = np.array([chance for chance, _ in sources])
        self._edges = np.cumsum(chances / chances.sum())
        self._sources = [source for _, source in sources]

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return one crop."""
        while True:
            source = self._sources[min(int(np.searchsorted(self._edges, rng.random())), len(self._sources) - 1)]
            sample = source(rng)
            if sample is not None:
                return sample


def tile_sampler(objects: Objects, *, plain: bool = False) -> Sampler:
    """Return a sampler of tile crops: faces evenly, and everything that must be answered with "cannot tell".

    Args:
        objects: what to cut from.
        plain: faces only, as rendered, a little off but not photographed again (for measuring).
    """
    bank = objects.bank
    up = bank.kind == TILE_UP
    readable = up & (bank.visible >= READABLE_VISIBLE) & (bank.contrast >= READABLE_CONTRAST)
    faces = [each for face in range(CANNOT_TELL_TILE) if len(each := objects.which(readable & (bank.label == face)))]
    covered = up & (bank.visible >= COVERED_VISIBLE) & (bank.visible < UNREADABLE_VISIBLE)
    glared = up & (bank.visible >= COVERED_VISIBLE) & (bank.contrast < UNREADABLE_CONTRAST)
    unreadable = objects.which(covered | glared)
    backs = objects.which((bank.kind == TILE_DOWN) & (bank.visible >= COVERED_VISIBLE))
    tiles = objects.which((bank.kind != DIE) & (bank.visible >= COVERED_VISIBLE))

    def crop_of(window: int, quad_px: NDArray[np.float32], label: int, rng: np.random.Generator) -> Sample:
        crop = cut(bank.pixels[window], quad_px, TILE_CROP_PX, TILE_MARGIN_PX)
        return Sample(crop if plain else finished(crop, rng), label, UNKNOWN)

    def as_it_lies(chosen: int, label: int, rng: np.random.Generator) -> Sample:
        quad_px = jittered(objects.centre_px[chosen], objects.along[chosen], objects.across[chosen], TILE_JITTER, rng)
        return crop_of(int(objects.window_of[chosen]), quad_px, label, rng)

    def face(rng: np.random.Generator) -> Sample | None:
        if not faces:
            return None
        chosen = int(rng.choice(faces[rng.integers(len(faces))]))
        return as_it_lies(chosen, int(bank.label[chosen]), rng)

    def unseen(pool: NDArray[np.int64]) -> Callable[[np.random.Generator], Sample | None]:
        def draw(rng: np.random.Generator) -> Sample | None:
            return as_it_lies(int(rng.choice(pool)), CANNOT_TELL_TILE, rng) if len(pool) else None

        return draw

    def misplaced(rng: np.random.Generator) -> Sample | None:
        """A quad off its tile: between two, turned across, much too large or too small."""
        if not len(tiles):
            return None
        chosen = int(rng.choice(tiles))
        window = int(objects.window_of[chosen])
        centre_px, along, across = objects.centre_px[chosen], objects.along[chosen], objects.across[chosen]
        way = rng.integers(3)
        if way == 0:
            u, v = rng.uniform(-0.7, 0.7), rng.uniform(-1.2, 1.2)
            centre_px = centre_px + u * along + v * across
            if objects.coincides(window, centre_px, dice=False, slack=0.32):
                return None
        elif way == 1:
            angle = rng.uniform(np.radians(35), np.radians(145))
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            along, across = turn @ along, turn @ across
        else:
            factor = rng.choice((rng.uniform(0.35, 0.6), rng.uniform(1.65, 2.2)))
            along, across = along * factor, across * factor
        return crop_of(window, jittered(centre_px, along, across, TILE_JITTER, rng), CANNOT_TELL_TILE, rng)

    def background(rng: np.random.Generator) -> Sample | None:
        window = int(rng.choice(objects.windows))
        centre_px = rng.uniform(0, len(bank.pixels[window]), 2).astype(np.float32)
        if objects.coincides(window, centre_px, dice=False, slack=0.4):
            return None
        angle, long_px = rng.uniform(0, np.pi), rng.uniform(36, 100)
        along = np.array([np.cos(angle), np.sin(angle)], np.float32) * long_px
        across = np.array([-along[1], along[0]], np.float32) * 0.4
        return crop_of(window, jittered(centre_px, along, across, TILE_JITTER, rng), CANNOT_TELL_TILE, rng)

    if plain:
        return Sampler([(1.0, face)])
    return Sampler(
        [(0.72, face), (0.08, unseen(backs)), (0.06, unseen(unreadable)), (0.09, misplaced), (0.05, background)]
    )


def die_sampler(objects: Objects, *, plain: bool = False) -> Sampler:
    """Return a sampler of dice crops: values evenly, leaning dice, and what is no readable die.

    Args:
        objects: what to cut from.
        plain: flat dice only, as rendered, a little off but not photographed again (for measuring).
    """
    bank = objects.bank
    dice = bank.kind == DIE
    flat = dice & ~bank.cocked & (bank.visible >= READABLE_VISIBLE)
    values = [each for value in range(1, 7) if len(each := objects.which(flat & (bank.label == value)))]
    leaning = objects.which(dice & bank.cocked & (bank.visible >= UNREADABLE_VISIBLE))
    covered = objects.which(dice & (bank.visible >= 0.1) & (bank.visible < 0.6))
    seen = objects.which(dice & (bank.visible >= 0.6))
    faces = objects.which((bank.kind == TILE_UP) & (bank.visible >= UNREADABLE_VISIBLE))

    def crop_of(window: int, quad_px: NDArray[np.float32], label: int, cocked: int, rng: np.random.Generator) -> Sample:
        crop = cut(bank.pixels[window], quad_px, DIE_CROP_PX, DIE_MARGIN_PX)
        return Sample(crop if plain else finished(crop, rng), label, cocked)

    def as_it_lies(chosen: int, label: int, cocked: int, rng: np.random.Generator) -> Sample:
        along, across = objects.along[chosen], objects.across[chosen]
        if rng.random() < 0.5:
            along, across = across, -along
        # The detector answers with squares, whatever the perspective makes of the face.
        if rng.random() < 0.5:
            side_px = np.sqrt(np.hypot(*along) * np.hypot(*across))
            along = along * (side_px / np.hypot(*along))
            across = np.array([-along[1], along[0]], np.float32)
        quad_px = jittered(objects.centre_px[chosen], along, across, DIE_JITTER, rng)
        return crop_of(int(objects.window_of[chosen]), quad_px, label, cocked, rng)

    def value(rng: np.random.Generator) -> Sample | None:
        if not values:
            return None
        chosen = int(rng.choice(values[rng.integers(len(values))]))
        return as_it_lies(chosen, int(bank.label[chosen]) - 1, 0, rng)

    def cocked(rng: np.random.Generator) -> Sample | None:
        return as_it_lies(int(rng.choice(leaning)), UNKNOWN, 1, rng) if len(leaning) else None

    def hidden(rng: np.random.Generator) -> Sample | None:
        return as_it_lies(int(rng.choice(covered)), CANNOT_TELL_DIE, UNKNOWN, rng) if len(covered) else None

    def misplaced(rng: np.random.Generator) -> Sample | None:
        """A quad off its die, or of quite another size: a side face, a pip, a whole group."""
        if not len(seen):
            return None
        chosen = int(rng.choice(seen))
        window = int(objects.window_of[chosen])
        centre_px, along, across = objects.centre_px[chosen], objects.along[chosen], objects.across[chosen]
        if rng.random() < 0.5:
            u, v = rng.uniform(-1.3, 1.3, 2)
            centre_px = centre_px + u * along + v * across
            if objects.coincides(window, centre_px, dice=True, slack=0.5):
                return None
        else:
            factor = rng.choice((rng.uniform(0.2, 0.5), rng.uniform(1.9, 3.0)))
            along, across = along * factor, across * factor
        return crop_of(window, jittered(centre_px, along, across, DIE_JITTER, rng), CANNOT_TELL_DIE, UNKNOWN, rng)

    def part_of_tile(rng: np.random.Generator) -> Sample | None:
        if not len(faces):
            return None
        chosen = int(rng.choice(faces))
        along, across = objects.along[chosen], objects.across[chosen]
        centre_px = objects.centre_px[chosen] + rng.uniform(-0.45, 0.45) * along + rng.uniform(-0.3, 0.3) * across
        if objects.coincides(int(objects.window_of[chosen]), centre_px, dice=True, slack=0.6):
            return None
        side = across * rng.uniform(0.3, 1.2)
        quad_px = jittered(centre_px, side, np.array([-side[1], side[0]], np.float32), DIE_JITTER, rng)
        return crop_of(int(objects.window_of[chosen]), quad_px, CANNOT_TELL_DIE, UNKNOWN, rng)

    def background(rng: np.random.Generator) -> Sample | None:
        window = int(rng.choice(objects.windows))
        centre_px = rng.uniform(0, len(bank.pixels[window]), 2).astype(np.float32)
        if objects.coincides(window, centre_px, dice=True, slack=0.7):
            return None
        angle, side_px = rng.uniform(0, np.pi), rng.uniform(10, 42)
        along = np.array([np.cos(angle), np.sin(angle)], np.float32) * side_px
        quad_px = jittered(centre_px, along, np.array([-along[1], along[0]], np.float32), DIE_JITTER, rng)
        return crop_of(window, quad_px, CANNOT_TELL_DIE, UNKNOWN, rng)

    if plain:
        return Sampler([(1.0, value)])
    return Sampler(
        [(0.6, value), (0.15, cocked), (0.06, hidden), (0.07, misplaced), (0.06, part_of_tile), (0.06, background)]
    )
