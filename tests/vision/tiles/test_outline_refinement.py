"""Outlines that are off: found by where the pips lie, and mended if the pips fit better there."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.game.tiles import Tile
from tests.vision import drawn
from tests.vision.stand_ins import Scene
from tests.vision.test_reader import overhead, painted, table
from vision.crops import crop_corners, tile_crops
from vision.networks.classifier import TILE_CLASSES
from vision.reader import Reader
from vision.tiles.faces import FACE_NAMES, Maker, pips_of
from vision.tiles.outline_refinement import LEAST_SHIFT_PX, LEAST_TURN_RAD, aligned, misaligned
from vision.tiles.pips import PipReading, read_tiles

WELL = PipReading(Tile.parse("6-5"), 0.1, 0, 11, 0.8, clear=True)


def shifted(quad: NDArray[np.float64], right: float, down: float, turn_deg: float) -> NDArray[np.float64]:
    """An outline moved along its own axes, and turned clockwise."""
    turn = np.deg2rad(turn_deg)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    across, along = (side / np.linalg.norm(side) for side in (quad[1] - quad[0], quad[3] - quad[0]))
    middle = quad.mean(0)
    return np.asarray((quad - middle) @ rotation.T + middle + right * across + down * along)


def corners_off(quad: NDArray[np.floating], true: NDArray[np.float64]) -> float:
    """How far the worst corner is off, in pixels; a tile has no upper end."""
    return float(min(np.abs(np.roll(quad, turn, 0) - true).max() for turn in (0, 2)))


@pytest.mark.parametrize(("right", "down", "turn_deg"), [(2.0, 0.0, 0.0), (0.0, -3.0, 0.0), (-1.5, 2.0, 2.5)])
@pytest.mark.parametrize("face", FACE_NAMES)
def test_the_offset_of_the_pips_is_measured_and_undone(face: str, right: float, down: float, turn_deg: float) -> None:
    tile = drawn.tile(pips_of(face, Maker()), rng=np.random.default_rng(1))
    picture = cv2.warpAffine(
        tile, np.array([[0.8, 0.6, 30.0], [-0.6, 0.8, 90.0]]), (180, 200), borderValue=(60, 110, 20)
    ).astype(np.uint8)
    true = crop_corners((48, 96), 8).astype(np.float64) @ np.array([[0.8, -0.6], [0.6, 0.8]]) + (30, 90)
    found = Scene([(shifted(true, right, down, turn_deg), face)]).detect(picture, None)
    cut = found.quads_px()
    read = read_tiles(tile_crops(picture, cut))
    was, now = (corners_off(each.quads_px()[0], true) for each in (found, aligned(found, cut, read)))
    assert now < 0.65 * was


def test_only_doubted_and_misaligned_tiles_are_refined() -> None:
    sure = np.full((6, 22), 0.0001, np.float32)
    sure[:, 3] = 0.999
    sure[3, 3] = 0.9
    off = PipReading(WELL.face, 0.1, 0, 11, 0.8, clear=False, offset=(0.0, -LEAST_SHIFT_PX, 0.0))
    pips = [
        WELL,
        PipReading(WELL.face, 0.1, 0, 11, 0.8, clear=True, offset=(3.0, 3.0, 0.1)),
        off,
        PipReading(WELL.face, 0.1, 0, 11, 0.8, clear=True, offset=(0.0, 0.0, -LEAST_TURN_RAD)),
        PipReading(WELL.face, 0.1, 0, 11, 0.8, clear=False, offset=(1.0, 1.0, 0.01)),
        PipReading(None, 0.0, 0, 0, 0.1, clear=False, offset=(4.0, 0.0, 0.0)),
    ]
    assert misaligned(sure, pips).tolist() == [False, False, True, True, False, False]
    assert misaligned(np.zeros((0, 22), np.float32), []).tolist() == []


def by_pips(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A classifier that is sure of the face only where the cut is good."""
    chances = np.zeros((len(crops), len(TILE_CLASSES)), np.float32)
    for row, crop in enumerate(crops):
        read = drawn.read_tile(crop)
        chances[row, TILE_CLASSES.index(str(read.face))] = (
            0.9995 if max(map(abs, read.offset)) < LEAST_SHIFT_PX else 0.7
        )
    return np.asarray(chances + (1 - chances.sum(1, keepdims=True)) / len(TILE_CLASSES), np.float32)


def test_a_tile_found_askew_is_read_after_refinement() -> None:
    calibration = overhead()
    tiles = table(calibration)
    askew = [(shifted(quad, 1.5, 3.0, 4.0) if index == 2 else quad, face) for index, (quad, face) in enumerate(tiles)]
    scene = Scene(askew)
    reader = Reader(scene, by_pips, scene.name_dice, scene.estimate_lean, {})
    read = reader.read(painted(tiles), calibration=calibration)
    assert [hand.status for hand in read.hands] == ["verified", "verified"]
    assert corners_off(np.array(read.tiles[2].polygon), tiles[2][0]) < 0.5 * corners_off(askew[2][0], tiles[2][0])


def test_refinement_keeps_a_contradiction_of_the_pips() -> None:
    calibration = overhead()
    tiles = table(calibration)
    askew = [(shifted(quad, 1.5, 3.0, 4.0) if index == 2 else quad, face) for index, (quad, face) in enumerate(tiles)]
    scene = Scene(askew)

    def stubborn(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        chances = by_pips(crops)
        wrong, right = (TILE_CLASSES.index(face) for face in ("6-6", "6-4"))
        chances[:, [wrong, right]] = chances[:, [right, wrong]]
        return chances

    reader = Reader(scene, stubborn, scene.name_dice, scene.estimate_lean, {})
    tile = reader.read(painted(tiles), calibration=calibration).tiles[2]
    assert (str(tile.face), tile.status) == ("6-4", "uncertain")
