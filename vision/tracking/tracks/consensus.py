"""Consensus of several pictures of one tile.

Pictures of a still tile are not independent: light, wear and a shadow on a pip mislead them alike. Their
log-probabilities are averaged, and together they weigh no more than a verified tile requires.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.findings import Code, Finding
from vision.tiles.set_decoding import CANNOT_TELL, FACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game.tiles import Tile
    from vision.arrays import Floats
    from vision.reading import TileReading
    from vision.tracking.confirmation_terms import Terms

_NUMBER: Final = {face: number for number, face in enumerate(FACES)}
_SUREST: Final = 0.999
"""Maximum probability accepted from one picture."""
_RUNNER_UP: Final = 0.7
"""Share of the remaining probability that goes to the second likeliest face."""


@dataclass(frozen=True, slots=True)
class FaceSample:
    """Reading of one tile's face in one picture.

    Attributes:
        t_s: capture time.
        face: the face read; None if unrecognisable.
        runner_up: the second likeliest.
        confidence: probability of the face.
        verified: whether every condition but time holds.
    """

    t_s: float
    face: Tile | None
    runner_up: Tile | None
    confidence: float
    verified: bool

    @classmethod
    def of(cls, tile: TileReading, t_s: float) -> FaceSample:
        return cls(t_s, tile.face, tile.runner_up, tile.confidence, tile.status == "verified")


def with_sample(samples: tuple[FaceSample, ...], sample: FaceSample, terms: Terms) -> tuple[FaceSample, ...]:
    """Append a sample, unless it is too early to add information; only the last few are kept."""
    if samples and sample.t_s - samples[-1].t_s < terms.apart_s:
        return samples
    return (*samples[-terms.kept + 1 :], sample)


@dataclass(frozen=True, slots=True)
class Consensus:
    """Consensus of the pictures of one tile.

    Attributes:
        face: the face verified by most of them; None otherwise.
        agreeing: number that verified it.
        dissenting: number that read another face; unrecognisable ones, under fingers or in glare, do not count.
        contradicted: whether one of them verified another face.
    """

    face: Tile | None
    agreeing: int
    dissenting: int
    contradicted: bool

    def doubts(self, terms: Terms) -> tuple[Finding, ...]:
        """Why the pictures do not settle the face; empty if they do."""
        two_faces = (Finding(Code.TWO_FACES),) if self.contradicted else ()
        return (*two_faces, *agreement_doubts(self.agreeing, self.dissenting, terms))


def agreement_doubts(agreeing: int, dissenting: int, terms: Terms) -> tuple[Finding, ...]:
    """Doubt if too few pictures verified it, or too many read something else."""
    if agreeing < terms.agreeing:
        return (Finding.of(Code.TOO_FEW_PICTURES, agreeing=agreeing, needed=terms.agreeing),)
    return (Finding(Code.PICTURES_DISAGREE),) if agreeing < terms.dissent * dissenting else ()


def consensus(samples: Sequence[FaceSample]) -> Consensus:
    verified = Counter(sample.face for sample in samples if sample.verified and sample.face is not None)
    if not verified:
        return Consensus(None, 0, len(samples), contradicted=False)
    ((face, agreeing),) = verified.most_common(1)
    dissenting = sum(sample.face not in {face, None} for sample in samples)
    return Consensus(face, agreeing, dissenting, contradicted=len(verified) > 1)


def log_probabilities(samples: Sequence[FaceSample], agreed: Consensus, terms: Terms) -> Floats:
    """Combined log-probabilities (22,) of the faces in the order of ``Tile``, and "cannot tell".

    Pictures that settle the face weigh no more than ``terms.agreeing`` of them; others no more than one.
    """
    total = np.zeros(CANNOT_TELL + 1)
    for sample in samples:
        total += _weights(sample.face, sample.runner_up, sample.confidence)
    most = 1 if agreed.doubts(terms) else terms.agreeing
    weight = min(len(samples), most) / max(len(samples), 1)
    scores = total * weight
    scores -= scores.max()
    return np.asarray(scores - np.log(np.exp(scores).sum()))


@lru_cache(maxsize=1024)
def _weights(face: Tile | None, runner_up: Tile | None, confidence: float) -> Floats:
    """Log-probabilities (22,) from one picture; cached, since each sample is used for many pictures."""
    if face is None:
        row = np.full(CANNOT_TELL + 1, 0.5 / CANNOT_TELL)
        row[CANNOT_TELL] = 0.5
        return np.asarray(np.log(row))
    sure = min(max(confidence, 1 / CANNOT_TELL), _SUREST)
    left = 1 - sure
    if runner_up is None or runner_up is face:
        row = np.full(CANNOT_TELL + 1, left / CANNOT_TELL)
    else:
        row = np.full(CANNOT_TELL + 1, left * (1 - _RUNNER_UP) / (CANNOT_TELL - 1))
        row[_NUMBER[runner_up]] = left * _RUNNER_UP
    row[_NUMBER[face]] = sure
    return np.asarray(np.log(row))
