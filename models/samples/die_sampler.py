"""Crops of dice: to learn values and moves from, and to learn which dice lean."""

from typing import ClassVar

import cv2
import numpy as np

from models.samples.crop_sampler import (
    NO_MOVE,
    READABLE_CONTRAST,
    READABLE_VISIBLE,
    SMALLEST_SIDE_PX,
    UNKNOWN,
    UNKNOWN_FOOT,
    UNREADABLE_CONTRAST,
    UNREADABLE_VISIBLE,
    Axes,
    Jitter,
    Objects,
    Sample,
    Sampler,
    axes_at,
    jittered,
)
from models.samples.detector_windows import axes_of
from models.training_bank import TrainingBank
from vision.arrays import Floats, Indices, Mask, Pixels
from vision.crops import DIE_MARGIN_PX, die_crops, in_sides, with_foot
from vision.detect.detections import DIE, TILE_UP
from vision.dice.outlines import areas, facing
from vision.networks.classifier import DICE_CLASSES
from vision.verification import COCKED_DOUBT, LEAST_DIE_CHANCE, SURE_COCKED_AT_LEAST

CANNOT_TELL_DIE = len(DICE_CLASSES) - 1

MOST_TURN_RAD = 0.65
"""Turn up to which it is learnt back: close to an eighth of a turn, either way would do."""
MOVED_SHARE = 0.5
"""Share of the dice cut out as after a move."""
FOUND_SIDES, FOUND_SCALE = 0.2, 0.25
"""Distance, in sides, and difference of size, as a logarithm, up to which an outline found in use is one of the upper
face: on another face a die has another value, and must not be called flat."""
HARD_SHARE = 0.25
"""Share of the dice drawn among those that the networks in use do not read well enough (``models.found``)."""
CLOSE_SHARE, CLOSE_SIDE_PX = 0.3, 36.0
"""Share of the dice drawn among those that a camera close above a dish sees, and the side from which it does: they are
few in a window, and sharper than all others when cut out."""
HOPELESS_CHANCE = 0.7
"""Chance of "cannot tell" above which a die's value cannot be learnt."""
FOOT_HIDDEN_SHARE = 0.15
"""Share of the dice whose foot is kept from the network, as where the camera's place is not known."""
HALVES = 0.7
"""Share of the crops of other games' things that fit a half, as of a domino; the others lie anywhere."""
GLINT_GREY, GLINT_MOST_PX = 245, 45
"""Grey level from which a lamp is mirrored, and the widest mirror image that may pass for a die."""

DETECTED_JITTER = Jitter(shift=0.24, turn_rad=0.25, scale=0.18, shear=0.08, any_turn=0.45)
"""Of the detector's squares: a leaning die's may be turned by as much as an eighth of a turn."""
MOVED_JITTER = Jitter(shift=0.03, turn_rad=0.06, scale=0.05, shear=0.04, any_turn=0.0)
"""Of dice cut out again after a move."""
FOUND_JITTER = Jitter(shift=0.05, turn_rad=0.01, scale=0.01, shear=0.0, any_turn=0.0)
"""Of outlines found in use, which are cut out a little to all sides (``AUGMENTATION_SHIFT_SIDES``)."""


