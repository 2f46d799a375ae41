"""Looking only where something moved finds what looking at all finds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.arrays import Box
from vision.crops import cropped
from vision.detect.detections import TILE_UP, Detections
from vision.detect.motion_gate import FULL_SEARCH_S, GLANCE_S, MotionGatedDetector, boxes_around

Image = NDArray[np.uint8]
WIDTH, HEIGHT, HINT = 1203, 701, 60.0


@dataclass
class FindsWhite:
    """Finds white blobs as tiles, and notes the sizes of what it searched.

    Attributes:
        glanced: what it glances at; None for what it finds.
    """

    searched: list[tuple[int, int]] = field(default_factory=list)
    glances: int = 0
    glanced: NDArray[np.float32] | None = None

    def glance(self, image: Image, scale_hint: float) -> NDArray[np.float32]:
        self.glances += 1
        found = FindsWhite().detect(image, scale_hint).centre_px
        return found if self.glanced is None else self.glanced

    def detect_parts(self, image: Image, scale_hint: float | None, parts: Sequence[Box]) -> list[Detections]:
        return [self.detect(cropped(image, part), scale_hint).translated(*part[:2]) for part in parts]

    def detect(self, image: Image, scale_hint: float | None, part: Box | None = None) -> Detections:
        assert part is None
        assert scale_hint == HINT
        self.searched.append(image.shape[:2])
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


@pytest.mark.slow
def test_gating_finds_in_random_games_what_a_full_search_finds() -> None:
    rng = np.random.default_rng(2)
    inner = FindsWhite()
    gated = MotionGatedDetector(inner)
    grid = [(x, y) for x in range(40, WIDTH - 40, 30) for y in range(50, HEIGHT - 50, 90)]
    lying = {grid[index] for index in rng.choice(len(grid), 20, replace=False)}
    for _ in range(60):
        for _ in range(rng.integers(0, 3)):
            lying ^= {grid[rng.integers(len(grid))]}
        image = picture(*lying, rng=rng)
        assert places(gated.detect(image, HINT)) == places(FindsWhite().detect(image, HINT))
    pixels = sum(height * width for height, width in inner.searched)
    assert pixels < 0.5 * 60 * WIDTH * HEIGHT


@pytest.mark.parametrize("known", [True, False])
def test_a_table_at_rest_is_seen_at_a_glance_each_second(known: bool) -> None:  # noqa: FBT001
    inner = FindsWhite()
    gated = MotionGatedDetector(inner)
    rng = np.random.default_rng(4)
    for number in range(24):
        t_s = number / 2 if known else None
        assert len(gated.detect(picture((300, 300), (330, 300), rng=rng), HINT, t_s=t_s)) == 2
    assert inner.searched == [(HEIGHT, WIDTH)] * (2 if known else 1)
    assert inner.glances == (24 / 2 / GLANCE_S - 2 if known else 2)


def faint(*middles: tuple[int, int]) -> Image:
    """Tiles that differ from their ground by less than a change does."""
    image = np.full((HEIGHT, WIDTH, 3), 198, np.uint8)
    for x, y in middles:
        image[y - 30 : y + 30, x - 12 : x + 12] = 202
    return image


def test_a_faint_change_is_noticed_at_a_glance_and_searched_there() -> None:
    inner = FindsWhite()
    gated = MotionGatedDetector(inner)
    assert len(gated.detect(faint((300, 300)), HINT, t_s=0.0)) == 1
    laid = faint((300, 300), (900, 500))
    assert len(gated.detect(laid, HINT, t_s=0.5)) == 1
    assert places(gated.detect(laid, HINT, t_s=1.0)) == places(FindsWhite().detect(laid, HINT))
    taken = faint((900, 500))
    assert len(gated.detect(taken, HINT, t_s=1.5)) == 2
    assert places(gated.detect(taken, HINT, t_s=2.0)) == places(FindsWhite().detect(taken, HINT))
    assert inner.searched[0] == (HEIGHT, WIDTH)
    assert all(height < HEIGHT / 2 for height, _ in inner.searched[1:])


def test_what_no_glance_shows_is_searched_every_ten_seconds() -> None:
    inner = FindsWhite(glanced=np.zeros((0, 2), np.float32))
    gated = MotionGatedDetector(inner)
    gated.detect(faint(), HINT, t_s=0.0)
    found = [len(gated.detect(faint((300, 300)), HINT, t_s=float(second))) for second in range(1, 12)]
    assert found == [0] * (round(FULL_SEARCH_S) - 1) + [1, 1]


def test_a_lamp_that_flickers_moves_nothing() -> None:
    inner = FindsWhite()
    gated = MotionGatedDetector(inner)
    for light in (1.0, 0.97, 1.02, 0.99):
        gated.detect(picture((300, 300), light=light), HINT)
    assert len(inner.searched) == 1


def test_a_picture_of_another_size_is_searched_whole() -> None:
    inner = FindsWhite()
    gated = MotionGatedDetector(inner)
    gated.detect(picture((300, 300)), HINT)
    assert len(gated.detect(np.ascontiguousarray(picture((300, 300), (700, 300))[:500]), HINT)) == 2
    assert inner.searched == [(HEIGHT, WIDTH), (500, WIDTH)]


@pytest.mark.parametrize("at", [(0, 0), (WIDTH // 8, HEIGHT // 8), (70, 40)])
def test_a_change_is_searched_with_a_margin(at: tuple[int, int]) -> None:
    changed = np.zeros((-(-HEIGHT // 8), -(-WIDTH // 8)), np.bool_)
    changed[at[1], at[0]] = True
    ((x0, y0, x1, y1),) = boxes_around(changed, 64, (WIDTH, HEIGHT))
    assert x0 <= max(0, at[0] * 8 - 56) and y0 <= max(0, at[1] * 8 - 56)  # noqa: PT018
    assert x1 >= min(WIDTH, at[0] * 8 + 64) and y1 >= min(HEIGHT, at[1] * 8 + 64)  # noqa: PT018
