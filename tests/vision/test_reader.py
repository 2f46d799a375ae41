import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.files.calibration_file import CalibrationError, TableCalibration
from calibration.lens.projection import Lens
from calibration.table import places
from calibration.table.homography import Pose
from calibration.table.zones import Layout, Zone
from engine.game.tiles import Tile
from tests.vision import drawn
from tests.vision.stand_ins import Scene
from vision.crops import crop_corners
from vision.findings import Code, Finding
from vision.networks.model_card import ModelError
from vision.placing import in_play, table_region
from vision.reader import Reader
from vision.tiles.faces import Maker, pips_of

SIZE = (1200, 700)
HOUSE = [("6-1", -45, 0, 90), ("5-3", -15, 0, 90), ("6-6", 35, 14, 0), ("6-3", 35, -14, 180)]
BOX = [("2-2", -45, 0, 270), ("5-1", -15, 0, 90), ("5-5", 35, 14, 0), ("6-5", 35, -14, 0)]


def overhead(*, dealer_on_top: bool = False, height_mm: float = 1500.0) -> TableCalibration:
    """A camera over a small table, from 1.5 m 1.2 pixels a millimetre; the dealer below or above in the picture."""
    turn = -1.0 if dealer_on_top else 1.0
    pose = Pose(np.diag([turn, -turn, -1.0]), np.array([0.0, 0.0, height_mm]))
    matrix = np.array([[1800.0, 0.0, 599.5], [0.0, 1800.0, 349.5], [0.0, 0.0, 1.0]])
    zones = (Zone(places.HOUSE, (0, -150), (220, 150)), Zone(places.BOX_PLACES[0], (200, 150), (220, 200), 10.0))
    return TableCalibration(SIZE, Lens(matrix, np.zeros(5)), pose, Layout(zones))


def outline(calibration: TableCalibration, x_mm: float, y_mm: float, angle_deg: float) -> NDArray[np.float64]:
    """The face of a tile in the picture, clockwise, the end it points to first."""
    angle = math.radians(angle_deg)
    axis = np.array([math.cos(angle), math.sin(angle)]) * 63.5 / 2
    left = np.array([-math.sin(angle), math.cos(angle)]) * 25.4 / 2
    corners = np.array([x_mm, y_mm]) + np.array([axis + left, axis - left, -axis - left, -axis + left])
    return calibration.project(np.column_stack([corners, np.full(4, 9.5)]))


def lay(
    calibration: TableCalibration, tiles: list[tuple[str, int, int, int]], x_mm: float, y_mm: float, turn_deg: float = 0
) -> list[tuple[NDArray[np.float64], str | None]]:
    """Outlines and faces of tiles laid around a middle, the whole turned by an angle."""
    turn = math.radians(turn_deg)
    return [
        (
            outline(
                calibration,
                x_mm + dx * math.cos(turn) - dy * math.sin(turn),
                y_mm + dx * math.sin(turn) + dy * math.cos(turn),
                angle + turn_deg,
            ),
            face,
        )
        for face, dx, dy, angle in tiles
    ]


def table(calibration: TableCalibration) -> list[tuple[NDArray[np.float64], str | None]]:
    return lay(calibration, HOUSE, 0, -150) + lay(calibration, BOX, 200, 150, turn_deg=10)


def painted(
    tiles: list[tuple[NDArray[np.float64], str | None]], shown: dict[int, str] | None = None
) -> NDArray[np.uint8]:
    """A picture of tiles; ``shown`` gives some of them another face than the classifier says."""
    picture = np.empty((SIZE[1], SIZE[0], 3), np.uint8)
    picture[:] = (60, 110, 20)
    for index, (quad, face) in enumerate(tiles):
        seen = (shown or {}).get(index, face)
        crop = drawn.tile(pips_of(seen, Maker()) if seen else [])
        matrix = cv2.getPerspectiveTransform(crop_corners((48, 96), 8), quad.astype(np.float32))
        inside = cv2.warpPerspective(np.full(crop.shape[:2], 255, np.uint8), matrix, SIZE, flags=cv2.INTER_NEAREST)
        margin = cv2.fillConvexPoly(np.zeros_like(inside), np.rint(quad).astype(np.int32), 255)
        warped = cv2.warpPerspective(crop, matrix, SIZE)
        picture[(margin > 0) & (inside > 0)] = warped[(margin > 0) & (inside > 0)]
    return picture


