"""Learning beside the reading thread: it sees the table's pictures, and whatever it does, the table is read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from service.record.ledger import Ledger, open_record
from service.rounds.judge.rules_in_force import TableRules
from service.table.learning.shadow_reading import ShadowReading, ShadowReport
from service.table.learning.table_learning import TableLearning, learning_of
from service.table.live_state import LiveState
from service.table.metrics import Metrics, TableMetrics
from service.table.worker import Worker
from tests.service.stand_ins import EMPTY, HOUSE_WRONG, FakeReader, FakeSource, frames, wait_until
from tests.service.table.learning.tables import alike, record_of, table
from tests.vision.learning.strange_table import MORNING

if TYPE_CHECKING:
    from pathlib import Path

    from service.rounds.reports import RoundReport
    from vision.arrays import Chances, TileCrops


def _read(learning: TableLearning | None) -> RoundReport:
    """A round read by the worker, to its end."""
    settings = table()
    live = LiveState(settings.table.rounds.keep, stale_after_s=10)
    ledger = Ledger(open_record(settings), settings.table.name, TableRules.of("crown-6.1"))
    reader = FakeReader([*[HOUSE_WRONG] * 6, EMPTY])
    worker = Worker(
        settings,
        live,
        reader,
        ledger.rules,
        ledger,
        open_frames=lambda _: FakeSource(frames(12), live=True),
        learning=learning,
    )
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
