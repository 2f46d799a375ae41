"""The seconds before an alarm: the camera's last pictures, kept in memory and recorded with what raises it.

A clip is a ZIP of JPEGs, each named by its number and time, so that any computer opens it. Nothing is encoded again
when an alarm is raised (``docs/decisions``).
"""

from __future__ import annotations

import io
import tempfile
import zipfile
import zlib
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import simplejpeg

from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.rounds.reports import ClipReport
from vision.capture.decoding.jpeg import JpegDamagedError, JpegUnknownError, decode_jpeg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from zoneinfo import ZoneInfo

    from service.rounds.reports import RoundReport
    from vision.capture.images import Image

CLIP_TYPE: Final = "application/zip"
WIDTH_PX: Final = 1280
"""Largest width of a clip's pictures."""
MAX_BYTES: Final = 12_000_000
"""Maximum size of the pictures in memory, and so of a clip; 30 s of a table take 5 MB."""

_NO_CLIP: Final = (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, EOFError)
"""What the standard library raises for a file that is not a valid clip."""
FILM_TYPE: Final = "video/webm"
_FPS: Final = 5
_FILM_HEIGHT_PX: Final = 720
_QUALITY: Final = 60
"""JPEG quality of a clip's pictures: hands and tiles can be followed, but pips not counted."""
_SHORTEST_S: Final = 0.31
"""Shortest time between two pictures: three a second, with room for a camera's jitter."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A picture in memory, with its time in UTC and in monotonic seconds."""

    number: int
    at: datetime
    t_s: float
    encoding: Future[bytes]

    @property
    def jpeg(self) -> bytes:
        """Wait for the encoded picture."""
        return self.encoding.result()

    @property
    def name(self) -> str:
        """Its name in a clip; names sort by time."""
        return f"{self.number:09d}-{self.at:%Y%m%dT%H%M%S}{self.at.microsecond // 1000:03d}Z.jpg"


@dataclass(slots=True)
class ClipKeeper:
    """Keeps the pictures of the last ``seconds`` for a clip; none if that is 0. A separate thread encodes them."""

    seconds: float
    _kept: deque[_Kept] = field(default_factory=deque)
    _bytes: int = 0
    _counted: int = 0
    _newest: tuple[Image, int, datetime, float] | None = None
    _encoder: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="clips"))

    def see(self, image: Image, number: int, at: datetime, t_s: float) -> None:
        """Take the next picture.

        Args:
            image: (height, width, 3) uint8 BGR; must not change later.
            number: of the picture since the start.
            at: when it was taken, UTC.
            t_s: the same in monotonic seconds.
        """
        if not self.seconds:
            return
        if self._kept and t_s < self._kept[-1].t_s:
            self._clear()  # the clock of the source has restarted
        self._newest = image, number, at, t_s
        if not self._kept or t_s - self._kept[-1].t_s >= _SHORTEST_S:
            self._keep()

    def of(self, report: RoundReport, before: RoundReport | None) -> tuple[Evidence, ...]:
        """Return the clip up to the newest picture if the round raises an alarm that ``before`` did not."""
        if self._newest is None or _causes(report) <= (frozenset() if before is None else _causes(before)):
            return ()
        if self._kept[-1].number != self._newest[1]:
            self._keep()
        self._count_newest()
        first, last = self._kept[0], self._kept[-1]
        about = ClipReport(started_at=first.at, ended_at=last.at, pictures=len(self._kept))
        return (Evidence(None, "clip", Picture(_zipped(self._kept), CLIP_TYPE), about),)

    def _keep(self) -> None:
        if self._newest is None:
            return
        image, number, at, t_s = self._newest
        self._count_newest()
        self._kept.append(_Kept(number, at, t_s, self._encoder.submit(_small_jpeg, image)))

    def _count_newest(self) -> None:
        """Count the newest picture, and drop the oldest pictures beyond the limits."""
        if len(self._kept) == self._counted:
            return
        newest = self._kept[-1]
        self._bytes += len(newest.jpeg)
        while len(self._kept) > 1 and (newest.t_s - self._kept[0].t_s > self.seconds or self._bytes > MAX_BYTES):
            self._bytes -= len(self._kept.popleft().jpeg)
        self._counted = len(self._kept)

    def _clear(self) -> None:
        self._kept.clear()
        self._bytes = self._counted = 0


