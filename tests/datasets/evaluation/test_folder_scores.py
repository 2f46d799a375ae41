import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from calibration.files.calibration_file import TableCalibration
from calibration.table.places import Place
from datasets.evaluation.folder_scores import evaluate
from datasets.evaluation.report import print_evaluation
from datasets.generate import save
from datasets.labels.label_files import write_labels
from datasets.labels.label_folders import read_folder
from datasets.labels.labels import LabelError, PictureLabels, TileLabel
from datasets.rendering.renderer import render
from datasets.scenes.cutouts import GROUNDS, lay, load_cutout
from datasets.scenes.shifts import SHIFTS
from datasets.scenes.whole_table import table
from engine.game.tiles import Tile
from service.cli import workshop as command
from tests.datasets.evaluation.test_scoring import seen_die, seen_tile
from vision.capture.images import Image
from vision.reading import HandReading, Reading, TileReading


class TruthReader:
    """Reads pictures by their labels; ``change`` spoils one reading."""

    def __init__(self, labels: dict[str, PictureLabels]) -> None:
        self.labels = labels
        self.calibrations: list[TableCalibration | None] = []
        self.seen: list[Image] = []

    def read(
        self,
        image: Image,
        *,
        calibration: TableCalibration | None = None,
        empty: Image | None = None,  # noqa: ARG002
        hands: bool = True,
        name: str = "",
        t_s: float | None = None,  # noqa: ARG002
    ) -> Reading:
        self.calibrations.append(calibration)
        self.seen.append(image)
        labels = self.labels.get(name, PictureLabels(image=name, size=None, kind="", objects=()))
        return Reading(
            image=name,
            size=(image.shape[1], image.shape[0]),
            calibrated=calibration is not None,
            single_frame=True,
            tiles=tuple(self.tile(each) for each in labels.tiles if each.visible >= 0.5),
            dice=tuple(
                seen_die(each, status="uncertain" if each.cocked else "verified")
                for each in labels.dice
                if not each.ignore
            ),
            hands=tuple(_hands(labels)) if hands else (),
            findings=(),
            versions={"model": "sha256:0"},
            elapsed_ms={"detect": 40.0, "total": 60.0},
        )

    def tile(self, label: TileLabel) -> TileReading:
        return seen_tile(label)


def _hands(labels: PictureLabels) -> list[HandReading]:
    found = []
    for place in sorted({tile.place for tile in labels.tiles if tile.hand and tile.place}):
        low, high = (
            [t.face for t in labels.tiles if t.place == place and t.hand == lay and t.face] for lay in ("low", "high")
        )
        if len(low) == len(high) == 2:
            found.append(HandReading(Place.parse(place), (low[0], low[1]), (high[0], high[1]), "verified"))
    return found


