"""The second look: only where the first leaves a face open, and no single cut decides."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.table.sizes import TILE_MM
from vision.checks import wrong_size
from vision.detect.detections import TILE_DOWN, TILE_UP, Detections
from vision.tiles.augmentation import SCALES, SHIFTS, name_with_augmentation
from vision.tiles.overlapping_tiles import candidates_within, merged_detections, suppress_unread

IMAGE = np.full((200, 300, 3), 90, np.uint8)
QUADS = np.array([[[40, 40], [66, 40], [66, 104], [40, 104]], [[140, 60], [204, 60], [204, 86], [140, 86]]], np.float32)
CUTS = 2 * len(SHIFTS) * len(SCALES)


def chances(*rows: dict[int, float]) -> np.ndarray:
    """Rows of 22 probabilities; the rest is shared evenly."""
    out = np.empty((len(rows), 22), np.float32)
    for row, given in zip(out, rows, strict=True):
        row[:] = (1 - sum(given.values())) / (22 - len(given))
        for face, chance in given.items():
            row[face] = chance
    return out


class Classifier:
    """Returns the given answers for consecutive crops."""

    def __init__(self, given: list[dict[int, float]]) -> None:
        self.said, self.asked = given, 0

    def __call__(self, crops: np.ndarray) -> np.ndarray:
        assert crops.shape[1:] == (96, 48, 3)
        first, self.asked = self.asked, self.asked + len(crops)
        return chances(*(self.said[number % len(self.said)] for number in range(first, self.asked)))


@pytest.mark.parametrize("first", [{4: 0.9}, {21: 0.85}], ids=["sure of a face", "sure that it has none"])
def test_sure_tiles_are_not_augmented(first: dict[int, float]) -> None:
    classifier = Classifier([{7: 0.99}])
    before = chances(first, first)
    assert np.array_equal(name_with_augmentation(IMAGE, QUADS, before, classifier), before)
    assert classifier.asked == 0


def test_only_open_tiles_are_augmented() -> None:
    classifier = Classifier([{7: 0.99}])
    before = chances({4: 0.9}, {4: 0.4, 7: 0.5})
    after = name_with_augmentation(IMAGE, QUADS, before, classifier)
    assert classifier.asked == CUTS
    assert np.array_equal(after[0], before[0])
    assert after[1].argmax() == 7
    assert after[1, 7] > 0.98
    assert np.allclose(after.sum(1), 1, atol=1e-5)


def test_no_single_crop_decides() -> None:
    """One cut in ten that is all but certain of another face does not make that face likely."""
    classifier = Classifier([{7: 0.999999}, *[{4: 0.7, 7: 0.1}] * 9])
    after = name_with_augmentation(IMAGE, QUADS[:1], chances({4: 0.6}), classifier)
    assert after[0].argmax() == 4


def test_contradicting_crops_leave_a_tile_open() -> None:
    classifier = Classifier([{7: 0.97, 4: 0.02}, {4: 0.97, 7: 0.02}])
    after = name_with_augmentation(IMAGE, QUADS[:1], chances({4: 0.6}), classifier)
    assert after[0].max() < 0.6


@pytest.mark.parametrize(
    ("given", "stays"),
    [
        pytest.param([{21: 0.9}, {7: 0.95}], [False, True], id="the one that reads, though found less surely"),
        pytest.param([{7: 0.95}, {21: 0.9}], [True, False], id="the one that reads, found more surely"),
        pytest.param([{21: 0.95}, {21: 0.8}], [True, False], id="neither reads: the one found more surely"),
        pytest.param([{7: 0.95}, {4: 0.95}], [True, True], id="both read: both stay, and doubt each other"),
    ],
)
def test_of_duplicate_tiles_those_that_read_a_face_stay(given: list[dict[int, float]], stays: list[bool]) -> None:
    at = np.array([[100, 100], [100, 122], [300, 100]], np.float32)
    found = Detections(
        np.array([TILE_UP, TILE_UP, TILE_UP], np.int8),
        np.array([0.8, 0.6, 0.5], np.float32),
        at,
        np.tile(np.array([64, 26], np.float32), (3, 1)),
        np.full(3, np.pi / 2, np.float32),
        np.zeros((3, 4), np.float32),
    )
    faces = chances(*given, {21: 0.99})
    assert suppress_unread(found, faces).tolist() == [*stays, True]
    apart = replace(found, centre_px=at + np.array([[0, 0], [0, 30], [0, 0]], np.float32))
    assert suppress_unread(apart, faces).all()
    back = replace(found, kind=np.array([TILE_UP, TILE_DOWN, TILE_UP], np.int8))
    assert suppress_unread(back, faces).all()


FACE_MM = np.array(TILE_MM[:2])


def two_tiles(right_mm: float, down_mm: float, *, turned_deg: float = 10) -> tuple[Detections, np.ndarray]:
    """What is found of two tiles, one so far beside the other, at 2 px/mm; and the middle of the one at the far end."""
    turned = np.deg2rad(turned_deg)
    turn = np.array([[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]])
    slack_mm = np.array((right_mm, down_mm))
    found = Detections(
        kind=np.array([TILE_UP], np.int8),
        score=np.array([0.7], np.float32),
        centre_px=np.array([[250, 150]], np.float32),
        size_px=2 * (FACE_MM + np.abs(slack_mm))[None].astype(np.float32),
        angle_rad=np.array([turned], np.float32),
        body_px=np.zeros((1, 4), np.float32),
    )
    return found, np.array((250.0, 150.0)) + turn @ slack_mm


@pytest.mark.parametrize("turned_deg", [0, 25, 90, 160])
@pytest.mark.parametrize(("right_mm", "down_mm"), [(20, 8), (0, 12), (30, 0), (-20, 8)])
def test_the_upper_tile_is_found_in_a_merged_detection(right_mm: float, down_mm: float, turned_deg: float) -> None:
    found, upper_px = two_tiles(right_mm, down_mm, turned_deg=turned_deg)
    tries = candidates_within(found, (found.size_px / 2 / FACE_MM).astype(np.float32))
    assert len(tries) == 9
    assert np.allclose(tries.size_px, 2 * FACE_MM, atol=1e-3)
    assert np.linalg.norm(tries.centre_px - upper_px, axis=1).min() < 1e-2


@pytest.mark.parametrize(
    ("size_mm", "unknown", "kind", "score", "seen"),
    [
        pytest.param((81.5, 32.4), 0.97, TILE_UP, 0.7, [0], id="two in one"),
        pytest.param((70.0, 28.0), 0.97, TILE_UP, 0.7, [], id="hardly larger than one"),
        pytest.param((60.0, 33.0), 0.97, TILE_UP, 0.7, [], id="shorter"),
        pytest.param((130.0, 33.0), 0.97, TILE_UP, 0.7, [], id="far longer"),
        pytest.param((np.nan, np.nan), 0.97, TILE_UP, 0.7, [], id="no scale"),
        pytest.param((81.5, 32.4), 0.5, TILE_UP, 0.7, [], id="may be known"),
        pytest.param((81.5, 32.4), 0.97, TILE_DOWN, 0.7, [], id="a back"),
        pytest.param((81.5, 32.4), 0.97, TILE_UP, 0.4, [], id="faint"),
    ],
)
def test_only_large_nameless_detections_may_be_two_tiles(
    size_mm: tuple[float, float], unknown: float, kind: int, score: float, seen: list[int]
) -> None:
    found, _ = two_tiles(18, 7)
    found.kind[:], found.score[:] = kind, score
    sizes_mm = np.array([size_mm], np.float32)
    odd = np.array([0 in wrong_size(sizes_mm, TILE_MM[:2])])
    ratio = (sizes_mm / np.array(TILE_MM[:2])).astype(np.float32)
    assert merged_detections(found, ratio, chances({21: unknown}), odd).tolist() == seen
