"""Pictures one after the other, from wherever they come: a file, a folder, a video, a camera.

A source gives ``Frame`` values and, where one picture is bad, a ``BadFrame`` in its place: one bad file in a folder
does not stop the rest, and a camera that drops out is tried again. Cameras are opened in a process of their own, so
that nothing they do can hold up the reader. Recorded sources give every picture; a live one gives the newest, and gaps
in the sequence number say what was passed over.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vision.capture import (
    BadFrame,
    CameraSettings,
    CaptureError,
    CaptureStatistics,
    Frame,
    FrameSource,
    IsolatedSource,
    Limits,
    OpenCvCamera,
    PiCamera,
    Resume,
    Seen,
    SourceError,
    VideoFile,
    without_password,
)
from vision.capture.camera import Camera, CameraSource
from vision.capture.images import Image, ImageError, decode_image, load_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "PICTURE_SUFFIXES",
    "VIDEO_SUFFIXES",
    "BadFrame",
    "CameraSettings",
    "CaptureStatistics",
    "Frame",
    "FrameSource",
    "Image",
    "ImageError",
    "IsolatedSource",
    "Limits",
    "Resume",
    "Seen",
    "SourceError",
    "StillSource",
    "VideoSource",
    "decode_image",
    "load_image",
    "open_source",
]

PICTURE_SUFFIXES: Final = frozenset(
    {".jpg", ".jpeg", ".jpe", ".png", ".tif", ".tiff", ".bmp", ".webp", ".gif", ".ppm", ".pgm"}
)
VIDEO_SUFFIXES: Final = frozenset({".mp4", ".m4v", ".mkv", ".mov", ".avi", ".webm", ".ts", ".mpg", ".mpeg"})
_NETWORK: Final = ("rtsp://", "rtsps://", "http://", "https://")


class StillSource:
    """Picture files, in the order given.

    Args:
        paths: the files.
        first: how many of them to leave out.
    """

    live: Final = False

    def __init__(self, paths: tuple[Path, ...], first: int = 0) -> None:
        self._paths = paths
        self._first = first

    @property
    def length(self) -> int:
        """Number of files."""
        return len(self._paths)

    def __iter__(self) -> Iterator[Seen]:
        """One frame or bad frame for each file."""
        for sequence, path in list(enumerate(self._paths))[self._first :]:
            try:
                image = load_image(path)
                written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            except (ImageError, OSError) as fault:
                yield BadFrame(sequence, path.name, str(fault))
            else:
                yield Frame(sequence, written, path.name, image, path)

    def close(self) -> None:
        """Nothing is held open between pictures."""


class VideoSource:
    """Every frame of a video file.

    Args:
        path: the file.
        first: how many frames to leave out.

    Raises:
        SourceError: if it is not a video that can be read.
    """

    live: Final = False

    def __init__(self, path: Path, first: int = 0) -> None:
        self._path = path
        self._first = first
        self._video: VideoFile | None = self._open()
        self._length = self._video.length if self._video else None

    @property
    def length(self) -> int | None:
        """Number of frames the file says it has."""
        return self._length

    def __iter__(self) -> Iterator[Seen]:
        """The frames from the first to the last; a second iteration starts over."""
        video, self._video = self._video or self._open(), None
        try:
            sequence = 0
            while (shot := video.read()) is not None:
                if sequence >= self._first:
                    yield Frame(sequence, shot.captured_at, f"{self._path.name}#{sequence}", shot.image)
                sequence += 1
        except CaptureError as fault:
            yield BadFrame(0, self._path.name, str(fault))
        finally:
            video.close()

    def close(self) -> None:
        """Closes the file."""
        if self._video is not None:
            self._video.close()
            self._video = None

    def _open(self) -> VideoFile:
        try:
            return VideoFile(self._path)
        except CaptureError as fault:
            raise SourceError(str(fault)) from fault


def open_source(
    spec: str | Path, settings: CameraSettings | None = None, limits: Limits | None = None, *, isolated: bool = False
) -> FrameSource:
    """The source a person names. Nothing of a camera is opened before its first picture is asked for.

    Args:
        spec: a picture, a folder of pictures, a video file, the number of a local camera (``0``), the address of a
            network camera (``rtsp://...``), or ``picamera2`` (``picamera2:1`` for the second).
        settings: how a camera is to be set.
        limits: how long a source in a process of its own may take.
        isolated: whether files are read in a process of their own too, and again and again; cameras always are.

    Raises:
        SourceError: if there is no such thing or it is none of these.
    """
    text = str(spec)
    settings, limits = settings or CameraSettings(), limits or Limits()
    connect: Callable[[], Camera] | None = None
    if isinstance(spec, str):
        kind, _, number = text.partition(":")
        if text.startswith(_NETWORK):
            text, connect = without_password(text), partial(OpenCvCamera, text)
        elif text.isascii() and text.isdigit():
            text, connect = f"camera{text}", partial(OpenCvCamera, int(text), settings)
        elif kind == "picamera2":
            if not (number or "0").isdigit():
                raise SourceError(f"{text}: expected picamera2 or picamera2:NUMBER")
            connect = partial(PiCamera, int(number or "0"), settings)
    if connect is not None:
        return IsolatedSource(text, partial(_open_camera, text, connect, limits.frozen_s), limits=limits)
    path = Path(spec)
    if not path.is_dir() and not path.is_file():
        raise SourceError(
            f"{text}: there is no such file or folder. Give a picture, a folder of pictures, a video, "
            "a camera's number, an rtsp:// address or picamera2."
        )
    if isolated:
        return IsolatedSource(path.name, partial(_open_files, path), live=False, limits=limits)
    return _open_files(path, Resume())


def _open_camera(name: str, connect: Callable[[], Camera], frozen_s: float, resume: Resume) -> CameraSource:
    """A camera, in the process that asks for it."""
    return CameraSource(name, connect, frozen_s, resume.frozen)


def _open_files(path: Path, resume: Resume) -> StillSource | VideoSource:
    """Files, in the process that asks for them."""
    if path.is_dir():
        return StillSource(_pictures(path), resume.first)
    if path.suffix.lower() in VIDEO_SUFFIXES:
        return VideoSource(path, resume.first)
    return StillSource((path,), resume.first)


def _pictures(path: Path) -> tuple[Path, ...]:
    """The pictures of a folder in order of name, by their suffix; other files lie there for other reasons."""
    pictures = tuple(sorted(each for each in path.iterdir() if each.suffix.lower() in PICTURE_SUFFIXES))
    if not pictures:
        raise SourceError(f"{path}: holds no pictures ({', '.join(sorted(PICTURE_SUFFIXES))})")
    return pictures
