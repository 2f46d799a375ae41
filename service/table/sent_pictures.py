"""Pictures that clients send to be read: upload slots, the calibration of a picture, and the process that reads it."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

import cv2

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import CalibrationError, calibration_from
from service.system.limited_process import LimitedProcess, ProcessBusyError, ProcessLimits
from service.table.monitor.inspection import Inspector, checked_against_table
from vision.capture.images import decode_image, exif_orientation, refuse_by_header
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from engine.vocabulary.play import Lie
    from service.system.settings import Config
    from vision.reading import PictureReader, Reading

PER_CALLER: Final = 2
"""Pictures of one caller at the same time: one is read while the other arrives or waits."""
_FOR_OTHERS: Final = 16_000_000
"""Bytes reserved for other callers while one caller uses its maximum."""


class CallerLimitError(Exception):
    """A caller already has its maximum number of pictures."""


class UploadSlots:
    """Slots for pictures that arrive, wait or are read; used from one event loop.

    Pictures are held in memory. No caller can block the others, however slowly its pictures arrive.

    Args:
        most: number of slots.
        most_bytes: total size for one caller; a single picture may be larger.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._taken: list[tuple[str, int]] = []

    @contextmanager
    def taken(self, caller: str, size: int) -> Iterator[None]:
        """Take a slot for a request of ``size`` bytes while the block runs.

        Raises:
            CallerLimitError: the caller uses its maximum number of slots.
            ProcessBusyError: no slot, or too little memory, is free.
        """
        own = [taken for whose, taken in self._taken if whose == caller]
        everybody = sum(taken for _, taken in self._taken)
        if len(own) >= PER_CALLER:
            raise CallerLimitError
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
    """The files of a picture to be read, as bytes.

    Attributes:
        name: of the picture, for messages.
        picture: the picture.
        calibration: of its camera; None for a plain photograph.
        reference: the picture of the empty table that the calibration names; None if the table has it.
    """

    name: str
    picture: bytes
    calibration: bytes | None = None
    reference: bytes | None = None


def read_sent(reader: PictureReader, sent: SentPicture, most_pixels: int, own: Path | None) -> Reading:
    """Read a picture that was sent.

    Args:
        reader: the reader.
        sent: the picture.
        most_pixels: the largest picture that is decoded.
        own: the file of the table's own calibration; its picture of the empty table is in the same folder.

    Raises:
        ImageError: the picture is unreadable or too large.
        CalibrationError: the calibration is invalid, or does not fit the picture.
    """
    inspector = None if sent.calibration is None else _inspector(sent, sent.calibration, most_pixels, own)
    image = decode_image(sent.picture, sent.name, most_pixels)
    if inspector is None:
        return reader.read(image, name=sent.name)
    exif = exif_orientation(sent.picture)
    inspector.check_size(image, sent.name, exif)
    reading = reader.read(image, calibration=inspector.calibration, empty=inspector.empty, name=sent.name)
    return checked_against_table(inspector, image, reading, exif)


def _inspector(sent: SentPicture, data: bytes, most_pixels: int, own: Path | None) -> Inspector:
    """Return the inspector of a calibration, with its picture of the empty table: the sent one, or the table's own."""
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
    with suppress(CalibrationError):  # the table's own file is a different one, or missing
        return Inspector.of(calibration, None if own is None else load_reference(own, calibration))
    return Inspector.of(calibration, None)


_IDLE_S: Final = 20.0
"""Idle time after which the process ends and its memory is free."""


class SentPictureReader(Protocol):
    """Reads pictures that clients send.

    Attributes:
        slots: for uploads.
    """

    @property
    def slots(self) -> UploadSlots: ...

    async def read(self, sent: SentPicture, table: Config) -> Reading:
        """Read a picture with the settings of a table.

        ImageError, CalibrationError, and the errors of :mod:`service.system.limited_process`.
        """

    def close(self) -> None:
        """Stop reading."""


class InProcessReader:
    """Reads in this process, with the readers of the tables."""

    def __init__(self, config: Config, readers: Mapping[str, PictureReader]) -> None:
        self.slots = _slots(config)
        self._readers = readers

    async def read(self, sent: SentPicture, table: Config) -> Reading:
        arguments = (table.read.max_pixels, table.table.calibration)
        return await asyncio.to_thread(read_sent, self._readers[table.table.name], sent, *arguments)

    def close(self) -> None: ...


class SeparateProcessReader:
    """Reads in a separate process, which exists while pictures are sent.

    Args:
        config: the settings of the service.
        tiles: folder of its own tile model; None for the default.
        low_hands: how a low hand lies, by table.
    """

    def __init__(self, config: Config, tiles: Path | None, low_hands: Mapping[str, Lie]) -> None:
        settings = config.read
        self.slots = _slots(config)
        limits = ProcessLimits(settings.max_memory_mb * 1_000_000, settings.max_s, _IDLE_S, settings.max_waiting)
        self._process = LimitedProcess("pictures sent", limits)
        self._models = (config.models.weights, tiles)
        self._low_hands = low_hands

    async def read(self, sent: SentPicture, table: Config) -> Reading:
        """Read a picture.

        Raises:
            ImageError: the picture is unreadable or too large.
            CalibrationError: the calibration is invalid, or does not fit the picture.
            ProcessBusyError: too many wait.
            WorkStoppedError: it took too much memory or time.
        """
        # The process may have to start, or have others to read, before it could refuse this one.
        _refuse_by_header(sent, table.read.max_pixels)
        low_hand = self._low_hands[table.table.name]
        arguments = (table.read.max_pixels, table.table.calibration, *self._models, low_hand)
        return await asyncio.wrap_future(self._process.submit(_read, sent, *arguments))

    def close(self) -> None:
        self._process.close()


def _slots(config: Config) -> UploadSlots:
    """One picture is read while others wait; together they are no larger than one request may be."""
    return UploadSlots(1 + config.read.max_waiting, config.server.max_upload_mb * 1_000_000)


def _refuse_by_header(sent: SentPicture, max_pixels: int) -> None:
    refuse_by_header(sent.picture, sent.name, max_pixels)
    if sent.reference is not None:
        refuse_by_header(sent.reference, "reference", max_pixels)


def _read(
    sent: SentPicture, max_pixels: int, own: Path | None, weights: Path | None, tiles: Path | None, low_hand: Lie
) -> Reading:
    try:
        return read_sent(_reader(weights, tiles, low_hand), sent, max_pixels, own)
    except cv2.error as fault:
        if fault.code == cv2.Error.StsNoMem:
            raise MemoryError from fault
        raise


@lru_cache(maxsize=1)
def _reader(weights: Path | None, tiles: Path | None, low_hand: Lie) -> Reader:
    """Return the reader of this process, loaded with its first picture."""
    cv2.setNumThreads(1)
    return Reader.load(weights, threads=1, tiles=tiles, low_hand=low_hand, sparing=True)
