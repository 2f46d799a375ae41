"""A picture of a source, a bad one, and the interface of a source."""

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
        sequence: counts the pictures of this source from 0, bad and dropped ones included; always rising.
        captured_at: when it was taken, UTC; for a file, when it was last written.
        name: file name, or source and sequence number.
        image: (height, width, 3) uint8, blue-green-red; nobody changes it any more, so that it is kept without a copy.
        path: the file it came from, if it is one.
        monotonic_ns: when it was taken on ``CLOCK_MONOTONIC``, which no change of the clock moves; None if recorded.
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
        sequence: its place in the source, as in ``Frame``.
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
        live: whether pictures are dropped while nobody reads them.
        length: number of pictures, None if it is not known or never ends.
    """

    @property
    def live(self) -> bool: ...

    @property
    def length(self) -> int | None: ...

    def __iter__(self) -> Iterator[FrameResult]: ...

    def close(self) -> None: ...
