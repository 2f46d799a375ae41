"""Markers and the banker are scored as they lie: found, verified, true, and never silently another."""

import pytest

from calibration.table.places import BOX_PLACES
from datasets.evaluation.scoring import score_picture
from datasets.labels.labels import OtherLabel, PictureLabels
from vision.markers.marker_kinds import MarkerKind
from vision.reading import MarkerReading, Reading, Status

RIM = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0))


def read(kind: MarkerKind, x: float, box: int | None, status: Status = "verified") -> MarkerReading:
    place = None if box is None else BOX_PLACES[box - 1]
    return MarkerReading(kind, None, (x, 0.0), (x, 0.0), RIM, 50.0, 0.9, status, (), place)


def label(kind: str, x: float, box: int | None, visible: float = 1.0) -> OtherLabel:
    place = None if box is None else f"box{box}"
    data: dict[str, object] = {
        "subtype": kind,
        "center_mm": [x, 0.0],
        "place": place,
        "visible": visible,
        "polygon": RIM,
    }
    return OtherLabel("marker", data)


def scored(readings: tuple[MarkerReading, ...] | None, *there: OtherLabel) -> dict[str, tuple[int, int]]:
    reading = Reading("a", (100, 100), True, True, (), (), (), (), {}, {}, readings)  # noqa: FBT003
    score = score_picture(reading, PictureLabels(image="a", size=(100, 100), kind="round", objects=there))
    return {name: (rate.count, rate.of) for name, rate in score.rates.items() if rate.of and name != "silent"}


CHUNG, OFF = MarkerKind.CHUNG, MarkerKind.OFF_BUTTON


def test_a_chung_found_at_its_box_tells_the_banker() -> None:
    assert scored((read(CHUNG, 5, 3),), label("chung", 0, 3)) == {
        "markers_found": (1, 1),
        "markers_right": (1, 1),
        "markers_true": (1, 1),
        "banker_right": (1, 1),
        "banker_unknown": (0, 1),
        "silent_markers": (0, 1),
        "silent_banker": (0, 1),
    }


@pytest.mark.parametrize("readings", [(), (read(CHUNG, 0, 3, "uncertain"),), (read(CHUNG, 0, None),)])
def test_a_chung_not_seen_for_sure_leaves_the_banker_unknown(readings: tuple[MarkerReading, ...]) -> None:
    rates = scored(readings, label("chung", 0, 3))
    assert (rates["banker_unknown"], rates["banker_right"]) == ((1, 1), (0, 1))
    assert "silent_banker" not in rates


def test_another_box_or_another_marker_is_a_silent_error() -> None:
    wrong_box = scored((read(CHUNG, 0, 4),), label("chung", 0, 3))
    assert wrong_box["silent_banker"] == (1, 1)
    other = scored((read(CHUNG, 0, 3),), label("off_button", 0, 3))
    assert (other["silent_markers"], other["markers_found"], other["markers_true"]) == ((1, 1), (0, 1), (0, 1))
    nothing = scored((read(OFF, 60, 2),), label("chung", 0, 3, visible=0.2))
    assert nothing["silent_markers"] == (1, 1)
    assert "markers_found" not in nothing


def test_nothing_is_scored_where_nobody_looked() -> None:
    assert scored(None, label("chung", 0, 3)) == {}
