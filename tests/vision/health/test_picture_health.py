"""What can go wrong with a picture is found, by its name; noise, play and a little less light are nothing."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.calibration.drift.test_drift import in_play
from tests.calibration.watched import Watched, shot, watched_table
from vision.health.picture_health import HealthReference, fingerprint, frozen, health, reference


@pytest.fixture(scope="module")
def table() -> Watched:
    return watched_table()


@pytest.fixture(scope="module")
def good(table: Watched) -> HealthReference:
    return reference(table.empty)


def covered_right(clean: NDArray[np.uint8]) -> NDArray[np.uint8]:
    hung = clean.copy()
    hung[:, 700:] = 60
    return hung


def mirrored_lamp(clean: NDArray[np.uint8]) -> NDArray[np.float64]:
    y, x = np.mgrid[: clean.shape[0], : clean.shape[1]]
    lamp: NDArray[np.float64] = 400 * np.exp(-((x - 500) ** 2 + (y - 300) ** 2) / (2 * 35**2))
    return clean + lamp


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        pytest.param(lambda clean: clean, [], id="unchanged"),
        pytest.param(in_play, [], id="in play"),
        pytest.param(lambda clean: clean * 0.85, [], id="a little darker"),
        pytest.param(lambda clean: cv2.GaussianBlur(clean, (0, 0), 0.6), [], id="a little softer"),
        pytest.param(lambda clean: clean * 0.55, ["dim"], id="dimmed"),
        pytest.param(lambda clean: np.minimum(clean * 1.6, 245), ["bright"], id="too bright"),
        pytest.param(lambda clean: cv2.GaussianBlur(clean, (0, 0), 1.6), ["defocused"], id="defocused"),
        pytest.param(lambda clean: cv2.GaussianBlur(in_play(clean), (0, 0), 3), ["defocused"], id="defocused in play"),
        pytest.param(lambda clean: cv2.GaussianBlur(clean, (0, 0), 2) * 0.5, ["dim", "defocused"], id="dim and soft"),
        pytest.param(lambda clean: np.full_like(clean, 8), ["covered"], id="lens covered"),
        pytest.param(lambda clean: np.full_like(clean, 120), ["covered"], id="cloth over the lens"),
        pytest.param(lambda clean: clean * 0.04, ["covered"], id="lamp off"),
        pytest.param(lambda clean: clean[::-1, ::-1], ["covered"], id="turned away"),
        pytest.param(covered_right, ["obstructed"], id="something hangs in the way"),
        pytest.param(mirrored_lamp, ["glare"], id="a lamp mirrored"),
    ],
)
@pytest.mark.parametrize("noise", [1.0, 5.0])
def test_each_fault_is_found(
    table: Watched,
    good: HealthReference,
    change: Callable[[NDArray[np.uint8]], NDArray[np.uint8]],
    codes: list[str],
    noise: float,
) -> None:
    state = health(good, shot(change(table.clean), noise=noise))
    assert [fault.finding.code for fault in state.faults] == codes, state


def test_a_nudge_is_no_fault(table: Watched, good: HealthReference) -> None:
    assert health(good, shot(table.seen_from(x=20.0))).faults == ()


def test_changes_beside_the_table_are_no_fault(table: Watched) -> None:
    surface = table.calibration.surface()
    assert surface is not None
    assert 0.5 < surface.mean() < 0.9
    crowd = np.where(surface, table.clean, 255)
    assert health(reference(table.empty, surface), shot(crowd)).faults == ()
    assert health(reference(table.empty), shot(crowd)).faults != ()


def test_findings_show_where(table: Watched, good: HealthReference) -> None:
    (finding,) = health(good, shot(mirrored_lamp(table.clean))).faults
    boxes = np.array(finding.boxes_px)
    assert (boxes[:, :2] <= (500, 300)).all(axis=1).any()
    assert np.abs(boxes[:, [0, 2]].mean() - 500) < 40
    assert np.abs(boxes[:, [1, 3]].mean() - 300) < 40
    (hung,) = health(good, shot(covered_right(table.clean))).faults
    assert np.array(hung.boxes_px)[:, 0].min() >= 660


def test_figures_follow_the_light_and_the_focus(table: Watched, good: HealthReference) -> None:
    for light in (0.4, 0.8, 1.2):
        assert health(good, shot(table.clean * light)).brightness == pytest.approx(light, abs=0.05)
    sharpness = [
        health(good, shot(cv2.GaussianBlur(table.clean, (0, 0), blur))).sharpness or 0 for blur in (0.5, 1, 2, 4)
    ]
    assert sharpness == sorted(sharpness, reverse=True)
    assert sharpness[-1] < 0.4


def test_a_table_without_print_says_nothing_of_focus() -> None:
    felt = shot(np.full((432, 768), 90, np.uint8))
    assert health(reference(felt), felt).sharpness is None
    assert health(reference(felt), felt).faults == ()


def test_another_size_is_refused(good: HealthReference, table: Watched) -> None:
    with pytest.raises(ValueError, match="the reference is"):
        health(good, table.empty[:, :-2])


def test_a_frozen_picture_differs_from_a_still_table(table: Watched) -> None:
    living = [fingerprint(shot(table.clean, seed=seed)) for seed in range(3)]
    assert not frozen(living)
    assert frozen([*living, living[-1], living[-1]])
    assert not frozen([living[0], living[0]])
    assert not frozen([])
