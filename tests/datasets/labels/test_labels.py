import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from datasets.labels.label_files import read_labels, to_json, write_labels
from datasets.labels.label_folders import read_folder
from datasets.labels.labels import DieLabel, LabelError, OtherLabel, PictureLabels, TileLabel
from engine.game.tiles import Tile

SQUARE = ((10.0, 10.0), (50.0, 10.0), (50.0, 110.5), (10.0, 110.5))


def labels(*objects: TileLabel | DieLabel | OtherLabel, **changes: Any) -> PictureLabels:  # noqa: ANN401 - any field
    return replace(PictureLabels(image="a.jpg", size=(640, 480), kind="round", objects=objects), **changes)


def tile(**changes: Any) -> TileLabel:  # noqa: ANN401 - any field
    return replace(TileLabel(face=Tile.parse("6-5"), face_up=True, polygon=SQUARE), **changes)


def write(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    before = labels(
        tile(
            place="house",
            hand="low",
            angle_deg=12.5,
            pip_contrast_min=31.0,
            pip_colour_contrast_min=33.5,
            center_mm=(1.5, -2.0),
            visible=0.97,
        ),
        tile(face=None, face_up=False, hidden_face=Tile.parse("2-2")),
        DieLabel(value=4, polygon=SQUARE, role="cut", colour="red", body=(1.0, 2.0, 3.0, 4.0), cocked=True),
        OtherLabel("chips", {"count": 3, "polygon": [[1.0, 2.0]]}),
        camera={"K": [[1.0]]},
        layout={"house": [0, 0, 0]},
        dealer_side="top of image",
        tileset={"style": "photo"},
    )
    write_labels(tmp_path / "a.json", before)
    assert read_labels(tmp_path / "a.json") == before


def test_only_a_whole_picture_is_written() -> None:
    with pytest.raises(LabelError, match="completely labelled"):
        to_json(labels(scope="dice"))


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (tile(pip_contrast_min=12.0, visible=0.9), True),
        (tile(pip_contrast_min=11.9), False),
        (tile(pip_contrast_min=7.0, pip_colour_contrast_min=12.0), True),
        (tile(pip_contrast_min=13.0, pip_colour_contrast_min=11.9), False),
        (tile(visible=0.89), False),
        (tile(pip_contrast_min=None), True),
        (tile(face=None, face_up=False), False),
    ],
)
def test_which_tiles_are_readable(label: TileLabel, *, expected: bool) -> None:
    assert label.readable is expected


@pytest.mark.parametrize(
    ("die", "expected"),
    [
        (DieLabel(value=3, polygon=SQUARE), True),
        (DieLabel(value=3, polygon=SQUARE, cocked=True), False),
        (DieLabel(value=3, polygon=SQUARE, visible=0.5), False),
        (DieLabel(value=None, polygon=SQUARE), False),
    ],
)
def test_which_dice_are_readable(die: DieLabel, *, expected: bool) -> None:
    assert die.readable is expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "reads version 1"),
        ({"size": [640.5, 480]}, r"size\[0\]: expected a valid integer, got 640.5"),
        ({"size": [640]}, r"size\[1\]: is missing"),
        ({"kind": "holiday"}, "expected one of round"),
        ({"colour": "red"}, "colour: unknown key"),
        ({"objects": None}, "objects: expected a valid array, got null"),
        ({"objects": [{"kind": "tile"}]}, r"objects\[0\]\.tile\.face: is missing"),
    ],
)
def test_a_faulty_file_is_refused_with_its_fault(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(LabelError, match=message):
        read_labels(write(tmp_path / "a.json", {**to_json(labels(tile())), **change}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"face": "7-1"}, "face"),
        ({"face": None}, "a tile lying face up needs one"),
        ({"face_up": False}, "face down has none"),
        ({"polygon": [[0, 0], [1, 0], [1, 1]]}, "at least 4 items after validation, not 3"),
        ({"polygon": [[0, 0], [1, 0], [1, 1], [0, "a"]]}, r'polygon\[3\]\[1\]: expected a valid number, got "a"'),
        ({"polygon": [[0, 0], [1, 0], [1, 1], [0, float("nan")]]}, "finite"),
        ({"visible": 1.2}, "visible: expected less than or equal to 1, got 1.2"),
        ({"hand": "middle"}, "expected 'low' or 'high', got \"middle\""),
        ({"glare": 3}, "glare: unknown key"),
    ],
)
def test_a_faulty_tile_is_refused_with_its_fault(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    data = to_json(labels(tile()))
    objects = data["objects"]
    assert isinstance(objects, list)
    objects[0].update(change)
    with pytest.raises(LabelError, match=message):
        read_labels(write(tmp_path / "a.json", data))


@pytest.mark.parametrize(("content", "message"), [(b"\xff\xd8\xff", "not a text file"), (b"{", "not valid JSON")])
def test_what_is_not_json_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(LabelError, match=message):
        read_labels(tmp_path / "a.json")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"gone\.json: cannot be read"):
        read_labels(tmp_path / "gone.json")


