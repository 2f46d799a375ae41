"""Crops to learn from: cut out of the bank's windows with errors like the detector's, then photographed again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from models.samples import augment
from models.samples.detector_windows import axes_of
from models.training_bank import BankError, TrainingBank
from vision.arrays import Floats, Indices, Mask, Pixels
from vision.crops import in_sides
from vision.detect.detections import DIE
from vision.verification import UNKNOWN_AT_LEAST

UNKNOWN = -1
UNKNOWN_FOOT = np.full(2, np.nan, np.float32)
NO_MOVE = np.full(4, np.nan, np.float32)
MOST_DRAWS = 10_000

# Visible share of a face: readable from the first figure on, unreadable below the second; between, it teaches nothing.
READABLE_VISIBLE, UNREADABLE_VISIBLE = 0.9, 0.7
SMALLEST_SIDE_PX = 9.0
"""Shorter side in the bank below which an object's pips cannot be learnt from."""
AS_DRAWN_SHARE = 0.3
"""Share of the crops that are not photographed again, so that fine differences do not drown in rough ones."""
DECEIVED_FROM, DECEIVING_SHARE = 1 - UNKNOWN_AT_LEAST, 0.75
"""Chance of a face or a value from which a find where nothing lies deceives a network in use, and the share of such
among those drawn."""
FOOT_SPREAD = 0.05
"""Standard deviation of the logarithm of a foot's length: the size of a die is not known exactly."""

READABLE_CONTRAST, UNREADABLE_CONTRAST = 10.0, 4.0
"""Contrast of pips and body, 0 to 255, from which a face is readable, and below which it is not."""
# Grey levels by which a crop's pattern still varies after new light and noise: unreadable below the first figure,
# readable from the second on.
WIPED_OUT_CONTRAST, CLEAR_CONTRAST = 4.0, 7.0

Axes = tuple[Floats, Floats, Floats]
"""Centre, vector along, vector across, each (2,) in pixels."""


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """One crop and its truth."""

    crop: Pixels  # (height, width, 3) uint8 BGR; of dice with the foot as a fourth channel
    label: int  # class, or UNKNOWN where the class does not count
    move: Floats  # (4,) onto the die's upper face (``vision.dice.outlines.corrected``); NaN where it is not learnt


@dataclass(frozen=True, eq=False, slots=True)
class FalseFinds:
    """Finds where nothing lies, as indices: all, and those that deceive the networks in use."""

    found: Indices
    deceiving: Indices

    def __len__(self) -> int:
        return len(self.found)

    def one(self, rng: np.random.Generator) -> int:
        """Return one of them, mostly one that deceives: of a hundred finds few do, and the others teach nothing."""
        often = len(self.deceiving) and rng.random() < DECEIVING_SHARE
        return int(rng.choice(self.deceiving if often else self.found))


@dataclass(frozen=True, slots=True)
class Jitter:
    """Largest errors of a quad."""

    shift: float  # as a share of the short side
    turn_rad: float  # rotation
    scale: float  # as a share
    shear: float  # as a share
    any_turn: float  # chance of an angle that has nothing to do with the object


