from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.sample import HOUSE_WRONG
from vision.capture.images import load_image
from vision.detect.detections import DIE, KINDS, TILE_DOWN, TILE_UP, Detections, non_maximum_suppression
from vision.detect.detector import TRAINED_TILE_PX, Detector, peaks, pyramid_factors
from vision.networks.runtime import default_weights, load_model


def lying(*rows: tuple[int, float, float, float, float, float]) -> Detections:
    """Detections of (kind, score, x, y, long, angle in degrees)."""
    table = np.array(rows, np.float32).reshape(-1, 6)
    kind, long_px = table[:, 0].astype(np.int8), table[:, 4]
    short_px = np.where(kind == DIE, long_px, long_px * 0.4)
    centre = table[:, 2:4]
    return Detections(
        kind,
        table[:, 1],
        centre,
        np.stack([long_px, short_px], -1).astype(np.float32),
        np.radians(table[:, 5]),
        np.concatenate([centre - long_px[:, None] / 2, centre + long_px[:, None] / 2], axis=1),
    )


def test_a_quad_begins_with_a_short_edge_and_runs_clockwise() -> None:
    quad = lying((TILE_UP, 1, 50, 40, 60, 0)).quads_px()[0]
    assert quad.tolist() == [[20, 52], [20, 28], [80, 28], [80, 52]]


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        pytest.param(lying(), 0, id="nothing"),
        pytest.param(lying((0, 0.9, 50, 50, 60, 0), (0, 0.8, 50, 74, 60, 0)), 2, id="side by side, touching"),
        pytest.param(lying((0, 0.9, 50, 50, 60, 0), (0, 0.8, 110, 50, 60, 0)), 2, id="end to end, touching"),
        pytest.param(lying((0, 0.9, 50, 50, 60, 30), (0, 0.8, 52, 51, 58, 34)), 1, id="twice the same"),
        pytest.param(lying((0, 0.9, 50, 50, 60, 0), (0, 0.8, 50, 50, 60, 180)), 1, id="the other end first"),
        pytest.param(lying((0, 0.9, 50, 50, 60, 0), (1, 0.8, 51, 50, 60, 0)), 1, id="up or down, not both"),
        pytest.param(lying((0, 0.9, 50, 50, 60, 0), (0, 0.8, 60, 50, 30, 0)), 1, id="a part of it"),
        pytest.param(
            lying((1, 0.9, 50, 50, 60, 0), (1, 0.8, 50, 74, 60, 0), (1, 0.5, 70, 62, 60, 90)), 2, id="across two others"
        ),
        pytest.param(
            lying((0, 0.9, 50, 50, 60, 0), (1, 0.8, 50, 74, 60, 0), (1, 0.7, 70, 62, 60, 90)),
            3,
            id="on top of two others",
        ),
        pytest.param(lying((2, 0.9, 50, 50, 20, 0), (2, 0.8, 70, 50, 20, 0)), 2, id="dice touching"),
        pytest.param(lying((2, 0.9, 50, 50, 20, 0), (0, 0.8, 50, 50, 60, 0)), 2, id="a die and a tile"),
    ],
)
def test_non_maximum_suppression(found: Detections, kept: int) -> None:
    assert len(non_maximum_suppression(found)) == kept


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        pytest.param(lying((0, 0.9, 50, 50, 60, 0), (0, 0.5, 72, 50, 60, 0)), 2, id="half upon each other"),
        pytest.param(lying((0, 0.9, 50, 50, 60, 0), (0, 0.5, 54, 50, 60, 0)), 1, id="the same tile"),
        pytest.param(lying((0, 0.9, 50, 50, 60, 0), (1, 0.5, 72, 50, 60, 0)), 1, id="a back across a face"),
        pytest.param(
            lying((0, 0.9, 50, 50, 60, 0), (0, 0.8, 50, 74, 60, 0), (0, 0.5, 50, 62, 60, 0)), 2, id="across two others"
        ),
    ],
)
def test_overlapping_open_tiles_stay_as_rivals(found: Detections, kept: int) -> None:
    assert len(non_maximum_suppression(found, keep_rivals=True)) == kept


