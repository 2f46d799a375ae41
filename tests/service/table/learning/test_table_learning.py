"""Learning at a table: crops of displays and reviewed hands, each once; the result of a round stays the same."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.files.calibration_file import TableCalibration, load_calibration
from calibration.table.places import HOUSE
from datasets.rendering.renderer import render
from datasets.scenes.whole_table import lay_hand, sample_setup
from engine.game.tiles import Tile
from service.record.ledger import Evidence, Ledger, open_record
from service.record.store.entries import Picture
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.rounds.review import HandIn, ReviewIn
from service.table.learning.shadow_reading import ShadowReading, ShadowReport
from service.table.learning.table_learning import Collected, CropCollector, ReviewCollector, TableLearning, learning_of
from service.table.live_state import LiveState
from service.table.metrics import Metrics, TableMetrics
from service.table.worker import Instruments, Worker
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_WRONG,
    FakeReader,
    FakeSource,
    frames,
    hand,
    opened,
    reading,
    report_round,
    wait_until,
)
from tests.service.table.learning.tables import WEIGHTS, alike, record_of, table
from tests.vision.learning.strange_table import MORNING, crops_of, display, reader
from vision.arrays import Chances, TileCrops
from vision.capture.images import Image
from vision.learning.kept_crops import CropFolder
from vision.networks.classifier import TileClassifier

LOW, HIGH = ("6-3", "5-3"), ("6-6", "6-1")
RULES = TableRules.of("crown-6.1")


@cache
def _drawn() -> tuple[Image, str]:
    """A table with the House's hand, and its calibration as a file has it."""
    at = sample_setup(np.random.default_rng(5), (1920, 1080))
    rng = np.random.default_rng(6)
    scene = at.scene("round", lay_hand(rng, HOUSE, at.plan.places[HOUSE], LOW, HIGH, 0.01), (), ())
    return render(scene, rng, supersample=1.0).image, json.dumps(at.bare.calibration())


@pytest.fixture
def camera(tmp_path: Path) -> TableCalibration:
    (tmp_path / "camera.json").write_text(_drawn()[1])
    return load_calibration(tmp_path / "camera.json")


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    record = record_of(table())
    yield Ledger(record, "test", RULES)
    record.close()


def _collector(folder: Path) -> CropCollector:
    return CropCollector("test", CropFolder(folder), TileClassifier.load(WEIGHTS, threads=1))


def _reviews(folder: Path, ledger: Ledger, camera: TableCalibration, version: str | None = None) -> ReviewCollector:
    return ReviewCollector(_collector(folder), ledger.record, ledger.record, reader(), camera, version)


def _played(ledger: Ledger, round_id: str = "r1", versions: dict[str, str] | None = None) -> None:
    """A round in doubt: the House's hand, of which the 5-3 was read as a 5-1, with its picture."""
    doubtful = reading(hand("house", "6-3 5-1", "6-6 6-1", "uncertain", ("glare",)))
    report = report_round(opened(doubtful, round_id), table="test", rules=RULES, versions=versions or {})
    _, data = cv2.imencode(".jpg", _drawn()[0], [cv2.IMWRITE_JPEG_QUALITY, 92])
    ledger.revise(report, (Evidence("house", "frame", Picture(data.tobytes())),))


def _said(revision: int, low: tuple[str, str] = LOW, high: tuple[str, str] = HIGH) -> ReviewIn:
    said = HandIn(place="house", low=low, high=high)
    return ReviewIn(action="correct", by="A. Supervisor", reason="looked", revision=revision, hands=(said,))


def test_a_corrected_hand_is_kept_with_its_origin(tmp_path: Path, ledger: Ledger, camera: TableCalibration) -> None:
    _played(ledger)
    reviews = _reviews(tmp_path / "crops", ledger, camera)
    assert reviews.collect() == Collected()
    ledger.review("r1", _said(1), None, "key")
    assert reviews.collect() == Collected(kept=4)
    found = sorted(CropFolder(tmp_path / "crops").read(), key=lambda each: each.origin.number)
    assert [str(each.face) for each in found] == [*LOW, *HIGH]
    told = found[0].origin
    picture = ledger.newest("r1").evidence[0].sha256
    assert (told.kind, told.round, told.revision, told.place, told.by) == ("review", "r1", 2, "house", "A. Supervisor")
    assert told.picture == picture
    assert told.versions["tiles"] == reader().versions["tiles"]


