"""A camera in its own process: every fault is reported in time, counted, and recovered from."""

import re
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.conftest import ROOT
from tests.vision.cameras import Odd, Opener, PoisonedFolder, alive, number_of, opened_ns, pids, until
from vision.capture import BadFrame, CaptureTimeouts, Frame, FrameResult, IsolatedSource
from vision.capture.faults import CaptureCode
from vision.capture.sources import PlayedVideo, open_source
from vision.findings import Finding

# A child takes a second to start on a busy machine; what is short here is what the tests wait for.
OPEN_S = 30.0
QUICK = CaptureTimeouts(open_s=OPEN_S, frame_s=0.4, grace_s=0.2, first_pause_s=0.02, longest_pause_s=0.1)


def _source(
    folder: Path, ill: str, after: int = 3, timeouts: CaptureTimeouts = QUICK, **others: object
) -> IsolatedSource:
    opener = Opener(partial(Odd, ill, after, folder, **others), timeouts.frozen_s)  # type: ignore[arg-type]
    return IsolatedSource("odd", opener, timeouts=timeouts)


def _bad(each: FrameResult) -> bool:
    return isinstance(each, BadFrame)


def _good(each: FrameResult) -> bool:
    return isinstance(each, Frame)


@pytest.mark.parametrize(
    ("ill", "found"),
    [
        pytest.param("hang", r"process_silent\(name=.*, seconds=0\.4\)", id="hangs"),
        pytest.param("segfault", r"process_killed\(.*signal=SIGSEGV\)", id="crashes"),
        pytest.param("kill", r"process_killed\(.*signal=SIGKILL\)", id="is-killed"),
        pytest.param("raise", r"unforeseen\(.*why=ZeroDivisionError.*in the driver", id="unforeseen"),
        pytest.param("error", r"not_opening\(name=the cable\)", id="unplugged"),
        pytest.param("end", "source_ended", id="ends"),
    ],
)
@pytest.mark.slow
def test_a_source_recovers_from_any_camera_fault(tmp_path: Path, ill: str, found: str) -> None:
    source = _source(tmp_path, ill)
    seen = iter(source)
    assert _good(next(seen))
    *_, bad = until(seen, _bad)
    assert isinstance(bad, BadFrame)
    assert re.search(found, str(bad.finding))
    assert source.statistics.state in {"waiting", "opening"}
    *_, good = until(seen, _good)
    statistics = source.statistics
    source.close()
    assert isinstance(good, Frame)
    assert good.sequence > bad.sequence
    assert statistics.restarts == 1
    assert statistics.last_error == bad.finding
    assert statistics.state == "running"
    first, second = pids(tmp_path)
    assert first != second
    assert not alive(first)
    assert not alive(second)


def test_a_camera_that_hangs_while_it_is_opened(tmp_path: Path) -> None:
    timeouts = CaptureTimeouts(open_s=1.5, frame_s=OPEN_S, grace_s=0.1, first_pause_s=0.02)
    source = _source(tmp_path, "hang", after=-1, timeouts=timeouts, times=1000)
    (bad,) = islice(source, 1)
    source.close()
    assert isinstance(bad, BadFrame)
    assert bad.finding.code is CaptureCode.PROCESS_SLOW_TO_OPEN
    assert dict(bad.finding.params)["seconds"] == "1.5"
    assert not any(alive(pid) for pid in pids(tmp_path))


