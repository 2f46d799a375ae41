"""The second readers and the assembling of hands on pictures that nothing here was fitted to."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.files.calibration_file import load_calibration
from tests.vision.stand_ins import Scene
from vision.capture.images import load_image
from vision.crops import die_crops, tile_crops
from vision.dice.die_pips import read_dice
from vision.enrolment.display_check import read_display
from vision.networks.runtime import default_weights
from vision.reader import Reader
from vision.tiles.pips import PipReading, read_tiles


def frames(shared: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The photo-like frames and their truth."""
    return [
        (path.with_suffix(".jpg"), json.loads(path.read_text())) for path in sorted((shared / "frames").glob("*.json"))
    ]


def readable(thing: dict[str, Any]) -> bool:
    """Face up, hardly covered and not wiped out by glare."""
    return bool(
        thing["kind"] == "tile" and thing["face_up"] and thing["visible"] >= 0.9 and thing["pip_contrast_min"] >= 12
    )


def test_pips_of_tiles_are_never_clearly_wrong(shared: Path) -> None:
    seen: list[tuple[str, PipReading]] = []
    for picture, truth in frames(shared):
        tiles = [thing for thing in truth["objects"] if readable(thing)]
        quads = np.array([tile["polygon"] for tile in tiles], np.float32).reshape(-1, 4, 2)
        readings = read_tiles(tile_crops(load_image(picture), quads))
        seen += [(tile["face"], reading) for tile, reading in zip(tiles, readings, strict=True)]
    assert len(seen) > 100
    assert np.mean([str(reading.face) == face for face, reading in seen]) > 0.98
    assert np.mean([reading.clear for _, reading in seen]) > 0.93
    assert [(face, reading) for face, reading in seen if reading.clear and str(reading.face) != face] == []


def test_pips_of_flat_dice_are_never_clearly_wrong(shared: Path) -> None:
    seen = []
    for picture, truth in frames(shared):
        dice = [
            thing
            for thing in truth["objects"]
            if thing["kind"] == "die" and thing["visible"] >= 0.9 and not thing["cocked"]
        ]
        quads = np.array([die["polygon"] for die in dice], np.float32).reshape(-1, 4, 2)
        readings = read_dice(die_crops(load_image(picture), quads))
        seen += [(die["value"], reading) for die, reading in zip(dice, readings, strict=True)]
    assert len(seen) > 15
    assert np.mean([reading.value == value for value, reading in seen]) > 0.95
    assert [value for value, reading in seen if reading.clear and reading.value != value] == []


@pytest.mark.parametrize("length_px", [60, 140, 420])
def test_pips_name_photographs_of_real_tiles(shared: Path, length_px: int) -> None:
    labels = json.loads((shared / "photos" / "tiles" / "labels.json").read_text())["labels"]
    for name, face in labels.items():
        photograph = load_image(shared / "photos" / "tiles" / name)
        factor = length_px / photograph.shape[0]
        small = cv2.resize(photograph, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA).astype(np.uint8)
        height, width = small.shape[:2]
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
        felt = np.full((height + 40, width + 40, 3), (60, 90, 30), np.uint8)
        felt[20 : 20 + height, 20 : 20 + width] = small
        reading = read_tiles(tile_crops(felt, corners[None] + 20))[0]
        assert str(reading.face) == face, (name, reading)


def test_hands_are_put_together_as_they_lie(shared: Path) -> None:
    whole, complete = 0, 0
    for picture, truth in frames(shared):
        width, height = truth["size"]
        tiles = [
            thing
            for thing in truth["objects"]
            if thing["kind"] == "tile"
            and thing["visible"] > 0.5
            and all(0 <= x < width and 0 <= y < height for x, y in thing["polygon"])
        ]
        scene = Scene([(np.array(tile["polygon"]), tile["face"] if tile["face_up"] else None) for tile in tiles])
        reading = scene.reader().read(load_image(picture), calibration=load_calibration(picture.with_suffix(".json")))
        laid: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"low": [], "high": []})
        for tile in tiles:
            if tile["hand"] and tile["face_up"]:
                laid[tile["place"]][tile["hand"]].append(tile["face"])
        expected = {
            (place, *map(tuple, (sorted(hand["low"]), sorted(hand["high"]))))
            for place, hand in laid.items()
            if len(hand["low"]) == len(hand["high"]) == 2
        }
        found = {
            (str(hand.place), tuple(sorted(map(str, hand.low))), tuple(sorted(map(str, hand.high))))
            for hand in reading.hands
        }
        assert found <= expected, picture.name
        whole += len(found)
        complete += len(expected)
    assert whole == complete > 20


def test_a_display_without_fault_is_found_without_fault(shared: Path) -> None:
    shown = [(picture, truth) for picture, truth in frames(shared) if truth.get("display")]
    reader = Reader.load(default_weights())
    for picture, truth in shown:
        reading = reader.read(load_image(picture), calibration=load_calibration(picture.with_suffix(".json")))
        display = read_display(reading.tiles)
        assert bool(display.faults) == ("fault" in truth["display"]), (picture.name, display.faults)
        assert len([tile for tile in display.tiles if tile is not None]) == 32
    assert shown