def _small_jpeg(image: Image) -> bytes:
    height, width = image.shape[:2]
    if width > WIDTH_PX:
        # INTER_AREA takes seven times as long, and loses no fewer lines from 2304 pixels.
        size = (WIDTH_PX, round(height * WIDTH_PX / width))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    found: bytes = simplejpeg.encode_jpeg(
        np.ascontiguousarray(image), quality=_QUALITY, colorspace="BGR", colorsubsampling="420", fastdct=True
    )
    return found


def _zipped(pictures: Iterable[_Kept]) -> bytes:
    """Return pictures as an uncompressed ZIP."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
        for one in pictures:
            at = one.at
            archive.writestr(
                zipfile.ZipInfo(one.name, (at.year, at.month, at.day, at.hour, at.minute, at.second)), one.jpeg
            )
    return whole.getvalue()


def _causes(report: RoundReport) -> frozenset[str]:
    """Return what raises alarms in a round: wrong hands, departures from the rulebook, and parts in doubt."""
    wrong = {
        f"wrong {hand.place} {sorted(hand.low)} {sorted(hand.high)}" for hand in report.judged if hand.is_set_wrongly
    }
    departures = {f"procedure {found.code} {found.params}" for found in report.departures}
    doubtful = {f"review {place}" for place in report.places_in_doubt}
    return frozenset(wrong | departures | doubtful)


def film(pictures: Sequence[tuple[datetime, bytes, str]], seconds: int, zone: ZoneInfo) -> bytes | None:
    """Make one film, WebM with VP8, that every browser and player shows; takes some seconds. None without a picture.

    Args:
        pictures: moment, contents and media type of each picture and clip.
        seconds: how long it lasts, whatever the number of pictures.
        zone: of the time of day that is written on each picture.
    """
    frames = sorted(_frames(pictures), key=lambda each: each[0])
    if not frames:
        return None
    size = (WIDTH_PX, _FILM_HEIGHT_PX)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.webm"
        writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"VP80"), _FPS, size)
        if not writer.isOpened():
            raise OSError("this OpenCV cannot write VP8")
        try:
            for number in range(seconds * _FPS):
                at, jpeg = frames[number * len(frames) // (seconds * _FPS)]
                writer.write(_fitted(jpeg, size, f"{at.astimezone(zone):%H:%M:%S}"))
        finally:
            writer.release()
        return path.read_bytes()


def _frames(pictures: Sequence[tuple[datetime, bytes, str]]) -> Iterator[tuple[datetime, bytes]]:
    taken: set[datetime] = set()
    for at, data, media_type in pictures:
        if media_type != CLIP_TYPE:
            yield at, data
            continue
        with suppress(*_NO_CLIP), zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                moment = _taken_at(name)
                if moment not in taken:  # clips overlap
                    taken.add(moment)
                    yield moment, _picture_in(archive, name)


def _picture_in(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a picture of a clip; nothing if it is larger than any that this program put into one.

    The clip may be another service's: a small file could hold gigabytes.
    """
    return archive.read(name) if archive.getinfo(name).file_size <= MAX_BYTES else b""


def _fitted(jpeg: bytes, size: tuple[int, int], words: str) -> Image:
    whole = np.zeros((size[1], size[0], 3), np.uint8)
    with suppress(JpegDamagedError, JpegUnknownError):  # leave the picture black
        shown = decode_jpeg(jpeg)
        scale = min(size[0] / shown.shape[1], size[1] / shown.shape[0])
        wide, high = round(shown.shape[1] * scale), round(shown.shape[0] * scale)
        left, top = (size[0] - wide) // 2, (size[1] - high) // 2
        whole[top : top + high, left : left + wide] = cv2.resize(shown, (wide, high), interpolation=cv2.INTER_AREA)
    for colour, thick in ((0, 6), (255, 2)):
        cv2.putText(whole, words, (16, size[1] - 20), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (colour,) * 3, thick, cv2.LINE_AA)
    return whole


def _taken_at(name: str) -> datetime:
    """Return the moment of a picture of a clip, UTC, from its name in the ZIP."""
    return datetime.strptime(name.partition("-")[2], "%Y%m%dT%H%M%S%fZ.jpg").replace(tzinfo=UTC)