def labels_of(folder: Path) -> dict[str, PictureLabels]:
    return {each.path.name: each.labels for each in read_folder(folder)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three small labelled pictures, of which one is damaged."""
    camera = {
        "K": [[100.0, 0, 60], [0, 100.0, 40], [0, 0, 1]],
        "dist": [0, 0, 0, 0, 0],
        "R": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
        "t": [0, 0, 1500],
    }
    for number, (name, face) in enumerate((("a", "6-5"), ("b", "2-1"), ("c", "6-6"))):
        square = ((10.0, 10.0), (30.0, 10.0), (30.0, 60.0), (10.0, 60.0))
        labels = PictureLabels(
            image=f"{name}.png",
            size=(120, 80),
            kind="round" if number else "hard",
            objects=(TileLabel(face=Tile.parse(face), face_up=True, polygon=square),),
            camera=camera if number == 0 else None,
            layout={} if number == 0 else None,
            tileset={"style": "photo" if number else "small"},
        )
        write_labels(tmp_path / f"{name}.json", labels)
        cv2.imwrite(str(tmp_path / f"{name}.png"), np.full((80, 120, 3), 90, np.uint8))
    (tmp_path / "c.png").write_bytes(b"damaged")
    return tmp_path


def test_a_folder_is_scored_and_one_bad_picture_does_not_stop_it(folder: Path) -> None:
    reader = TruthReader(labels_of(folder))
    evaluation = evaluate(read_folder(folder), reader)
    assert evaluation.total.pictures == 2
    assert evaluation.total.mistakes == ()
    (failure,) = evaluation.failures
    assert failure.image == "c.png"
    assert [calibration is not None for calibration in reader.calibrations] == [True, False]
    assert set(evaluation.groups()) == {"kind", "style"}
    assert evaluation.groups()["kind"]["hard"].rate("tiles_right").of == 1


def test_a_label_file_for_another_size_is_a_failure(folder: Path) -> None:
    cv2.imwrite(str(folder / "a.png"), np.full((160, 240, 3), 90, np.uint8))
    evaluation = evaluate(read_folder(folder), TruthReader({}))
    assert "240 x 160" in evaluation.failures[0].message


def test_without_calibration_the_camera_is_left_out(folder: Path) -> None:
    reader = TruthReader(labels_of(folder))
    evaluate(read_folder(folder), reader, calibrated=False)
    assert reader.calibrations == [None, None]


def test_the_reader_is_never_handed_the_labels(folder: Path) -> None:
    """What it gets is the picture, a calibration and a name: nothing that holds an object of the truth."""
    reader = TruthReader({})
    evaluation = evaluate(read_folder(folder), reader)
    assert evaluation.total.rate("tiles_found").count == 0
    calibration = reader.calibrations[0]
    assert calibration is not None
    assert not {"objects", "tiles", "labels"} & set(dir(calibration))


class Spoiled(TruthReader):
    def tile(self, label: TileLabel) -> TileReading:
        return replace(super().tile(label), face=Tile.TEEN)


def runs(monkeypatch: pytest.MonkeyPatch, reader: TruthReader, *words: str) -> Any:  # noqa: ANN401 - click's result
    monkeypatch.setattr("vision.reader.Reader.load", lambda *_, **__: reader)
    app = typer.Typer()
    app.callback()(lambda: None)
    app.command("evaluate")(command.evaluate_command)
    return CliRunner().invoke(app, ["evaluate", *words])


def test_the_command_prints_json_with_every_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = runs(monkeypatch, Spoiled(labels_of(folder)), str(folder), "--json")
    assert result.exit_code == 1  # c.png
    data = json.loads(result.stdout)
    assert data["pictures"] == 2
    assert data["rates"]["faces_right"]["count"] == 0
    assert data["rates"]["silent"] == {**data["rates"]["silent"], "count": 2, "of": 2, "upper_bound": 1.0}
    assert [error["there"] for error in data["errors"]] == ["6-5", "2-1"]
    assert all(error["silent"] for error in data["errors"])
    assert data["elapsed_ms"]["total"] == {"median": 60.0, "longest": 60.0}
    assert data["failed"][0]["image"] == "c.png"
    assert "c.png" in result.stderr


def test_the_command_prints_tables_for_people(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "c.json").unlink()
    result = runs(monkeypatch, TruthReader(labels_of(folder)), str(folder))
    assert result.exit_code == 0, result.output
    assert "readable face-up tiles found" in result.stdout
    assert "every object read as it lies" in result.stdout


def test_the_command_refuses_a_folder_without_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = runs(monkeypatch, TruthReader({}), str(tmp_path))
    assert result.exit_code == 2
    assert "holds no labels" in result.stderr


def test_tables_name_silent_errors_first(folder: Path) -> None:
    out = io.StringIO()
    print_evaluation(evaluate(read_folder(folder), Spoiled(labels_of(folder))), Console(file=out, width=200))
    assert out.getvalue().index("SILENT") < out.getvalue().index("readable face-up tiles found")


def test_nothing_is_cut_off_on_a_narrow_terminal(folder: Path) -> None:
    out = io.StringIO()
    evaluation = evaluate(read_folder(folder), Spoiled(labels_of(folder)))
    print_evaluation(evaluation, Console(file=out, width=80))
    words = " ".join(out.getvalue().split())
    assert "…" not in words
    assert all(str(doubt) in words for mistake in evaluation.total.mistakes for doubt in mistake.doubts)


def cutout(path: Path) -> Path:
    """A black tile with a white half, 40 x 100, in transparent surroundings."""
    image = np.zeros((120, 60, 4), np.uint8)
    image[10:110, 10:50, 3] = 255
    image[10:60, 10:50, :3] = 255
    cv2.imwrite(str(path), image)
    return path


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_laid_tile_is_where_its_label_says(tmp_path: Path, ground: str) -> None:
    tile = load_cutout(cutout(tmp_path / "a.png"))
    for seed in range(2):
        image, labels = lay(tile, Tile.TEEN, "a", ground, np.random.default_rng(seed))
        outline = np.array(labels.tiles[0].polygon, np.float32)
        assert labels.size == (image.shape[1], image.shape[0])
        assert outline.min() >= 0
        assert (outline.max(axis=0) < labels.size).all()
        flat = cv2.warpPerspective(
            image,
            cv2.getPerspectiveTransform(outline, np.array([[0, 0], [40, 0], [40, 100], [0, 100]], np.float32)),
            (40, 100),
        )
        assert flat[10:40, 8:32].mean() > 150
        assert flat[60:90, 8:32].mean() < 30


def test_layings_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    tile = load_cutout(cutout(tmp_path / "a.png"))
    one, other, third = (lay(tile, Tile.TEEN, "a", "wood", np.random.default_rng(seed))[0] for seed in (1, 1, 2))
    assert np.array_equal(one, other)
    assert one.shape != third.shape or not np.array_equal(one, third)


def test_cut_out_tiles_are_laid_and_scored(tmp_path: Path) -> None:
    cutout(tmp_path / "a.png")
    (tmp_path / "labels.json").write_text(json.dumps({"labels": {"a.png": "6-6"}}))
    reader = TruthReader({})
    evaluation = evaluate(read_folder(tmp_path), reader, layings=3, seed=4)
    assert evaluation.total.rate("tiles_found") == replace(evaluation.total.rate("tiles_found"), count=0, of=3)
    assert evaluation.failures == ()
    again = TruthReader({})
    evaluate(read_folder(tmp_path), again, layings=3, seed=4)
    assert all(np.array_equal(a, b) for a, b in zip(reader.seen, again.seen, strict=True))


def test_a_photograph_without_transparency_is_no_cutout(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((50, 50, 3), np.uint8))
    with pytest.raises(LabelError, match="transparent surroundings"):
        load_cutout(tmp_path / "a.png")


def test_the_frames_score_without_error_when_read_as_they_lie(shared: Path) -> None:
    frames = shared / "frames"
    evaluation = evaluate(read_folder(frames), TruthReader(labels_of(frames)))
    assert evaluation.failures == ()
    assert [each for each in evaluation.total.mistakes if each.silent] == []
    for name in ("tiles_right", "dice_right", "cocked_found", "coverage_tiles", "tiles_true"):
        assert evaluation.total.rate(name).value == 1.0, name
    assert evaluation.total.rate("hands_whole").of > 15


def test_pictures_are_counted_by_their_shift(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for name, shift in (("as trained", SHIFTS["as trained"]), ("small picture", SHIFTS["small picture"])):
        scene = shift(table(rng, "round", (640, 360)), rng)
        save(tmp_path, name, scene, render(scene, rng, supersample=1.0), (3,), shift=name)
    found = evaluate(read_folder(tmp_path), TruthReader(labels_of(tmp_path))).groups()
    assert list(found["shift"]) == ["as trained", "small picture"]