class Objects:
    """The bank's objects in some windows.

    Args:
        bank: the bank.
        windows: indices of the windows.
    """

    def __init__(self, bank: TrainingBank, windows: Indices) -> None:
        self.bank = bank
        self.windows = windows
        self.window_of = bank.window_of
        self._inside = np.isin(self.window_of, windows)
        self.centre_px = bank.quad_px.mean(axis=1)
        self.along, self.across = axes_of(bank.quad_px)
        self.large = np.minimum(np.hypot(*self.along.T), np.hypot(*self.across.T)) >= SMALLEST_SIDE_PX

    def indices(self, mask: Mask) -> Indices:
        """Return the indices of the objects of a mask (m,) that lie in the windows."""
        return np.flatnonzero(mask & self._inside)

    def false_finds(self, *, dice: bool) -> "FalseFinds":
        """Return the finds where nothing lies (``Bank.false_px``), as dice or as tiles."""
        inside = np.isin(self.bank.false_window, self.windows)
        found = np.flatnonzero(inside & ((self.bank.false_kind == DIE) == dice))
        return FalseFinds(found, found[self.bank.false_known[found] >= DECEIVED_FROM])

    def false_axes(self, chosen: int) -> tuple[int, "Axes"]:
        """Return window and axes of a find where nothing lies."""
        quad_px = self.bank.false_px[chosen]
        along, across = axes_of(quad_px[None])
        return int(self.bank.false_window[chosen]), (quad_px.mean(0), along[0], across[0])

    def lookalikes(self) -> Indices:
        """Return the things that look like tiles or dice (``TrainingBank.other_px``) and are large enough."""
        along, across = axes_of(self.bank.other_px)
        large = np.minimum(np.hypot(*along.T), np.hypot(*across.T)) >= SMALLEST_SIDE_PX
        return np.flatnonzero(np.isin(self.bank.other_window, self.windows) & large)

    def lookalike_axes(self, chosen: int) -> tuple[int, "Axes"]:
        """Return window and axes of one of them, along its longer sides."""
        quad_px = self.bank.other_px[chosen]
        along, across = (vector[0] for vector in axes_of(quad_px[None]))
        if np.hypot(*along) < np.hypot(*across):
            along, across = across, -along
        return int(self.bank.other_window[chosen]), (quad_px.mean(0), along, across)

    def coincides(self, window: int, centre_px: Floats, *, dice: bool, slack: float) -> bool:
        """Return whether a quad about a centre (2,) could be taken for one of the window's own tiles or dice."""
        items = slice(self.bank.first[window], self.bank.first[window + 1])
        same = (self.bank.kind[items] == DIE) == dice
        away = centre_px - self.centre_px[items][same]
        along, across = self.along[items][same], self.across[items][same]
        u = np.abs((away * along).sum(1)) / (along**2).sum(1)
        v = np.abs((away * across).sum(1)) / (across**2).sum(1)
        return bool(((u < slack) & (v < slack)).any())


def turned(vector: Floats, angle_rad: float) -> Floats:
    """Return a vector (2,) turned from right towards down."""
    cosine, sine = np.cos(angle_rad), np.sin(angle_rad)
    return np.asarray(np.array([[cosine, -sine], [sine, cosine]]) @ vector)


def jittered(axes: Axes, jitter: Jitter, rng: np.random.Generator) -> Floats:
    """Return a quad (4, 2) a little off the object with these axes, either end up, at times mirrored."""
    centre_px, along, across = axes
    short_px = float(np.hypot(*across))
    angle = rng.uniform(-1, 1) * jitter.turn_rad
    if rng.random() < jitter.any_turn:
        angle = rng.uniform(0, 2 * np.pi)
    scale = np.exp(rng.uniform(-1, 1) * np.log1p(jitter.scale) + rng.normal(0, 0.02, 2))
    u = turned(along, angle) * scale[0] * rng.choice((-0.5, 0.5))
    v = turned(across, angle) * scale[1] * rng.choice((-0.5, 0.5))
    v = v + u * rng.uniform(-1, 1) * jitter.shear * np.hypot(*v) / np.hypot(*u)
    middle = centre_px + rng.uniform(-1, 1, 2) * jitter.shift * short_px
    return np.asarray(middle + np.stack([-u - v, -u + v, u + v, u - v]), np.float32)


def contrast_kept(before: Pixels, after: Pixels, margin_px: int) -> float:
    """Return by how many grey levels the pattern inside a crop's margin still varies after it was photographed again.

    Noise does not count: only changes along the old pattern, over areas of about a pip.
    """
    inner = slice(margin_px + 1, -margin_px - 1)
    old, new = (
        np.asarray(cv2.resize(crop[inner, inner], None, fx=0.5, fy=0.5), np.float32).reshape(-1, 3)
        for crop in (before, after)
    )
    old, new = old - old.mean(axis=0), new - new.mean(axis=0)
    # The colour that shows the pattern best: red pips on black hardly differ in brightness.
    return float((np.abs((old * new).mean(axis=0)) / np.sqrt((old * old).mean(axis=0) + 1.0)).max())