def test_pauses_grow_and_are_not_all_alike(tmp_path: Path) -> None:
    timeouts = CaptureTimeouts(open_s=OPEN_S, first_pause_s=0.2, longest_pause_s=0.8)
    source = _source(tmp_path, "error", after=-1, timeouts=timeouts, times=3)
    began = time.monotonic_ns()
    *bad, good = until(iter(source), _good)
    source.close()
    assert len(bad) == 3
    assert {each.finding.code for each in bad if isinstance(each, BadFrame)} == {CaptureCode.NOT_OPENING}
    assert good.sequence >= 3  # of good pictures a busy machine is shown the newest
    starts = [(at - began) / 1e9 for at in opened_ns(tmp_path)]
    # At least half of 0.2, 0.4 and 0.8 s lie between.
    assert [
        later - sooner >= least for sooner, later, least in zip(starts, starts[1:], (0.1, 0.2, 0.4), strict=False)
    ] == [
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(("ill", "code"), [("black", CaptureCode.PICTURE_BLACK), ("plain", CaptureCode.PICTURE_PLAIN)])
def test_an_empty_picture_is_bad_until_something_shows(tmp_path: Path, ill: str, code: CaptureCode) -> None:
    source = _source(tmp_path, ill)
    seen = iter(source)
    assert _good(next(seen))
    *_, bad = until(seen, _bad)
    statistics = source.statistics
    source.close()
    assert isinstance(bad, BadFrame)
    assert bad.finding.code is code
    assert statistics.state == "bad_picture"
    assert statistics.bad >= 1
    assert statistics.restarts == 0


def test_a_frozen_camera_is_reopened_and_not_trusted_at_once(tmp_path: Path) -> None:
    """It even hangs when it is closed, and must be killed."""
    timeouts = CaptureTimeouts(
        open_s=OPEN_S, frame_s=OPEN_S, frozen_s=0.3, grace_s=0.1, first_pause_s=0.02, longest_pause_s=0.05
    )
    source = _source(tmp_path, "freeze", after=0, timeouts=timeouts, times=2)
    seen = iter(source)
    frozen = until(seen, lambda each: _bad(each) and each.finding.code is CaptureCode.PICTURE_FROZEN)  # type: ignore[union-attr]
    assert _good(frozen[0])
    still = until(seen, lambda each: _bad(each) and each.finding.code is CaptureCode.PICTURE_FROZEN)  # type: ignore[union-attr]
    assert all(map(_bad, still))
    codes = {each.finding.code for each in still if isinstance(each, BadFrame)}
    assert CaptureCode.PICTURE_STILL_FROZEN in codes
    # The third time it moves; its first picture is the very one it was frozen with.
    moves = until(seen, _good)
    source.close()
    assert isinstance(moves[-1], Frame)
    assert number_of(moves[-1].image) > 0
    assert not any(alive(pid) for pid in pids(tmp_path))


def test_a_slow_reader_gets_the_newest_picture(tmp_path: Path) -> None:
    source = _source(tmp_path, "none", after=10**6, every_s=0.005)
    seen = iter(source)
    first = next(seen)
    time.sleep(0.5)
    second = next(seen)
    now = datetime.now(UTC)
    third = next(seen)
    statistics = source.statistics
    source.close()
    assert isinstance(first, Frame)
    assert isinstance(second, Frame)
    assert isinstance(third, Frame)
    assert second.sequence - first.sequence > 20
    # The number drawn in the picture is the camera's own count: nothing is mixed up on the way.
    assert number_of(second.image) == second.sequence
    assert number_of(third.image) == third.sequence
    assert second.name == f"odd#{second.sequence}"
    assert now - second.captured_at < timedelta(seconds=0.4)
    assert second.monotonic_ns is not None
    assert 0 <= time.monotonic_ns() - second.monotonic_ns < 5e9
    assert statistics.delivered == 3
    assert statistics.frames >= third.sequence + 1
    assert statistics.dropped >= third.sequence - 2
    assert statistics.lag_ms is not None
    assert statistics.fps is not None
    assert statistics.longest_gap_ms is not None


def test_a_gap_is_counted(tmp_path: Path) -> None:
    timeouts = CaptureTimeouts(open_s=OPEN_S, frame_s=OPEN_S, gap_s=0.1)
    source = _source(tmp_path, "none", after=10**6, timeouts=timeouts, every_s=0.2)
    list(islice(source, 4))
    statistics = source.statistics
    source.close()
    assert statistics.gaps >= 3
    assert statistics.longest_gap_ms is not None
    assert statistics.longest_gap_ms >= 200
    assert statistics.restarts == 0


def test_a_flood_leaves_memory_flat(tmp_path: Path) -> None:
    source = _source(tmp_path, "none", after=10**6, every_s=0.0, size=(1280, 720))
    seen = iter(source)
    list(islice(seen, 20))
    before = _resident_mb()
    for each in islice(seen, 150):
        assert isinstance(each, Frame)
        assert each.image.shape == (720, 1280, 3)
        assert number_of(each.image) == each.sequence % 65_536
    after, frames = _resident_mb(), source.statistics.frames
    child = _resident_mb(*pids(tmp_path))
    source.close()
    assert after - before < 30  # each picture has 2.8 MB
    assert child < 300
    assert frames >= 170  # those passed over for newer ones are more, on a slow machine none


@pytest.mark.slow
def test_restarts_leave_nothing_behind(tmp_path: Path) -> None:
    """No descriptor, no thread, no process."""
    source = _source(tmp_path, "kill", after=1, times=1000)
    seen = iter(source)
    until(seen, _bad)
    before = _descriptors()
    for _ in range(5):
        until(seen, _good)
        until(seen, _bad)
    assert _descriptors() <= before + 8  # those of the child that is being opened
    source.close()
    assert not any(alive(pid) for pid in pids(tmp_path))
    assert "capture odd" not in [thread.name for thread in threading.enumerate()]


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _resident_mb(pid: int | str = "self") -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def test_closing_lets_the_camera_go_in_an_orderly_way(tmp_path: Path) -> None:
    source = _source(tmp_path, "none", after=10**6, timeouts=CaptureTimeouts(open_s=OPEN_S, grace_s=OPEN_S))
    list(islice(source, 1))
    source.close()
    source.close()
    (pid,) = pids(tmp_path)
    assert (tmp_path / f"closed-{pid}").exists()
    assert not alive(pid)
    assert source.statistics.state == "closed"
    assert list(source) == []


def test_a_source_may_be_closed_before_it_is_read(tmp_path: Path) -> None:
    source = _source(tmp_path, "none")
    source.close()
    assert list(source) == []
    assert pids(tmp_path) == []


def test_closing_ends_a_reader_that_waits(tmp_path: Path) -> None:
    source = _source(tmp_path, "hang", after=0, timeouts=CaptureTimeouts(open_s=OPEN_S, grace_s=0.1))
    got: list[FrameResult] = []
    reader = threading.Thread(target=lambda: got.extend(source))
    reader.start()
    ends = time.monotonic() + OPEN_S
    while not pids(tmp_path) and time.monotonic() < ends:
        time.sleep(0.01)
    source.close()
    reader.join(OPEN_S)
    assert not reader.is_alive()
    assert got == []
    assert not any(alive(pid) for pid in pids(tmp_path))


def test_no_child_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.vision.cameras", str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().strip().isdigit()  # a picture came
        time.sleep(0.2)  # by now it hangs
        (child,) = pids(tmp_path)
        assert alive(child)
        parent.send_signal(signal.SIGKILL)
    ends = time.monotonic() + OPEN_S
    while alive(child) and time.monotonic() < ends:
        time.sleep(0.01)
    assert not alive(child)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for number in range(5):
        cv2.imwrite(str(pictures / f"{number}.png"), np.full((60 + 10 * number, 80, 3), 10 * number, np.uint8))
    (pictures / "2.png").write_bytes(b"not a picture")
    return pictures


def test_an_isolated_folder_repeats_every_picture(folder: Path) -> None:
    source = open_source(folder, isolated=True)
    assert not source.live
    seen = []
    for each in islice(source, 11):
        time.sleep(0.01)  # a slow reader misses nothing
        seen.append(each)
    source.close()
    assert [each.sequence for each in seen] == list(range(11))
    assert [each.name for each in seen] == [f"{number % 5}.png" for number in range(11)]
    assert [_bad(each) for each in seen] == [number % 5 == 2 for number in range(11)]
    assert all(each.image.shape[0] == 60 + 10 * int(each.name[0]) for each in seen if isinstance(each, Frame))
    assert all((each.image == 10 * int(each.name[0])).all() for each in seen if isinstance(each, Frame))
    assert seen[0].path == folder / "0.png" if isinstance(seen[0], Frame) else False


def _video(path: Path, fps: float) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (64, 48))
    for level in (0, 60, 120):
        writer.write(np.full((48, 64, 3), level, np.uint8))
    writer.release()
    return path


