"""A steady reader reads changed and new objects, and everything once in a while; nothing else."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from calibration.files.calibration_file import TableCalibration
from tests.vision.stand_ins import Scene
from tests.vision.test_reader import overhead, painted, table
from vision.reader import Reader
from vision.reading import Reading, TileReading
from vision.rereading import APART_S, ENOUGH_READINGS, LONGEST_GAP_S, READ_AT_ONCE, TRUSTED_S, _connected
from vision.tracking import Terms

pytestmark = pytest.mark.exhaustive

RATE = 30.0
CALIBRATION = overhead()
TILES = table(CALIBRATION)
PICTURE = painted(TILES)
NOISE = np.random.default_rng(1).normal(0, 2, (3, *PICTURE.shape)).astype(np.float32)
SETTLED_S = ENOUGH_READINGS * 0.2 + 0.1
"""By then a table at rest is trusted, at this rate of pictures."""


@dataclass
class Camera:
    """A camera over the painted table, with noise of its own in each picture, and the reader that follows it."""

    scene: Scene = field(default_factory=lambda: Scene(TILES))
    reader: Reader = field(init=False)
    t_s: float = 0.0
    number: int = 0

    def __post_init__(self) -> None:
        self.reader = self.scene.reader().steady()

    def sees(
        self,
        picture: NDArray[np.uint8] = PICTURE,
        *,
        after_s: float = 1 / RATE,
        light: float = 1.0,
        calibration: TableCalibration = CALIBRATION,
    ) -> Reading:
        self.t_s += after_s
        self.number += 1
        noise = np.roll(NOISE[self.number % len(NOISE)], self.number, axis=1)
        image = np.clip(picture * np.float32(light) + noise, 0, 255).astype(np.uint8)
        return self.reader.read(image, calibration=calibration, hands=False, t_s=self.t_s)

    def settles(self) -> None:
        """Look at the table until nothing of it is read any more."""
        while self.t_s < SETTLED_S:
            self.sees()


def number_of(tile: TileReading) -> int:
    off = np.array([np.mean(quad, 0) for quad, _ in TILES]) - np.mean(tile.polygon, 0)
    return int(np.linalg.norm(off, axis=1).argmin())


def reread(reading: Reading) -> list[int]:
    """Indices of the tiles that were read again."""
    return sorted(number_of(tile) for tile in reading.tiles if tile.fresh)


def face(reading: Reading, number: int) -> str:
    return next(str(tile.face) for tile in reading.tiles if number_of(tile) == number)


def settled() -> Camera:
    camera = Camera()
    camera.settles()
    return camera


def test_readings_that_count_apart_are_those_that_the_watch_counts() -> None:
    terms = Terms()
    assert terms.apart_s == APART_S
    assert 2 * terms.agreeing <= ENOUGH_READINGS


def test_a_table_at_rest_is_read_a_few_times_and_then_now_and_then() -> None:
    camera = Camera()
    read = [reread(camera.sees()) for _ in range(round(10 * RATE))]
    assert read[0] == list(range(len(TILES)))
    times = np.zeros(len(TILES), int)
    for each in read[: round(SETTLED_S * RATE)]:
        times[each] += 1
    assert (times >= ENOUGH_READINGS).all()
    assert (times <= ENOUGH_READINGS + 2).all()
    for number in range(len(TILES)):
        seen_s = [at / RATE for at, each in enumerate(read) if number in each]
        assert max(np.diff(seen_s)) <= TRUSTED_S + 2 / RATE
    assert sum(map(bool, read[round(SETTLED_S * RATE) :])) < 0.05 * len(read)
    assert all(len(each) <= READ_AT_ONCE + 4 for each in read[round(SETTLED_S * RATE) :])


def test_what_it_says_is_what_reading_all_says() -> None:
    camera = settled()
    kept = camera.sees()
    while reread(kept):
        kept = camera.sees()
    whole = camera.scene.reader().read(PICTURE, calibration=CALIBRATION, hands=False)
    tiles = ({(number_of(tile), tile.face, tile.status, tile.place) for tile in each.tiles} for each in (kept, whole))
    assert next(tiles) == next(tiles)
    assert kept.findings == whole.findings


def test_a_tile_of_another_face_is_read_at_once() -> None:
    camera = settled()
    reading = camera.sees(painted(TILES, shown={2: "6-5"}))
    assert 2 in reread(reading)
    assert face(reading, 2) == "6-5"
    assert len(reread(reading)) < len(TILES)


def test_a_tile_exchanged_under_a_sleeve_is_read_when_the_sleeve_is_gone() -> None:
    camera, covered = settled(), PICTURE.copy()
    x, y = np.mean(TILES[2][0], 0).astype(int).tolist()
    covered[y - 80 : y + 80, x - 200 : x + 80] = (90, 80, 70)
    assert face(camera.sees(), 2) == "6-6"
    assert 2 in reread(camera.sees(covered))
    for _ in range(5):
        camera.sees(covered)
    reading = camera.sees(painted(TILES, shown={2: "6-5"}))
    assert 2 in reread(reading)
    assert face(reading, 2) == "6-5"


def test_what_lies_beside_a_change_is_read_and_what_lies_far_from_it_is_not() -> None:
    camera, near = settled(), PICTURE.copy()
    x, y = np.max(TILES[2][0], 0).astype(int).tolist()
    near[y : y + 8, x : x + 8] = 255
    read = reread(camera.sees(near))
    assert 2 in read
    assert not set(read) & set(range(4, 8)), "the other hand"


@pytest.mark.parametrize("to", [0.6, 1.4])
def test_a_lamp_that_changes_slowly_has_all_read_again(to: float) -> None:
    camera = settled()
    steps = np.linspace(1.0, to, round(2 * RATE))
    read = [reread(camera.sees(light=float(light))) for light in steps]
    longest = round(TRUSTED_S / 3 * RATE)
    for number in range(len(TILES)):
        at = [-1, *(picture for picture, each in enumerate(read) if number in each)]
        assert max(np.diff(at)) <= longest


def test_a_lamp_that_flickers_has_nothing_read() -> None:
    camera = settled()
    assert not any(reread(camera.sees(light=light)) for light in (0.97, 1.02, 0.98, 1.01))


def test_a_glare_that_creeps_in_is_read_before_it_hides_a_pip() -> None:
    camera = settled()
    x, y = np.mean(TILES[2][0], 0).astype(int).tolist()
    read: list[float] = []
    for level in np.linspace(0, 30, 30):
        picture = PICTURE.astype(np.float64)
        picture[y - 20 : y + 20, x - 20 : x + 20] += level
        if 2 in reread(camera.sees(np.clip(picture, 0, 255).astype(np.uint8))):
            read.append(float(level))
    assert max(np.diff([0.0, *read])) < 8, "grey levels"


def test_after_a_gap_all_is_read() -> None:
    camera = settled()
    assert reread(camera.sees(after_s=LONGEST_GAP_S + 0.01)) == list(range(len(TILES)))


def test_by_another_calibration_all_is_read() -> None:
    camera = settled()
    assert reread(camera.sees(calibration=overhead())) == list(range(len(TILES)))


def test_a_doubted_tile_is_read_as_often_as_it_counts() -> None:
    camera = Camera(Scene(TILES, sure=0.7))
    camera.settles()
    read = [reread(camera.sees()) for _ in range(round(RATE))]
    assert sum(map(bool, read)) >= 5


def test_a_repeated_picture_is_reported() -> None:
    camera = Camera()
    first = camera.sees()
    camera.number -= 1
    again = camera.sees()
    assert (first.repeated, again.repeated, camera.sees().repeated) == (False, True, False)


def test_without_times_all_is_read() -> None:
    camera = settled()
    for _ in range(3):
        reading = camera.reader.read(PICTURE, calibration=CALIBRATION, hands=False)
        assert reread(reading) == list(range(len(TILES)))


def test_a_tile_taken_away_is_gone_and_one_laid_down_is_read() -> None:
    camera = settled()
    camera.scene.tiles = TILES[1:]
    reading = camera.sees(painted(TILES[1:]))
    assert len(reading.tiles) == len(TILES) - 1
    camera.scene.tiles = TILES
    reading = camera.sees()
    assert len(reading.tiles) == len(TILES)
    assert 0 in reread(reading)


def test_groups_are_those_of_scipy() -> None:
    random = np.random.default_rng(1)
    for share in np.linspace(0.0, 0.2, 60):
        count = int(random.integers(1, 45))
        touch = random.random((count, count)) < share
        touch |= touch.T
        np.testing.assert_array_equal(_connected(touch), connected_components(touch, directed=False)[1])
