"""Alarms: what raises them, what ends them, and that an acknowledgement is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.access.roles import UserRole
from service.app import create_app
from service.codes import ServiceCode
from service.monitor.alarms import Alarms, UnknownAlarmError
from service.record.store.entries import RecordUnavailableError
from service.table.live_state import Check
from tests.service.http.test_http import play
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, RIGHT, FakeReader, config, die, hand, person, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    from service.config.settings import Config

DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare on the 5-3",)), dice=(die(3, status="uncertain"),))


@pytest.fixture
def settings() -> Config:
    return config()


@pytest.fixture
def app(settings: Config) -> FastAPI:
    return create_app(settings, reader=FakeReader(), watch=False)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with person(app) as client:
        yield client


def alarms_of(app: FastAPI) -> Alarms:
    alarms: Alarms = app.state.parts.alarms
    return alarms


def told(app: FastAPI) -> list[tuple[str, str, bool]]:
    return [(each.kind, each.subject, each.acknowledged is not None) for each in alarms_of(app).standing()]


def test_what_raises_an_alarm(app: FastAPI) -> None:
    assert alarms_of(app).standing() == ()
    assert alarms_of(app).name() == ""
    play(app, HOUSE_RIGHT, "r1")
    assert told(app) == []
    play(app, DOUBTFUL, "r2")
    play(app, HOUSE_WRONG, "r3")
    app.state.parts.live.check(Check.of("source", ServiceCode.AS_RECORDED, ok=False, why="the camera is gone"))
    assert told(app) == [("wrong", "house", False), ("health", "source", False), ("review", "house", False)]
    assert alarms_of(app).standing()[2].message == "Round 2 needs review: house, dice"


def test_a_hand_set_right_ends_its_alarm(app: FastAPI) -> None:
    play(app, HOUSE_WRONG, "r1")
    before = alarms_of(app).name()
    play(app, HOUSE_RIGHT, "r1")
    assert told(app) == []
    play(app, HOUSE_WRONG, "r2")
    assert alarms_of(app).name() not in {before, ""}


def test_an_acknowledgement_is_recorded_and_outlives_the_service(app: FastAPI, settings: Config) -> None:
    play(app, HOUSE_WRONG, "r1")
    (alarm,) = alarms_of(app).standing()
    first = alarms_of(app).acknowledge(alarm.id, "A. Supervisor")
    assert told(app) == [("wrong", "house", True)]
    assert alarms_of(app).name() == ""
    assert alarms_of(app).acknowledge(alarm.id, "B. Late") == first
    (entry,) = app.state.parts.record.last(("acknowledgement",), count=9)
    assert (entry.round, entry.subject, entry.data["by"]) == ("r1", alarm.id, "A. Supervisor")
    assert "against the House Way" in entry.data["message"]
    app.state.parts.record.close()

    again = create_app(settings, reader=FakeReader(), watch=False)
    assert told(again) == [("wrong", "house", True)]
    assert alarms_of(again).standing()[0].acknowledged == first


def test_a_fault_that_comes_back_is_another_alarm(app: FastAPI) -> None:
    live = app.state.parts.live
    live.check(Check.of("source", ServiceCode.AS_RECORDED, ok=False, why="the camera is gone"))
    (alarm,) = alarms_of(app).standing()
    alarms_of(app).acknowledge(alarm.id, "A. Supervisor")
    live.check(Check.of("source", ServiceCode.AS_RECORDED, ok=False, why="the camera is still gone"))
    assert told(app) == [("health", "source", True)]
    live.check(Check.of("source", ServiceCode.AS_RECORDED, ok=True, why="pictures arrive"))
    assert told(app) == []
    live.check(Check.of("source", ServiceCode.AS_RECORDED, ok=False, why="the camera is gone"))
    assert told(app) == [("health", "source", False)]


def test_more_doubt_is_another_alarm(app: FastAPI) -> None:
    play(app, DOUBTFUL, "r1")
    alarms_of(app).acknowledge(alarms_of(app).standing()[0].id, "A. Supervisor")
    play(app, reading(*DOUBTFUL.hands, hand("box2", "1-1 4-3", "4-4 5-5", "uncertain", ("blurred",))), "r1")
    assert told(app) == [("review", "house", False)]


def test_what_cannot_be_recorded_is_not_acknowledged(app: FastAPI) -> None:
    play(app, HOUSE_WRONG, "r1")
    app.state.parts.record.close()
    with pytest.raises(RecordUnavailableError):
        alarms_of(app).acknowledge(alarms_of(app).standing()[0].id, "A. Supervisor")
    assert told(app) == [("wrong", "house", False)]
    with pytest.raises(UnknownAlarmError):
        alarms_of(app).acknowledge("wrong:none", "A. Supervisor")


def test_over_http(app: FastAPI, client: TestClient) -> None:
    play(app, HOUSE_WRONG, "r1")
    (alarm,) = alarms_of(app).standing()
    path = "/page/alarms/acknowledge"
    viewer = person(app, UserRole.VIEWER, "vic")
    assert "Acknowledge" not in viewer.get("/page/status").text
    assert viewer.post(path, data={"alarm": alarm.id}).status_code == 403
    assert told(app) == [("wrong", "house", False)]
    assert client.post(path, data={"alarm": alarm.id}).status_code == 200
    assert "seen by ann" in client.get("/page/status").text
    assert client.post(path, data={"alarm": "over"}).status_code == 200
