"""A picture of a source, a bad picture, and the interface of sources."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias

from vision.capture.images import Image
from vision.findings import CodedError, Finding


class SourceError(CodedError, ValueError):
    """A source that cannot be opened at all."""


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """One picture of a source.

    Attributes:
        sequence: index of the picture in this source from 0, bad and dropped ones included; strictly increasing.
        captured_at: capture time, UTC; for a file, its modification time.
        name: file name, or source and sequence number.
        image: (height, width, 3) uint8, blue-green-red; immutable by convention, so it is shared without copying.
        path: the file it came from, if any.
        monotonic_ns: capture time on ``CLOCK_MONOTONIC``, unaffected by clock changes; None if recorded.
    """

    sequence: int
    captured_at: datetime
    name: str
    image: Image
    path: Path | None = None
    monotonic_ns: int | None = None


@dataclass(frozen=True, slots=True)
class BadFrame:
    """A picture that could not be read.

    Attributes:
        sequence: as in ``Frame``.
        name: file name, or source and sequence number.
        finding: the fault.
    """

    sequence: int
    name: str
    finding: Finding


FrameResult: TypeAlias = Frame | BadFrame


class FrameSource(Protocol):
    """Pictures to iterate over; ``close`` when done.

    Attributes:
        live: whether pictures are dropped while there is no reader.
        length: number of pictures, None if unknown or endless.
    """

    @property
    def live(self) -> bool: ...

    @property
    def length(self) -> int | None: ...

    def __iter__(self) -> Iterator[FrameResult]: ...

    def close(self) -> None: ...
