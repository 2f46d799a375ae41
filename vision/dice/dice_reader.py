"""The dice of a picture: brought onto their upper faces step by step, then looked at there and from all sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from vision.crops import die_crops, in_sides
from vision.dice.die_pips import read_dice
from vision.dice.roles import distinct, facing, foot_of, moved, over_cuts, shifted, with_between
from vision.placing import astray
from vision.verification import is_die

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.detect.detector import Detections
    from vision.dice.die_pips import DiePipReading
    from vision.pip_matching import Floats

GLANCES: Final = 2
MOVES: Final = 3
"""How often the outline of what may be a die is corrected before it is known for one, and how often after that. Of 5637
flat dice 433 were thought to lean perhaps without the latter, 349 with it."""


class ReadsDice(Protocol):
    """What is needed of the dice classifier."""

    def __call__(self, crops: NDArray[np.uint8], foot: Floats) -> tuple[Floats, Floats]:
        """Probabilities (n, 7) and moves (n, 4) for crops (n, 80, 80, 3) and feet (n, 2) in sides."""


class TellsLeaning(Protocol):
    """What is needed of the network that tells leaning dice."""

    def __call__(self, crops: NDArray[np.uint8], foot: Floats) -> Floats:
        """Probabilities of leaning (n,) for crops (n, 80, 80, 3) and feet (n, 2) in sides."""


@dataclass(frozen=True, eq=False, slots=True)
class SeenDice:
    """What both readers say of the dice of one picture, each cut out several times a little shifted.

    Attributes:
        found: (n,) detections.
        quads_px: (n, 4, 2) outline of the upper face.
        crops: (n, 80, 80, 3) cut out with it, the foot below.
        feet: (n, 2) where each would stand if it lay flat, right and down in sides; nan if that is not known.
        chances: (n, 7) of the values, on average over all cuts.
        leaning: (n,) chance of leaning, likewise.
        unsettled: (n,) length of the move, in sides and radians, that the outline would make next.
        pips: the second reader's word on each.
    """

    found: Detections
    quads_px: Floats
    crops: NDArray[np.uint8]
    feet: Floats
    chances: Floats
    leaning: Floats
    unsettled: Floats
    pips: Sequence[DiePipReading]


def look_at_dice(
    image: NDArray[np.uint8],
    found: Detections,
    name: ReadsDice,
    leans: TellsLeaning,
    calibration: TableCalibration | None,
) -> SeenDice:
    """Look at dice where they are, and from a little all round; what is none is left out.

    Args:
        image: the picture, (height, width, 3) uint8 BGR.
        found: what may be dice.
        name: the network that reads their values.
        leans: the network that tells leaning ones.
        calibration: of the camera; None for a picture of unknown scale.
    """
    found = with_between(found)
    elsewhere = astray(found, calibration)
    # Most of what could be a die is a chip or a letter: no die whatever is read of it, or none at a glance.
    worth = is_die(found.score, np.zeros(len(found), np.float32), elsewhere)
    found, elsewhere = found.take(worth), elsewhere[worth]
    quads_px, glance = _settled(image, found.quads_px(), name, calibration, GLANCES)
    likely = is_die(found.score, glance[:, -1], elsewhere)
    found, elsewhere = found.take(likely), elsewhere[likely]
    quads_px, _ = _settled(image, quads_px[likely], name, calibration, MOVES)
    feet_px = foot_of(quads_px, calibration)
    quads_px = facing(quads_px, feet_px)
    tries = shifted(quads_px)
    times = tries.shape[1]
    crops = die_crops(image, tries.reshape(-1, 4, 2))
    feet = in_sides(tries.reshape(-1, 4, 2), np.repeat(feet_px, times, 0))
    chances, moves = name(crops, feet)
    chances = over_cuts(chances.reshape(len(tries), times, chances.shape[1]))
    unsettled = np.linalg.norm(moves[::times], axis=1)
    real = is_die(found.score, chances[:, -1], elsewhere)
    real[real] = distinct(quads_px[real], chances[real, :-1].max(1, initial=0.0))
    kept, feet = crops.reshape(*tries.shape[:2], *crops.shape[1:])[real], feet.reshape(*tries.shape[:2], 2)[real]
    leaning = leans(kept.reshape(-1, *crops.shape[1:]), feet.reshape(-1, 2))
    leaning = over_cuts(leaning.reshape(-1, times))
    return SeenDice(
        found.take(real),
        quads_px[real],
        kept[:, 0],
        feet[:, 0],
        chances[real],
        leaning,
        unsettled[real],
        read_dice(kept[:, 0]),
    )


def _settled(
    image: NDArray[np.uint8],
    quads_px: Floats,
    name: ReadsDice,
    calibration: TableCalibration | None,
    times: int,
) -> tuple[Floats, Floats]:
    """Move outlines (n, 4, 2) so often toward where dice are; and the chances (n, 7) seen before the last move.

    The detector's squares are off by a tenth of a side now and then: enough to cut a row of pips away, and more
    than a leaning die differs from a flat one.
    """
    feet_px = foot_of(quads_px, calibration)
    for _ in range(times):
        quads_px = facing(quads_px, feet_px)
        chances, moves = name(die_crops(image, quads_px), in_sides(quads_px, feet_px))
        quads_px = moved(quads_px, moves)
    return quads_px, chances
