"""What the page says of the moment: a simulated round followed as the worker follows it, and the page meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from calibration.table.places import HOUSE
from datasets.simulator.readings import PERFECT, ReadingSource
from datasets.simulator.script import Options, script
from service.access.roles import UserRole
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.round_tracker import RoundTracker
from service.table.live_pictures import View
from service.table.live_state import STAGES, RoundProgress, round_progress
from tests.service.stand_ins import FakeReader, app_of, config, person, report_round
from vision.hand_grouping import Conventions
from vision.tracking.phases import Phase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.rounds.reports import RoundReport
    from vision.reading import Reading

RULES = TableRules.of("crown-6.1")
BEGAN = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)


@cache
def followed() -> tuple[tuple[Reading, RoundProgress, RoundReport | None], ...]:
    """A round in which the House hand is laid wrong, moment by moment."""
    made = script(3, Options(rounds=1, mistake_rate=1.0, mistakes=("house-set-wrong",), cocked_rate=0.0))
    source = ReadingSource(made, rate=3.0, faults=PERFECT)
    tracker = RoundTracker(lambda: "r1", 2, 2, conventions=Conventions.of(source.calibration))
    told = []
    for timed in source:
        at = BEGAN + timedelta(seconds=timed.t_s)
        tracker.update(timed.reading, at)
        order = tracker.conventions.order
        now = round_progress(
            tracker.watch.seen, tracker.watch.tracks, at, tracker.seconds.now_s, RULES.at(at).book, order
        )
        played = tracker.current
        report = (
            None if played is None else report_round(played, table="test", rules=RULES, versions={}, box_order=order)
        )
        told.append((timed.reading, now, report))
    return tuple(told)


def moments() -> Iterator[RoundProgress]:
    return (now for _, now, _ in followed())


def test_the_parts_of_a_round_come_in_their_order() -> None:
    reached = [now.step.stage for now in moments() if now.step is not None]
    parts = list(dict.fromkeys(reached))
    assert parts == sorted(parts, key=STAGES.index)
    assert {"mixing", "dice", "delivery", "house", "players"} <= set(parts)


def test_steps_are_told_once_with_the_time_of_day() -> None:
    for before, now in pairwise(moments()):
        assert now.steps[: len(before.steps)] == before.steps or before.steps[0].phase is Phase.DISPLAY
        assert all(BEGAN <= step.since <= BEGAN + timedelta(minutes=3) for step in now.steps)


def test_tiles_lie_face_down_then_open_then_are_put_away() -> None:
    seen = [now.places[HOUSE] for now in moments() if HOUSE in now.places]
    assert list(dict.fromkeys(seen))[:2] == ["closed", "open"]
    boxes = {place for now in moments() for place in now.places if place != HOUSE}
    assert boxes
    assert any("away" in (now.places.get(place) for place in boxes) for now in moments())


def test_the_throw_is_told_before_a_hand_is_opened() -> None:
    first = next(now for now in moments() if now.throw is not None)
    assert first.throw is not None
    assert "open" not in first.places.values()
    assert (first.throw.status, len(first.dice)) == ("verified", 4)
    assert first.throw.first_box is not None


@pytest.mark.parametrize("stage", ["dice", "delivery", "house", "players"])
def test_the_page_in_each_part_of_the_round(stage: str) -> None:
    reading, now, report = next(
        each
        for each in followed()
        if each[1].step is not None
        and each[1].step.stage == stage
        and (stage not in {"house", "players"} or each[2] is not None)
    )
    app = app_of(config(), reader=FakeReader(), watch=False)
    parts = app.state.parts
    if report is not None:
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    parts.only.live.publish_picture(View(1, BEGAN, lambda: b""), reading, now)
    html = person(app, UserRole.VIEWER).get("/").text
    (current,) = (line for line in html.splitlines() if 'aria-current="step"' in line)
    words = {"dice": "Dice", "delivery": "Delivery", "house": "House hand", "players": "Players' hands"}
    assert words[stage] in current.partition('aria-current="step"')[2][:60]
    assert now.throw is not None
    assert f"<dd>{now.throw.first_box}</dd>" in html
    if stage in {"house", "players"}:
        for said in ("Wrong", "Should be", "At this moment", "crown"):
            assert said in html
    else:
        assert "Waiting" in html
    assert ("face down" in html) == ("closed" in now.places.values())
    parts.record.close()
