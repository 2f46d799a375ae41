"""The seconds before an alarm: the camera's last pictures, kept in memory and recorded with what raises it.

A clip is a ZIP of JPEGs as they were taken, each named by its number and its moment, so that every picture keeps its
own time and any computer opens it. Nothing is encoded once more when an alarm is raised (``docs/decisions``).
"""

from __future__ import annotations

import io
import zipfile
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import simplejpeg

from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.rounds.reports import ClipReport

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Future
    from datetime import datetime

    from service.rounds.reports import RoundReport
    from vision.capture.images import Image

CLIP_TYPE: Final = "application/zip"
"""Media type of a clip."""
WIDTH_PX: Final = 1280
"""Width of a clip's pictures; narrower ones are not scaled."""
MAX_BYTES: Final = 12_000_000
"""The most that the pictures in memory, and so a clip, may fill; 30 s of a table take 5 MB."""

_QUALITY: Final = 60
"""JPEG quality of a clip's pictures: hands and tiles are followed in it, pips are counted in the other evidence."""
_SHORTEST_S: Final = 0.31
"""Shortest time between two pictures: three a second, a little less so that no jitter of the camera makes it two."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A picture in memory; ``t_s`` are seconds that only go forward, ``at`` is UTC."""

    number: int
    at: datetime
    t_s: float
    encoding: Future[bytes]

    @property
    def jpeg(self) -> bytes:
        """The picture, waited for if it is still being encoded."""
        return self.encoding.result()

    @property
    def name(self) -> str:
        """Its name in a clip; names sort as the pictures were taken."""
        return f"{self.number:09d}-{self.at:%Y%m%dT%H%M%S}{self.at.microsecond // 1000:03d}Z.jpg"


@dataclass(slots=True)
class ClipKeeper:
    """Keeps the pictures of the last ``seconds``, for a clip of them; of none if that is 0.

    They are encoded in a thread of their own, so that the reading of the table need not wait for that.

    Attributes:
        seconds: how far back a clip reaches.
    """

    seconds: float
    _kept: deque[_Kept] = field(default_factory=deque)
    _bytes: int = 0
    _counted: int = 0
    _newest: tuple[Image, int, datetime, float] | None = None
    _encoder: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="clips"))

    def see(self, image: Image, number: int, at: datetime, t_s: float) -> None:
        """Take the next picture.

        Args:
            image: (height, width, 3) uint8 BGR; not changed any more.
            number: counts the pictures that were read.
            at: when it was taken, UTC.
            t_s: the same in seconds that only go forward.
        """
        if not self.seconds:
            return
        if self._kept and t_s < self._kept[-1].t_s:
            self._clear()  # the clock of the source has restarted
        self._newest = image, number, at, t_s
        if not self._kept or t_s - self._kept[-1].t_s >= _SHORTEST_S:
            self._keep()

    def of(self, report: RoundReport, before: RoundReport | None) -> tuple[Evidence, ...]:
        """The clip up to the newest picture, if a round about to be recorded raises an alarm that stood not before."""
        if self._newest is None or _causes(report) <= (frozenset() if before is None else _causes(before)):
            return ()
        if self._kept[-1].number != self._newest[1]:
            self._keep()
        self._count_newest()
        first, last = self._kept[0], self._kept[-1]
        about = ClipReport(began_at=first.at, ended_at=last.at, pictures=len(self._kept))
        return (Evidence(None, "clip", Picture(_zipped(self._kept), CLIP_TYPE), about),)

    def _keep(self) -> None:
        if self._newest is None:
            return
        image, number, at, t_s = self._newest
        self._count_newest()
        self._kept.append(_Kept(number, at, t_s, self._encoder.submit(_small_jpeg, image)))

    def _count_newest(self) -> None:
        """Take the newest picture into account, and let go of the oldest that are too old or too much."""
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
    """A picture no wider than a clip's, as a JPEG."""
    height, width = image.shape[:2]
    if width > WIDTH_PX:
        # Not by areas, which takes seven times as long; from a camera's 2304 pixels no line is lost.
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
    """What gives alarm in a round: hands against the House Way as laid, departures from the book, what is in doubt."""
    wrong = {
        f"wrong {hand.place} {sorted(hand.low)} {sorted(hand.high)}" for hand in report.judged if hand.is_set_wrongly
    }
    departures = {f"procedure {found.code} {found.params}" for found in report.departures}
    doubtful = {f"review {place}" for place in report.places_in_doubt}
    return frozenset(wrong | departures | doubtful)
