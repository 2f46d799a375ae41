"""Who reads the pictures that are sent: a process of its own in the running service, or this one."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

import cv2
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException

from service.ops.limited_process import LimitedProcess, ProcessLimits
from service.sent.sent_picture import read_sent
from service.sent.waiting import Waiting
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from engine.vocabulary.play import Lie
    from service.config.settings import Config
    from service.sent.sent_picture import SentPicture
    from vision.reading import PictureReader, Reading

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

    async def read(self, sent: SentPicture, table: Config) -> Reading:
        """Read one as the settings of a table have it.

        ImageError, CalibrationError, and what :mod:`service.ops.limited_process` raises.
        """

    def close(self) -> None:
        """Read no more."""


class ReadsHere:
    """Reads them in this process, by the readers of the tables that are there anyway."""

    def __init__(self, config: Config, readers: Mapping[str, PictureReader]) -> None:
        self.waiting = _waiting(config)
        self._readers = readers

    async def read(self, sent: SentPicture, table: Config) -> Reading:
        """Read one; ImageError, CalibrationError."""
        asked = (table.read.max_pixels, table.table.calibration)
        return await asyncio.to_thread(read_sent, self._readers[table.table.name], sent, *asked)

    def close(self) -> None:
        """Nothing to end."""


class ReadsApart:
    """Reads them in a process of its own, which is there while pictures are sent.

    Args:
        config: the settings of the service.
        tiles: folder of its own tile model; None for the usual one.
        low_hands: how a low hand lies, by table.
    """

    def __init__(self, config: Config, tiles: Path | None, low_hands: Mapping[str, Lie]) -> None:
        settings = config.read
        self.waiting = _waiting(config)
        limits = ProcessLimits(settings.max_memory_mb * 1_000_000, settings.max_s, _IDLE_S, settings.max_waiting)
        self._process = LimitedProcess("pictures sent", limits)
        self._models = (config.models.weights, tiles)
        self._low_hands = low_hands

    async def read(self, sent: SentPicture, table: Config) -> Reading:
        """Read one.

        Raises:
            ImageError: it is no picture that can be read, or is too large.
            CalibrationError: its calibration is none, or does not fit it.
            ProcessBusyError: too many wait.
            WorkStoppedError: it took too much memory or time.
        """
        asked = (table.read.max_pixels, table.table.calibration, *self._models, self._low_hands[table.table.name])
        return await asyncio.wrap_future(self._process.submit(_read, sent, *asked))

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
