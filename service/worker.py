"""The thread that reads the table: picture after picture, for ever, whatever the camera does.

A bad picture, a camera that drops out or a fault of our own is shown as the table's health and tried again with growing
pauses; none of them ends the thread. Live cameras hand over their newest picture only, so a slow reading never falls
behind the table; recorded pictures are played again from the start when they end.
"""

from __future__ import annotations

import logging
import threading
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import cv2
import numpy as np

from service.desk import View
from service.report import report_reading, report_round
from service.rounds import RoundTracker
from service.verdicts import verdicts_of
from vision.frames import BadFrame, Frame, FrameSource, SourceError, open_source
from vision.overlay import draw_reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from calibration.store import TableCalibration
    from engine.house_way import HouseWay
    from service.config import Config
    from service.deps import PictureReader
    from service.desk import Desk
    from vision.frames import Image
    from vision.overlay import Verdict
    from vision.reading import Reading

_log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
_VIEW_WIDTH_PX = 1600
_JPEG_QUALITY = 82


@dataclass(slots=True)
class Worker:
    """Reads one table from its own thread and publishes to its desk.

    Attributes:
        config: the table's settings.
        desk: where readings, rounds and health are published.
        reader: what reads a picture.
        house_way: what hands are judged by.
        calibration: the camera's calibration, if there is one.
        open_frames: opens the source; a stand-in in tests.
    """

    config: Config
    desk: Desk
    reader: PictureReader
    house_way: HouseWay
    calibration: TableCalibration | None = None
    open_frames: Callable[[str | Path], FrameSource] = open_source
    _stopping: threading.Event = field(default_factory=threading.Event)
    _source: FrameSource | None = None
    _thread: threading.Thread | None = None
    _pictures: int = 0

    def start(self) -> None:
        """Begin to read."""
        self.desk.check("source", "opening the source", ok=True)
        self._thread = threading.Thread(target=self._run, name=f"table {self.config.table.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop reading; returns once the picture being read is done."""
        self._stopping.set()
        self.desk.signal.close()
        if (source := self._source) is not None:
            source.close()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        rounds = self.config.rounds
        tracker = RoundTracker(lambda: uuid.uuid4().hex, rounds.settle_frames, rounds.clear_frames)
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            before = self._pictures
            try:
                self._read_source(tracker)
            except SourceError as error:
                self.desk.check("source", str(error), ok=False)
            except Exception as error:  # noqa: BLE001  whatever it was, the table must be read again
                _log.exception("reading the table failed; trying again")
                self.desk.check("reading", f"a fault while reading ({error}); trying again", ok=False)
            if self._pictures > before:
                pause_s = FIRST_PAUSE_S
                continue
            self._stopping.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _read_source(self, tracker: RoundTracker) -> None:
        """Read a source from beginning to end; a live one ends only when it is closed."""
        source = self.open_frames(self.config.source.spec)
        self._source = source
        try:
            for seen in source:
                if isinstance(seen, BadFrame):
                    self.desk.check("source", seen.message, ok=False)
                else:
                    self.desk.check("source", "pictures arrive", ok=True)
                    self._read(seen, tracker)
                if self._stopping.wait(self.config.source.interval_s):
                    return
        finally:
            self._source = None
            source.close()

    def _read(self, frame: Frame, tracker: RoundTracker) -> None:
        reading = self.reader.read(frame.image, calibration=self.calibration, name=frame.name)
        self.desk.check("reading", "pictures are read", ok=True)
        self._pictures += 1
        now = datetime.now(UTC)
        report = report_reading(reading, self.house_way)
        self.desk.show(View(self._pictures, _draw(frame.image, reading, verdicts_of(report)), now), report)
        changed = tracker.update(reading, now)
        if changed is not None:
            self.desk.record(
                report_round(changed, table=self.config.table.name, house_way=self.house_way, versions=reading.versions)
            )


def _draw(image: Image, reading: Reading, verdicts: Mapping[str, Verdict]) -> bytes:
    """The picture with what was read drawn on it, as a JPEG no wider than the page needs."""
    # Without the strip of figures on top: the page has them beside the picture, in letters that can be read.
    drawn = draw_reading(image, reading, verdicts)[-image.shape[0] :]
    height, width = drawn.shape[:2]
    if width > _VIEW_WIDTH_PX:
        size = (_VIEW_WIDTH_PX, round(height * _VIEW_WIDTH_PX / width))
        drawn = np.asarray(cv2.resize(drawn, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, encoded = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return encoded.tobytes()
