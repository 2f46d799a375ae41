"""Pi and USB cameras against stand-ins of what they stand on, network cameras against a real server."""

import importlib.util
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.vision.cameras import CUT, WHOLE, until
from vision.capture import BadFrame, CameraSettings, CaptureError, CaptureTimeouts, Frame, OpenCvCamera, PiCamera, Shot
from vision.capture.camera import moment
from vision.capture.faults import CaptureCode
from vision.capture.liveness import FrozenError, LivenessCheck, blank_fault
from vision.capture.sources import open_source
from vision.findings import Finding

SOON_S = 5.0
SMALL = CameraSettings(size=(64, 48))
HERE = Path(__file__).parents[1]


@pytest.fixture
def pi(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a module made here
    spec = importlib.util.spec_from_file_location("picamera2", HERE / "picamera2_stand_in.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "picamera2", module)
    spec.loader.exec_module(module)
    return module


def test_the_pi_camera_gives_pictures_and_every_buffer_back(pi: Any) -> None:  # noqa: ANN401
    camera = PiCamera(0, SMALL)
    shots = [camera.read() for _ in range(12)]  # three times as many as there are buffers
    camera.close()
    camera.close()
    assert [int(shot.image[0, 0, 2]) for shot in shots] == list(range(12))
    assert tuple(shots[0].image[5, 5, :2]) == (200, 100)
    age = datetime.now(UTC) - shots[-1].captured_at
    assert timedelta(milliseconds=50) <= age < timedelta(seconds=SOON_S)
    assert shots[-1].monotonic_ns is not None
    assert 50_000_000 <= time.monotonic_ns() - shots[-1].monotonic_ns < SOON_S * 1e9
    (opened,) = pi.Picamera2.opened
    assert opened.closed
    assert opened.free.qsize() == 4


@pytest.mark.usefixtures("pi")
def test_the_pi_cameras_small_picture_has_no_padding() -> None:
    camera = PiCamera(0, CameraSettings(size=(200, 112)))
    shot = camera.read()
    camera.close()
    assert shot.small is not None
    assert shot.small.shape == (28, 50)
    assert set(np.unique(shot.small)) == {50, 91}


@pytest.mark.parametrize(
    ("settings", "controls"),
    [
        pytest.param(SMALL, {"FrameDurationLimits": (33_333, 33_333)}, id="all-automatic"),
        pytest.param(
            CameraSettings(size=(64, 48), fps=10, exposure_us=60_000, gain=4.0, colour_gains=(2.1, 1.6), focus=0.8),
            {
                "FrameDurationLimits": (100_000, 100_000),
                "AeEnable": False,
                "ExposureTime": 60_000,
                "AnalogueGain": 4.0,
                "AwbEnable": False,
                "ColourGains": (2.1, 1.6),
                "AfMode": 0,
                "LensPosition": 0.8,
            },
            id="all-locked",
        ),
        pytest.param(
            CameraSettings(size=(64, 48), exposure_us=10_000),
            {"FrameDurationLimits": (33_333, 33_333), "ExposureTime": 10_000},
            id="gain-automatic",
        ),
    ],
)
def test_the_pi_camera_is_locked_before_its_first_picture(
    pi: Any,  # noqa: ANN401
    settings: CameraSettings,
    controls: dict[str, object],
) -> None:
    camera = PiCamera(0, settings)
    (opened,) = pi.Picamera2.opened
    assert opened.controls == controls
    camera.close()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (CameraSettings(size=(64, 48), gain=40.0), r"control=AnalogueGain, least=1\.12, most=16, value=40"),
        (CameraSettings(size=(64, 48), colour_gains=(2.0, 40.0)), "control=ColourGains, least=0, most=32, value=40"),
        (CameraSettings(size=(64, 48), exposure_us=5), "control=ExposureTime, least=13"),
        (CameraSettings(size=(64, 48), exposure_us=40_000), "exposure_too_long.*longest_us=33333"),
        (CameraSettings(size=(64, 48), focus=1.0), "control_missing.*AfMode"),
        (CameraSettings(size=(9216, 2592)), "given=4608x2592.*asked=9216x2592"),
    ],
)
def test_a_setting_a_pi_camera_lacks_is_named(
    pi: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
    settings: CameraSettings,
    says: str,
) -> None:
    monkeypatch.setattr(pi.Picamera2, "has_focus", False)
    with pytest.raises(CaptureError, match=says):
        PiCamera(0, settings)
    assert all(opened.closed for opened in pi.Picamera2.opened)