def test_the_same_review_is_kept_once(tmp_path: Path, ledger: Ledger, camera: TableCalibration) -> None:
    _played(ledger)
    ledger.review("r1", _said(1), None, "key")
    assert _reviews(tmp_path / "crops", ledger, camera).collect().kept == 4
    assert _reviews(tmp_path / "crops", ledger, camera).collect() == Collected()
    (tmp_path / "crops" / "seen.json").unlink()
    assert _reviews(tmp_path / "crops", ledger, camera).collect() == Collected()


def test_a_poisoned_word_is_put_aside(tmp_path: Path, ledger: Ledger, camera: TableCalibration) -> None:
    _played(ledger)
    # Nobody but this person sees a 1-1 there.
    ledger.review("r1", _said(1, ("6-3", "1-1")), None, "key")
    assert _reviews(tmp_path / "crops", ledger, camera).collect() == Collected(kept=3, aside=1)
    folder = CropFolder(tmp_path / "crops")
    assert [file.stem.rsplit("-", 1)[0] for file in folder.aside()] == ["1-1"]
    assert Tile.DAY not in {each.face for each in folder.read()}
    # Looked at once more, it is a 5-3 after all.
    ledger.review("r1", _said(2), None, "key")
    assert _reviews(tmp_path / "crops", ledger, camera).collect() == Collected(kept=1)
    assert sorted(str(each.face) for each in folder.read()) == sorted((*LOW, *HIGH))
    assert folder.aside() == []


def test_a_picture_of_another_calibration_is_left(tmp_path: Path, ledger: Ledger, camera: TableCalibration) -> None:
    _played(ledger, versions={"calibration": "sha256:old"})
    ledger.review("r1", _said(1), None, "key")
    left = _reviews(tmp_path / "crops", ledger, camera, "sha256:new").collect()
    assert (left.kept, dict(left.skipped)) == (0, {"it was read with another calibration": 1})


def test_a_picture_that_went_is_told(tmp_path: Path, ledger: Ledger, camera: TableCalibration) -> None:
    _played(ledger)
    report = ledger.review("r1", _said(1), None, "key")
    ledger.record.evidence.remove([each.sha256 for each in report.evidence])
    left = _reviews(tmp_path / "crops", ledger, camera).collect()
    assert dict(left.skipped) == {"its picture was deleted": 1}


def test_a_display_is_kept_once_while_it_lies(tmp_path: Path) -> None:
    learning = TableLearning(_collector(tmp_path))
    shot = display(0)
    learning.see(shot.image, (), None, MORNING, 0.0)
    for number in range(3):
        learning.see(shot.image, (), shot, MORNING + timedelta(seconds=number), float(number))
    assert len(CropFolder(tmp_path).files()) == len(crops_of(0))
    # Hidden by an arm for a moment, it is the same display.
    learning.see(shot.image, (), shot, MORNING + timedelta(minutes=5), 300.0)
    assert len(CropFolder(tmp_path).files()) == len(crops_of(0))
    learning.see(shot.image, (), display(1), MORNING + timedelta(days=1), 86_400.0)
    assert len(CropFolder(tmp_path).files()) == len(crops_of(0)) + len(crops_of(1))