def test_a_video_in_a_process_of_its_own_is_played_at_its_own_pace_again_and_again(tmp_path: Path) -> None:
    source = open_source(_video(tmp_path / "round.avi", 10.0), isolated=True)
    began = datetime.now(UTC)
    seen = list(islice(source, 4))
    source.close()
    frames = [each for each in seen if isinstance(each, Frame)]
    shown = [round(int(each.image[0, 0, 0]) / 60) for each in frames]
    numbers = [each.sequence for each in frames]
    assert len(frames) == 4
    assert shown == [number % 3 for number in numbers]
    for before, after in pairwise(frames):
        passed_s = (after.captured_at - before.captured_at).total_seconds()
        assert passed_s >= 0.1 * (after.sequence - before.sequence) - 0.05
    assert all(began < each.captured_at <= datetime.now(UTC) for each in frames)


def test_a_played_video_waits_for_a_slow_reader_and_leaves_no_picture_out(tmp_path: Path) -> None:
    source = open_source(_video(tmp_path / "round.avi", 30.0), isolated=True)
    numbers = []
    for each in islice(source, 6):
        numbers.append(each.sequence)
        time.sleep(0.2)
    source.close()
    assert numbers == list(range(6))


def test_pictures_closer_together_than_they_are_read_are_left_out(tmp_path: Path) -> None:
    played = PlayedVideo(_video(tmp_path / "round.avi", 30.0), 1.0, apart_s=0.05)
    numbers = [each.sequence for each in islice(played, 4)]
    played.close()
    assert numbers == [0, 2, 3, 5]  # of three pictures a thirtieth of a second apart, again and again


