"""Classifiers of crops: the face of a tile, the value of a die and whether it leans, or "cannot tell"."""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from engine.game.tiles import Tile
from vision.arrays import Chances, DieCrops, Floats, Pixels, TileCrops
from vision.crops import with_foot
from vision.networks.runtime import Network

_CANNOT_TELL: Final = "cannot tell"
TILE_CLASSES: Final = (*(str(tile) for tile in Tile), _CANNOT_TELL)
DICE_CLASSES: Final = ("1", "2", "3", "4", "5", "6", _CANNOT_TELL)
LEAN_CLASSES: Final = ("leans",)

TILE_MODEL: Final = "tiles.onnx"
"""File of the tile classifier in a folder of models."""
_BATCH_CROPS: Final = 64
"""Crops per run of a network: enough to keep the cores busy, few enough to fit in the cache."""


NamesTiles: TypeAlias = Callable[[TileCrops], Chances]
"""Interface of the tile classifier: probabilities in the order of ``TILE_CLASSES``."""
ReadsDice: TypeAlias = Callable[[DieCrops, Floats], tuple[Chances, Floats]]
"""Interface of the dice classifier: for crops with the foot (n, 2) below (``vision.dice.outlines.facing``), the
probabilities in the order of ``DICE_CLASSES`` and the corrections (n, 4) onto the upper face
(``vision.dice.outlines.corrected``).
"""
EstimatesLean: TypeAlias = Callable[[DieCrops, Floats], Floats]
"""Interface of the lean classifier: for such crops the probability of leaning (n,)."""


class _Classifier(Network):
    """A network that runs on crops."""

    def _in_batches(self, crops: Pixels) -> list[Floats]:
        """Run the network on crops, a batch at a time, and join its outputs."""
        parts = [self._run(crops[start : start + _BATCH_CROPS]) for start in range(0, len(crops), _BATCH_CROPS)]
        return [np.concatenate(outputs) for outputs in zip(*parts, strict=True)]


class TileClassifier(_Classifier):
    """Classifies the face in a tile's crop; see ``NamesTiles``."""

    name = "tiles"
    classes = TILE_CLASSES

    def __call__(self, crops: TileCrops) -> Chances:
        return self._in_batches(crops)[0] if len(crops) else np.empty((0, len(TILE_CLASSES)), np.float32)


class DiceClassifier(_Classifier):
    """Reads the value of the die in a crop; see ``ReadsDice``."""

    name = "dice"
    classes = DICE_CLASSES

    def __call__(self, crops: DieCrops, foot: Floats) -> tuple[Chances, Floats]:
        """Return the probabilities (n, 7) and the corrections (n, 4)."""
        if not len(crops):
            return np.empty((0, len(DICE_CLASSES)), np.float32), np.empty((0, 4), np.float32)
        values, corrections = self._in_batches(with_foot(crops, foot))
        return values, corrections


class LeanClassifier(_Classifier):
    """Estimates whether the die in a crop leans; see ``EstimatesLean``."""

    name = "lean"
    classes = LEAN_CLASSES

    def __call__(self, crops: DieCrops, foot: Floats) -> Floats:
        return self._in_batches(with_foot(crops, foot))[0] if len(crops) else np.empty(0, np.float32)
