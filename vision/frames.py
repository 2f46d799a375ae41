"""Pictures one after the other, from wherever they come: a file, a folder, a video, a camera.

A source gives ``Frame`` values and, where one picture is bad, a ``BadFrame`` in its place: one bad file in a folder
does not stop the rest, and a camera that drops out is tried again. Recorded sources give every picture; a live one
gives the newest, and gaps in the sequence number say what was passed over.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from vision.capture import Camera, CaptureError, OpenCvCamera, PiCamera, Shot, VideoFile, without_password
from vision.images import Image, ImageError, decode_image, load_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "PICTURE_SUFFIXES",
    "VIDEO_SUFFIXES",
    "BadFrame",
    "Frame",
    "FrameSource",
    "Image",
    "ImageError",
    "LiveSource",
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
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0


class SourceError(ValueError):
    """A source that cannot be opened at all; the message says what was asked for and what can be."""


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """One picture of a source.

    Attributes:
        sequence: counts the pictures of this source from 0, bad and dropped ones included; always rising.
        captured_at: when it was taken, UTC; for a file, when it was last written.
        name: file name, or source and sequence number.
        image: the pixels.
        path: the file it came from, if it is one.
    """

    sequence: int
    captured_at: datetime
    name: str
    image: Image
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class BadFrame:
    """A picture that could not be had.

    Attributes:
        sequence: its place in the source, as in ``Frame``.
        name: file name, or source and sequence number.
        message: what was wrong and what to do.
    """

    sequence: int
    name: str
    message: str


Seen: TypeAlias = Frame | BadFrame


class FrameSource(Protocol):
    """Pictures to iterate over; ``close`` when done.

    Attributes:
        live: whether pictures are lost while nobody asks for them.
        length: number of pictures, None if it is not known or never ends.
    """

    @property
    def live(self) -> bool: ...  # noqa: D102 - described above

    @property
    def length(self) -> int | None: ...  # noqa: D102 - described above

    def __iter__(self) -> Iterator[Seen]: ...  # noqa: D105 - described above

    def close(self) -> None: ...  # noqa: D102 - described above


class StillSource:
    """Picture files, in the order given.

    Args:
        paths: the files.
    """

    live: Final = False

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self._paths = paths

    @property
    def length(self) -> int:
        """Number of files."""
        return len(self._paths)

    def __iter__(self) -> Iterator[Seen]:
        """One frame or bad frame for each file."""
        for sequence, path in enumerate(self._paths):
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

    Raises:
        SourceError: if it is not a video that can be read.
    """

    live: Final = False

    def __init__(self, path: Path) -> None:
        self._path = path
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


class LiveSource:
    """The newest picture of a camera, which is tried again with growing pauses when it drops out.

    A thread empties the camera, so that a slow reader sees the table as it is now and not as it was. It starts with
    the first picture asked for.

    Args:
        name: what to call the camera.
        connect: opens it; raises ``CaptureError`` if that fails.
        first_pause_s: pause before the second attempt; it doubles with each failure.
        longest_pause_s: the longest pause.
    """

    live: Final = True
    length: Final = None

    def __init__(
        self,
        name: str,
        connect: Callable[[], Camera],
        first_pause_s: float = _FIRST_PAUSE_S,
        longest_pause_s: float = _LONGEST_PAUSE_S,
    ) -> None:
        self._name = name
        self._connect = connect
        self._pauses_s = (first_pause_s, longest_pause_s)
        self._news = threading.Condition()
        self._newest: Seen | None = None
        self._sequence = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"capture {name}", daemon=True)

    def __iter__(self) -> Iterator[Seen]:
        """The newest picture each time, as soon as there is one not given yet; ends when closed."""
        with self._news:
            if self._thread.ident is None and not self._stop.is_set():
                self._thread.start()
        while not self._stop.is_set():
            with self._news:
                self._news.wait_for(lambda: self._newest is not None or self._stop.is_set())
                seen, self._newest = self._newest, None
            if seen is not None:
                yield seen

    def close(self) -> None:
        """Stops asking and lets the camera go; returns when the camera has answered or timed out."""
        self._stop.set()
        with self._news:
            self._news.notify_all()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        pause_s, longest_s = self._pauses_s
        while not self._stop.is_set():
            before = self._sequence
            try:
                self._empty(self._connect())
            except CaptureError as fault:
                self._publish_fault(str(fault))
            except Exception as fault:  # noqa: BLE001 - a thread that died unseen would leave the table unread for ever
                self._publish_fault(f"{self._name}: failed in a way nobody foresaw: {fault!r}. It is tried again.")
            if self._sequence - before > 1:
                pause_s = self._pauses_s[0]
            self._stop.wait(pause_s)
            pause_s = min(2 * pause_s, longest_s)

    def _empty(self, camera: Camera) -> None:
        """Takes pictures until the camera fails or the source is closed."""
        try:
            while not self._stop.is_set() and (shot := camera.read()) is not None:
                self._publish(shot)
        finally:
            camera.close()

    def _publish(self, shot: Shot) -> None:
        with self._news:
            name = f"{self._name}#{self._sequence}"
            self._newest = Frame(self._sequence, shot.captured_at, name, shot.image)
            self._sequence += 1
            self._news.notify_all()

    def _publish_fault(self, message: str) -> None:
        with self._news:
            self._newest = BadFrame(self._sequence, self._name, message)
            self._sequence += 1
            self._news.notify_all()


def open_source(spec: str | Path) -> FrameSource:
    """The source a person names.

    Args:
        spec: a picture, a folder of pictures, a video file, the number of a local camera (``0``), the address of a
            network camera (``rtsp://...``), or ``picamera2`` (``picamera2:1`` for the second).

    Raises:
        SourceError: if there is no such thing or it is none of these.
    """
    text = str(spec)
    if isinstance(spec, str):
        if text.startswith(_NETWORK):
            return LiveSource(without_password(text), lambda: OpenCvCamera(text))
        if text.isascii() and text.isdigit():
            return LiveSource(f"camera{text}", lambda: OpenCvCamera(int(text)))
        kind, _, number = text.partition(":")
        if kind == "picamera2":
            if not (number or "0").isdigit():
                raise SourceError(f"{text}: expected picamera2 or picamera2:NUMBER")
            return LiveSource(text, lambda: PiCamera(int(number or "0")))
    path = Path(spec)
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise SourceError(
            f"{text}: there is no such file or folder. Give a picture, a folder of pictures, a video, "
            "a camera's number, an rtsp:// address or picamera2."
        )
    if path.suffix.lower() in VIDEO_SUFFIXES:
        return VideoSource(path)
    return StillSource((path,))


def _folder(path: Path) -> StillSource:
    """The pictures of a folder in order of name, by their suffix; other files lie there for other reasons."""
    pictures = tuple(sorted(each for each in path.iterdir() if each.suffix.lower() in PICTURE_SUFFIXES))
    if not pictures:
        raise SourceError(f"{path}: holds no pictures ({', '.join(sorted(PICTURE_SUFFIXES))})")
    return StillSource(pictures)
