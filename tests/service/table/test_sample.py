"""The bundled sample, read by the real models: what ``make run`` shows."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from calibration.files.calibration_file import load_calibration
from engine.books.house_ways import get
from service.config.settings import SAMPLE_CONFIG, load_config
from service.rounds.round_tracker import RoundTracker
from service.rounds.written import report_round
from vision.capture import Frame
from vision.capture.sources import open_source
from vision.hand_grouping import Conventions
from vision.networks.runtime import default_weights
from vision.reader import Reader

if TYPE_CHECKING:
    from service.rounds.reports import RoundReport


@pytest.mark.skipif(not (default_weights() / "detector.onnx").is_file(), reason="the models have not been trained yet")
def test_the_sample_has_a_right_and_a_wrong_house_hand() -> None:
    settings = load_config(SAMPLE_CONFIG)
    assert settings.table.calibration is not None
    calibration = load_calibration(settings.table.calibration)
    reader, house_way = Reader.load(), get(settings.table.rulebook)
    tracker = RoundTracker(
        lambda: uuid.uuid4().hex,
        settings.rounds.settle_frames,
        settings.rounds.clear_frames,
        conventions=Conventions.of(calibration),
    )
    last: dict[str, RoundReport] = {}
    for seen in open_source(settings.source.spec):
        assert isinstance(seen, Frame)
        reading = reader.read(seen.image, calibration=calibration, name=seen.name)
        changed = tracker.update(reading, datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seen.sequence))
        if changed is not None:
            last[changed.id] = report_round(changed, table="sample", house_way=house_way, versions=reading.versions)
    verdicts = [played.house.house_way.verdict for played in last.values() if played.house and played.house.house_way]
    assert verdicts == ["correct", "wrong"]
    for played in last.values():
        assert all(hand.status == "verified" for hand in played.hands)
        assert [die.role for die in played.dice].count("box") == 3
        assert played.status == "verified"
        assert not played.findings