def in_words(reader: Reader, picture: NDArray[np.uint8], calibration: TableCalibration | None) -> list[str]:
    return [
        f"{hand.place}: {' '.join(map(str, hand.low))} / {' '.join(map(str, hand.high))} {hand.status}"
        for hand in reader.read(picture, calibration=calibration).hands
    ]


@pytest.mark.parametrize("dealer_on_top", [False, True])
def test_hands_are_read_whichever_way_round_the_camera_hangs(dealer_on_top: bool) -> None:  # noqa: FBT001 - cases
    calibration = overhead(dealer_on_top=dealer_on_top)
    tiles = table(calibration)
    scene = Scene(tiles)
    reading = scene.reader().read(painted(tiles), calibration=calibration, name="a.jpg")
    assert [(str(hand.place), *map(str, hand.low), *map(str, hand.high), hand.status) for hand in reading.hands] == [
        ("house", "6-1", "5-3", "6-6", "6-3", "verified"),
        ("box1", "2-2", "5-1", "5-5", "6-5", "verified"),
    ]
    assert reading.findings == ()
    assert (reading.image, reading.size, reading.calibrated, reading.single_frame) == ("a.jpg", SIZE, True, True)
    assert scene.hints == [pytest.approx(63.5 * 1.2, rel=0.01)]


def test_tiles_lie_on_the_table_where_they_were_put() -> None:
    calibration = overhead()
    tiles = table(calibration)
    reading = Scene(tiles).reader().read(painted(tiles), calibration=calibration)
    low, high = reading.tiles[0], reading.tiles[3]
    assert low.center_mm is not None
    assert math.dist(low.center_mm, (-45, -150)) < 0.1
    assert low.angle_deg == pytest.approx(90, abs=0.1)
    assert high.angle_deg is not None
    assert min(high.angle_deg, 180 - high.angle_deg) == pytest.approx(0, abs=0.1)
    assert (low.place, high.place, reading.tiles[5].place) == (places.HOUSE, places.HOUSE, places.BOX_PLACES[0])
    for tile, (quad, _) in zip(reading.tiles, tiles, strict=True):
        found = np.array(tile.polygon)
        assert np.abs(found[:, None] - quad[None]).sum(-1).min(1).max() < 1
        assert np.linalg.norm(found[1] - found[0]) < np.linalg.norm(found[2] - found[1])
        edges = np.roll(found, -1, axis=0) - found
        assert edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0] > 0, "clockwise as displayed"


def test_a_face_that_the_pips_contradict_is_never_verified() -> None:
    calibration = overhead()
    tiles = table(calibration)
    reading = Scene(tiles).reader().read(painted(tiles, shown={2: "6-5"}), calibration=calibration)
    tile = reading.tiles[2]
    assert (str(tile.face), tile.status) == ("6-6", "uncertain")
    assert Finding.of(Code.PIPS_SHOW_ANOTHER_FACE, face="6-5") in tile.doubts
    assert reading.hands[0].status == "uncertain"
    assert reading.hands[1].status == "verified"


def test_one_military_tile_seen_twice_verifies_neither() -> None:
    calibration = overhead()
    tiles = table(calibration)
    tiles[7] = (tiles[7][0], "6-3")
    reading = Scene(tiles).reader().read(painted(tiles), calibration=calibration)
    assert [finding.code for finding in reading.findings] == ["duplicate_face"]
    assert [tile.status for tile in reading.tiles if tile.face is Tile.parse("6-3")] == ["uncertain"] * 2
    assert [hand.status for hand in reading.hands] == ["uncertain"] * 2


def test_an_unsure_classifier_verifies_nothing() -> None:
    calibration = overhead()
    tiles = table(calibration)
    reading = Scene(tiles, sure=0.7).reader().read(painted(tiles), calibration=calibration)
    assert {tile.status for tile in reading.tiles} == {"uncertain"}


def test_a_face_down_tile_has_no_face_and_makes_no_hand() -> None:
    calibration = overhead()
    tiles = table(calibration)
    tiles[1] = (tiles[1][0], None)
    reading = Scene(tiles).reader().read(painted(tiles), calibration=calibration)
    assert (reading.tiles[1].face, reading.tiles[1].face_up, reading.tiles[1].status) == (None, False, "verified")
    assert [str(hand.place) for hand in reading.hands] == ["box1"]
    assert [finding.code for finding in reading.findings] == ["face_down_tile"]