def move_onto(quad_px: Floats, axes: Axes) -> Floats:
    """Return the move (4,) of a quad (4, 2) onto the face with these axes (``vision.dice.outlines.corrected``).

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


def _found_on_upper_face(bank: TrainingBank) -> Mask:
    """Return which objects (m,) were found in use, on their upper faces."""
    away = np.linalg.norm(bank.found_px.mean(1) - bank.quad_px.mean(1), axis=1)
    sides, found = (np.sqrt(np.maximum(areas(quads_px), 1.0)) for quads_px in (bank.quad_px, bank.found_px))
    return np.asarray((away <= FOUND_SIDES * sides) & (np.abs(np.log(found / sides)) <= FOUND_SCALE))


class DiceSampler(Sampler):
    """Common part of the two samplers of dice."""

    found_share: ClassVar[float]
    """Share of the dice found in use that are cut out where they were found."""
    _learns_moves: ClassVar[bool]

    def __init__(self, objects: Objects, *, plain: bool = False) -> None:
        super().__init__(objects, plain=plain, crops=die_crops, margin_px=DIE_MARGIN_PX)
        bank, indices = objects.bank, objects.indices
        dice = (bank.kind == DIE) & objects.large
        self._close = np.sqrt(areas(bank.quad_px)) >= CLOSE_SIDE_PX
        clear = (bank.visible >= READABLE_VISIBLE) & (bank.contrast >= READABLE_CONTRAST)
        flat = dice & ~bank.cocked & clear
        self._values = [each for value in range(1, 7) if len(each := indices(flat & (bank.label == value)))]
        self._leaning = indices(dice & bank.cocked & (bank.visible >= UNREADABLE_VISIBLE))
        self._found = _found_on_upper_face(bank)
        hard = self._hard(bank) & (not plain)
        self._hard_values = [each[hard[each]] for each in self._values]
        self._hard_leaning = self._leaning[hard[self._leaning]]

    def _hard(self, bank: TrainingBank) -> Mask:
        """Return which objects (m,) the networks in use do not read well enough to be verified."""
        raise NotImplementedError

    def flat_die(self, rng: np.random.Generator) -> int | None:
        """Return a flat die, all values alike often."""
        if not self._values:
            return None
        value = rng.integers(len(self._values))
        return self._one_of(self._values[value], self._hard_values[value], rng)

    def leaning_die(self, rng: np.random.Generator) -> int | None:
        return self._one_of(self._leaning, self._hard_leaning, rng) if len(self._leaning) else None

    def _one_of(self, dice: Indices, hard: Indices, rng: np.random.Generator) -> int:
        """Return one of some dice, often a hard one or one seen from close above."""
        chosen = hard if len(hard) and rng.random() < HARD_SHARE else dice
        close = chosen[self._close[chosen]]
        return int(rng.choice(close if len(close) and not self._plain and rng.random() < CLOSE_SHARE else chosen))

    def _jittered(self, axes: Axes, rng: np.random.Generator) -> Floats:
        """Return a quad (4, 2) about a die, as the detector gives it or, where no moves are learnt, after its move."""
        detected = self._learns_moves and rng.random() >= MOVED_SHARE
        return jittered(axes, DETECTED_JITTER if detected else MOVED_JITTER, rng)

    def _with_foot(self, crop: Pixels, foot: Floats) -> Pixels:
        return np.asarray(with_foot(crop[None], foot[None])[0])

    def _die(self, chosen: int | None, label: int, rng: np.random.Generator) -> Sample | None:
        if chosen is None:
            return None
        window, axes = self._window(chosen), self._square(chosen, rng)
        if not self._found[chosen] or rng.random() >= self.found_share:
            foot_px = self._foot(self.bank.foot_px[chosen], rng)
            quad_px = self._jittered(axes, rng)
        else:
            found_px = self.bank.found_px[chosen]
            along, across = (vector[0] for vector in axes_of(found_px[None]))
            if rng.random() < 0.5:
                along, across = across, -along
            foot_px = self._foot(self.bank.found_foot_px[chosen], rng)
            quad_px = jittered((found_px.mean(0), along, across), FOUND_JITTER, rng)
        quad_px = facing(quad_px[None], foot_px[None])[0]
        return self._cut(
            window, quad_px, label, rng, foot_px, move_onto(quad_px, axes) if self._learns_moves else NO_MOVE
        )

    def _foot(self, foot_px: Floats, rng: np.random.Generator) -> Floats:
        """Return a die's foot (2,), at times as not known: of a photograph nobody knows where the camera was."""
        return foot_px if self._plain or rng.random() >= FOOT_HIDDEN_SHARE else UNKNOWN_FOOT

    def _square(self, chosen: int, rng: np.random.Generator) -> Axes:
        """Return a die's axes with any of its edges up, and mostly as a square, which is how the detector answers."""
        centre_px, along, across = self._axes(chosen)
        if rng.random() < 0.5:
            along, across = across, -along
        if rng.random() < 0.8:
            along = along * np.sqrt(np.hypot(*across) / np.hypot(*along))
            across = np.array([-along[1], along[0]], np.float32)
        return centre_px, along, across


