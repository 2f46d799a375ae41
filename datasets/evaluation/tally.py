"""Counts and errors collected while scoring one picture."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from datasets.evaluation.outline_matching import Outline, center
from vision.reading import DieReading, HandReading, MarkerReading, TileReading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vision.findings import Finding

ObjectKind: TypeAlias = Literal["tile", "die", "hand", "marker", "banker"]
Scored: TypeAlias = TileReading | DieReading | HandReading | MarkerReading
ErrorKind: TypeAlias = Literal["missed", "misread", "not named", "not there", "not whole"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One misread object: what is there and what was read, in words.

    Attributes:
        status: ``verified`` or ``uncertain``; None for a missed object.
        confidence: of the reading; None for missed objects and for hands.
        at_px: centre in the picture; None for hands.
        silent: whether it was verified, so that nobody would have checked.
    """

    image: str
    kind: ObjectKind
    fault: ErrorKind
    there: str
    read: str
    status: str | None = None
    confidence: float | None = None
    at_px: tuple[float, float] | None = None
    silent: bool = False
    doubts: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Audited:
    """A tile reading with its ground truth, and each reader's scores."""

    image: str
    right: bool
    verified: bool
    scores: Mapping[str, float]


class Tally:
    """Trials of one picture by the names of its rates, in the order of its labels, and its errors."""

    def __init__(self, image: str) -> None:
        self.image = image
        self.trials: defaultdict[str, list[bool]] = defaultdict(list)
        self.mistakes: list[Mistake] = []
        self.audited: list[Audited] = []

    def count(self, *names: str, did: bool) -> None:
        """Count one trial for each of these rates."""
        for name in names:
            self.trials[name].append(did)

    def missed(self, kind: ObjectKind, there: str, polygon: Outline) -> None:
        """Record an object that was not found."""
        self.mistakes.append(Mistake(self.image, kind, "missed", there, "nothing", at_px=center(polygon)))

    def wrong(self, kind: ObjectKind, fault: ErrorKind, there: str, read: str, reading: Scored) -> None:
        """Record an object that was misread."""
        sure, at = None, None
        if not isinstance(reading, HandReading):
            sure = reading.confidence
            at = reading.center_px if isinstance(reading, MarkerReading) else center(reading.polygon)
        status, silent = reading.status, reading.status == "verified"
        self.mistakes.append(Mistake(self.image, kind, fault, there, read, status, sure, at, silent, reading.doubts))
