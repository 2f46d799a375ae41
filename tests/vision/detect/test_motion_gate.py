"""Looking only where something moved finds what looking at all finds."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.detect.detector import TILE_UP, Box, Detections, cut_out
from vision.detect.motion_gate import LOOK_AGAIN_AFTER, SteadyDetector, changed_boxes

Image = NDArray[np.uint8]
WIDTH, HEIGHT, HINT = 1203, 701, 60.0


@dataclass
class FindsWhite:
    """Finds white blobs as tiles, and notes how much it looked at."""

    looked_at: list[tuple[int, int]] = field(default_factory=list)

    def detect(self, image: Image, scale_hint: float | None, part: Box | None = None) -> Detections:
        """Where the blobs are."""
        if part is not None:
            return self.detect(cut_out(image, part), scale_hint).moved(*part[:2])
        assert scale_hint == HINT
        self.looked_at.append(image.shape[:2])
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        _, _, stats, middles = cv2.connectedComponentsWithStats((grey > 200).astype(np.uint8))
        boxes = stats[1:, :4].astype(np.float32)
        count = len(boxes)
        return Detections(
            np.full(count, TILE_UP, np.int8),
            np.ones(count, np.float32),
            np.asarray(middles[1:], np.float32),
            boxes[:, [3, 2]],
            np.full(count, np.pi / 2, np.float32),
            np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], 1),
        )


def picture(*middles: tuple[int, int], light: float = 1.0, rng: np.random.Generator | None = None) -> Image:
    """Felt with white tiles of 60 by 24 pixels upright around some middles."""
    image = np.full((HEIGHT, WIDTH, 3), (60, 110, 40), np.float64)
    for x, y in middles:
        image[y - 30 : y + 30, x - 12 : x + 12] = 230
    if rng is not None:
        image += rng.normal(0, 4, image.shape)
    return np.clip(image * light, 0, 255).astype(np.uint8)


def places(found: Detections) -> list[tuple[int, int]]:
    """Middles, rounded to 4 pixels."""
    return sorted((round(x / 4), round(y / 4)) for x, y in found.centre_px.tolist())


def test_random_games_are_seen_as_by_looking_at_all() -> None:
    rng = np.random.default_rng(2)
    inner = FindsWhite()
    steady = SteadyDetector(inner)
    grid = [(x, y) for x in range(40, WIDTH - 40, 30) for y in range(50, HEIGHT - 50, 90)]
    lying = {grid[index] for index in rng.choice(len(grid), 20, replace=False)}
    for _ in range(60):
        for _ in range(rng.integers(0, 3)):
            lying ^= {grid[rng.integers(len(grid))]}
        image = picture(*lying, rng=rng)
        assert places(steady.detect(image, HINT)) == places(FindsWhite().detect(image, HINT))
    looked = sum(height * width for height, width in inner.looked_at)
    assert looked < 0.5 * 60 * WIDTH * HEIGHT


def test_a_table_at_rest_is_looked_at_once_in_a_while() -> None:
    inner = FindsWhite()
    steady = SteadyDetector(inner)
    rng = np.random.default_rng(4)
    for _ in range(2 * (LOOK_AGAIN_AFTER + 1)):
        assert len(steady.detect(picture((300, 300), (330, 300), rng=rng), HINT)) == 2
    assert inner.looked_at == [(HEIGHT, WIDTH)] * 2


def test_a_lamp_that_flickers_moves_nothing() -> None:
    inner = FindsWhite()
    steady = SteadyDetector(inner)
    for light in (1.0, 0.97, 1.02, 0.99):
        steady.detect(picture((300, 300), light=light), HINT)
    assert len(inner.looked_at) == 1


def test_a_picture_of_another_size_or_scale_is_looked_at_whole() -> None:
    inner = FindsWhite()
    steady = SteadyDetector(inner)
    steady.detect(picture((300, 300)), HINT)
    assert len(steady.detect(np.ascontiguousarray(picture((300, 300), (700, 300))[:500]), HINT)) == 2
    assert inner.looked_at == [(HEIGHT, WIDTH), (500, WIDTH)]


@pytest.mark.parametrize("at", [(0, 0), (WIDTH // 8, HEIGHT // 8), (70, 40)])
def test_a_change_is_looked_at_with_what_lies_around_it(at: tuple[int, int]) -> None:
    small = np.zeros((-(-HEIGHT // 8), -(-WIDTH // 8)), np.float32)
    now = small.copy()
    now[at[1], at[0]] = 50
    ((x0, y0, x1, y1),) = changed_boxes(now, small, 64, (WIDTH, HEIGHT))
    assert x0 <= max(0, at[0] * 8 - 56) and y0 <= max(0, at[1] * 8 - 56)  # noqa: PT018
    assert x1 >= min(WIDTH, at[0] * 8 + 64) and y1 >= min(HEIGHT, at[1] * 8 + 64)  # noqa: PT018
