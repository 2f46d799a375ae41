"""The live view: drawn once for all clients, and only on request."""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import count
from unittest.mock import patch

import numpy as np

from service.rounds.judge.rules_in_force import TableRules
from service.table.live_pictures import View, Views
from service.table.live_state import LiveState
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, opened, report_round

AT = datetime(2026, 1, 1, tzinfo=UTC)


def view(number: int = 1) -> View:
    return View(number, AT, f"picture {number}".encode)


def test_a_view_is_drawn_once_for_all_who_ask() -> None:
    drawn = count()
    begun = threading.Event()

    def draw() -> bytes:
        begun.wait(5)
        return f"drawing {next(drawn)}".encode()

    one = View(1, AT, draw)
    with ThreadPoolExecutor(5) as pages:
        asked = [pages.submit(one.jpeg) for _ in range(5)]
        assert not one.drawn
        begun.set()
        assert {each.result() for each in asked} == {b"drawing 0"}
    assert one.drawn
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
