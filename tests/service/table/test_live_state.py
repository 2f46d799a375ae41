"""The live state: views drawn once and on request, displayed pictures, and the progress of a round."""

import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count, pairwise
from unittest.mock import patch

import numpy as np
import pytest

from calibration.table.places import HOUSE
from datasets.simulator.readings import PERFECT, ReadingSource
from datasets.simulator.script import Options, script
from service.access.roles import UserRole
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.rounds.round_tracker import RoundTracker
from service.table.live_pictures import View, Views
from service.table.live_state import STAGES, LiveState, RoundProgress, round_progress
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, FakeReader, app_of, config, opened, person, report_round
from vision.hand_grouping import Conventions
from vision.reading import Reading
from vision.tracking.phases import Phase

AT = datetime(2026, 1, 1, tzinfo=UTC)


def view(number: int = 1) -> View:
    return View(number, AT, f"picture {number}".encode)


def test_a_view_is_drawn_once_for_all_who_ask() -> None:
    drawn = count()
    started = threading.Event()

    def draw() -> bytes:
        started.wait(5)
        return f"drawing {next(drawn)}".encode()

    one = View(1, AT, draw)
    with ThreadPoolExecutor(5) as pages:
        asked = [pages.submit(one.jpeg) for _ in range(5)]
        assert not one.made
        started.set()
        assert {each.result() for each in asked} == {b"drawing 0"}
    assert one.made
    assert next(drawn) == 1


def test_a_view_that_was_drawn_lets_go_of_its_picture() -> None:
    image = np.zeros((4, 4, 3), np.uint8)
    held = weakref.ref(image)

    def drawing(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> View:
        return View(1, AT, image.tobytes)

    one = drawing(image)
    del image
    assert held() is not None
    one.jpeg()
    assert held() is None


def test_few_views_are_kept_that_nobody_asked_for() -> None:
    views, made = Views(), [view(number) for number in range(12)]
    for each in made[:2]:
        views.keep(each)
        each.jpeg()
    for each in made[2:]:
        views.keep(each)
    assert [each.number for each in made if views.numbered(each.number)] == [0, 1, 8, 9, 10, 11]
    for each in made[8:]:
        each.jpeg()
    for number in range(20, 26):
        newest = view(number)
        views.keep(newest)
        newest.jpeg()
    assert [number for number in range(26) if views.numbered(number)] == [10, 11, *range(20, 26)]


def test_moments_are_shown_four_times_a_second_and_at_once_if_a_round_changes() -> None:
    live, now_s = LiveState(10, 60), [100.0]

    def shown_after(step_s: float, number: int) -> int:
        now_s[0] += step_s
        live.publish_picture(view(number), HOUSE_RIGHT)
        assert live.displayed.view is not None
        return live.displayed.view.number

    with patch("time.monotonic", lambda: now_s[0]):
        told = live.changes.count
        assert [shown_after(0.045, number) for number in range(1, 13)] == [1] * 6 + [7] * 6
        assert live.changes.count == told + 2
        live.publish_rounds(
            report_round(opened(HOUSE_RIGHT), table="test", rules=TableRules.of("crown-6.1"), versions={})
        )
        assert live.displayed.view is not None
        assert live.displayed.view.number == 7, "a verdict waits for its picture"
        assert shown_after(0.045, 13) == 13
        assert live.changes.count == told + 4
        assert [each.number for each in map(live.view, (1, 7, 8, None)) if each is not None] == [1, 7, 13, 13]
        # After a while without requests, the newest picture is displayed.
        for number in range(14, 20):
            live.publish_picture(view(number), HOUSE_WRONG)
        now_s[0] += 1
        assert live.displayed.view is not None
        assert (live.displayed.view.number, live.displayed.reading) == (19, HOUSE_WRONG)


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
        for said in ("Wrong", "Should be", "Correct it now", "crown"):
            assert said in html
    else:
        assert "Waiting" in html
    assert ("face down" in html) == ("closed" in now.places.values())
    parts.record.close()
