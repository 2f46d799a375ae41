"""A camera that moved is found by the layout and by markers; one that did not is not, whatever lies on the table."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.codes import CalibrationCode
from calibration.drift.drift import Drift, DriftUnknown, drift
from calibration.drift.landmarks import Landmarks, landmarks
from calibration.files.calibration_file import CalibrationError, load_calibration
from calibration.finding import Finding
from tests.calibration.views import over_table, table_scenery
from tests.calibration.watched import MARKERS, Watched, shot
from vision.capture.images import load_image


@pytest.fixture(scope="module")
def marks(watched: Watched) -> Landmarks:
    return landmarks(watched.empty, watched.calibration.surface())


def test_landmarks_are_of_the_table_alone(watched: Watched, marks: Landmarks) -> None:
    surface = watched.calibration.surface()
    assert surface is not None
    x, y = marks.points_px.astype(int).T
    assert surface[y, x].all()
    assert len(marks.points_px) >= 40


def in_play(clean: NDArray[np.uint8], seed: int = 4) -> NDArray[np.uint8]:
    """Forty tiles, an arm and a heap of chips laid over the table."""
    rng = np.random.default_rng(seed)
    full = clean.copy()
    for x, y in rng.integers((100, 80), (1050, 560), (40, 2)).tolist():
        cv2.rectangle(full, (x, y), (x + 28, y + 12), 20, -1)
    cv2.rectangle(full, (300, 0), (380, 300), 150, -1)
    cv2.circle(full, (800, 250), 20, 230, -1)
    return full


@pytest.mark.parametrize(("x", "y", "z"), [(5, 0, 0), (0, 5, 0), (0, 0, 5), (-4, -3, 0)])
@pytest.mark.parametrize("by", ["layout", "markers"])
def test_five_millimetres_are_found(watched: Watched, marks: Landmarks, by: str, x: float, y: float, z: float) -> None:
    moved = shot(in_play(watched.seen_from(12.0 + x, -20.0 + y, 1480.0 + z)))
    found = drift(watched.calibration, moved, marks if by == "layout" else None)
    assert isinstance(found, Drift)
    assert found.by == by
    assert not found.holds
    assert found.largest_mm == pytest.approx(5 if not z else 3.9, abs=0.9)
    if not z:
        # The camera moves one way, the table seems to move the other.
        assert found.shift_mm.mean(axis=0) == pytest.approx([-x, -y], abs=0.6)


@pytest.mark.parametrize("noise", [0.5, 2.0, 6.0])
@pytest.mark.parametrize("light", [0.6, 1.0, 1.1])
@pytest.mark.parametrize("by", ["layout", "markers"])
def test_a_camera_that_stands_is_not_accused(
    watched: Watched, marks: Landmarks, by: str, noise: float, light: float
) -> None:
    picture = shot(in_play(watched.clean) * light, noise=noise)
    found = drift(watched.calibration, picture, marks if by == "layout" else None)
    assert isinstance(found, Drift)
    assert found.holds, found.largest_mm
    assert found.by == by


def test_a_marker_that_slid_differs_from_a_camera_that_moved(watched: Watched) -> None:
    slid = table_scenery({**MARKERS, 2: (985.0, -462.0, 0.0)})
    found = drift(watched.calibration, shot(watched.camera.render(slid, watched.pose)))
    assert isinstance(found, Drift)
    assert not found.holds
    assert found.lone == 2


def test_a_camera_knocked_far_aside_never_counts_as_standing(watched: Watched, marks: Landmarks) -> None:
    far = shot(watched.camera.render(watched.scenery, over_table(x=160.0, turn=0.3)))
    found = drift(watched.calibration, far, marks)
    assert not found or not found.holds


def test_a_covered_lens_shows_nothing(watched: Watched, marks: Landmarks) -> None:
    dark = shot(np.full_like(watched.clean, 12))
    found = drift(watched.calibration, dark, marks)
    assert isinstance(found, DriftUnknown)
    assert not found
    assert Finding.of(CalibrationCode.FEW_MARKERS_SEEN, seen=0, known=4, needed=2) in found.reasons


def test_without_markers_or_a_picture_nothing_is_known(watched: Watched) -> None:
    bare = replace(watched.calibration, markers=())
    found = drift(bare, watched.empty)
    assert isinstance(found, DriftUnknown)


def test_a_picture_of_another_size_is_refused(watched: Watched) -> None:
    with pytest.raises(CalibrationError, match="calibration is for pictures"):
        drift(watched.calibration, watched.empty[:-8])


def test_reference_pictures_stand_where_their_calibration_says(shared: Path) -> None:
    """Photo-like frames with hands, arms and chips in play: markers agree with the truth to half a millimetre."""
    count = 0
    for path in sorted((shared / "frames").glob("*.jpg")):
        calibration = load_calibration(path.with_suffix(".json"))
        found = drift(calibration, load_image(path))
        if not calibration.markers:
            assert not found
            continue
        assert isinstance(found, Drift), (path.name, found)
        assert found.largest_mm < 0.5, path.name
        count += 1
    assert count >= 4
