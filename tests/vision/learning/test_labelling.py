"""Labels of crops: by the order of rank at a display, by a person's word at a place; none where either is unclear."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from calibration.table.places import Place
from engine.game.tiles import FULL_SET, Tile
from tests.vision.learning.strange_table import ORDER, display
from vision.arrays import Chances, TileCrops
from vision.enrolment.learning import ReadPicture
from vision.learning.labelling import labelled_display, labelled_hand, supported
from vision.networks.classifier import TILE_CLASSES, NamesTiles
from vision.reading import TileReading


def _with(shot: ReadPicture, change: Mapping[int, Mapping[str, object]]) -> ReadPicture:
    """The same picture with some tiles, by place from 1, read otherwise."""
    laid = sorted(range(len(shot.reading.tiles)), key=lambda n: _spot(shot.reading.tiles[n]))
    tiles = list(shot.reading.tiles)
    for place, fields in change.items():
        tiles[laid[place - 1]] = replace(tiles[laid[place - 1]], **fields)  # type: ignore[arg-type]
    return ReadPicture(shot.image, replace(shot.reading, tiles=tuple(tiles)))


def _spot(tile: TileReading) -> tuple[float, float]:
    x, y = tile.center_mm or (0.0, 0.0)
    return -round(y / 71.5), x


def _read_well() -> ReadPicture:
    """A display in which each tile is read as it lies."""
    return _with(display(0), {n + 1: {"face": Tile.parse(face), "face_up": True} for n, face in enumerate(ORDER)})


def test_a_display_read_well_gives_all_faces() -> None:
    found = labelled_display(_read_well())
    assert [each.number for each in found] == list(range(1, 33))
    assert Counter(each.face for each in found) == Counter(FULL_SET)


def test_a_tile_nobody_could_read_has_the_face_of_its_place() -> None:
    shot = _with(_read_well(), {1: {"face": None}, 20: {"face": None}})
    assert [str(each.face) for each in labelled_display(shot)] == [
        str(each.face) for each in labelled_display(_read_well())
    ]


def test_a_tile_of_another_kind_keeps_the_face_of_its_place() -> None:
    shot = _with(_read_well(), {1: {"face": Tile.LOW_6}})
    assert labelled_display(shot)[0].face is Tile.TEEN


def test_two_of_a_kind_read_alike_are_not_labelled() -> None:
    nines = [n + 1 for n, face in enumerate(ORDER) if face in {"6-3", "5-4"}]
    shot = _with(_read_well(), {key: {"face": Tile.NINE_63} for key in nines})
    assert set(nines).isdisjoint(each.number for each in labelled_display(shot))


def test_a_swapped_display_is_not_labelled() -> None:
    swapped = {1: {"face": Tile.parse(ORDER[8])}, 9: {"face": Tile.parse(ORDER[0])}}
    assert labelled_display(_with(_read_well(), swapped)) == []


def _hand(faces: str) -> ReadPicture:
    """Four tiles of the display, as if they lay at a place."""
    shot = _read_well()
    wanted = Counter(faces.split())
    tiles = []
    for tile in shot.reading.tiles:
        if wanted[str(tile.face)]:
            wanted[str(tile.face)] -= 1
            tiles.append(replace(tile, place=Place.parse("house")))
    return ReadPicture(shot.image, replace(shot.reading, tiles=tuple(tiles)))


def _knows(faces: list[str]) -> NamesTiles:
    """A classifier that names crops in their order; an empty name tells nothing."""

    def name(crops: TileCrops) -> Chances:
        chances = np.full((len(crops), len(TILE_CLASSES)), 0.001, np.float32)
        for row, face in enumerate(faces):
            if face:
                chances[row, TILE_CLASSES.index(face)] = 0.9
        return chances

    return name


def test_a_hand_is_labelled_by_a_persons_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.learning.labelling.read_tiles", lambda _: [])
    shot = _hand("6-6 6-1 6-3 5-3")
    read = [str(tile.face) for tile in shot.reading.tiles]
    declared = [Tile.parse(face) for face in ("6-3", "5-3", "6-6", "6-1")]
    # The classifier does not know the first tile: its face is the remaining one of the person's four.
    found = labelled_hand(shot, "house", declared, _knows(["", *read[1:]]))
    assert [str(each.face) for each in found] == read
    assert [declared[each.number - 1] for each in found] == [each.face for each in found]


def test_a_hand_that_could_lie_two_ways_is_not_labelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.learning.labelling.read_tiles", lambda _: [])
    shot = _hand("6-6 6-1 6-3 5-3")
    read = [str(tile.face) for tile in shot.reading.tiles]
    declared = [Tile.parse(face) for face in ("6-3", "5-3", "6-6", "6-1")]
    assert labelled_hand(shot, "house", declared, _knows(["", "", *read[2:]])) == []
    assert labelled_hand(shot, "box2", declared, _knows(read)) == []


def test_a_label_that_no_reader_sees_is_not_supported() -> None:
    crops = np.zeros((2, 96, 48, 3), np.uint8)
    name = _knows(["6-5", "6-5"])
    faces = [Tile.ELEVEN, Tile.DAY]
    assert supported(crops, faces, name).tolist() == [True, False]
