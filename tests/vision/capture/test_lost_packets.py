"""A stream with lost parts is reported: its pictures are unreliable until the next key frame."""

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.conftest import ROOT

# In a process of its own, as the service reads cameras: standard error is followed there.
READ = """
import json, sys
from vision.capture.opencv import OpenCvCamera
from vision.capture.camera import CaptureError, Shot
camera, seen = OpenCvCamera(sys.argv[1]), []
try:
    while True:
        shot = camera.read()
        seen.append(None if isinstance(shot, Shot) else str(shot.code))
except CaptureError:
    pass
camera.close()
print("about rtsp://u:hunter2@host", file=sys.stderr)
print(json.dumps(seen))
"""


PACKET = 188
"""Bytes of a packet of an MPEG transport stream."""


def read(path: Path) -> list[str | None]:
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert "about" in done.stderr
    assert "@ 0x" not in done.stderr
    findings: list[str | None] = json.loads(done.stdout)
    return findings


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of MPEG-4, which hides losses as H.264 does, and for which OpenCV has an encoder."""
    path = tmp_path_factory.mktemp("film") / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"mp4v"), 25, (320, 240))
    if not writer.isOpened():
        pytest.skip("this OpenCV writes no MPEG-4")
    ground = np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8)
    for number in range(60):
        picture = ground.copy()
        cv2.circle(picture, (20 + 4 * number, 120), 20, (255, 255, 255), -1)
        writer.write(picture)
    writer.release()
    return path


def test_a_whole_stream_has_no_fault(film: Path) -> None:
    assert set(read(film)) == {None}


def test_lost_parts_are_reported_until_a_picture_is_sent_whole(film: Path, tmp_path: Path) -> None:
    data = bytearray(film.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 3000] = bytes(3000)
    (tmp_path / "lost.avi").write_bytes(data)
    seen = read(tmp_path / "lost.avi")
    first = seen.index("stream_damaged")
    assert 10 < first < 50
    assert set(seen[:first]) == {None}
    assert seen[first:].count("stream_damaged") > 1
    assert seen[-1] is None


@pytest.mark.parametrize("share", [0.2, 0.3, 0.4])
@pytest.mark.slow
def test_lost_packets_of_h264(shared: Path, tmp_path: Path, share: float) -> None:
    """A real H.264 stream of two groups of pictures, of which some packets of the first are lost."""
    data = (shared / "cases" / "video_timestamps_restart.ts").read_bytes()
    at = round(share * len(data)) // PACKET * PACKET
    (tmp_path / "whole.ts").write_bytes(data)
    (tmp_path / "lost.ts").write_bytes(data[:at] + data[at + 4 * PACKET :])
    assert set(read(tmp_path / "whole.ts")) == {None}
    seen = read(tmp_path / "lost.ts")
    assert "stream_damaged" in seen
    # The last group begins with a picture that is sent whole.
    assert set(seen[-15:]) == {None}