def test_a_video_starts_later_only_the_first_time(tmp_path: Path) -> None:
    played = PlayedVideo(_video(tmp_path / "round.avi", 30.0), 1.0, start_s=1 / 30)
    frames = list(islice(played, 5))
    played.close()
    assert [each.sequence for each in frames] == [0, 1, 2, 3, 4]
    assert [round(int(each.image[0, 0, 0]) / 60) for each in frames if isinstance(each, Frame)] == [1, 2, 0, 1, 2]


def test_a_pause_in_a_video_is_no_silent_camera(tmp_path: Path) -> None:
    """Whatever time lies between two pictures, the next comes before the capture process is taken for hung."""
    timeouts = replace(QUICK, frame_s=1.0)
    source = open_source(_video(tmp_path / "slow.avi", 0.1), timeouts=timeouts, isolated=True)
    assert all(isinstance(each, Frame) for each in islice(source, 3))
    source.close()


def test_a_played_video_goes_on_behind_the_picture_that_ended_it(tmp_path: Path) -> None:
    played = PlayedVideo(_video(tmp_path / "round.avi", 30.0), 1.0, first=4)
    frames = list(islice(played, 3))
    played.close()
    assert [each.sequence for each in frames] == [4, 5, 6]
    assert [round(int(each.image[0, 0, 0]) / 60) for each in frames if isinstance(each, Frame)] == [1, 2, 0]


def test_a_picture_that_kills_its_reader_is_passed_over(folder: Path) -> None:
    source = IsolatedSource("files", PoisonedFolder(folder), live=False, timeouts=replace(QUICK, frame_s=OPEN_S))
    seen = list(islice(source, 2))
    time.sleep(1.0)  # the bad picture waits unread while the next one kills the process
    seen += islice(source, 4)
    source.close()
    assert [each.name for each in seen] == ["0.png", "1.png", "2.png", "files", "4.png", "0.png"]
    assert isinstance(seen[3], BadFrame)
    assert seen[3].finding == Finding.of(CaptureCode.PROCESS_KILLED, name="files", signal="SIGKILL")
    assert isinstance(seen[1], Frame)
    assert (seen[1].image == 10).all()


def test_a_folder_that_vanishes_is_a_bad_frame(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    (gone / "a.png").write_bytes(b"")
    source = open_source(gone, isolated=True)
    (gone / "a.png").unlink()
    (bad,) = islice(source, 1)
    source.close()
    assert isinstance(bad, BadFrame)
    assert bad.finding.code is CaptureCode.NO_PICTURES_IN_FOLDER


def test_a_source_that_cannot_be_pickled_is_a_bad_frame() -> None:
    source = IsolatedSource("local", lambda _: None, timeouts=QUICK)  # type: ignore[arg-type, return-value]
    first, second = islice(source, 2)
    source.close()
    assert isinstance(first, BadFrame)
    assert isinstance(second, BadFrame)
    assert first.finding.code is CaptureCode.PROCESS_NOT_WATCHED
