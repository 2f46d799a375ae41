"""A picture of unknown scale shows something only where one find at least is surely a tile or a die."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision import drawn
from tests.vision.stand_ins import Scene
from vision.findings import Code, Finding
from vision.reading import Reading
from vision.tiles.faces import Maker, pips_of

FELT = (60, 110, 20)
SURE = 0.9995


def at(column: int, width: int, height: int) -> NDArray[np.float64]:
    """Outline of a thing in a row of them."""
    x, y = 60.0 + 100 * column, 60.0
    return np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])


def read(tiles: list[str | None], dice: list[int], *, sure: float, bare: frozenset[int] = frozenset()) -> Reading:
    """Read a row of tiles, then of dice; those numbered in ``bare`` are blank where the classifier sees pips."""
    picture = np.full((220, 1000, 3), FELT, np.uint8)
    outlines = [at(column, 32, 80) for column in range(len(tiles))]
    outlines += [at(len(tiles) + column, 40, 40) for column in range(len(dice))]
    for number, (outline, what) in enumerate(zip(outlines, [*tiles, *dice], strict=True)):
        x, y = outline[0].astype(int)
        width, height = (outline[2] - outline[0]).astype(int)
        if isinstance(what, int):
            crop = drawn.die(what, (30, 30, 190), (230, 230, 230))[20:60, 20:60]
        else:
            crop = drawn.tile(pips_of(what, Maker()) if what else [])[8:-8, 8:-8]
        if number in bare:
            crop = np.full_like(crop, (20, 18, 16))
        picture[y : y + height, x : x + width] = cv2.resize(crop, (int(width), int(height)))
    count = len(tiles)
    scene = Scene(
        list(zip(outlines[:count], tiles, strict=True)),
        [(outline, value, False) for outline, value in zip(outlines[count:], dice, strict=True)],
        sure=sure,
    )
    return scene.reader().read(picture)


@pytest.mark.parametrize(
    ("tiles", "dice", "shown"),
    [
        pytest.param(["6-5"], [], (1, 0), id="a tile"),
        pytest.param([], [5], (0, 1), id="a die"),
        pytest.param([], [5, 3], (0, 2), id="dice"),
    ],
)
def test_one_sure_find_is_shown(tiles: list[str | None], dice: list[int], shown: tuple[int, int]) -> None:
    reading = read(tiles, dice, sure=SURE)
    assert (len(reading.tiles), len(reading.dice)) == shown


@pytest.mark.parametrize(
    ("tiles", "dice", "sure", "bare"),
    [
        pytest.param(["6-5"], [], SURE, {0}, id="no pips where the classifier sees a face"),
        pytest.param([], [5], SURE, {0}, id="no pips where it sees a value"),
        pytest.param(["6-5", "5-3"], [], 0.5, set(), id="faces of which it is half sure"),
        pytest.param([], [5, 5, 5, 3], 0.45, set(), id="values of which it is half sure"),
        pytest.param([None, None, None], [], SURE, set(), id="three dark patches"),
    ],
)
def test_nothing_is_shown_where_all_is_doubtful(
    tiles: list[str | None], dice: list[int], sure: float, bare: set[int]
) -> None:
    reading = read(tiles, dice, sure=sure, bare=frozenset(bare))
    assert (reading.tiles, reading.dice) == ((), ())
    assert reading.findings == (Finding(Code.NOTHING_FOUND),)


@pytest.mark.parametrize(
    ("tiles", "dice", "bare"),
    [
        pytest.param(["6-5", "5-3"], [], {0}, id="a tile beside a tile"),
        pytest.param(["6-5"], [5], {1}, id="a die beside a tile"),
        pytest.param(["6-5"], [5], {0}, id="a tile beside a die"),
        pytest.param([None, None, None, None], [], set(), id="four tiles face down"),
    ],
)
def test_doubtful_finds_are_shown_beside_a_sure_one(tiles: list[str | None], dice: list[int], bare: set[int]) -> None:
    reading = read(tiles, dice, sure=SURE, bare=frozenset(bare))
    assert (len(reading.tiles), len(reading.dice)) == (len(tiles), len(dice))
