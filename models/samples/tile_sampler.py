"""Crops of tiles to learn faces from."""

from functools import partial

import numpy as np

from models.samples.crop_sampler import (
    READABLE_CONTRAST,
    READABLE_VISIBLE,
    UNREADABLE_CONTRAST,
    UNREADABLE_VISIBLE,
    Axes,
    Jitter,
    Objects,
    Sample,
    Sampler,
    jittered,
    turned,
)
from vision.arrays import Floats, Indices, Pixels
from vision.crops import TILE_MARGIN_PX, tile_crops
from vision.detect.detections import DIE, TILE_DOWN, TILE_UP
from vision.networks.classifier import TILE_CLASSES

CANNOT_TELL_TILE = len(TILE_CLASSES) - 1
COVERED_VISIBLE = 0.3
"""Visible share below which another tile shows in a tile's place."""
TILE_JITTER = Jitter(shift=0.12, turn_rad=0.105, scale=0.10, shear=0.05, any_turn=0.0)


class TileSampler(Sampler):
    """Draws tile crops: faces evenly, and unless ``plain`` everything that must be answered with "cannot tell"."""

    _cannot_tell = CANNOT_TELL_TILE

    def __init__(self, objects: Objects, *, plain: bool = False) -> None:
        super().__init__(objects, plain=plain, crops=tile_crops, margin_px=TILE_MARGIN_PX)
        bank, indices = objects.bank, objects.indices
        up, present = bank.kind == TILE_UP, bank.visible >= COVERED_VISIBLE
        readable = up & objects.large & (bank.visible >= READABLE_VISIBLE) & (bank.contrast >= READABLE_CONTRAST)
        hidden = up & present & ((bank.visible < UNREADABLE_VISIBLE) | (bank.contrast < UNREADABLE_CONTRAST))
        self._faces = [
            each for face in range(CANNOT_TELL_TILE) if len(each := indices(readable & (bank.label == face)))
        ]
        backs = indices((bank.kind == TILE_DOWN) & present)
        self._tiles = indices((bank.kind != DIE) & present)
        self._lookalikes = objects.lookalikes()
        self._false = objects.false_finds(dice=False)
        self._sources = [(0.72, self._face)]
        if not plain:
            self._sources += [
                (0.08, partial(self._without_face, backs)),
                (0.06, partial(self._without_face, indices(hidden))),
            ]
            self._sources += [(0.09, self._misplaced), (0.05, self._background), (0.12, self._false_find)]
            self._sources += [(0.04, self._lookalike)]

    def _with_foot(self, crop: Pixels, foot: Floats) -> Pixels:
        del foot
        return crop

    def _tile(self, window: int, axes: Axes, label: int, rng: np.random.Generator) -> Sample | None:
        return self._cut(window, jittered(axes, TILE_JITTER, rng), label, rng)

    def _face(self, rng: np.random.Generator) -> Sample | None:
        if not self._faces:
            return None
        chosen = int(rng.choice(self._faces[rng.integers(len(self._faces))]))
        return self._tile(self._window(chosen), self._axes(chosen), int(self.bank.label[chosen]), rng)

    def _without_face(self, tiles: Indices, rng: np.random.Generator) -> Sample | None:
        if not len(tiles):
            return None
        chosen = int(rng.choice(tiles))
        return self._tile(self._window(chosen), self._axes(chosen), CANNOT_TELL_TILE, rng)

    def _misplaced(self, rng: np.random.Generator) -> Sample | None:
        """Cut a quad off its tile: between two, turned across, much too large or too small."""
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
            along, across = (turned(vector, angle).astype(np.float32) for vector in (along, across))
        else:
            factor = rng.choice((rng.uniform(0.35, 0.6), rng.uniform(1.65, 2.2)))
            along, across = along * factor, across * factor
        return self._tile(window, (centre_px, along, across), CANNOT_TELL_TILE, rng)

    def _background(self, rng: np.random.Generator) -> Sample | None:
        window, axes = self._anywhere(rng, (36, 100), 0.4)
        if self.objects.coincides(window, axes[0], dice=False, slack=0.4):
            return None
        return self._tile(window, axes, CANNOT_TELL_TILE, rng)

    def _false_find(self, rng: np.random.Generator) -> Sample | None:
        """Cut out what the detector took for a tile where nothing lies."""
        if not len(self._false):
            return None
        return self._tile(*self.objects.false_axes(self._false.one(rng)), CANNOT_TELL_TILE, rng)

    def _lookalike(self, rng: np.random.Generator) -> Sample | None:
        """Cut out a western domino or another thing of another game."""
        if not len(self._lookalikes):
            return None
        return self._tile(*self.objects.lookalike_axes(int(rng.choice(self._lookalikes))), CANNOT_TELL_TILE, rng)
