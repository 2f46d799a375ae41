"""The status line of a table: a table that cannot verify never has the status "well"."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import pytest

from service.record.health import Check, TableStatus
from service.table.live_pictures import View
from service.table.live_state import LiveState
from service.table.monitor.table_status import status_logged, status_text, table_status
from service.words.codes import RecordCode, ServiceCode, StatusCode
from service.words.languages import translations
from tests.service.api.test_http import play, show
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, FakeReader, app_of, config, signed_in, wait_until
from vision.capture.faults import CaptureCode
from vision.findings import Code, Finding, Param


def bad(check: str, code: StrEnum, *, blocks: bool = True, **params: Param) -> Check:
    return Check(check, ok=False, findings=(Finding.of(code, **params),), blocks=blocks)


RECORD = bad("record", RecordCode.DISK_FULL)
GONE = bad("source", CaptureCode.PROCESS_SILENT, name="camera 0", seconds="3")
FROZEN = bad("source", CaptureCode.PICTURE_FROZEN, name="camera 0", seconds="10")
BLACK = bad("source", CaptureCode.PICTURE_BLACK, name="camera 0")
CLOCK = bad("clock", ServiceCode.CLOCK_NOT_SYNCHRONISED)
MOVED = bad("camera", ServiceCode.DRIFTED)
REPEATS = bad("camera", ServiceCode.FROZEN)
COVERED = bad("camera", Code.COVERED)
OTHER_SET = bad("tiles", ServiceCode.ANOTHER_SET_IN_PLAY)
WEBHOOK = bad("webhook floor", ServiceCode.CHANNEL_FAULT, blocks=False)
UNKNOWN = bad("something new", ServiceCode.NOT_REACHED)


def live(*checks: Check, age_s: float = 0.0, picture: bool = True) -> LiveState:
    made = LiveState(3, stale_after_s=10)
    if picture:
        made.publish_picture(View(1, datetime.now(UTC) - timedelta(seconds=age_s), lambda: b""), HOUSE_RIGHT)
    for check in checks:
        made.check(check)
    return made


@pytest.mark.parametrize(
    ("checks", "calibrated", "expected", "more"),
    [
        ((), True, StatusCode.VERIFYING, 0),
        ((), False, StatusCode.NOT_CALIBRATED, 0),
        ((WEBHOOK,), True, StatusCode.ATTENTION, 0),
        ((WEBHOOK,), False, StatusCode.NOT_CALIBRATED, 1),
        ((GONE,), True, StatusCode.SOURCE_LOST, 0),
        ((FROZEN,), True, StatusCode.SAME_PICTURE, 0),
        ((REPEATS,), True, StatusCode.SAME_PICTURE, 0),
        ((BLACK,), True, StatusCode.BAD_PICTURES, 0),
        ((CLOCK,), True, StatusCode.CLOCK_NOT_SET, 0),
        ((MOVED,), True, StatusCode.CAMERA_MOVED, 0),
        ((COVERED,), True, StatusCode.VIEW_NOT_CLEAR, 0),
        ((OTHER_SET,), True, StatusCode.SET_IN_DOUBT, 0),
        ((UNKNOWN,), True, StatusCode.CHECK_FAILED, 0),
        ((CLOCK, GONE, WEBHOOK), False, StatusCode.SOURCE_LOST, 2),
        ((GONE, RECORD), True, StatusCode.NOT_RECORDING, 1),
    ],
)
def test_what_must_be_mended_first_is_told(
    checks: Sequence[Check], *, calibrated: bool, expected: StatusCode, more: int
) -> None:
    status = table_status(live(*checks), "camera", calibrated=calibrated)
    assert (status.finding.code, status.more) == (expected, more)
    assert status.verifying is (expected in {StatusCode.VERIFYING, StatusCode.ATTENTION})
    assert (status.level == "well") is (expected is StatusCode.VERIFYING)
    assert status_text(status)


def test_a_table_without_a_picture_is_starting_and_then_gone() -> None:
    starting = table_status(live(picture=False), "camera", calibrated=True)
    assert (starting.finding.code, starting.verifying) == (StatusCode.STARTING, False)
    silent = table_status(live(age_s=20.4), "camera", calibrated=True)
    assert silent.finding == Finding.of(StatusCode.NO_NEW_PICTURE, seconds=20)
    frozen = table_status(live(FROZEN, age_s=7), "camera", calibrated=True)
    assert frozen.finding == Finding.of(StatusCode.SAME_PICTURE, seconds=7)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("path", "Recording, not a live table. All checks OK."),
        ("simulator", "Simulated table. All checks OK."),
        ("camera", "All checks OK."),
        ("rtsp", "All checks OK."),
        ("picamera2", "All checks OK."),
    ],
)
def test_a_recording_is_never_told_as_a_live_table(kind: str, said: str) -> None:
    assert status_text(table_status(live(), kind, calibrated=True)) == said


def test_the_page_and_the_interface_say_the_same() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    with signed_in(app) as client:
        show(app)
        told = client.get("/v1/tables/test").json()["local"]["status"]
        assert told == {
            "pictures": "recording",
            "level": "fault",
            "verifying": False,
            "code": "not_calibrated",
            "message": "No calibration: nothing can be verified",
            "more": 0,
        }
        for path in ("/", "/tables/test/board", "/tables/test/status", "/tables/test/health", "/rounds"):
            page = client.get(path).text
            assert "No calibration: nothing can be verified" in page
            assert "Recording, not a live table" in page
            assert "All checks OK" not in page
        client.get("/language/zh-Hant")
        assert translations("zh-Hant").gettext("Recording, not a live table") in client.get("/").text


def test_verdict_and_picture_are_of_one_moment() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    parts = app.state.parts
    with signed_in(app) as client:
        show(app)
        before = client.get("/tables/test/board").text
        play(app, HOUSE_WRONG)
        assert "picture=1" in client.get("/tables/test/board").text
        report = parts.only.live.state.current.model_copy(update={"revision": 9, "number": 77})
        parts.only.live.publish_rounds(report)
        assert "round 77" not in client.get("/tables/test/board").text
        parts.only.live.publish_picture(View(2, datetime.now(UTC), lambda: b"\xff\xd8 second"), HOUSE_WRONG)
        board = client.get("/tables/test/board").text
        assert "round 77" in board
        assert "picture=2" in board
        assert "Wrong" not in before
        view = "/v1/tables/test/view.jpg"
        assert client.get(view, params={"picture": 1}).content == b"\xff\xd8 picture"
        assert client.get(view).content == b"\xff\xd8 second"
        assert client.get(view, params={"picture": 999}).content == b"\xff\xd8 second"


def test_each_change_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    state = live()

    def status() -> TableStatus:
        return table_status(state, "path", calibrated=True)

    async def logged(count: int) -> None:
        await asyncio.to_thread(wait_until, lambda: len(caplog.records) == count)

    async def watch() -> None:
        async with status_logged(lambda: {"test": status()}, every_s=0.001):
            await asyncio.sleep(0.1)  # as it should be: nothing is logged
            state.check(GONE)
            await logged(1)
            state.check(Check.of("source", ServiceCode.SOURCE_WELL, ok=True))
            await logged(2)

    with caplog.at_level(logging.INFO, "service.table.monitor.table_status"):
        asyncio.run(watch())
    well = "Recording, not a live table. All checks OK."
    assert [(each.levelname, each.message) for each in caplog.records] == [
        ("WARNING", "Recording, not a live table. Source gone: no pictures."),
        ("INFO", well),
    ]


def test_the_first_picture_may_take_longer_than_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    made = LiveState(3, stale_after_s=10, first_after_s=40)
    silent_s = 39.0
    monkeypatch.setattr(made, "silent_s", lambda: silent_s)
    assert made.health() == ()
    silent_s = 41.0
    assert [check.name for check in made.health() if not check.ok] == ["pictures"]
    silent_s = 11.0
    made.publish_picture(View(1, datetime.now(UTC), lambda: b""), HOUSE_RIGHT)
    assert [check.name for check in made.health() if not check.ok] == ["pictures"]