def _photographed_again(crop: Pixels, rng: np.random.Generator) -> Pixels:
    """Return a crop at times from farther away, always with other light, lens and sensor."""
    if rng.random() < 0.5:
        height, width = crop.shape[:2]
        share = rng.uniform(0.33, 0.95)
        small = cv2.resize(crop, (int(width * share), int(height * share)), interpolation=cv2.INTER_AREA)
        crop = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.uint8, copy=False)
    return augment.photograph(crop, rng, augment.CROPS)


Draw = Callable[[np.random.Generator], Sample | None]


class Sampler:
    """Draws crops of tiles or dice by chance among several sources.

    Args:
        objects: what to cut from.
        plain: leave crops as rendered (for measuring).
        crops: ``vision.crops.tile_crops`` or ``die_crops``.
        margin_px: of these crops.
    """

    _cannot_tell: ClassVar[int]

    def __init__(
        self, objects: Objects, *, plain: bool, crops: Callable[[Pixels, Floats], Pixels], margin_px: int
    ) -> None:
        self.objects, self.bank = objects, objects.bank
        self._plain, self._crops, self._margin_px = plain, crops, margin_px
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

    def _cut(
        self,
        window: int,
        quad_px: Floats,
        label: int,
        rng: np.random.Generator,
        foot_px: Floats = UNKNOWN_FOOT,
        move: Floats = NO_MOVE,
    ) -> Sample | None:
        """Cut a quad (4, 2) out of a window; None if it came out neither readable nor unreadable."""
        crop = self._crops(self.bank.pixels[window], quad_px[None])[0]
        foot = in_sides(quad_px[None], foot_px[None])[0] * np.exp(rng.normal(0, FOOT_SPREAD))
        if self._plain or rng.random() < AS_DRAWN_SHARE:
            return Sample(self._with_foot(crop, foot), label, move)
        again = _photographed_again(crop, rng)
        kept = CLEAR_CONTRAST if label == self._cannot_tell else contrast_kept(crop, again, self._margin_px)
        if kept >= CLEAR_CONTRAST:
            return Sample(self._with_foot(again, foot), label, move)
        return Sample(self._with_foot(again, foot), self._cannot_tell, NO_MOVE) if kept < WIPED_OUT_CONTRAST else None

    def _with_foot(self, crop: Pixels, foot: Floats) -> Pixels:
        """Return the network's input for a crop and, in sides along its axes, the die's foot (2,)."""
        raise NotImplementedError

    def _window(self, chosen: int) -> int:
        """Return the window of one of the bank's objects."""
        return int(self.objects.window_of[chosen])

    def _axes(self, chosen: int) -> Axes:
        """Return the axes of one of the bank's objects."""
        return self.objects.centre_px[chosen], self.objects.along[chosen], self.objects.across[chosen]

    def _anywhere(self, rng: np.random.Generator, side_px: tuple[float, float], aspect: float) -> tuple[int, Axes]:
        """Return a window and axes that have nothing to do with its objects."""
        window = int(rng.choice(self.objects.windows))
        centre_px = rng.uniform(0, len(self.bank.pixels[window]), 2).astype(np.float32)
        return window, (centre_px, *axes_at(rng.uniform(0, np.pi), rng.uniform(*side_px), aspect))


def axes_at(angle_rad: float, long_px: float, aspect: float) -> tuple[Floats, Floats]:
    """Return the vectors along and across, each (2,), of an object at an angle; aspect is its width by its length."""
    along = np.array([np.cos(angle_rad), np.sin(angle_rad)], np.float32) * long_px
    return along, np.array([-along[1], along[0]], np.float32) * aspect