@pytest.mark.parametrize("calibrated", [True, False])
def test_hands_are_put_together_only_if_asked_for(*, calibrated: bool) -> None:
    calibration = overhead()
    tiles = table(calibration)[1:]
    picture, known = painted(tiles), calibration if calibrated else None
    with_hands = Scene(tiles).reader().read(picture, calibration=known)
    without = Scene(tiles).reader().read(picture, calibration=known, hands=False)
    assert with_hands.hands
    assert with_hands.findings
    assert (without.hands, without.findings) == ((), ())
    assert without.tiles == with_hands.tiles


def test_without_calibration_hands_have_numbers_and_no_place() -> None:
    calibration = overhead()
    tiles = table(calibration)
    scene = Scene(tiles)
    reading = scene.reader().read(painted(tiles))
    assert [(str(hand.place), hand.status) for hand in reading.hands] == [
        ("hand1", "uncertain"),
        ("hand2", "uncertain"),
    ]
    assert {(tile.center_mm, tile.angle_deg, tile.place) for tile in reading.tiles} == {(None, None, None)}
    assert {tile.status for tile in reading.tiles} == {"verified"}
    assert (reading.calibrated, scene.hints) == (False, [None])


OVER_DICE = overhead(height_mm=1125.0)


def dice_scene() -> tuple[Scene, NDArray[np.uint8]]:
    """Three red dice, one of them leaning, and a white one, of 25 mm to ``OVER_DICE``."""
    picture = np.full((SIZE[1], SIZE[0], 3), (60, 110, 20), np.uint8)
    dice = []
    looks = [((40, 30, 170), (230, 232, 230))] * 3 + [((235, 238, 236), (25, 25, 25))]
    for index, (value, (body, pip)) in enumerate(zip((6, 3, 1, 5), looks, strict=True)):
        left = 12 + 90 * index
        picture[42:122, left : left + 80] = drawn.die(value, body, pip)
        # Toward the middle of the picture, below the camera, its walls show.
        wall = tuple(0.8 * each for each in body)
        picture[102:114, left + 20 : left + 74] = picture[62:114, left + 60 : left + 74] = wall
        corners = np.array([[20, 20], [60, 20], [60, 60], [20, 60]]) - 0.5 + (left, 42)
        dice.append((corners, value, index == 1))
    return Scene(dice=dice), picture


def test_dice_have_values_colours_and_parts() -> None:
    scene, picture = dice_scene()
    reading = scene.reader().read(picture, calibration=OVER_DICE)
    assert [(die.value, die.colour, die.role, die.cocked, die.status) for die in reading.dice] == [
        (6, "red", "box", False, "verified"),
        (3, "red", "box", True, "uncertain"),
        (1, "red", "box", False, "verified"),
        (5, "white", "cut", False, "verified"),
    ]


def test_without_calibration_no_die_is_verified() -> None:
    """Which of them lean nobody can tell without knowing from where they are seen."""
    scene, picture = dice_scene()
    dice = scene.reader().read(picture).dice
    assert [(die.value, die.status) for die in dice] == [(value, "uncertain") for value in (6, 3, 1, 5)]
    assert [die.doubts for die in dice if not die.cocked] == [(Finding(Code.DIE_WITHOUT_CALIBRATION),)] * 3


def test_a_die_whose_pips_say_otherwise_is_never_verified() -> None:
    scene, picture = dice_scene()
    scene.dice = [(quad, 4 if index == 0 else value, leans) for index, (quad, value, leans) in enumerate(scene.dice)]
    die = scene.reader().read(picture, calibration=OVER_DICE).dice[0]
    assert (die.value, die.status) == (4, "uncertain")
    assert Finding.of(Code.PIPS_SHOW_ANOTHER_VALUE, value=6) in die.doubts


