"""Prints on a rendered felt: pictures of tiles and dice without side or shadow, and tiles that lie on them."""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.files.calibration_file import TableCalibration
from datasets.simulator.film import open_simulator
from datasets.simulator.moments import Renderer, empty_table
from vision.arrays import Floats, Pixels
from vision.findings import Code
from vision.reader import Reader
from vision.reading import Polygon, Reading, TileReading

pytestmark = pytest.mark.exhaustive

LAMPS = pytest.mark.parametrize("lamp", [0.7, 1.0, 1.3])


@dataclass(frozen=True, eq=False)
class Table:
    """A table with hands laid open, the felt without them, and what is read of the former."""

    calibration: TableCalibration
    reader: Reader
    played: Pixels
    felt: Pixels
    reading: Reading

    @property
    def open_tiles(self) -> list[TileReading]:
        return [each for each in self.reading.tiles if each.status == "verified" and each.face_up]

    def read(self, picture: Pixels, empty: Pixels | None) -> Reading:
        return self.reader.read(picture, calibration=self.calibration, empty=empty)


@cache
def table() -> Table:
    made = open_simulator("simulator:seed=3,rounds=1").script
    opened = next(each.t_s for each in made.rounds[0].happenings if each.kind == "hand-exposed") + 2
    calibration, reader = made.table_calibration(), Reader.load()
    played = Renderer(made).draw(made.at(opened)).image
    return Table(calibration, reader, played, empty_table(made), reader.read(played, calibration=calibration))


def pasted(onto: Pixels, source: Pixels, outlines: list[Polygon], around_px: int = 0) -> Pixels:
    """A picture with pieces of another: the upper faces alone are prints, with what is around them they are tiles."""
    mask = np.zeros(onto.shape[:2], np.uint8)
    for outline in outlines:
        cv2.fillConvexPoly(mask, np.rint(outline).astype(np.int32), 255)
    if around_px:
        cv2.dilate(mask, np.ones((2 * around_px + 1,) * 2, np.uint8), mask)
    x, y, w, h = cv2.boundingRect(mask)
    part = np.s_[max(0, y - 2) : y + h + 2, max(0, x - 2) : x + w + 2]
    share = np.asarray(cv2.GaussianBlur(mask[part], (3, 3), 0), np.float64)[..., None] / 255
    whole = onto.copy()
    whole[part] = np.rint(onto[part] * (1 - share) + source[part] * share).astype(np.uint8)
    return whole


@cache
def printed_below(off_px: int, others: int) -> Pixels:
    """The felt with a picture printed where each open tile lies, that much off: of the tile some places further on."""
    known = table()
    felt, tiles = known.felt, known.open_tiles
    for number, tile in enumerate(tiles):
        here = np.array(tile.polygon, np.float32) + np.array((off_px, 0), np.float32)
        there = np.array(tiles[(number + others) % len(tiles)].polygon, np.float32)
        moved = cv2.warpPerspective(known.played, cv2.getPerspectiveTransform(there, here), felt.shape[1::-1])
        felt = pasted(felt, np.asarray(moved, np.uint8), [here.tolist()])
    return felt


def laid_on(known: Table, printed: Pixels) -> Pixels:
    """That felt with the tiles themselves, their sides and a little of their shadows upon it."""
    return pasted(printed, known.played, [each.polygon for each in known.open_tiles], around_px=5)


@cache
def noise(shape: tuple[int, ...]) -> Floats:
    return np.random.default_rng(1).normal(0, 2, shape).astype(np.float32)


def lit(picture: Pixels, lamp: float) -> Pixels:
    """Another picture of the same, with its own noise, under a lamp that is brighter by a factor and to one side."""
    slope = np.linspace(0.95, 1.05, picture.shape[1], dtype=np.float32)[None, :, None]
    return np.clip(picture * (slope * np.float32(lamp)) + noise(picture.shape), 0, 255).astype(np.uint8)


def near(reading: Reading, outline: Polygon) -> TileReading | None:
    middle = np.mean(outline, 0)
    return next((each for each in reading.tiles if np.hypot(*(np.mean(each.polygon, 0) - middle)) < 12), None)


def verified(reading: Reading) -> list[TileReading]:
    return [each for each in reading.tiles if each.status == "verified" and each.face_up]


@LAMPS
def test_what_is_printed_on_the_table_does_not_count(lamp: float) -> None:
    known = table()
    things = [each.polygon for each in known.reading.tiles if each.status == "verified"]
    things += [each.polygon for each in known.reading.dice]
    printed = pasted(known.felt, known.played, things)
    picture = lit(printed, lamp)
    before = known.read(picture, None)
    assert len(verified(before)) > 5, "prints are verified"
    assert {each.face_up for each in before.tiles} == {True, False}
    assert before.dice
    reading = known.read(picture, printed)
    assert (reading.tiles, reading.hands) == ((), ())
    assert [each for each in reading.dice if each.status == "verified"] == []
    assert {"house", "discard", "dice"} <= {
        dict(each.params).get("place") for each in reading.findings if each.code is Code.PRINTED_ON_TABLE
    }


@LAMPS
@pytest.mark.parametrize(
    ("off_px", "others", "fewest"),
    [
        pytest.param(9, 0, 8, id="beside its own"),
        pytest.param(0, 1, 6, id="on another"),
        pytest.param(1, 2, 6, id="on yet another"),
    ],
)
def test_a_tile_laid_on_a_print_is_read(lamp: float, off_px: int, others: int, fewest: int) -> None:
    known = table()
    printed = printed_below(off_px, others)
    reading = known.read(lit(laid_on(known, printed), lamp), printed)
    for each in known.open_tiles:
        read = near(reading, each.polygon)
        assert read is not None
        assert read.face is each.face
    assert len(verified(reading)) >= fewest


@LAMPS
def test_a_tile_that_covers_its_own_picture_is_not_verified(lamp: float) -> None:
    known = table()
    printed = printed_below(0, 0)
    picture = lit(laid_on(known, printed), lamp)
    assert len(verified(known.read(picture, None))) > 5
    assert verified(known.read(picture, printed)) == []


@LAMPS
def test_a_print_half_in_the_shade_is_not_verified(lamp: float) -> None:
    known = table()
    printed = printed_below(0, 0)
    shade = printed.copy()
    for each in known.open_tiles:
        (left, top), (right, bottom) = (np.rint(end(each.polygon, 0)).astype(int) for end in (np.min, np.max))
        rows, columns = slice(top - 9, (top + bottom) // 2), slice(left - 9, right + 9)
        shade[rows, columns] = (shade[rows, columns] * 0.6).astype(np.uint8)
    assert verified(known.read(lit(shade, lamp), printed)) == []


@LAMPS
def test_tiles_on_a_felt_without_pictures_are_as_before(lamp: float) -> None:
    known = table()
    picture = lit(known.played, lamp)
    one, other = known.read(picture, None), known.read(picture, known.felt)
    assert (one.tiles, one.dice, one.hands, one.findings) == (other.tiles, other.dice, other.hands, other.findings)
    assert len(verified(one)) > 5
