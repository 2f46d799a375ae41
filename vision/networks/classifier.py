"""What is seen in a crop: the face of a tile, the value of a die and whether it leans, or that one cannot tell."""

from collections.abc import Callable
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.game.tiles import Tile
from vision.crops import with_foot
from vision.networks.runtime import Model, load_model

CANNOT_TELL = "cannot tell"
TILE_CLASSES = (*(str(tile) for tile in Tile), CANNOT_TELL)
DICE_CLASSES = ("1", "2", "3", "4", "5", "6", CANNOT_TELL)
LEAN_CLASSES = ("leans",)

Run = Callable[[NDArray[np.uint8]], list[NDArray[np.float32]]]
DiceAnswer = tuple[NDArray[np.float32], NDArray[np.float32]]

# Enough to keep the cores busy, few enough to stay in the cache.
_MOST_AT_ONCE = 64


class TileClassifier:
    """Names the face in a tile's crop.

    Args:
        model: the network ``tiles``.
    """

    def __init__(self, model: Model) -> None:
        self._run = model.run

    @classmethod
    def load(cls, weights: Path, threads: int = 2) -> Self:
        """Load ``tiles.onnx`` from a folder; ModelError if it cannot be used."""
        return cls(load_model(weights / "tiles.onnx", name="tiles", classes=TILE_CLASSES, threads=threads))

    def __call__(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return chances (n, 22) for crops (n, 96, 48, 3) uint8 BGR, in the order of ``TILE_CLASSES``."""
        return _in_batches(self._run, crops)[0] if len(crops) else np.empty((0, len(TILE_CLASSES)), np.float32)


class DiceClassifier:
    """Reads the die in a crop.

    Args:
        model: the network ``dice``.
    """

    def __init__(self, model: Model) -> None:
        self._run = model.run

    @classmethod
    def load(cls, weights: Path, threads: int = 2) -> Self:
        """Load ``dice.onnx`` from a folder; ModelError if it cannot be used."""
        return cls(load_model(weights / "dice.onnx", name="dice", classes=DICE_CLASSES, threads=threads))

    def __call__(self, crops: NDArray[np.uint8], foot: NDArray[np.float32]) -> DiceAnswer:
        """Read crops (n, 80, 80, 3) uint8 BGR.

        Args:
            crops: cut out with the foot below (``vision.dice.roles.facing``).
            foot: (n, 2) where each would stand if it lay flat, as ``vision.crops.with_foot`` takes it.

        Returns:
            Chances (n, 7) in the order of ``DICE_CLASSES``, and the move (n, 4) that would bring each crop onto the
            upper face, see ``vision.dice.roles.moved``.
        """
        if not len(crops):
            return np.empty((0, len(DICE_CLASSES)), np.float32), np.empty((0, 4), np.float32)
        values, moves = _in_batches(self._run, with_foot(crops, foot))
        return values, moves


class LeanClassifier:
    """Tells whether the die in a crop leans.

    Args:
        model: the network ``lean``.
    """

    def __init__(self, model: Model) -> None:
        self._run = model.run

    @classmethod
    def load(cls, weights: Path, threads: int = 2) -> Self:
        """Load ``lean.onnx`` from a folder; ModelError if it cannot be used."""
        return cls(load_model(weights / "lean.onnx", name="lean", classes=LEAN_CLASSES, threads=threads))

    def __call__(self, crops: NDArray[np.uint8], foot: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the chance of leaning (n,).

        Args:
            crops: (n, 80, 80, 3) uint8 BGR, cut out exactly, with the foot below (``vision.dice.roles.facing``).
            foot: (n, 2) where each would stand if it lay flat, as ``vision.crops.with_foot`` takes it.
        """
        return _in_batches(self._run, with_foot(crops, foot))[0] if len(crops) else np.empty(0, np.float32)


def _in_batches(run: Run, crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
    """Run a network on crops a few at a time and join its outputs."""
    parts = [run(crops[start : start + _MOST_AT_ONCE]) for start in range(0, len(crops), _MOST_AT_ONCE)]
    return [np.concatenate(outputs) for outputs in zip(*parts, strict=True)]
