"""The outcome of one picture, for those that follow the pipeline and change nothing in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from vision.capture.images import Image
    from vision.enrolment.learning import ReadPicture
    from vision.reading import Reading
    from vision.tracking import TableWatch


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """What became of one picture.

    Attributes:
        image: (height, width, 3) uint8 BGR.
        at: when it was taken, UTC.
        t_s: the same in seconds that only go forward.
        reading: what was read, after withholding.
        table: what the table shows over time.
        display: the newest picture of a display of the set that lies there; None if none does.
    """

    image: Image
    at: datetime
    t_s: float
    reading: Reading
    table: TableWatch
    display: ReadPicture | None
