import cv2
import numpy as np
import pytest

from engine.game.tiles import Tile
from tests.vision import drawn
from vision.tiles.faces import FACE_NAMES, Maker, halves, layouts, pips_of
from vision.tiles.pips import read_tiles

pytestmark = pytest.mark.exhaustive

COLOURS = {
    "black": drawn.BLACK,
    "ivory": drawn.IVORY,
    "greyed by glare": drawn.GREYED,
    "black, dark red": drawn.DARK_RED,
    "black, darkest red": drawn.DARKEST_RED,
}


@pytest.mark.parametrize("body", COLOURS)
@pytest.mark.parametrize("turned", [False, True])
def test_every_layout_of_every_maker_is_named(body: str, turned: bool) -> None:  # noqa: FBT001 - a table of cases
    rng = np.random.default_rng(7)
    cases = [(face, pips) for face in FACE_NAMES for pips in layouts(face)]
    crops = np.stack([drawn.tile(pips, COLOURS[body], turned=turned, rng=rng) for _, pips in cases])
    for (face, _), reading in zip(cases, read_tiles(crops), strict=True):
        assert reading.face == Tile.parse(face)
        assert reading.clear, (face, reading)
        assert reading.margin > 0.02, (face, reading)


@pytest.mark.parametrize("face", FACE_NAMES)
def test_red_and_plain_pips_are_counted(face: str) -> None:
    pips = pips_of(face, Maker())
    reading = drawn.read_tile(drawn.tile(pips))
    assert (reading.red, reading.white) == (sum(pip.red for pip in pips), sum(not pip.red for pip in pips))


def test_a_tile_shifted_turned_and_scaled_is_still_named() -> None:
    rng = np.random.default_rng(3)
    for face in FACE_NAMES:
        crop = drawn.tile(pips_of(face, Maker()), rng=rng)
        pose = cv2.getRotationMatrix2D((23.5, 47.5), rng.uniform(-2.5, 2.5), rng.uniform(0.96, 1.04))
        pose[:, 2] = pose[:, 2] + rng.uniform(-2, 2, 2)
        moved = cv2.warpAffine(crop, pose, (48, 96), borderMode=cv2.BORDER_REPLICATE).astype(np.uint8)
        assert drawn.read_tile(moved).face == Tile.parse(face)


@pytest.mark.parametrize("body", COLOURS)
@pytest.mark.parametrize("face", [face for face in FACE_NAMES if sum(halves(face)) > 2])
def test_a_missing_pip_never_leaves_a_clear_reading(face: str, body: str) -> None:
    pips = pips_of(face, Maker())
    for index in range(len(pips)):
        reading = drawn.read_tile(drawn.tile(pips, COLOURS[body], missing=[index]))
        assert not (reading.clear and reading.face == Tile.parse(face)), (index, reading)


@pytest.mark.parametrize("red", [drawn.DARK_RED, drawn.DARKEST_RED], ids=["dark", "darkest"])
def test_missing_dark_red_pips_never_leave_a_clear_reading(red: dict[str, tuple[int, int, int]]) -> None:
    """All reds of a half gone, a face looks like one the set does not have: 6-4 without its four is no 6-1."""
    for face in ("6-4", "5-4", "4-3", "4-2", "6-1", "5-1", "3-1", "2-1"):
        pips = pips_of(face, Maker())
        reading = drawn.read_tile(drawn.tile(pips, red, missing=[n for n, pip in enumerate(pips) if pip.red]))
        assert not reading.clear, (face, reading)


def test_an_empty_tile_and_plain_felt_are_not_clear() -> None:
    rng = np.random.default_rng(5)
    felt = np.clip(rng.normal(90, 6, (96, 48, 3)), 0, 255).astype(np.uint8)
    assert not drawn.read_tile(drawn.tile([], rng=rng)).clear
    assert not drawn.read_tile(felt).clear


def test_glare_that_washes_out_half_a_tile_leaves_a_doubt() -> None:
    for face in ("6-1", "5-3", "6-5", "4-2", "3-1", "5-4"):
        crop = drawn.tile(pips_of(face, Maker())).astype(np.float64)
        veil = np.clip((60 - np.arange(96)) / 20, 0, 1)[:, None, None]
        washed = (crop * (1 - veil) + 250 * veil).astype(np.uint8)
        reading = drawn.read_tile(washed)
        assert not reading.clear, (face, reading)


def test_backs_do_not_change_the_colour_cast() -> None:
    """Under a warm lamp, where red has little contrast, there are more backs than faces, tinted green by the felt."""
    rng = np.random.default_rng(9)
    warm, green = np.array((0.9, 0.92, 1.0)), np.array((0.8, 1.25, 1.0))
    faces = np.stack([drawn.tile(pips_of(face, Maker()), drawn.DARKEST_RED, rng=rng) * warm for face in FACE_NAMES])
    spots = [cv2.circle(np.zeros((96, 48), np.float32), (24 + x, 30), 5, 1.0, -1) for x in (-6, 6) for _ in range(20)]
    shine = 30 * np.stack([cv2.GaussianBlur(spot, (0, 0), 3.0) for spot in spots])[..., None] * green
    backs = np.stack([drawn.tile([], drawn.DARKEST_RED, rng=rng) * warm for _ in spots]) + shine
    alone = read_tiles(faces.astype(np.uint8))
    beside = read_tiles(np.concatenate([faces, backs]).astype(np.uint8))
    assert all(reading.clear for reading in alone)
    assert beside[: len(alone)] == alone
    assert {reading.tint for reading in beside[len(alone) :]} == {None}


def test_a_crop_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="96, 48, 3"):
        read_tiles(np.zeros((1, 48, 96, 3), np.uint8))


def test_no_crops_give_no_readings() -> None:
    assert read_tiles(np.zeros((0, 96, 48, 3), np.uint8)) == []