def test_a_pi_camera_that_hangs_is_an_error_in_time(pi: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    monkeypatch.setattr(pi.Picamera2, "stalled", True)
    camera = PiCamera(0, SMALL, timeout_s=0.05)
    with pytest.raises(CaptureError, match=r"silent\(.*seconds=0\.05"):
        camera.read()
    camera.close()


@pytest.mark.usefixtures("pi")
def test_a_pi_without_that_camera_says_so() -> None:
    with pytest.raises(CaptureError, match="ribbon_camera_not_opening"):
        PiCamera(1)


def test_a_stalled_pi_camera_that_cannot_stop_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(HERE / "picamera2_stand_in.py", tmp_path / "picamera2.py")
    monkeypatch.syspath_prepend(tmp_path)  # a child looks for modules where its parent does
    monkeypatch.setenv("PICAMERA2_STALLS_AFTER", "5")
    monkeypatch.setenv("PICAMERA2_STOP_HANGS", "yes")
    timeouts = CaptureTimeouts(open_s=30, frame_s=0.5, grace_s=0.1, first_pause_s=0.02)
    source = open_source("picamera2", SMALL, timeouts)
    findings: set[str] = set()  # more than once on a busy machine
    for seen in source:
        if isinstance(seen, BadFrame):
            findings.add(str(seen.finding))
        elif findings:
            break
    source.close()
    assert isinstance(seen, Frame)
    assert seen.image.shape == (48, 64, 3)
    assert findings == {"process_silent(name=picamera2, seconds=0.5)"}


class _Driver:
    """What OpenCV makes of a V4L2 camera: an answer to each property, and the driver's time of the last picture."""

    refuses: int | None = None
    widths = (640, 1920)
    sends = WHOLE

    def __init__(self, number: int, api: int) -> None:
        assert (number, api) == (2, cv2.CAP_V4L2)
        self.asked: list[tuple[int, float]] = []
        self.taken_ns = 0
        self.released = False
        made.append(self)

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, prop: int, value: float) -> bool:
        self.asked.append((prop, value))
        return prop != self.refuses

    def get(self, prop: int) -> float:
        if prop == cv2.CAP_PROP_POS_MSEC:
            return self.taken_ns / 1e6
        asked = dict(self.asked)
        width = asked.get(cv2.CAP_PROP_FRAME_WIDTH, 640)
        return {
            cv2.CAP_PROP_FRAME_WIDTH: min(width, 1920.0),
            cv2.CAP_PROP_FRAME_HEIGHT: 1080.0,
            cv2.CAP_PROP_FOURCC: asked.get(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"YUYV")),
        }[prop]

    def read(self) -> tuple[bool, Any]:
        self.taken_ns = time.monotonic_ns() - 40_000_000
        if dict(self.asked).get(cv2.CAP_PROP_CONVERT_RGB, 1):
            return True, np.zeros((4, 4, 3), np.uint8)
        return True, np.frombuffer(self.sends, np.uint8).reshape(1, -1)

    def release(self) -> None:
        self.released = True


made: list[_Driver] = []


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> type[_Driver]:
    made.clear()
    monkeypatch.setattr(cv2, "VideoCapture", _Driver)
    return _Driver


