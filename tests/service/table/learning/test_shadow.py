"""Shadow reading: the candidate reads the same tiles once for each rest, and nothing of it reaches the table."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from engine.game.tiles import Tile
from service.table.learning.shadow_reading import ShadowReading, read_report
from tests.service.table.learning.tables import WEIGHTS, alike, worse
from tests.vision.learning.strange_table import display
from vision.capture.images import Image
from vision.learning.errors import LearningError
from vision.learning.kept_crops import CropFolder
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import sha256_of
from vision.reading import Reading
from vision.tracking import TableWatch


@cache
def _seen() -> tuple[Image, Reading]:
    """A display in which every tile with a face is verified."""
    shot = display(0)
    tiles = tuple(
        replace(tile, status="verified" if tile.face is not None else "uncertain", doubts=())
        for tile in shot.reading.tiles
    )
    return shot.image, replace(shot.reading, tiles=tiles, hands=())


def _watched(
    shadow: ShadowReading, pictures: int, *, from_s: float = 0.0, watch: TableWatch | None = None
) -> TableWatch:
    image, reading = _seen()
    watch = watch or TableWatch()
    for number in range(pictures):
        noisy = tuple(replace(tile, confidence=tile.confidence - 1e-6 * (number + from_s)) for tile in reading.tiles)
        t_s = from_s + 0.5 * number
        watch.see(replace(reading, tiles=noisy), t_s)
        shadow.see(image, watch.lying, t_s)
    return watch


def _shadow(candidate: Path, models: Path, told: list[str] | None = None) -> ShadowReading:
    counted = (lambda _: None) if told is None else told.append
    return ShadowReading.load("t", candidate, WEIGHTS, models, counted)


def test_each_tile_counts_once_for_each_rest(tmp_path: Path) -> None:
    told: list[str] = []
    shadow = _shadow(alike(tmp_path / "new"), tmp_path / "models", told)
    _watched(shadow, 12)
    verified = sum(tile.status == "verified" and tile.face_up for tile in _seen()[1].tiles)
    assert shadow.report.candidate_figures.crops == shadow.report.used_figures.crops == len(told) == verified
    assert set(told) <= {"both", "neither"}
    assert not shadow.report.worse
    assert shadow.report.watched_s == pytest.approx(5.5)


def test_what_was_found_outlives_the_service(tmp_path: Path) -> None:
    candidate, models = alike(tmp_path / "new"), tmp_path / "models"
    first = _shadow(candidate, models)
    _watched(first, 6)
    first.write()
    again = _shadow(candidate, models)
    assert again.report == first.report
    _watched(again, 6)
    assert again.report.watched_s == pytest.approx(2 * first.report.watched_s)
    shas = sha256_of(candidate / TILE_MODEL), sha256_of(WEIGHTS / TILE_MODEL)
    assert read_report(models, "t", *shas) == first.report


def test_a_worse_candidate_is_found_and_its_tiles_are_kept(tmp_path: Path) -> None:
    told: list[str] = []
    shadow = _shadow(worse(tmp_path / "new"), tmp_path / "models", told)
    _watched(shadow, 12)
    assert shadow.report.worse
    assert shadow.report.candidate_figures.surely_wrong > 20
    differing = CropFolder(shadow.path.parent).read()
    assert len(differing) == told.count("used") + told.count("neither")
    assert all(each.origin.kind == "shadow" and each.face is not Tile.TEEN for each in differing)


def test_the_model_in_use_is_no_candidate(tmp_path: Path) -> None:
    with pytest.raises(LearningError, match="this model is in use"):
        _shadow(WEIGHTS, tmp_path / "models")


def test_pauses_are_not_watched(tmp_path: Path) -> None:
    shadow = _shadow(alike(tmp_path / "new"), tmp_path / "models")
    watch = _watched(shadow, 4)
    _watched(shadow, 4, from_s=3600.0, watch=watch)
    assert shadow.report.watched_s == pytest.approx(3.0)
