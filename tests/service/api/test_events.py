"""The page's event stream over a real connection: what is sent, and that nothing is missed after a break."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from service.api.routes import event_stream
from service.system.settings import Config
from tests.service.api.test_http import play, show
from tests.service.serving import Served, serving
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as made:
        yield made


@contextmanager
def stream(served: Served, last: str | None = None) -> Iterator[Iterator[dict[str, Any]]]:
    """The events as they come: name, id and data."""
    headers = served.headers if last is None else {**served.headers, "Last-Event-ID": last}
    with httpx2.stream("GET", f"{served.url}/v1/events", headers=headers, timeout=10) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _events(answer.iter_lines())


def _events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    event: dict[str, Any] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line == "" and "event" in event:
            yield {**event, "data": json.loads(event["data"])}
        if line == "":
            event = {}
        elif name:
            event[name] = value


def until(stream: Iterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """The next `count` recorded events, skipping others."""
    found: list[dict[str, Any]] = []
    while len(found) < count:
        event = next(stream)
        if event["event"] in {"result", "alarm"}:
            found.append(event)
    return found


def test_the_state_at_once_then_results_and_alarms(served: Served) -> None:
    with stream(served) as news:
        assert next(news)["event"] == "change"
        show(served.app)
        play(served.app, HOUSE_WRONG)
        result, alarm = until(news, 2)
    assert (result["event"], result["data"]["type"]) == ("result", "houseway.result")
    assert (alarm["event"], alarm["data"]["type"]) == ("alarm", "houseway.alarm.house_hand_wrong")
    assert result["id"] != alarm["id"]


def test_after_a_break_goes_on_behind_the_last_event(served: Served) -> None:
    with stream(served) as news:
        next(news)
        play(served.app, HOUSE_WRONG)
        first = until(news, 1)
    play(served.app, HOUSE_RIGHT)
    with stream(served, first[0]["id"]) as news:
        # The alarm of the revision whose result was the last thing that arrived is not lost.
        rest = until(news, 3)
        play(served.app, HOUSE_WRONG, round_id="r2")
        rest += until(news, 3)
    told = [(each["event"], each["data"]["data"]["round"]["revision"]) for each in rest]
    assert told == [("alarm", 1), ("result", 2), ("alarm", 2), ("result", 3), ("result", 1), ("alarm", 1)]
    with stream(served) as news:
        assert next(news)["event"] == "change"
        play(served.app, HOUSE_RIGHT, round_id="r2")
        assert until(news, 1)[0]["data"]["data"]["round"]["revision"] == 2


def test_a_break_of_the_service_too(served: Served) -> None:
    with stream(served) as news:
        next(news)
        play(served.app)
        (last,) = until(news, 1)
    settings: Config = served.config
    served.stop()
    with serving(settings) as again:
        play(again.app, HOUSE_WRONG)
        with stream(again, last["id"]) as news:
            assert [each["event"] for each in until(news, 2)] == ["result", "alarm"]


@pytest.mark.parametrize("last", ["x", "MS4x", "MS4yLjAwMDAwMDAwMDAwMDAwMDA.1", "1.1", ""])
def test_an_id_nobody_knows_is_said(served: Served, last: str) -> None:
    play(served.app)
    with stream(served, last) as news:
        assert next(news)["event"] == "reset"
        assert next(news)["event"] == "change"


def test_heartbeats(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT_S", 0.05)
    with stream(served) as news:
        assert [next(news)["event"] for _ in range(3)] == ["change", "heartbeat", "heartbeat"]
