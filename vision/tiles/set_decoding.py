"""Joint decoding of all tiles of a picture: the set contains each face once or twice, 32 tiles in all.

The likeliest assignment of faces that the set allows is found exactly, with its margin over the best one with another
face for each tile. Tiles that individually claim a face too often contradict each other: none of them may be verified.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.game.tiles import Tile
from vision.arrays import Mask
from vision.assignment import cheapest_pairs
from vision.findings import Code, Finding

FACES: Final = tuple(Tile)
CANNOT_TELL: Final = len(FACES)
"""Class index for an unrecognisable face."""
COPIES: Final = tuple(tile.copies for tile in FACES)

CLAIM: Final = math.log(0.5)
"""Log-probability from which a tile claims a face: likelier than all others together."""
INSIST_LOG_RATIO: Final = math.log(20.0)
"""Log ratio to the jointly decoded face from which a contradicted tile keeps its own: 20 to 1."""

_FORBIDDEN: Final = 1e6
_LEAST_LOG: Final = -60.0


@dataclass(frozen=True, slots=True)
class Named:
    """Jointly decoded face of one tile.

    Attributes:
        face: None if unrecognisable.
        log_probability: of the face by the classifier for this tile alone.
        runner_up: the next likeliest face of this tile alone.
        margin: log-probability margin of the best assignment over the best one with another face here.
        contradicted: whether more tiles claim its face than the set contains.
    """

    face: Tile | None
    log_probability: float
    runner_up: Tile
    margin: float
    contradicted: bool


def decode(log_probabilities: NDArray[np.floating], of_set: Mask | None = None) -> tuple[list[Named], list[Finding]]:
    """Decode n tiles jointly, by log-probabilities (n, 22) of the faces in the order of ``Tile``, then "cannot tell".

    Args:
        log_probabilities: of each tile on its own.
        of_set: (n,) which belong to one set, by default all. The others are decoded individually: a plain photograph
            may show several sets, and a tile printed on the felt belongs to none.

    Returns:
        One ``Named`` per tile, and a ``duplicate_face`` finding for each face claimed too often.
    """
    if log_probabilities.ndim != 2 or log_probabilities.shape[1] != CANNOT_TELL + 1:
        raise ValueError(f"log-probabilities have shape (n, {CANNOT_TELL + 1}), not {log_probabilities.shape}")
    if not len(log_probabilities):
        return [], []
    scores = np.maximum(np.asarray(log_probabilities, np.float64), _LEAST_LOG)
    alone = scores.argmax(1)
    joint, ranked = alone.copy(), np.sort(scores, axis=1)
    margins = ranked[:, -1] - ranked[:, -2]
    among = np.flatnonzero(np.ones(len(scores), np.bool_) if of_set is None else of_set)
    if len(among):
        joint[among], total = _assign(scores[among])
        margins[among] = _margins(scores[among], joint[among], total)
    claims = [(row, int(alone[row])) for row in among if alone[row] != CANNOT_TELL and scores[row, alone[row]] > CLAIM]
    claimed = Counter(face for _, face in claims)
    too_often = {face: count for face, count in claimed.items() if count > COPIES[face]}
    rivals = {row for row, face in claims if face in too_often}
    named = []
    for row, seen in enumerate(alone):
        contradicted = row in rivals
        insists = contradicted and scores[row, seen] - scores[row, joint[row]] > INSIST_LOG_RATIO
        face = int(seen if insists else joint[row])
        others = scores[row, :CANNOT_TELL].copy()
        others[face : face + 1] = -np.inf
        named.append(
            Named(
                face=None if face == CANNOT_TELL else FACES[face],
                log_probability=float(scores[row, face]),
                runner_up=FACES[int(others.argmax())],
                margin=0.0 if contradicted else float(margins[row]),
                contradicted=contradicted,
            )
        )
    findings = [
        Finding.of(Code.DUPLICATE_FACE, count=count, face=str(FACES[face]), held=int(COPIES[face]))
        for face, count in sorted(too_often.items())
    ]
    return named, findings


def _assign(scores: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
    """Find the likeliest assignment (n,) that the set allows and its log-probability.

    "Cannot tell" is available to every tile, so a solution always exists, even for more tiles than a set has.
    """
    columns = np.concatenate([np.repeat(np.arange(CANNOT_TELL), COPIES), np.full(len(scores), CANNOT_TELL)])
    rows, picked = cheapest_pairs(-scores[:, columns])
    faces = np.empty(len(scores), np.int64)
    faces[rows] = columns[picked]
    return faces, float(scores[np.arange(len(scores)), faces].sum())


def _margins(scores: NDArray[np.float64], joint: NDArray[np.int64], total: float) -> list[float]:
    """Log-probability margin of the best assignment over the best with another face, for each tile."""
    used = Counter(joint.tolist())
    # If every tile has its first choice, moving one to a free second choice is optimal; only if that choice is taken
    # must the assignment be solved again.
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
