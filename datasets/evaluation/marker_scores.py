"""Scoring markers, and the banker they indicate, against labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vision.markers.marker_kinds import CHUNGS, Meaning
from vision.markers.marker_places import banker_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.evaluation.tally import Tally
    from datasets.labels.labels import OtherLabel
    from vision.reading import MarkerReading

SAME_MM = 15.0
"""Maximum distance on the table between a reading and its marker."""
_SEEN = 0.9
"""Visible share of a marker from which it must be found."""


def score_markers(tally: Tally, readings: Sequence[MarkerReading], labels: Sequence[OtherLabel]) -> None:
    """Score the markers of one picture, and the banker they indicate.

    Nothing is concluded about the banker from a label without a box.
    """
    there: list[dict[str, Any]] = [label.data for label in labels if label.kind == "marker" and "subtype" in label.data]
    left = list(readings)
    for label in there:
        near = [each for each in left if _apart_mm(each, label) <= SAME_MM]
        right = next((each for each in near if _same(each, label)), None)
        left = [each for each in left if each not in near]
        if _share(label) >= _SEEN:
            tally.count("markers_found", did=right is not None)
            if right is not None:
                tally.count("markers_right", did=right.status == "verified")
            elif not near:
                tally.missed("marker", str(label["subtype"]), label["polygon"])
        for each in near:
            tally.count("markers_true", did=_same(each, label))
            if each.status == "verified":
                tally.count("silent_markers", did=not _same(each, label))
            if not _same(each, label):
                tally.wrong("marker", "misread", str(label["subtype"]), _words(each), each)
    for each in left:
        tally.count("markers_true", did=False)
        if each.status == "verified":
            tally.count("silent_markers", did=True)
        tally.wrong("marker", "not there", "no marker", _words(each), each)
    _score_banker(tally, readings, there)


def _score_banker(tally: Tally, readings: Sequence[MarkerReading], there: Sequence[dict[str, Any]]) -> None:
    chungs = [label for label in there if label["subtype"] in set(CHUNGS)]
    if len(chungs) > 1 or any(label.get("place") is None for label in chungs):
        return
    banker = banker_place(readings)
    truth = chungs[0]["place"] if chungs else None
    if chungs:
        tally.count("banker_unknown", did=banker is None)
        tally.count("banker_right", did=banker is not None and str(banker) == truth)
    if banker is not None:
        tally.count("silent_banker", did=str(banker) != truth)


def _apart_mm(reading: MarkerReading, label: dict[str, Any]) -> float:
    return float(np.hypot(*np.subtract(reading.center_mm, label["center_mm"])))


def _same(reading: MarkerReading, label: dict[str, Any]) -> bool:
    return _words(reading) == str(label["subtype"])


def _share(label: dict[str, Any]) -> float:
    return float(label.get("visible", 1.0))


def _words(reading: MarkerReading) -> str:
    return str(Meaning(reading.kind, reading.value))