class DieSampler(DiceSampler):
    """Draws dice crops: values evenly, and unless ``plain`` leaning dice and what is no readable die."""

    _cannot_tell = CANNOT_TELL_DIE
    found_share = 0.3
    _learns_moves = True

    def __init__(self, objects: Objects, *, plain: bool = False) -> None:
        super().__init__(objects, plain=plain)
        bank, indices = objects.bank, objects.indices
        dice = (bank.kind == DIE) & objects.large
        faded = (bank.contrast < UNREADABLE_CONTRAST) & ~bank.cocked
        self._hidden_dice = indices(dice & (bank.visible >= 0.1) & ((bank.visible < 0.6) | faded))
        self._seen = indices(dice & (bank.visible >= 0.6))
        self._false = objects.false_finds(dice=True)
        self._lookalikes = objects.lookalikes()
        self._tiles = indices((bank.kind == TILE_UP) & (bank.visible >= UNREADABLE_VISIBLE))
        self._sources = [(0.6, self._value)]
        if not plain:
            self._sources += [(0.15, self._cocked), (0.06, self._hidden), (0.07, self._misplaced)]
            self._sources += [(0.06, self._part_of_tile), (0.06, self._background), (0.06, self._glint)]
            self._sources += [(0.15, self._false_find), (0.12, self._part_of_lookalike)]

    def _hard(self, bank: TrainingBank) -> Mask:
        values = bank.found_chances[np.arange(len(bank.label)), np.clip(bank.label, 1, 6) - 1]
        hopeful = bank.found_chances[:, CANNOT_TELL_DIE] <= HOPELESS_CHANCE
        return np.asarray(self._found & ~bank.cocked & hopeful & (values < LEAST_DIE_CHANCE))

    def _value(self, rng: np.random.Generator) -> Sample | None:
        chosen = self.flat_die(rng)
        return None if chosen is None else self._die(chosen, int(self.bank.label[chosen]) - 1, rng)

    def _cocked(self, rng: np.random.Generator) -> Sample | None:
        """Cut out a leaning die, to learn where it lies; its value does not count."""
        return self._die(self.leaning_die(rng), UNKNOWN, rng)

    def _hidden(self, rng: np.random.Generator) -> Sample | None:
        return self._die(int(rng.choice(self._hidden_dice)), CANNOT_TELL_DIE, rng) if len(self._hidden_dice) else None

    def _no_die(self, window: int, axes: Axes, rng: np.random.Generator) -> Sample | None:
        """Cut out what is no die, with such a foot as a die of that size has, there or elsewhere."""
        foot_px = UNKNOWN_FOOT
        if len(self._seen):
            near = self._seen[slice(*np.searchsorted(self._seen, self.bank.first[window : window + 2]))]
            chosen = int(rng.choice(near if len(near) else self._seen))
            larger = np.hypot(*axes[1]) / np.hypot(*self.objects.along[chosen])
            foot_px = np.asarray(self._foot(self.bank.foot_px[chosen], rng) * larger, np.float32)
        quad_px = facing(self._jittered(axes, rng)[None], foot_px[None])[0]
        return self._cut(window, quad_px, CANNOT_TELL_DIE, rng, foot_px)

    def _misplaced(self, rng: np.random.Generator) -> Sample | None:
        """Cut a quad off its die, or of quite another size: a side face, a pip, a whole group."""
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
        """Cut out a square on a tile, whose pips could pass for those of a die."""
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

    def _part_of_lookalike(self, rng: np.random.Generator) -> Sample | None:
        """Cut out half a western domino, the spots of a card or the sign of a mahjong tile."""
        if not len(self._lookalikes):
            return None
        window, (centre_px, along, across) = self.objects.lookalike_axes(int(rng.choice(self._lookalikes)))
        if rng.random() < HALVES:
            end, aside, size = rng.choice((-0.25, 0.25)), 0.0, rng.uniform(0.8, 1.1)
        else:
            end, aside, size = rng.uniform(-0.4, 0.4), rng.uniform(-0.1, 0.1), rng.uniform(0.3, 1.2)
        centre_px = centre_px + end * along + aside * across
        side = across * size
        inside = (centre_px >= 0).all() and (centre_px < len(self.bank.pixels[window])).all()
        if np.hypot(*side) < SMALLEST_SIDE_PX or not inside:
            return None
        return self._no_die(window, (centre_px, side, np.array([-side[1], side[0]], np.float32)), rng)

    def _background(self, rng: np.random.Generator) -> Sample | None:
        window, axes = self._anywhere(rng, (10, 42), 1.0)
        if self.objects.coincides(window, axes[0], dice=True, slack=0.7):
            return None
        return self._no_die(window, axes, rng)

    def _false_find(self, rng: np.random.Generator) -> Sample | None:
        """Cut out what the detector took for a die where nothing lies."""
        if not len(self._false):
            return None
        return self._no_die(*self.objects.false_axes(self._false.one(rng)), rng)

    def _glint(self, rng: np.random.Generator) -> Sample | None:
        """Cut out a lamp mirrored in something, such as the cup's dome: as white and as large as a die."""
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
        return self._no_die(window, (centre_px, *axes_at(rng.uniform(0, np.pi / 2), side_px, 1.0)), rng)


class LeanSampler(DiceSampler):
    """Draws crops of flat dice (class 0) and of leaning ones (class 1), cut out where they are."""

    _cannot_tell = UNKNOWN
    found_share = 0.6
    _learns_moves = False

    def __init__(self, objects: Objects, *, plain: bool = False) -> None:
        super().__init__(objects, plain=plain)
        self._sources = [
            (0.5, lambda rng: self._die(self.flat_die(rng), 0, rng)),
            (0.5, lambda rng: self._die(self.leaning_die(rng), 1, rng)),
        ]
        self._found |= np.isfinite(objects.bank.found_px[:, 0, 0]) & objects.bank.cocked

    def _hard(self, bank: TrainingBank) -> Mask:
        hard_flat = self._found & ~bank.cocked & (bank.found_leaning > COCKED_DOUBT)
        return np.asarray(hard_flat | (bank.cocked & (bank.found_leaning < SURE_COCKED_AT_LEAST)))
