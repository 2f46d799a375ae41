from __future__ import annotations

import importlib.util
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture import Camera, CaptureError, PiCamera, Shot, without_password
from vision.frames import BadFrame, Frame, LiveSource, SourceError, StillSource, VideoSource, open_source

SOON_S = 5.0


def picture(path: Path, level: int) -> Path:
    cv2.imwrite(str(path), np.full((48, 64, 3), level, np.uint8))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    picture(tmp_path / "a.png", 10)
    (tmp_path / "b.jpg").write_bytes(b"not a picture")
    (tmp_path / "b.json").write_text("{}")
    picture(tmp_path / "c.PNG", 30)
    return tmp_path


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "round.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    for level in (0, 60, 120, 180):
        writer.write(np.full((48, 64, 3), level, np.uint8))
    writer.release()
    return path


def test_one_bad_file_does_not_stop_the_folder(folder: Path) -> None:
    source = open_source(folder)
    first, bad, last = list(source)
    assert (source.length, source.live) == (3, False)
    assert isinstance(first, Frame)
    assert isinstance(bad, BadFrame)
    assert isinstance(last, Frame)
    assert [seen.sequence for seen in (first, bad, last)] == [0, 1, 2]
    assert [seen.name for seen in (first, bad, last)] == ["a.png", "b.jpg", "c.PNG"]
    assert "not a picture" in bad.message
    assert (first.image == 10).all()
    assert (last.image == 30).all()
    assert first.captured_at.tzinfo is UTC
    assert abs(datetime.now(UTC) - first.captured_at) < timedelta(minutes=5)
    assert first.path == folder / "a.png"


def test_a_file_that_goes_while_the_folder_is_read_is_a_bad_frame(folder: Path) -> None:
    source = open_source(str(folder))
    (folder / "c.PNG").unlink()
    *_, last = source
    assert isinstance(last, BadFrame)


def test_one_picture_is_a_source(folder: Path) -> None:
    (frame,) = open_source(folder / "a.png")
    assert isinstance(frame, Frame)


def test_a_video_gives_every_frame_and_starts_over(video: Path) -> None:
    source = open_source(video)
    assert isinstance(source, VideoSource)
    assert source.length == 4
    for _ in range(2):
        frames = [seen for seen in source if isinstance(seen, Frame)]
        assert [frame.sequence for frame in frames] == [0, 1, 2, 3]
        assert [float(frame.image.mean()) for frame in frames] == pytest.approx([0, 60, 120, 180], abs=3)
        spacing = (frames[3].captured_at - frames[0].captured_at).total_seconds()
        assert spacing == pytest.approx(0.3, abs=0.02)
    source.close()


@pytest.mark.parametrize(
    ("name", "message"), [("gone.mp4", "no such file"), ("picamera2:x", "picamera2:NUMBER"), ("bad.mp4", "neither")]
)
def test_a_source_that_is_none_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    with pytest.raises(SourceError, match=message):
        open_source(name if ":" in name else str(tmp_path / name))


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no pictures"):
        open_source(tmp_path)


class Scripted:
    """A camera that gives one shot each time it is let, then fails."""

    def __init__(self, shots: int, gate: threading.Semaphore | None = None) -> None:
        self.left = shots
        self.gate = gate
        self.closed = False

    def read(self) -> Shot:
        if self.gate is None:
            time.sleep(0.002)
        else:
            assert self.gate.acquire(timeout=SOON_S)
        if self.left == 0:
            raise CaptureError("the cable is out")
        self.left -= 1
        return Shot(np.full((40, 40, 3), self.left % 256, np.uint8), datetime.now(UTC))

    def close(self) -> None:
        self.closed = True


def test_a_camera_that_drops_out_is_tried_again_with_growing_pauses() -> None:
    attempts: list[float] = []
    cameras: list[Scripted] = []

    def connect() -> Camera:
        attempts.append(time.monotonic())
        if len(attempts) <= 3:
            raise CaptureError("no answer")
        cameras.append(Scripted(100_000))
        return cameras[-1]

    source = LiveSource("test", connect, first_pause_s=0.02, longest_pause_s=0.05)
    good = next(seen for seen in source if isinstance(seen, Frame))
    source.close()
    assert good.sequence >= 3
    assert attempts[1] - attempts[0] >= 0.02
    assert attempts[2] - attempts[1] >= 0.04
    assert 0.05 <= attempts[3] - attempts[2] < SOON_S
    assert all(camera.closed for camera in cameras)


