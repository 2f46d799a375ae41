import importlib.util
import re
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture import BadFrame, Frame, SourceError
from vision.capture.faults import CaptureCode
from vision.capture.sources import VideoSource, open_source


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
    assert bad.finding.code is CaptureCode.FILE_UNREADABLE
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


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no files in memory on this system")  # noqa: S108
def test_files_in_memory_are_no_camera() -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        (frame,) = open_source(picture(Path(folder) / "a.png", 10))
        assert isinstance(frame, Frame)
        assert open_source(folder).length == 1


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


def test_a_video_picture_that_lost_its_end_is_a_bad_frame(tmp_path: Path) -> None:
    path = tmp_path / "round.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (128, 96))
    noise = np.random.default_rng(1)
    for _ in range(3):
        writer.write(noise.integers(0, 256, (96, 128, 3), np.uint8))
    writer.release()
    data = bytearray(path.read_bytes())
    starts = [found.start() for found in re.finditer(rb"\xff\xd8\xff", data)]
    cut = (starts[1] + starts[2]) // 2
    data[cut : data.rindex(b"\xff\xd9", 0, starts[2])] = b"\xff\xd9" + bytes(
        data.rindex(b"\xff\xd9", 0, starts[2]) - cut - 2
    )
    path.write_bytes(data)
    first, damaged, last = open_source(path)
    assert isinstance(first, Frame)
    assert isinstance(last, Frame)
    assert isinstance(damaged, BadFrame)
    assert damaged.finding.code is CaptureCode.PICTURE_DAMAGED
    assert damaged.name == "round.avi#1"


def test_times_in_a_video_rise_where_its_own_start_again(tmp_path: Path) -> None:
    part, path = tmp_path / "part.ts", tmp_path / "joined.ts"
    writer = cv2.VideoWriter(str(part), cv2.VideoWriter.fourcc(*"mp4v"), 10.0, (64, 48))
    for level in range(0, 200, 10):
        writer.write(np.full((48, 64, 3), level, np.uint8))
    writer.release()
    path.write_bytes(2 * part.read_bytes())
    own = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    said_ms = []
    while own.grab():
        said_ms.append(own.get(cv2.CAP_PROP_POS_MSEC))
    own.release()
    assert min(np.diff(said_ms)) < -1000  # else there is nothing to be put right
    frames = [seen for seen in open_source(path) if isinstance(seen, Frame)]
    assert len(frames) == len(said_ms) > 30
    steps_s = np.diff([frame.captured_at.timestamp() for frame in frames])
    assert steps_s == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize(
    ("name", "message"),
    [("gone.mp4", "no_such_source"), ("picamera2:x", "no_camera_number"), ("bad.mp4", "not_a_video")],
)
def test_a_source_that_is_none_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    with pytest.raises(SourceError, match=message):
        open_source(name if ":" in name else str(tmp_path / name))


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no_pictures_in_folder"):
        open_source(tmp_path)


def test_a_missing_network_camera_is_named_without_password() -> None:
    source = open_source("rtsp://user:secret@127.0.0.1:9/stream?user=admin&password=secret")
    (bad,) = islice(source, 1)
    source.close()
    assert source.live
    assert isinstance(bad, BadFrame)
    assert "127.0.0.1:9" in str(bad.finding)
    assert "secret" not in f"{bad.finding} {bad.name}"


@pytest.mark.parametrize("scheme", ["rtmp", "RTSP", "ftp"])
def test_an_address_of_another_kind_is_named_without_password(scheme: str) -> None:
    with pytest.raises(SourceError, match="no_such_source") as refusal:
        open_source(f"{scheme}://user:secret@10.0.0.7/stream?key=secret")
    assert "secret" not in str(refusal.value)
    assert "10.0.0.7" in str(refusal.value)


@pytest.mark.skipif(importlib.util.find_spec("picamera2") is not None, reason="picamera2 is installed")
def test_off_a_pi_the_message_says_how_to_get_picamera2() -> None:
    (bad,) = islice(source := open_source("picamera2"), 1)
    source.close()
    assert isinstance(bad, BadFrame)
    assert bad.finding.code is CaptureCode.PICAMERA2_MISSING
