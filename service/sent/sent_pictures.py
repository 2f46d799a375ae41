"""Pictures that clients send to be read: upload slots, the calibration of a picture, and the process that reads it."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

import cv2
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import CalibrationError, calibration_from
from service.monitor.inspection import Inspector
from service.monitor.stand import held_against_table
from service.ops.limited_process import LimitedProcess, ProcessBusyError, ProcessLimits
from vision.capture.images import decode_image, exif_orientation
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.vocabulary.play import Lie
    from service.config.settings import Config
    from vision.reading import PictureReader, Reading

OF_ONE_CALLER: Final = 2
"""Pictures that one caller may have here: one that is read, and one that arrives or waits meanwhile."""
_FOR_OTHERS: Final = 16_000_000
"""Bytes that are left for the pictures of others while one caller has as many as it may."""


class TooManyOfOneError(Exception):
    """A caller has as many pictures here as it may."""


class Waiting:
    """The places of those whose picture arrives, waits or is read; of one event loop.

    No caller can keep the others out, however slowly its pictures arrive.

    Args:
        most: how many there are.
        most_bytes: what one caller may send together; one picture alone may be larger.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._taken: list[tuple[str, int]] = []

    @contextmanager
    def place(self, caller: str, size: int) -> Iterator[None]:
        """Have a place for a request of so many bytes while this is entered.

        Raises:
            TooManyOfOneError: the caller has all places that it may have.
            ProcessBusyError: there is none left.
        """
        own = [taken for whose, taken in self._taken if whose == caller]
        everybody = sum(taken for _, taken in self._taken)
        if len(own) >= OF_ONE_CALLER:
            raise TooManyOfOneError
        too_large = own and sum(own) + size > self._most_bytes
        if too_large or (self._taken and everybody + size > self._most_bytes + _FOR_OTHERS):
            raise ProcessBusyError
        if len(self._taken) >= self._most:
            raise ProcessBusyError
        self._taken.append((caller, size))
        try:
            yield
        finally:
            self._taken.remove((caller, size))


@dataclass(frozen=True, slots=True)
class SentPicture:
    """What somebody sent to be read: the bytes of files.

    Attributes:
        name: of the picture, for messages.
        picture: the picture.
        calibration: of its camera; None for a plain photograph.
        reference: the picture of the empty table that the calibration names; None where the table has it.
    """

    name: str
    picture: bytes
    calibration: bytes | None = None
    reference: bytes | None = None


def read_sent(reader: PictureReader, sent: SentPicture, most_pixels: int, own: Path | None) -> Reading:
    """Read a picture that was sent.

    Args:
        reader: what reads it.
        sent: the picture.
        most_pixels: the largest picture that is decoded.
        own: the file of the table's own calibration, beside which its picture of the empty table lies.

    Raises:
        ImageError: it is no picture that can be read, or is too large.
        CalibrationError: its calibration is none, or does not fit it.
    """
    inspector = None if sent.calibration is None else _inspector(sent, sent.calibration, most_pixels, own)
    image = decode_image(sent.picture, sent.name, most_pixels)
    if inspector is None:
        return reader.read(image, name=sent.name)
    exif = exif_orientation(sent.picture)
    inspector.check_size(image, sent.name, exif)
    reading = reader.read(image, calibration=inspector.calibration, empty=inspector.empty, name=sent.name)
    return held_against_table(inspector, image, reading, exif)


def _inspector(sent: SentPicture, data: bytes, most_pixels: int, own: Path | None) -> Inspector:
    """The calibration with its picture of the empty table: the one sent with it, or the table's own."""
    calibration = calibration_from(data, "calibration")
    named = calibration.reference
    if named is None:
        return Inspector.of(calibration, None)
    if sent.reference is not None:
        if hashlib.sha256(sent.reference).hexdigest() != named.sha256:
            raise CalibrationError(f"The reference is not the picture the calibration was made with, {named.name}.")
        empty = decode_image(sent.reference, named.name, most_pixels)
        calibration.check_size((empty.shape[1], empty.shape[0]), named.name)
        return Inspector.of(calibration, empty)
    with suppress(CalibrationError):  # the table's own file is another, or gone
        return Inspector.of(calibration, None if own is None else load_reference(own, calibration))
    return Inspector.of(calibration, None)


_IDLE_S: Final = 20.0
"""After so long without a picture the process ends and its memory is free."""
_NO_MEMORY: Final = "alloc"
"""In what onnxruntime says where it had no memory."""


class ReadsSent(Protocol):
    """Reads pictures that are sent.

    Attributes:
        waiting: the places of those who send.
    """

    @property
    def waiting(self) -> Waiting: ...

    async def read(self, sent: SentPicture) -> Reading:
        """Read one; ImageError, CalibrationError, and what :mod:`service.ops.limited_process` raises."""

    def close(self) -> None:
        """Read no more."""


class ReadsHere:
    """Reads them in this process, by a reader that is there anyway."""

    def __init__(self, config: Config, reader: PictureReader) -> None:
        self.waiting = _waiting(config)
        self._reader = reader
        self._asked = (config.read.max_pixels, config.table.calibration)

    async def read(self, sent: SentPicture) -> Reading:
        """Read one; ImageError, CalibrationError."""
        return await asyncio.to_thread(read_sent, self._reader, sent, *self._asked)

    def close(self) -> None:
        """Nothing to end."""


class ReadsApart:
    """Reads them in a process of its own, which is there while pictures are sent.

    Args:
        config: the table's settings.
        tiles: folder of the table's own tile model; None for the usual one.
        low_hand: how a low hand lies.
    """

    def __init__(self, config: Config, tiles: Path | None, low_hand: Lie) -> None:
        settings = config.read
        self.waiting = _waiting(config)
        limits = ProcessLimits(settings.max_memory_mb * 1_000_000, settings.max_s, _IDLE_S, settings.max_waiting)
        self._process = LimitedProcess("pictures sent", limits)
        self._asked = (settings.max_pixels, config.table.calibration, config.models.weights, tiles, low_hand)

    async def read(self, sent: SentPicture) -> Reading:
        """Read one.

        Raises:
            ImageError: it is no picture that can be read, or is too large.
            CalibrationError: its calibration is none, or does not fit it.
            ProcessBusyError: too many wait.
            WorkStoppedError: it took too much memory or time.
        """
        return await asyncio.wrap_future(self._process.submit(_read, sent, *self._asked))

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _waiting(config: Config) -> Waiting:
    """One picture is read while others wait; together they are no larger than one request may be."""
    return Waiting(1 + config.read.max_waiting, config.server.max_upload_mb * 1_000_000)


def _read(
    sent: SentPicture, max_pixels: int, own: Path | None, weights: Path | None, tiles: Path | None, low_hand: Lie
) -> Reading:
    """Read a picture, in the process for it."""
    try:
        return read_sent(_reader(weights, tiles, low_hand), sent, max_pixels, own)
    except cv2.error as fault:
        if fault.code == cv2.Error.StsNoMem:
            raise MemoryError from fault
        raise
    except RuntimeException as fault:
        if _NO_MEMORY in str(fault):
            raise MemoryError from fault
        raise


@lru_cache(maxsize=1)
def _reader(weights: Path | None, tiles: Path | None, low_hand: Lie) -> Reader:
    """The reader of this process, loaded with its first picture."""
    cv2.setNumThreads(1)
    return Reader.load(weights, threads=1, tiles=tiles, low_hand=low_hand, sparing=True)