def test_a_fault_nobody_foresaw_does_not_leave_the_reader_waiting() -> None:
    def connect() -> Camera:
        raise ZeroDivisionError("in the driver")

    source = LiveSource("test", connect, first_pause_s=0.01)
    first, second = islice(source, 2)
    source.close()
    assert isinstance(first, BadFrame)
    assert isinstance(second, BadFrame)
    assert "in the driver" in first.message


def test_what_went_wrong_is_told() -> None:
    source = LiveSource("test", lambda: Scripted(0), first_pause_s=60.0)
    (bad,) = islice(source, 1)
    source.close()
    assert isinstance(bad, BadFrame)
    assert (bad.sequence, bad.name, bad.message) == (0, "test", "the cable is out")


def test_a_slow_reader_gets_the_newest_picture_and_sees_what_it_missed() -> None:
    gate = threading.Semaphore(0)
    camera = Scripted(10, gate)
    source = LiveSource("test", lambda: camera, first_pause_s=60.0)
    frames = iter(source)
    gate.release()
    first = next(frames)
    assert first.sequence == 0
    gate.release(4)
    deadline = time.monotonic() + SOON_S
    while camera.left > 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert next(frames).sequence == 4
    gate.release(100)
    source.close()
    assert list(frames) == []
    assert camera.closed


def test_a_network_camera_that_is_not_there_is_told_without_its_password() -> None:
    source = open_source("rtsp://user:secret@127.0.0.1:9/stream")
    (bad,) = islice(source, 1)
    source.close()
    assert source.live
    assert isinstance(bad, BadFrame)
    assert "127.0.0.1:9" in bad.message
    assert "secret" not in bad.message + bad.name


def test_a_password_with_a_slash_or_none_at_all() -> None:
    assert without_password("rtsp://10.0.0.7/a@b") == "rtsp://10.0.0.7/a@b"


@pytest.fixture
def pi(monkeypatch: pytest.MonkeyPatch) -> object:
    path = Path(__file__).with_name("picamera2_stand_in.py")
    spec = importlib.util.spec_from_file_location("picamera2", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "picamera2", module)
    spec.loader.exec_module(module)
    return module


def test_the_pi_camera_gives_pictures_and_every_buffer_back(pi: object) -> None:
    camera = PiCamera(0, (64, 48))
    shots = [camera.read() for _ in range(12)]  # three times as many as there are buffers
    camera.close()
    camera.close()
    assert [int(shot.image[0, 0, 2]) for shot in shots] == list(range(12))
    assert tuple(shots[0].image[5, 5, :2]) == (200, 100)
    age = datetime.now(UTC) - shots[-1].captured_at
    assert timedelta(milliseconds=50) <= age < timedelta(seconds=SOON_S)
    (opened,) = pi.Picamera2.opened  # type: ignore[attr-defined]
    assert opened.closed
    assert opened.free.qsize() == 4


def test_a_pi_camera_that_hangs_is_an_error_in_time(pi: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pi.Picamera2, "stalled", True)  # type: ignore[attr-defined]
    camera = PiCamera(0, (64, 48), timeout_s=0.05)
    with pytest.raises(CaptureError, match=r"no picture for 0\.05 s"):
        camera.read()
    camera.close()


@pytest.mark.usefixtures("pi")
def test_a_pi_without_that_camera_says_so() -> None:
    with pytest.raises(CaptureError, match="ribbon cable"):
        PiCamera(1)


def test_off_a_pi_the_message_says_how_to_get_picamera2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    (bad,) = islice(source := open_source("picamera2"), 1)
    source.close()
    assert isinstance(bad, BadFrame)
    assert "apt install" in bad.message


def test_a_source_may_be_closed_twice_and_before_it_is_read() -> None:
    source = LiveSource("test", lambda: Scripted(0))
    source.close()
    source.close()
    assert list(source) == []
    StillSource(()).close()