def test_reviews_are_gone_through_while_the_service_runs(
    tmp_path: Path, ledger: Ledger, camera: TableCalibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.table.learning.table_learning.REVIEWS_EVERY_S", 0.01)
    _played(ledger)
    learning = TableLearning(reviews=_reviews(tmp_path / "crops", ledger, camera))
    learning.start()
    ledger.review("r1", _said(1), None, "key")
    wait_until(lambda: len(CropFolder(tmp_path / "crops").files()) == 4)
    learning.stop()


def test_a_full_disk_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        del path, data
        raise OSError(28, "No space left on device")

    learning = TableLearning(_collector(tmp_path))
    shot = display(0)
    with monkeypatch.context() as patched:
        patched.setattr("vision.learning.kept_crops.replace_file", full)
        learning.see(shot.image, (), shot, MORNING, 0.0)
    assert CropFolder(tmp_path).files() == []
    learning.see(shot.image, (), shot, MORNING, 1.0)
    assert len(CropFolder(tmp_path).files()) == len(crops_of(0))


def test_no_display_no_crops(tmp_path: Path) -> None:
    shot = display(0)
    torn = replace(shot.reading, tiles=shot.reading.tiles[:12])
    assert _collector(tmp_path).display(replace(shot, reading=torn), MORNING) == Collected()


def _read(learning: TableLearning | None) -> RoundReport:
    settings = table()
    live = LiveState(settings.table.rounds.keep, stale_after_s=10)
    ledger = Ledger(open_record(settings), settings.table.name, TableRules.of("crown-6.1"))
    reader = FakeReader([*[HOUSE_WRONG] * 6, EMPTY])
    source = FakeSource(frames(12), live=True)
    tools = Instruments(reader, open_frames=lambda _: source, learning=lambda *_: learning)
    worker = Worker(settings, live, ledger.rules, ledger, tools)
    worker.start()
    wait_until(lambda: live.state.current is not None and live.state.current.state == "closed")
    worker.stop()
    ledger.record.close()
    assert live.state.current is not None
    return live.state.current


def _told(report: RoundReport) -> dict[str, Any]:
    return report.model_dump(mode="json", exclude={"id", "versions", "evidence"})


def _shadow(folder: Path, *, fails: bool) -> ShadowReading:
    def name(crops: TileCrops) -> Chances:
        if fails:
            raise RuntimeError("no such model")
        return _taken_for_teens(crops)

    report = ShadowReport(candidate="1" * 64, used="0" * 64, started_at=MORNING)
    return ShadowReading("test", name, name, report, folder / "report.json")


def _taken_for_teens(crops: TileCrops) -> Chances:
    import numpy as np  # noqa: PLC0415

    return np.eye(22, dtype=np.float32)[np.zeros(len(crops), int)]


@pytest.mark.parametrize("fails", [False, True])
def test_a_candidate_never_reaches_the_result(tmp_path: Path, fails: bool) -> None:  # noqa: FBT001
    learning = TableLearning(shadow=_shadow(tmp_path, fails=fails))
    assert _told(_read(learning)) == _told(_read(None))
    if fails:
        assert learning.shadow is None  # disabled, and logged
    else:
        assert learning.shadow is not None
        assert learning.shadow.report.candidate_figures.crops == 4
        assert (tmp_path / "report.json").is_file()


def test_learning_is_put_together_as_the_settings_say(tmp_path: Path) -> None:
    settings = table(shadow=alike(tmp_path / "new"))
    record, metrics = record_of(settings), Metrics()
    learning = learning_of(settings, record, TableMetrics(metrics, "test"), FakeReader(), None)
    assert learning is not None
    assert learning.collector is not None
    assert learning.collector.folder.path == settings.record_folder / "crops"
    assert learning.shadow is not None
    learning.shadow.counted("both")
    learning.collector.counted(3, 1)
    sample = metrics.registry.get_sample_value
    assert sample("houseway_shadow_tiles_total", {"table": "test", "right": "both"}) == 1
    assert sample("houseway_crops_total", {"table": "test", "what": "kept"}) == 3
    assert sample("houseway_crops_total", {"table": "test", "what": "aside"}) == 1
    record.close()


def test_a_candidate_that_cannot_be_used_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = table(shadow=tmp_path / "nowhere")
    record = record_of(settings)
    learning = learning_of(settings, record, TableMetrics(Metrics(), "test"), FakeReader(), None)
    assert learning is not None
    assert learning.shadow is None
    assert "nothing reads beside the model in use" in caplog.text
    record.close()


def test_nothing_is_learnt_unless_asked() -> None:
    from tests.service.stand_ins import config  # noqa: PLC0415

    settings = config()
    record = record_of(settings)
    assert learning_of(settings, record, TableMetrics(Metrics(), "test"), FakeReader(), None) is None
    record.close()
