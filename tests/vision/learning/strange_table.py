"""A simulated table whose set no training has seen, and the crops of its displays."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from calibration.files.calibration_file import TableCalibration, load_calibration
from calibration.table.places import DISPLAY
from datasets.rendering.renderer import render
from datasets.scenes.scene import TileObject
from datasets.scenes.whole_table import TableSetup, sample_setup
from datasets.simulator.layouts import display_spot
from engine.game.tiles import FULL_SET
from vision.capture.images import Image
from vision.enrolment.learning import ReadPicture
from vision.learning.kept_crops import KeptCrop, Origin
from vision.learning.labelling import Labelled, labelled_display
from vision.reader import Reader

ORDER = tuple(str(tile) for tile in sorted(FULL_SET, key=lambda tile: (tile.kind, tile.index)))
MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)


@cache
def reader() -> Reader:
    return Reader.load(threads=1)


@cache
def setup() -> TableSetup:
    """Dark blue tiles with large yellow pips, seen by a small camera a little out of focus."""
    at = sample_setup(np.random.default_rng((1, 2)), (1280, 720))
    tiles = replace(at.bare.tile_set, body=(0.1, 0.02, 0.02), pip_plain=(0.05, 0.5, 0.6), pip_scale=1.3, spread=0.9)
    return at.changed(tile_set=tiles, capture=replace(at.bare.capture, defocus_px=0.6))


@cache
def calibration() -> TableCalibration:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "calibration.json"
        path.write_text(json.dumps(setup().bare.calibration()))
        return load_calibration(path)


@cache
def display(day: int, faces: tuple[str, ...] = ORDER) -> ReadPicture:
    """The display of a day, read."""
    image = drawn(day, faces)
    return ReadPicture(image, reader().read(image, calibration=calibration()))


def drawn(day: int, faces: tuple[str, ...] = ORDER) -> Image:
    rng = np.random.default_rng((3, day))
    tiles = []
    for number, face in enumerate(faces):
        x, y = display_spot(number)
        spot = x + float(rng.normal(0, 0.4)), y + float(rng.normal(0, 0.6))
        angle = np.pi / 2 + float(rng.normal(0, 0.01)) + float(np.pi * rng.integers(2))
        tiles.append(TileObject(face, True, *spot, angle, place=DISPLAY))  # noqa: FBT003
    return render(setup().scene("display", tiles, (), ()), rng, supersample=1.0).image


def kept(labelled: list[Labelled], day: int) -> list[KeptCrop]:
    at = MORNING + timedelta(days=day)
    return [
        KeptCrop(
            each.crop,
            each.face,
            Origin(kind="display", table="t", at=at, number=each.number, picture="0" * 64, versions={}),
        )
        for each in labelled
    ]


@cache
def crops_of(day: int) -> tuple[KeptCrop, ...]:
    return tuple(kept(labelled_display(display(day)), day))
