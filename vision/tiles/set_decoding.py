"""Naming all tiles of a picture together: the set holds each face once or twice, 32 tiles in all.

The likeliest naming that the set allows is found exactly, and for every tile how much less likely the best naming is
in which it bears another face. Where the tiles taken one by one claim a face more often than the set holds it, that is
a contradiction: it is told, and none of the tiles it concerns may count as verified, whatever the joint naming says.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.game.tiles import Tile
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from numpy.typing import NDArray

FACES: Final = tuple(Tile)
CANNOT_TELL: Final = len(FACES)
"""Class beside the faces: the crop does not say."""
COPIES: Final = tuple(tile.copies for tile in FACES)

CLAIM: Final = math.log(0.5)
"""A tile claims a face if it is likelier than all else together; weaker opinions are settled without a word."""
INSISTS: Final = math.log(20.0)
"""A tile that would have to be so much less likely than it looks keeps the face it looks like, set or no set."""

_FORBIDDEN: Final = 1e6
_LEAST_LOG: Final = -60.0


@dataclass(frozen=True, slots=True)
class Named:
    """What one tile is, all tiles considered.

    Attributes:
        face: None if the picture does not say.
        log_probability: of the face as the classifier sees this tile alone.
        runner_up: the face it would have next, set aside what the others are.
        margin: log-probability by which the best naming beats the best one in which this tile is something else.
        contradicted: whether it shares a face with more tiles than the set holds.
    """

    face: Tile | None
    log_probability: float
    runner_up: Tile
    margin: float
    contradicted: bool


def decode(log_probabilities: NDArray[np.floating]) -> tuple[list[Named], list[Finding]]:
    """Name n tiles jointly.

    Args:
        log_probabilities: (n, 22) natural logarithms, faces in the order of ``Tile``, then "cannot tell".

    Returns:
        One ``Named`` for each tile, and a ``duplicate_face`` finding for each face claimed too often.
    """
    if log_probabilities.ndim != 2 or log_probabilities.shape[1] != CANNOT_TELL + 1:
        raise ValueError(f"log-probabilities have shape (n, {CANNOT_TELL + 1}), not {log_probabilities.shape}")
    if not len(log_probabilities):
        return [], []
    scores = np.maximum(np.asarray(log_probabilities, np.float64), _LEAST_LOG)
    alone = scores.argmax(1)
    joint, total = _assign(scores)
    margins = _margins(scores, joint, total)
    claimed = Counter(int(face) for row, face in enumerate(alone) if face != CANNOT_TELL and scores[row, face] > CLAIM)
    too_often = {face: count for face, count in claimed.items() if count > COPIES[face]}
    named = []
    for row, seen in enumerate(alone):
        contradicted = bool(int(seen) in too_often and scores[row, seen] > CLAIM)
        insists = contradicted and scores[row, seen] - scores[row, joint[row]] > INSISTS
        face = int(seen if insists else joint[row])
        others = scores[row, :CANNOT_TELL].copy()
        others[face : face + 1] = -np.inf
        named.append(
            Named(
                face=None if face == CANNOT_TELL else FACES[face],
                log_probability=float(scores[row, face]),
                runner_up=FACES[int(others.argmax())],
                margin=0.0 if contradicted else margins[row],
                contradicted=contradicted,
            )
        )
    findings = [_finding(face, count) for face, count in sorted(too_often.items())]
    return named, findings


def _finding(face: int, count: int) -> Finding:
    """Say that a face lies on the table too often."""
    return Finding.of(Code.DUPLICATE_FACE, count=count, face=str(FACES[face]), held=int(COPIES[face]))


def _assign(scores: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
    """Find the likeliest naming (n,) that the set allows and its log-probability.

    "Cannot tell" is open to every tile, so that there is always a naming, also of more tiles than a set holds.
    """
    columns = np.concatenate([np.repeat(np.arange(CANNOT_TELL), COPIES), np.full(len(scores), CANNOT_TELL)])
    rows, picked = linear_sum_assignment(-scores[:, columns])
    faces = np.empty(len(scores), np.int64)
    faces[rows] = columns[picked]
    return faces, float(scores[np.arange(len(scores)), faces].sum())


def _margins(scores: NDArray[np.float64], joint: NDArray[np.int64], total: float) -> list[float]:
    """By how much the best naming beats the best in which one tile is something else, for each tile."""
    used = Counter(joint.tolist())
    # If every tile has its own first choice, one that goes to a free second choice disturbs nobody, and no other
    # naming can cost less; only where that choice is taken must the assignment be solved again.
    undisturbed = bool((scores[np.arange(len(scores)), joint] >= scores.max(1)).all())
    margins = []
    for row, face in enumerate(joint):
        barred = scores.copy()
        barred[row, face] = -_FORBIDDEN
        second = int(barred[row].argmax())
        if undisturbed and (second == CANNOT_TELL or used[second] < COPIES[second]):
            margins.append(float(scores[row, face] - scores[row, second]))
        else:
            margins.append(total - _assign(barred)[1])
    return margins
