"""Pictures from a file, a folder, a video or a camera.

A bad picture becomes a ``BadFrame``, and a camera that drops out is reopened, in its own process. Recorded sources
deliver every picture; live ones deliver the newest, and gaps in the sequence number show dropped ones.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, Self, TypeAlias

import cv2
import numpy as np

from vision.addresses import shown_address
from vision.capture.camera import Camera, CameraSettings, CameraSource
from vision.capture.child import Resume
from vision.capture.decoding.file_kinds import kind_of_file
from vision.capture.decoding.jpeg import JpegDamagedError, decode_sent, take_as_sent
from vision.capture.faults import CaptureCode
from vision.capture.frame import BadFrame, Frame, FrameResult, FrameSource, SourceError
from vision.capture.images import Image, ImageError, load_image
from vision.capture.isolated import CaptureTimeouts, IsolatedSource
from vision.capture.opencv import DEVICES, OpenCvCamera
from vision.capture.pi import PiCamera
from vision.findings import Finding

PICTURE_SUFFIXES: Final = frozenset(
    {".jpg", ".jpeg", ".jpe", ".png", ".tif", ".tiff", ".bmp", ".webp", ".avif", ".gif", ".ppm", ".pgm"}
)
VIDEO_SUFFIXES: Final = frozenset({".mp4", ".m4v", ".mkv", ".mov", ".avi", ".webm", ".ts", ".mpg", ".mpeg"})
_NamedCamera: TypeAlias = tuple[str, Callable[[], Camera]]
"""The name of a camera, and what opens it."""
_USUAL_STEP_MS: Final = 40.0
_NAMED: Final = 5
"""Maximum number of files named per kind."""


class StillSource:
    """Picture files in the given order, starting at index ``first``."""

    live: Final = False

    def __init__(self, paths: tuple[Path, ...], first: int = 0) -> None:
        self._paths = paths
        self._first = first
        self.length = len(paths)

    def __iter__(self) -> Iterator[FrameResult]:
        """Yield a frame or a bad frame for each file."""
        for sequence, path in list(enumerate(self._paths))[self._first :]:
            try:
                image = load_image(path)
                written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            except (ImageError, OSError) as fault:
                yield BadFrame(sequence, path.name, Finding.of(CaptureCode.FILE_UNREADABLE, fault=str(fault)))
            else:
                yield Frame(sequence, written, path.name, image, path)

    def close(self) -> None:
        """Do nothing: no file stays open between pictures."""


class VideoSource:
    """Every frame of a video file, starting at index ``first``; SourceError if the video cannot be read.

    Times are strictly increasing even if the file's own restart (concatenated recordings) or stand still.
    """

    live: Final = False

    def __init__(self, path: Path, first: int = 0) -> None:
        self._path = path
        self._first = first
        self._video: cv2.VideoCapture | None = self._open()
        count = int(self._video.get(cv2.CAP_PROP_FRAME_COUNT))
        self.length = count if count > 0 else None
        self.rate = max(0.0, self._video.get(cv2.CAP_PROP_FPS))

    def __iter__(self) -> Iterator[FrameResult]:
        """Yield all frames; a second iteration starts over."""
        video, self._video = self._video or self._open(), None
        opened, sequence, clock, as_sent = datetime.now(UTC), 0, _VideoClock.of(video), take_as_sent(video)
        try:
            while sequence < self._first and video.grab():
                clock.time_ms(video.get(cv2.CAP_PROP_POS_MSEC))
                sequence += 1
            while (read := video.read())[0]:
                at = opened + timedelta(milliseconds=clock.time_ms(video.get(cv2.CAP_PROP_POS_MSEC)))
                yield self._seen(sequence, at, np.asarray(read[1], np.uint8), as_sent=as_sent)
                sequence += 1
            if not sequence:
                empty = Finding.of(CaptureCode.NO_FRAME_IN_VIDEO, name=self._path.name)
                yield BadFrame(0, self._path.name, empty)
        finally:
            video.release()

    def _seen(self, sequence: int, at: datetime, image: Image, *, as_sent: bool) -> FrameResult:
        name = f"{self._path.name}#{sequence}"
        try:
            return Frame(sequence, at, name, decode_sent(image) if as_sent else image)
        except JpegDamagedError as fault:
            return BadFrame(sequence, name, Finding.of(CaptureCode.PICTURE_DAMAGED, name=name, why=str(fault)))

    def close(self) -> None:
        if self._video is not None:
            self._video.release()
            self._video = None

    def _open(self) -> cv2.VideoCapture:
        video = cv2.VideoCapture(str(self._path), cv2.CAP_FFMPEG)
        if not video.isOpened():
            video.release()
            raise SourceError.of(CaptureCode.NOT_A_VIDEO, name=self._path.name)
        return video


class PlayedVideo:
    """A video played at its own pace, in a loop, starting at index ``first``; slower where it is read more slowly.

    Its pictures have current times, like a camera's; a pause longer than ``longest_s`` is shortened, and pictures that
    follow another within ``apart_s`` of the video's time are skipped. The first time it starts ``start_s`` later.
    """

    live: Final = False
    length: Final = None

    def __init__(
        self, path: Path, longest_s: float, first: int = 0, *, apart_s: float = 0.0, start_s: float = 0.0
    ) -> None:
        self._path = path
        self._longest_s = longest_s
        self._apart = timedelta(seconds=apart_s)
        self._first = first
        self._video = VideoSource(path)
        skip = first + round(start_s * self._video.rate)
        self._skip = skip % (self._video.length or skip + 1)

    def __iter__(self) -> Iterator[FrameResult]:
        """Yield each picture when it is due; a late one immediately."""
        sequence, skip = self._first, self._skip
        if skip:
            self._video.close()
            self._video = VideoSource(self._path, skip)
        due_s, step_s = time.monotonic(), 0.0
        while True:
            last: datetime | None = None
            for seen in self._video:
                if isinstance(seen, Frame):
                    if last is not None and seen.captured_at - last < self._apart:
                        sequence += 1
                        continue
                    if last is not None:
                        step_s = min((seen.captured_at - last).total_seconds(), self._longest_s)
                    # Delays are not made up for, as after a computer slept.
                    due_s = max(due_s + step_s, time.monotonic())
                    time.sleep(max(0.0, due_s - time.monotonic()))
                    last = seen.captured_at
                    now, now_ns = datetime.now(UTC), time.monotonic_ns()
                    yield replace(seen, sequence=sequence, captured_at=now, monotonic_ns=now_ns)
                else:
                    yield replace(seen, sequence=sequence)
                sequence += 1
            if last is None and not skip:
                return
            skip = 0
            self._video = VideoSource(self._path)

    def close(self) -> None:
        self._video.close()


@dataclass(slots=True)
class _VideoClock:
    """Makes the times of a video strictly increasing.

    Attributes:
        step_ms: frame interval, if the video does not give times.
    """

    step_ms: float
    _ahead_ms: float = 0.0
    _last_ms: float | None = None

    @classmethod
    def of(cls, video: cv2.VideoCapture) -> Self:
        rate = video.get(cv2.CAP_PROP_FPS)
        return cls(1000.0 / rate if rate > 0 else _USUAL_STEP_MS)

    def time_ms(self, own_ms: float) -> float:
        """The time of the next frame, given its own time ``own_ms``."""
        at_ms = max(0.0, own_ms) + self._ahead_ms
        if self._last_ms is not None and at_ms <= self._last_ms:
            self._ahead_ms += self._last_ms + self.step_ms - at_ms
            at_ms = self._last_ms + self.step_ms
        self._last_ms = at_ms
        return at_ms


def open_source(
    spec: str | Path,
    settings: CameraSettings | None = None,
    timeouts: CaptureTimeouts | None = None,
    *,
    isolated: bool = False,
    apart_s: float = 0.0,
    start_s: float = 0.0,
) -> FrameSource:
    """Open a source by name; a camera itself is opened with the first picture.

    Args:
        spec: a picture, a folder of pictures, a video file, the number of a local camera (``0``) or its file
            (``/dev/v4l/by-id/...``), the address of a network camera (``rtsp://...``, or ``snapshot:https://...`` for
            one that is asked for each picture), or ``picamera2`` (``picamera2:1`` for the second); else SourceError.
        settings: of a camera.
        timeouts: of a source in its own process.
        isolated: whether files are also read in their own process, in a loop, a video no faster than its own pace;
            cameras always are.
        apart_s: least time between two pictures of a video played at its own pace, in seconds of the video.
        start_s: where such a video starts the first time, in seconds of the video.
    """
    text = str(spec)
    settings, timeouts = settings or CameraSettings(), timeouts or CaptureTimeouts()
    camera = _camera(text, settings) if isinstance(spec, str) else None
    if camera is not None:
        name, connect = camera
        return IsolatedSource(name, partial(_open_camera, name, connect, timeouts.frozen_s), timeouts=timeouts)
    path = Path(spec)
    if not path.is_dir() and not path.is_file():
        raise SourceError.of(CaptureCode.NO_SUCH_SOURCE, name=shown_address(text))
    if isolated and _is_video(path):
        return IsolatedSource(
            path.name, partial(_play, path, timeouts.frame_s / 2, apart_s, start_s), live=False, timeouts=timeouts
        )
    if isolated:
        return IsolatedSource(path.name, partial(_open_files, path), live=False, timeouts=timeouts)
    return _open_files(path, Resume())


def _network_camera(address: str, _: CameraSettings) -> _NamedCamera:
    return shown_address(address), partial(OpenCvCamera, address)


def _snapshot_camera(address: str, settings: CameraSettings) -> _NamedCamera:
    return shown_address(address), partial(_open_snapshot, address, settings)


def _open_snapshot(address: str, settings: CameraSettings) -> Camera:
    # Not at import: no other source needs an HTTP client.
    from vision.capture.snapshot import SnapshotCamera  # noqa: PLC0415

    return SnapshotCamera(address, settings)


def _numbered_camera(number: str, settings: CameraSettings) -> _NamedCamera:
    return f"camera{number}", partial(OpenCvCamera, int(number), settings)


def _device_camera(file: str, settings: CameraSettings) -> _NamedCamera | None:
    if Path(file).is_dir() or Path(file).is_file():  # /dev/shm has both
        return None
    return Path(file).name, partial(OpenCvCamera, file, settings)


def _pi_camera(number: str, settings: CameraSettings) -> _NamedCamera:
    name = f"picamera2{number}"
    if not (digits := number.removeprefix(":") or "0").isdecimal():
        raise SourceError.of(CaptureCode.NO_CAMERA_NUMBER, name=name)
    return name, partial(PiCamera, int(digits), settings)


_CAMERAS: Final[Mapping[str, Callable[[str, CameraSettings], _NamedCamera | None]]] = {
    r"snapshot:(.*)": _snapshot_camera,
    r"((?:rtsps?|https?)://.*)": _network_camera,
    r"([0-9]+)": _numbered_camera,
    rf"({DEVICES}.*)": _device_camera,
    r"picamera2(|:.*)": _pi_camera,
}
"""What the text of a camera looks like, and what opens the part in brackets."""


def _camera(text: str, settings: CameraSettings) -> _NamedCamera | None:
    """The camera that a text names; None if it names none."""
    for pattern, opener in _CAMERAS.items():
        if named := re.fullmatch(pattern, text, re.DOTALL):
            return opener(named[1], settings)
    return None


def _open_camera(name: str, connect: Callable[[], Camera], frozen_s: float, resume: Resume) -> CameraSource:
    return CameraSource(name, connect, frozen_s, resume.frozen)


def _open_files(path: Path, resume: Resume) -> StillSource | VideoSource:
    if path.is_dir():
        return StillSource(_pictures(path), resume.first)
    if _is_video(path):
        return VideoSource(path, resume.first)
    return StillSource((path,), resume.first)


def _play(path: Path, longest_s: float, apart_s: float, start_s: float, resume: Resume) -> PlayedVideo:
    return PlayedVideo(path, longest_s, resume.first, apart_s=apart_s, start_s=start_s)


def _is_video(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in VIDEO_SUFFIXES


def passed_over(folder: Path) -> Finding | None:
    """The pictures and videos in a folder that are not read, and why; None if there are none."""
    others: dict[str, list[str]] = {}
    for each in sorted(folder.iterdir()):
        if each.suffix.lower() not in PICTURE_SUFFIXES and each.is_file():
            kind = kind_of_file(each)
            if kind is not None and kind.advice:
                others.setdefault(f"{kind.name}. {kind.advice}", []).append(each.name)
    if not others:
        return None
    named = (f"{', '.join(names[:_NAMED])}{' ...' * (len(names) > _NAMED)}: {why}" for why, names in others.items())
    count = sum(map(len, others.values()))
    return Finding.of(CaptureCode.FILES_PASSED_OVER, folder=str(folder), count=count, why="; ".join(named))


def _pictures(path: Path) -> tuple[Path, ...]:
    """The pictures of a folder by suffix, sorted by name."""
    pictures = tuple(sorted(each for each in path.iterdir() if each.suffix.lower() in PICTURE_SUFFIXES))
    if not pictures:
        suffixes = ", ".join(sorted(PICTURE_SUFFIXES))
        raise SourceError.of(CaptureCode.NO_PICTURES_IN_FOLDER, folder=str(path), suffixes=suffixes)
    return pictures