def test_a_die_far_smaller_than_the_others_is_never_verified() -> None:
    scene, picture = dice_scene()
    quad, value, leans = scene.dice[0]
    shrunk = cv2.resize(picture[42:122, 12:92], (36, 36), interpolation=cv2.INTER_AREA)
    picture[42:122, 12:92] = picture[0, 0]
    picture[64:100, 34:70] = shrunk
    middle = quad.mean(0)
    scene.dice = [(middle + (quad - middle) * 36 / 80, value, leans), *scene.dice[1:]]
    die, *others = scene.reader().read(picture, calibration=OVER_DICE).dice
    assert (die.status, die.doubts) == ("uncertain", (Finding(Code.DIE_TOO_SMALL),))
    assert [each.status for each in others] == ["uncertain", "verified", "verified"]


def test_an_empty_table_is_a_reading_too() -> None:
    calibration = overhead()
    for given in (None, calibration):
        reading = Scene().reader().read(painted([]), calibration=given)
        assert (reading.tiles, reading.dice, reading.hands) == ((), (), ())
        assert [finding.code for finding in reading.findings] == ["nothing_found"]


def test_every_stage_is_timed_and_every_part_named() -> None:
    reading = Scene().reader().read(painted([]))
    stages = {"detect", "crops", "classify", "pips", "dice", "hands"}
    assert set(reading.elapsed_ms) == {*stages, "total"}
    assert sum(reading.elapsed_ms[stage] for stage in stages) == pytest.approx(reading.elapsed_ms["total"], abs=0.1)
    assert reading.versions["detector"] == "stand-in"
    assert {"houseway", "opencv", "onnxruntime"} < set(reading.versions)


def test_a_calibration_of_another_picture_size_is_refused() -> None:
    with pytest.raises(CalibrationError, match="1200 x 700"):
        Scene().reader().read(np.zeros((100, 100, 3), np.uint8), calibration=overhead())


def test_missing_models_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="missing"):
        Reader.load(tmp_path)


def test_what_lies_off_the_felt_or_in_the_float_is_not_in_play() -> None:
    calibration = overhead()
    layout = replace(
        calibration.layout, table_mm=(800.0, 500.0), chip_float=Zone(places.FLOAT, (0.0, -220.0), (200.0, 60.0))
    )
    on_felt = replace(calibration, layout=layout)
    tiles = [*lay(on_felt, HOUSE, 0, -100)[:1], *lay(on_felt, HOUSE, 0, -215)[:1], *lay(on_felt, HOUSE, 480, 0)[:1]]
    found = Scene(tiles).detect(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), None)
    assert in_play(found, on_felt).tolist() == [True, False, False]
    assert in_play(found, calibration).tolist() == [True, True, True]


def test_dice_of_no_dies_size_are_not_in_play() -> None:
    calibration = overhead()
    quads = [
        calibration.project(
            np.array([[x - half, half, 9.5], [x + half, half, 9.5], [x + half, -half, 9.5], [x - half, -half, 9.5]])
        )
        for x, half in ((-100, 9.5), (0, 3.0), (100, 25.0))
    ]
    found = Scene([], tuple((quad, 3, False) for quad in quads)).detect(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), None)
    assert in_play(found, calibration).tolist() == [True, False, False]


@pytest.mark.parametrize("dealer_on_top", [False, True])
def test_only_the_part_of_the_picture_with_the_table_is_searched(dealer_on_top: bool) -> None:  # noqa: FBT001 - cases
    calibration = overhead(dealer_on_top=dealer_on_top)
    assert table_region(calibration) is None
    small = replace(calibration, layout=replace(calibration.layout, table_mm=(400.0, 200.0)))
    # 1.2 pixels a millimetre, and 60 mm around: 624 x 384 pixels about the middle.
    part = table_region(small)
    assert part is not None
    assert np.array(part) == pytest.approx([287, 157, 912, 542], abs=1.01)
    scene = Scene(table(small))
    scene.reader().read(painted(table(small)), calibration=small)
    assert scene.parts == [part]
    large = replace(calibration, layout=replace(calibration.layout, table_mm=(4000.0, 2000.0)))
    assert table_region(large) == (0, 0, *SIZE)


def test_a_table_beyond_the_lens_model_is_searched_everywhere() -> None:
    calibration = overhead()
    folding = replace(
        calibration,
        lens=replace(calibration.lens, distortion=np.array([-0.9, 0.0, 0.0, 0.0, 0.0])),
        layout=replace(calibration.layout, table_mm=(4000.0, 2000.0)),
    )
    assert table_region(folding) is None