def test_the_better_detection_stays_in_any_order() -> None:
    found = lying((0, 0.5, 50, 50, 60, 0), (0, 0.9, 52, 50, 60, 0))
    assert non_maximum_suppression(found).score == pytest.approx([0.9])


def test_a_back_within_a_known_face_is_suppressed() -> None:
    found = lying((TILE_DOWN, 0.9, 50, 50, 60, 0), (TILE_UP, 0.5, 60, 50, 120, 0))
    assert non_maximum_suppression(found).kind.tolist() == [TILE_DOWN]
    assert non_maximum_suppression(found, known=np.array([False, True])).kind.tolist() == [TILE_UP]


def test_nothing_lies_across_two_known_tiles() -> None:
    rows = (0, 0.8, 50, 50, 60, 0), (0, 0.7, 50, 74, 60, 0), (0, 0.9, 50, 62, 60, 0)
    assert len(non_maximum_suppression(lying(*rows))) == 3
    known = np.array([True, True, False])
    assert non_maximum_suppression(lying(*rows), known=known).score == pytest.approx([0.8, 0.7])


@pytest.mark.parametrize(
    ("size", "factors"),
    [
        ((2304, 1296), [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625]),
        ((300, 500), [2.0, 1.0, 0.5, 0.25, 0.125]),
        ((30, 50), [2.0, 1.0]),
    ],
)
def test_pyramid_factors(size: tuple[int, int], factors: list[float]) -> None:
    assert pyramid_factors(size) == pytest.approx(factors)


def test_peaks_are_where_nothing_about_is_hotter() -> None:
    rng = np.random.default_rng(5)
    # Two levels make plateaus, and some cells at the rim are hot.
    heat = np.stack([rng.random((40, 60)), rng.integers(0, 2, (40, 60)), np.zeros((40, 60))]).astype(np.float32)
    kernel = np.ones((3, 3), np.uint8)
    expected = np.stack([(plane >= 0.7) & (plane >= cv2.dilate(plane, kernel)) for plane in heat])
    assert expected[:, [0, -1]].any()
    assert np.array_equal(np.stack(peaks(heat, 0.7)), np.stack(np.nonzero(expected)))
    assert [len(each) for each in peaks(heat, 2.0)] == [0, 0, 0]


