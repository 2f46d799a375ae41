import numpy as np
from numpy.typing import NDArray

from vision.detect.detections import DIE, Detections
from vision.dice.dice_reader import observe_dice

BANDS = np.repeat(np.repeat(np.array([[0, 30, 60]], np.uint8), 200, 0), 100, 1)[..., None].repeat(3, 2)
"""A picture of three upright bands, each of one grey."""


def turns_by_grey(
    crops: NDArray[np.uint8], foot: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Name every crop a 5, and turn it by a thousandth of a radian for each grey level, however often it was turned."""
    assert len(foot) == len(crops)
    chances, moves = np.zeros((len(crops), 7), np.float32), np.zeros((len(crops), 4), np.float32)
    chances[:, 4] = 1
    moves[:, 3] = crops.reshape(len(crops), -1).mean(1) / 1000 if len(crops) else 0
    return chances, moves


def flat(crops: NDArray[np.uint8], foot: NDArray[np.float32]) -> NDArray[np.float32]:
    assert len(foot) == len(crops)
    return np.zeros(len(crops), np.float32)


def of(*middles: tuple[float, float]) -> Detections:
    centre = np.array(middles, np.float32).reshape(-1, 2)
    count = len(centre)
    return Detections(
        np.full(count, DIE, np.int8),
        np.full(count, 0.9, np.float32),
        centre,
        np.full((count, 2), 20, np.float32),
        np.zeros(count, np.float32),
        np.concatenate([centre - 12, centre + 12], 1),
    )


def test_the_correction_still_due_is_measured() -> None:
    seen = observe_dice(BANDS, of((50, 60), (150, 100), (250, 140)), turns_by_grey, flat, None)
    np.testing.assert_allclose(seen.unsettled, [0, 0.03, 0.06], atol=1e-5)
    assert observe_dice(BANDS, of(), turns_by_grey, flat, None).unsettled.shape == (0,)
