import cv2
import numpy as np
import pytest

from tests.vision import drawn
from vision.dice.die_pips import read_dice
from vision.verification import LEAST_DIE_PIP_MARGIN

DICE = {
    "white": ((235, 238, 236), (25, 25, 25)),
    "red": ((40, 30, 170), (230, 232, 230)),
    "black": ((25, 24, 23), (225, 225, 225)),
    "white with red pips": ((235, 238, 236), (40, 35, 185)),
    "yellow": ((30, 200, 230), (20, 20, 20)),
}


@pytest.mark.parametrize("colours", DICE.values(), ids=DICE)
@pytest.mark.parametrize("value", range(1, 7))
def test_every_value_is_read_at_any_rotation(value: int, colours: tuple[tuple[int, int, int], ...]) -> None:
    rng = np.random.default_rng(value)
    body, pip = colours
    crops = [drawn.die(value, body, pip, turn_deg=float(turn), rng=rng) for turn in range(0, 360, 18)]
    for reading in read_dice(np.stack(crops)):
        assert (reading.value, reading.clear) == (value, True), reading


@pytest.mark.parametrize("colours", DICE.values(), ids=DICE)
def test_the_rows_of_a_six_may_be_closer_than_other_pips(colours: tuple[tuple[int, int, int], ...]) -> None:
    rng = np.random.default_rng(9)
    crops = [drawn.die(6, *colours, turn_deg=float(turn), rng=rng, rows_apart=0.62) for turn in range(0, 360, 18)]
    readings = read_dice(np.stack(crops))
    assert [(reading.value, reading.clear) for reading in readings] == [(6, True)] * len(crops)
    assert min(reading.margin for reading in readings) > 2 * LEAST_DIE_PIP_MARGIN


def test_dice_read_together_are_read_as_each_alone() -> None:
    rng = np.random.default_rng(8)
    dice = [drawn.die(1 + n % 6, *DICE["red"], turn_deg=float(turn), rng=rng) for n, turn in enumerate(range(0, 90, 9))]
    crops = np.stack([*dice, rng.integers(0, 256, dice[0].shape).astype(np.uint8)])
    for together, crop in zip(read_dice(crops), crops, strict=True):
        alone = read_dice(crop[None])[0]
        assert (together.value, together.doubt) == (alone.value, alone.doubt)
        assert (together.match, together.margin) == pytest.approx((alone.match, alone.margin), abs=1e-5)


def test_a_single_dim_pip_is_read_through_noise() -> None:
    rng = np.random.default_rng(3)
    dice = [drawn.die(1, (180, 225, 235), (100, 145, 155), turn_deg=turn, rng=rng) for turn in rng.uniform(0, 360, 40)]
    noise = [np.kron(rng.normal(0, 12, (20, 20, 3)), np.ones((4, 4, 1))) for _ in dice]
    crops = [np.clip(die + rough, 0, 255).astype(np.uint8) for die, rough in zip(dice, noise, strict=True)]
    readings = read_dice(np.stack(crops))
    assert sum(reading.value == 1 and reading.clear for reading in readings) >= 38


def test_faint_pips_below_a_transparent_face_do_not_count() -> None:
    top = drawn.die(2, (40, 30, 170), (230, 232, 230)).astype(np.float64)
    below = drawn.die(5, (40, 30, 170), (230, 232, 230)).astype(np.float64)
    shown = np.maximum(top, top * 0.65 + below * 0.35).astype(np.uint8)
    assert drawn.read_die(shown).value == 2


@pytest.mark.parametrize("turn_deg", range(0, 90, 15))
def test_the_streak_of_a_far_pip_is_no_pip(turn_deg: int) -> None:
    """Pips of other faces come as streaks through the glass of a transparent die."""
    shown = drawn.die(1, (40, 30, 120), (225, 228, 225), turn_deg=turn_deg)
    angle = np.deg2rad(turn_deg)
    middle = 39.5 + 10 * np.array([np.cos(angle), np.sin(angle)])
    along = 8 * np.array([-np.sin(angle), np.cos(angle)])
    one, other = np.round([middle - along, middle + along]).astype(int).tolist()
    cv2.line(shown, one, other, (170, 170, 200), 4)
    reading = drawn.read_die(shown)
    assert (reading.value, reading.clear) == (1, True)


def test_a_strong_pip_in_the_wrong_place_leaves_a_doubt() -> None:
    two, six = (drawn.die(value, (40, 30, 170), (230, 232, 230)) for value in (2, 6))
    mixed = two.copy()
    mixed[:, 40:] = np.maximum(two, six)[:, 40:]
    reading = drawn.read_die(mixed)
    assert not (reading.clear and reading.value == 2)


def test_a_bare_face_is_not_clear() -> None:
    rng = np.random.default_rng(2)
    assert not drawn.read_die(np.clip(rng.normal(200, 2, (80, 80, 3)), 0, 255).astype(np.uint8)).clear


def test_a_crop_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="80, 80, 3"):
        read_dice(np.zeros((1, 48, 48, 3), np.uint8))


def test_no_crops_give_no_readings() -> None:
    assert read_dice(np.zeros((0, 80, 80, 3), np.uint8)) == []