@dataclass
class OneTile:
    """Stands in for a network: answers with one tile in the middle of whatever it is shown."""

    length_of: dict[tuple[int, int], float]
    seen: list[tuple[int, ...]] = field(default_factory=list)

    def run(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        self.seen.append(pictures.shape)
        _, height, width, _ = pictures.shape
        heat = np.zeros((1, 3, height // 4, width // 4), np.float32)
        regression = np.zeros((1, 10, height // 4, width // 4), np.float32)
        row, column = height // 8, width // 8
        heat[0, TILE_UP, row, column] = 0.9
        regression[0, 2:4, row, column] = np.log(self.length_of.get((width, height), 64.0) / 64.0)
        regression[0, 5, row, column] = 1.0
        return [heat, regression]


def test_a_scale_hint_means_one_pyramid_level() -> None:
    network = OneTile({})
    found = Detector(network).detect(np.zeros((240, 480, 3), np.uint8), 2 * TRAINED_TILE_PX)  # type: ignore[arg-type]
    assert network.seen == [(1, 128, 240, 3)]
    assert found.size_px[0] == pytest.approx([128.0, 52.0])
    # Cell (30, 16) is centred on pixel (121.5, 65.5) of the half picture, i.e. on (243.5, 131.5).
    assert found.centre_px[0] == pytest.approx([243.5, 131.5])


def test_each_pyramid_level_keeps_its_own_sizes() -> None:
    # 64 px in the half picture; in the whole one too long to be trusted, in the quarter too short.
    network = OneTile({(1024, 512): 128.0, (512, 256): 64.0, (320, 192): 21.0, (192, 128): 21.0, (128, 96): 21.0})
    found = Detector(network).detect(np.zeros((512, 1024, 3), np.uint8), None)  # type: ignore[arg-type]
    # The last three are so small that they get a frame.
    assert [shape[1] for shape in network.seen] == [512, 256, 128 + 64, 64 + 64, 32 + 64]
    assert found.size_px[:, 0] == pytest.approx([128.0])


def test_a_picture_of_any_size_is_padded() -> None:
    network = OneTile({})
    Detector(network).detect(np.zeros((37, 51, 3), np.uint8), TRAINED_TILE_PX)  # type: ignore[arg-type]
    assert network.seen == [(1, 48, 64, 3)]


def test_a_part_is_aligned_to_the_networks_cells() -> None:
    network = OneTile({})
    part = (101, 45, 301, 145)
    found = Detector(network).detect(np.zeros((240, 480, 3), np.uint8), 2 * TRAINED_TILE_PX, part)  # type: ignore[arg-type]
    # Of the half picture, from (48, 16) to (151, 73).
    assert network.seen == [(1, 64, 112, 3)]
    # Cell (14, 8) of the part is centred on pixel (57.5, 33.5) of it, (105.5, 49.5) of the half picture.
    assert found.centre_px[0] == pytest.approx([211.5, 99.5])


def test_parts_are_seen_each_as_alone() -> None:
    network = OneTile({})
    image, parts = np.zeros((240, 480, 3), np.uint8), [(101, 45, 301, 145), (0, 0, 64, 240)]
    for hint in (2 * TRAINED_TILE_PX, None):
        detector = Detector(network)  # type: ignore[arg-type]
        together = detector.detect_parts(image, hint, parts)
        for part, found in zip(parts, together, strict=True):
            assert np.array_equal(found.centre_px, detector.detect(image, hint, part).centre_px)


@pytest.mark.skipif(not (default_weights() / "detector.onnx").is_file(), reason="the models have not been trained yet")
def test_a_part_is_seen_as_in_the_whole_picture() -> None:
    detector = Detector.load(default_weights(), threads=1)
    image = cv2.imread(str(HOUSE_WRONG))
    assert image is not None
    picture, part = np.asarray(image, np.uint8), (150, 90, 1700, 990)
    whole, cut = detector.detect(picture, 62.0), detector.detect(picture, 62.0, part)
    inside = ((whole.centre_px > (250, 190)) & (whole.centre_px < (1600, 890))).all(1)
    assert inside.sum() >= 16
    for centre, size in zip(whole.centre_px[inside], whole.size_px[inside], strict=True):
        nearest = int(np.linalg.norm(cut.centre_px - centre, axis=1).argmin())
        # In eight bits the little that a rim changes far off may round the other way.
        assert cut.centre_px[nearest] == pytest.approx(centre, abs=0.05)
        assert cut.size_px[nearest] == pytest.approx(size, abs=0.05)


@pytest.mark.parametrize("size", [(2304, 1296), (1040, 2064), (700, 500)])
def test_a_picture_seen_part_by_part_is_seen_as_a_whole(size: tuple[int, int]) -> None:
    model = load_model(default_weights() / "detector.onnx", name="detector", classes=KINDS)
    image = cv2.resize(load_image(HOUSE_WRONG), size).astype(np.uint8, copy=False)
    for hint in (None, 60.0):
        whole, parts = (Detector(model, sparing=sparing).detect(image, hint) for sparing in (False, True))
        assert len(whole)
        for name in ("kind", "score", "centre_px", "size_px", "angle_rad", "body_px"):
            assert np.array_equal(getattr(whole, name), getattr(parts, name))


def test_a_glance_misses_nothing_that_is_detected() -> None:
    detector = Detector.load(default_weights(), threads=1)
    image = load_image(HOUSE_WRONG)
    found, seen_px = detector.detect(image, 62.0), detector.glance(image, 62.0)
    sure = found.take(found.score >= 0.4)
    apart_px = np.linalg.norm(sure.centre_px[:, None] - seen_px, axis=-1)
    assert len(sure) >= 16
    assert apart_px.min(1).max() < 0.3 * 62
