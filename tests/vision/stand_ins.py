"""Stand-ins for the networks: a detector and classifiers with given answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Box
from vision.detect.detections import DIE, TILE_DOWN, TILE_UP, Detections
from vision.networks.classifier import TILE_CLASSES
from vision.reader import Reader


@dataclass
class Scene:
    """Objects for the stand-ins, in the order given: outlines in pixels, and what the classifiers are to say.

    Attributes:
        tiles: outline (4, 2) and face of each tile; None lies face down.
        dice: outline (4, 2), value and whether it leans.
        sure: probability of each named face and value.
        hints: scale hints the detector was given.
        parts: of the pictures it was to look at.
    """

    tiles: Sequence[tuple[NDArray[np.floating], str | None]] = ()
    dice: Sequence[tuple[NDArray[np.floating], int, bool]] = ()
    sure: float = 0.9995
    hints: list[float | None] = field(default_factory=list)
    parts: list[Box | None] = field(default_factory=list)
    _cut: NDArray[np.uint8] = field(init=False, repr=False)

    def reader(self) -> Reader:
        return Reader(self, self.name_tiles, self.name_dice, self.estimate_lean, {"detector": "stand-in"})

    def detect(self, image: NDArray[np.uint8], scale_hint: float | None, part: Box | None = None) -> Detections:
        """All objects, exactly where they are."""
        assert image.dtype == np.uint8
        self.hints.append(scale_hint)
        self.parts.append(part)
        quads = [quad for quad, _ in self.tiles] + [quad for quad, *_ in self.dice]
        kinds = [TILE_DOWN if face is None else TILE_UP for _, face in self.tiles] + [DIE] * len(self.dice)
        corners = np.array(quads, np.float32).reshape(-1, 4, 2)
        along = (corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / 2
        across = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]) / 2
        return Detections(
            kind=np.array(kinds, np.int8),
            score=np.full(len(kinds), 0.95, np.float32),
            centre_px=corners.mean(1),
            size_px=np.stack([np.linalg.norm(along, axis=1), np.linalg.norm(across, axis=1)], 1),
            angle_rad=np.arctan2(along[:, 1], along[:, 0]).astype(np.float32),
            body_px=np.concatenate([corners.min(1), corners.max(1)], 1),
        )

    def detect_parts(
        self, image: NDArray[np.uint8], scale_hint: float | None, parts: Sequence[Box]
    ) -> list[Detections]:
        return [self.detect(image, scale_hint, part) for part in parts]

    def glance(self, image: NDArray[np.uint8], scale_hint: float) -> NDArray[np.float32]:
        """Everything, as exactly."""
        assert image.dtype == np.uint8
        assert scale_hint > 0
        quads = [quad for quad, _ in self.tiles] + [quad for quad, *_ in self.dice]
        return np.array([quad.mean(0) for quad in quads], np.float32).reshape(-1, 2)

    def name_tiles(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The faces with the given confidence; backs are unrecognisable."""
        times, some = divmod(len(crops), max(len(self.tiles), 1))
        classes = len(TILE_CLASSES)
        if not len(crops):
            return np.zeros((0, classes), np.float32)
        chances = np.full((len(self.tiles), classes), (1 - self.sure) / (classes - 1), np.float32)
        for row, (_, face) in enumerate(self.tiles):
            chances[row, -1 if face is None else TILE_CLASSES.index(face)] = self.sure
        if some:
            # Some of them, cut out once more: those that look most like before.
            return chances[[int(np.abs(self._cut - crop.astype(float)).mean((1, 2, 3)).argmin()) for crop in crops]]
        self._cut = crops[: len(self.tiles)]
        return chances.repeat(times, 0)

    def name_dice(
        self, crops: NDArray[np.uint8], foot: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The values, as sure as told; every crop lies where it should."""
        assert foot.shape == (len(crops), 2)
        times = len(crops) // max(len(self.dice), 1)
        assert len(crops) == times * len(self.dice)
        chances = np.full((len(self.dice), 7), (1 - self.sure) / 6, np.float32)
        for row, (_, value, _) in enumerate(self.dice):
            chances[row, value - 1] = self.sure
        return chances.repeat(times, 0), np.zeros((len(crops), 4), np.float32)

    def estimate_lean(self, crops: NDArray[np.uint8], foot: NDArray[np.float32]) -> NDArray[np.float32]:
        """Which dice lean, nearly sure."""
        assert foot.shape == (len(crops), 2)
        leaning = np.array([0.99 if leans else 0.01 for *_, leans in self.dice], np.float32)
        return leaning.repeat(len(crops) // max(len(self.dice), 1))
