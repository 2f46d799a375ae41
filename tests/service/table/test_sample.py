"""The bundled sample, read by the real models: what ``make run`` shows first."""

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any

import pytest

from calibration.files.calibration_file import load_calibration
from datasets.sample import OPTIONS, SEED
from datasets.simulator.script import script
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.judge.verdicts import explain
from service.rounds.reports import RoundReport
from service.rounds.round_tracker import RoundTracker
from service.table.monitor.inspection import Inspector
from tests.sample import FILE, SETTINGS
from tests.service.stand_ins import report_round
from vision.capture import Frame
from vision.capture.sources import open_source
from vision.hand_grouping import Conventions
from vision.networks.runtime import default_weights
from vision.reader import Reader

TRUTHS = [json.loads(line) for line in FILE.with_name("rounds.jsonl").read_text(encoding="utf-8").splitlines()]
WITHIN_S = 60.0
"""Seconds of the film until a newcomer sees a verdict."""
START = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_film_is_the_one_that_is_written_down() -> None:
    made = script(SEED, OPTIONS)
    known = load_calibration(FILE)
    assert made.table_calibration().layout == known.layout
    assert [[each.kind for each in truth.mistakes] for truth in made.rounds] == [
        [each["kind"] for each in truth["mistakes"]] for truth in TRUTHS
    ]
    assert [truth.end_s for truth in made.rounds] == pytest.approx([truth["end_s"] for truth in TRUTHS], abs=0.01)


def _pictures(since_s: float, until_s: float) -> Iterator[tuple[float, Frame]]:
    """Pictures of the film with their times, seconds."""
    source = open_source(SETTINGS.table.watched.spec)
    first: datetime | None = None

    def timed() -> Iterator[tuple[float, Frame]]:
        nonlocal first
        for seen in source:
            assert isinstance(seen, Frame)
            first = first or seen.captured_at
            yield (seen.captured_at - first) / timedelta(seconds=1), seen

    yield from ((t_s, seen) for t_s, seen in takewhile(lambda each: each[0] <= until_s, timed()) if t_s >= since_s)
    source.close()


@pytest.mark.skipif(not (default_weights() / "detector.onnx").is_file(), reason="the models have not been trained yet")
def test_a_wrong_house_hand_is_reported_within_the_films_first_minute() -> None:
    calibration, truth = load_calibration(FILE), TRUTHS[0]
    (lay,) = truth["hands"]["house"]["lays"]
    empty = Inspector.load(FILE, calibration).empty
    reader, rules = Reader.load(), TableRules.of(SETTINGS.table.rulebook)
    tracker = RoundTracker(
        lambda: uuid.uuid4().hex,
        SETTINGS.table.rounds.settle_frames,
        SETTINGS.table.rounds.clear_frames,
        conventions=Conventions.of(calibration),
    )
    told: RoundReport | None = None
    dealt_s = _event(truth, "tiles-delivered")["t_s"]
    for t_s, seen in (*_pictures(dealt_s, dealt_s + 2.0), *_pictures(lay["t_s"], lay["t_s"] + 2.0)):
        reading = reader.read(seen.image, calibration=calibration, empty=empty, name=seen.name, hands=False)
        changed = tracker.update(reading, START + timedelta(seconds=t_s))
        if changed is not None:
            told = report_round(changed, table="sample", rules=rules, versions=reading.versions)
        if told is not None and told.house is not None and told.house.status == "verified":
            break
    assert t_s < WITHIN_S
    assert told is not None
    assert told.house is not None
    assert told.house.house_way is not None
    assert told.house.house_way.verdict == "wrong"
    assert told.house.house_way.rule == lay["house_way"]["rule"]
    assert explain(told.house, rules.of_round(told).house_way, told.reached).remedy is not None
    assert told.house.house_way.expected is not None
    assert sorted(told.house.house_way.expected.low) == sorted(lay["house_way"]["expected"]["low"])
    (throw,) = truth["throws"]
    assert sorted(die.value or 0 for die in told.dice if die.role == "box") == sorted(throw["box"])
    assert {die.status for die in told.dice} == {"verified"}


def _event(truth: dict[str, Any], kind: str) -> dict[str, Any]:
    (found,) = (each for each in truth["events"] if each["kind"] == kind)
    return dict(found)
