"""The table's source in a process of its own, as the service sees it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import cv2
import pytest

from service.record.ledger import Ledger, open_record
from service.rounds.judge.rules_in_force import TableRules
from service.system.settings import Config
from service.system.table_settings import SourceConfig
from service.table.live_state import LiveState
from service.table.source import calibration_of, open_table, settings_of, simulated
from service.table.worker import Instruments, Worker
from tests.service.stand_ins import FakeReader, app_of, config, picture, signed_in, wait_until, with_table
from tests.vision.cameras import Odd, Opener
from vision.capture import CameraSettings, CaptureTimeouts, Frame, FrameSource, IsolatedSource, SourceError
from vision.capture.faults import CaptureCode

LONG_S = 30.0


def _settings(**source: object) -> Config:
    plain = config()
    return with_table(plain, source=SourceConfig.model_validate({"interval_s": 0.0, **source}))


@contextmanager
def _watching(settings: Config, open_frames: Callable[[Config], FrameSource] = open_table) -> Iterator[LiveState]:
    live, way = LiveState(settings.table.rounds.keep, stale_after_s=LONG_S), TableRules.of("crown-6.1")
    ledger = Ledger(open_record(settings), settings.table.name, way)
    worker = Worker(settings, live, way, ledger, Instruments(FakeReader(), open_frames=open_frames))
    worker.start()
    try:
        yield live
    finally:
        worker.stop()
        ledger.record.close()


def test_a_hanging_camera_is_reported_and_comes_back(tmp_path: Path) -> None:
    timeouts = CaptureTimeouts(open_s=LONG_S, frame_s=0.5, grace_s=0.1, first_pause_s=1.0)

    def open_odd(_: Config) -> IsolatedSource:
        return IsolatedSource("odd", Opener(partial(Odd, "hang", 3, tmp_path)), timeouts=timeouts)

    with _watching(_settings(kind="camera"), open_odd) as live:
        wait_until(lambda: live.state.view is not None)
        wait_until(lambda: any(not check.ok for check in live.health()))
        (bad,) = (check for check in live.health() if not check.ok)
        assert (bad.name, bad.findings[0].code) == ("source", CaptureCode.PROCESS_SILENT)
        assert live.capture is not None
        assert live.capture.last_error == bad.findings[0]
        wait_until(lambda: all(check.ok for check in live.health()))
        wait_until(lambda: live.capture is not None and live.capture.state == "running")
        assert live.capture.restarts == 1


def test_the_table_shows_what_was_counted(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), picture())
    with signed_in(app_of(_settings(path=tmp_path), reader=FakeReader())) as client:

        def capture() -> dict[str, object]:
            return client.get("/v1/tables/test").json()["local"]["capture"] or {}

        wait_until(lambda: capture().get("delivered", 0) > 2)  # type: ignore[operator]
        told = capture()
        assert told["state"] == "running"
        assert told["restarts"] == told["bad"] == told["dropped"] == 0
        assert "<dt>State</dt><dd>running</dd>" in client.get("/tables/test/health").text


def test_a_simulated_table_plays_on_and_brings_its_calibration() -> None:
    settings = _settings(kind="simulator", simulator="seed=3,rounds=1,fps=20,size=512x288,pace=0.5")
    calibration = calibration_of(settings)
    assert calibration is not None
    source = open_table(settings)
    seen = iter(source)
    first, second = next(seen), next(seen)
    source.close()
    assert source.live
    assert isinstance(first, Frame)
    assert isinstance(second, Frame)
    assert first.image.shape == (288, 512, 3)
    assert second.sequence > first.sequence
    assert second.captured_at > first.captured_at


def test_a_simulated_table_plays_by_its_own_rulebook() -> None:
    def session(text: str, **changes: object) -> str:
        return simulated(with_table(_settings(kind="simulator", simulator=text), **changes).table)

    assert session("seed=3") == "simulator:rulebook=crown-6.1,seed=3"
    assert session("rulebook=nz-1998") == "simulator:rulebook=nz-1998"
    assert session("") == "simulator:rulebook=crown-6.1"
    assert session("seed=3", variant="crown-pai-gow") == "simulator:rulebook=crown-6.1,variant=crown-pai-gow,seed=3"
    assert (
        session("rulebook=crown-6.1", variant="crown-pai-gow") == "simulator:variant=crown-pai-gow,rulebook=crown-6.1"
    )


@pytest.mark.parametrize(
    ("text", "says"), [("sed=3", "no setting is called 'sed'"), ("rulebook=macau", "macau"), ("rounds=0", "one round")]
)
def test_what_cannot_be_simulated_is_said(text: str, says: str) -> None:
    with pytest.raises(SourceError, match=says):
        calibration_of(_settings(kind="simulator", simulator=text))


def test_settings_reach_the_camera() -> None:
    settings = _settings(
        kind="picamera2", size=[1536, 864], fps=10, exposure_us=9000, gain=2.0, colour_gains=[2.0, 1.5], focus=0.7
    )
    assert settings_of(settings.table.watched) == CameraSettings((1536, 864), 10.0, 9000, 2.0, (2.0, 1.5), None, 0.7)
    assert calibration_of(settings) is None