def test_a_folder_pairs_each_picture_with_its_labels(tmp_path: Path) -> None:
    write_labels(tmp_path / "a.json", labels(tile()))
    with pytest.raises(LabelError, match=r"picture a\.jpg is not beside it"):
        read_folder(tmp_path)
    (tmp_path / "a.jpg").write_bytes(b"x")
    (entry,) = read_folder(tmp_path)
    assert (entry.path, entry.truth) == (tmp_path / "a.jpg", tmp_path / "a.json")


def test_a_label_file_cannot_point_at_another_picture(tmp_path: Path) -> None:
    write_labels(tmp_path / "a.json", labels(tile(), image="../b.jpg"))
    with pytest.raises(LabelError, match="expected a with"):
        read_folder(tmp_path)


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="holds no labels"):
        read_folder(tmp_path)
    with pytest.raises(LabelError, match="is not a folder"):
        read_folder(tmp_path / "gone")


def test_photographs_of_dice_carry_boxes_and_dice_to_ignore(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"x")
    entries = [{"value": 3, "box": [1, 2, 11, 12]}, {"value": 0, "box": [1, 2, 3, 4], "ignore": True}]
    write(tmp_path / "labels.json", {"labels": {"a.jpg": entries}})
    (picture,) = read_folder(tmp_path)
    three, ignored = picture.labels.dice
    assert picture.labels.scope == "dice"
    assert (three.value, three.body, three.ignore) == (3, (1.0, 2.0, 11.0, 12.0), False)
    assert three.polygon == ((1.0, 2.0), (11.0, 2.0), (11.0, 12.0), (1.0, 12.0))
    assert (ignored.value, ignored.ignore) == (None, True)


@pytest.mark.parametrize(
    ("entry", "message"),
    [({"value": 0, "box": [1, 2, 3, 4]}, "expected 1 to 6"), ({"value": 1, "box": [3, 2, 1, 4]}, "left, top")],
)
def test_a_faulty_box_is_refused(tmp_path: Path, entry: object, message: str) -> None:
    (tmp_path / "a.jpg").write_bytes(b"x")
    write(tmp_path / "labels.json", {"labels": {"a.jpg": [entry]}})
    with pytest.raises(LabelError, match=message):
        read_folder(tmp_path)


def test_validation_frames_read_and_are_written_in_our_own_form(shared: Path, tmp_path: Path) -> None:
    frames = read_folder(shared / "frames")
    assert len(frames) >= 8
    for frame in frames:
        assert frame.labels.camera is not None
        assert len(frame.labels.tiles) == 32
        write_labels(tmp_path / "again.json", frame.labels)
        again = read_labels(tmp_path / "again.json")
        assert [each.readable for each in again.tiles] == [each.readable for each in frame.labels.tiles]


def test_the_photographs_read(shared: Path) -> None:
    dice = [each for name in ("kamil", "matteop65") for each in read_folder(shared / "photos" / "dice" / name)]
    assert sum(die.ignore for each in dice for die in each.labels.dice) == 7
    tiles = read_folder(shared / "photos" / "tiles")
    assert sorted(str(each.labels.tiles[0].face) for each in tiles) == ["2-2", "3-1", "4-1", "5-3", "6-4", "6-6"]