@pytest.mark.usefixtures("driver")
def test_a_usb_camera_is_locked_automatics_first() -> None:
    settings = CameraSettings((1920, 1080), 15.0, exposure_us=8_000, gain=3.0, white_balance_k=4_600, focus=30.0)
    camera = OpenCvCamera(2, settings)
    shot = camera.read()
    camera.close()
    assert made[0].asked == [
        (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),
        (cv2.CAP_PROP_FRAME_WIDTH, 1920),
        (cv2.CAP_PROP_FRAME_HEIGHT, 1080),
        (cv2.CAP_PROP_FPS, 15.0),
        (cv2.CAP_PROP_AUTO_EXPOSURE, 1),
        (cv2.CAP_PROP_EXPOSURE, 80),  # of 100 us
        (cv2.CAP_PROP_GAIN, 3.0),
        (cv2.CAP_PROP_AUTO_WB, 0),
        (cv2.CAP_PROP_WB_TEMPERATURE, 4_600),
        (cv2.CAP_PROP_AUTOFOCUS, 0),
        (cv2.CAP_PROP_FOCUS, 30.0),
        (cv2.CAP_PROP_CONVERT_RGB, 0),
    ]
    assert isinstance(shot, Shot)
    assert shot.image.shape == (96, 128, 3)
    assert shot.monotonic_ns is not None
    assert abs(shot.monotonic_ns - made[0].taken_ns) < 1_000_000
    assert timedelta(milliseconds=40) <= datetime.now(UTC) - shot.captured_at < timedelta(seconds=SOON_S)
    assert made[0].released


def test_a_usb_cameras_picture_that_lost_its_end_is_a_fault(
    driver: type[_Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = OpenCvCamera(2, CameraSettings(size=(1920, 1080)))
    assert isinstance(camera.read(), Shot)
    monkeypatch.setattr(driver, "sends", CUT)
    damaged = camera.read()
    assert isinstance(damaged, Finding)
    assert damaged.code is CaptureCode.PICTURE_DAMAGED
    monkeypatch.setattr(driver, "sends", WHOLE)
    assert isinstance(camera.read(), Shot)


@pytest.mark.usefixtures("driver")
def test_a_usb_camera_that_sends_no_jpeg_is_left_alone() -> None:
    shot = OpenCvCamera(2).read()
    assert isinstance(shot, Shot)
    assert shot.image.shape == (4, 4, 3)
    assert made[0].asked == []


def test_a_usb_camera_that_refuses_a_setting_is_named_with_it(
    driver: type[_Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "refuses", cv2.CAP_PROP_FOCUS)
    with pytest.raises(CaptureError, match="name=camera 2, property=CAP_PROP_FOCUS, value=30, key=focus"):
        OpenCvCamera(2, CameraSettings(focus=30.0))
    monkeypatch.setattr(driver, "refuses", None)
    with pytest.raises(CaptureError, match="property=CAP_PROP_FRAME_WIDTH, value=3840, key=size"):
        OpenCvCamera(2, CameraSettings(size=(3840, 1080)))
    assert all(each.released for each in made)


@pytest.mark.parametrize(("age_s", "known"), [(None, False), (0.25, True), (-1.0, False), (3600.0, False)], ids=str)
def test_a_time_that_cannot_be_is_taken_as_now(age_s: float | None, known: bool) -> None:  # noqa: FBT001
    now_ns = time.monotonic_ns()
    taken_ns = None if age_s is None else now_ns - round(age_s * 1e9)
    at, at_ns = moment(time.CLOCK_MONOTONIC, taken_ns)
    assert (abs(at_ns - (taken_ns or 0)) < 1_000_000) == known
    assert known or 0 <= at_ns - now_ns < SOON_S * 1e9
    assert abs((datetime.now(UTC) - at).total_seconds() - (time.monotonic_ns() - at_ns) / 1e9) < 0.01


NOISE = np.random.default_rng(5).integers(0, 6, (60, 80), np.uint8)


@pytest.mark.parametrize(
    ("small", "says"),
    [
        pytest.param(NOISE, "black", id="a-covered-lens"),
        pytest.param(NOISE + 16, "black", id="black-as-video-has-it"),
        pytest.param(np.zeros((60, 80, 3), np.uint8), "black", id="nothing"),
        pytest.param(np.full((60, 80, 3), (0, 135, 0), np.uint8), "plain", id="green"),
        pytest.param(np.where(np.arange(4800).reshape(60, 80) < 10, 255, NOISE), "black", id="hot-pixels"),
        pytest.param(np.where(np.arange(4800).reshape(60, 80) < 100, 90, NOISE + 20), None, id="a-dark-pit"),
        pytest.param(NOISE + 100, None, id="felt-and-noise"),
    ],
)
def test_black_and_plain_pictures_are_faults(small: Any, says: str | None) -> None:  # noqa: ANN401
    found = blank_fault(small.astype(np.uint8))
    assert (found is None) == (says is None)
    assert says is None or says in str(found)


def test_pictures_alike_to_the_last_bit_are_frozen() -> None:
    one, other = NOISE + 60, NOISE + 60
    other[0, 0] += 1
    watch = LivenessCheck("camera", 2.0)
    for at, picture in enumerate((one, one, other, other, one)):
        assert watch.check(picture, float(at)) is None
    assert watch.check(one, 5.9) is None
    with pytest.raises(FrozenError) as frozen:
        watch.check(one, 6.0)
    again = LivenessCheck("camera", 2.0, frozen.value.checksum)
    assert "still" in str(again.check(one, 0.0))
    assert again.check(other, 0.1) is None
    assert again.check(one, 0.2) is None
    never = LivenessCheck("camera", 0.0)
    assert [never.check(one, at) for at in (0.0, 1e6)] == [None, None]


SERVER = HERE / "rtsp_server.py"
SYSTEM_PYTHON = "/usr/bin/python3"


@contextmanager
def _rtsp_server(port: int) -> Iterator[None]:
    with subprocess.Popen(
        [SYSTEM_PYTHON, "-I", str(SERVER), str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline().strip() == b"serving"
        try:
            yield
        finally:
            server.kill()


def _gstreamer() -> bool:
    asked = [SYSTEM_PYTHON, "-I", str(SERVER)]
    return Path(SYSTEM_PYTHON).exists() and subprocess.run(asked, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(
    not _gstreamer(), reason="needs Debian's gir1.2-gst-rtsp-server-1.0, python3-gi and gstreamer1.0-plugins-good"
)
def test_an_rtsp_server_that_goes_and_comes_back() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    timeouts = CaptureTimeouts(open_s=20, frame_s=1.5, grace_s=0.2, first_pause_s=0.1, longest_pause_s=0.3)
    source = open_source(f"rtsp://user:secret@127.0.0.1:{port}/table", None, timeouts)
    seen = iter(source)
    with _rtsp_server(port):
        *_, first = until(seen, lambda each: isinstance(each, Frame))
    *_, gone = until(seen, lambda each: isinstance(each, BadFrame))
    *_, refused = until(seen, lambda each: isinstance(each, BadFrame))
    with _rtsp_server(port):
        *_, back = until(seen, lambda each: isinstance(each, Frame))
        statistics = source.statistics  # type: ignore[attr-defined]
        source.close()
    assert isinstance(first, Frame)
    assert isinstance(gone, BadFrame)
    assert isinstance(refused, BadFrame)
    assert isinstance(back, Frame)
    assert first.image.shape == (240, 320, 3)
    assert first.name.startswith(f"rtsp://127.0.0.1:{port}/table#")
    assert back.sequence > refused.sequence > gone.sequence > first.sequence
    assert refused.finding.code in {CaptureCode.NOT_OPENING, CaptureCode.PROCESS_SLOW_TO_OPEN}
    assert "secret" not in f"{gone.finding} {refused.finding} {statistics.last_error}"
    assert statistics.restarts >= 1
    assert back.monotonic_ns is not None
