"""The thread that reads a table, picture after picture, until the service stops.

A fault becomes a failed check, and is retried after growing pauses. Live cameras deliver only their newest picture;
recorded pictures are repeated from the start.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from calibration.files.calibration_file import CalibrationError
from service.record.health import Check
from service.table.metrics import Metrics, TableMetrics
from service.table.monitor.monitors import Monitors
from service.table.pipeline import Pipeline
from service.table.recorder import Recorder
from service.table.source import open_table
from service.words.codes import ServiceCode
from vision.capture import BadFrame, IsolatedSource, SourceError
from vision.capture.faults import CaptureCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibration.files.calibration_file import TableCalibration
    from service.record.health import Watch
    from service.record.ledger import Ledger
    from service.record.store.record import Record
    from service.rounds.judge.rules_in_force import TableRules
    from service.system.settings import Config
    from service.table.learning.table_learning import TableLearning
    from service.table.live_state import LiveState
    from service.table.monitor.camera_watch import CameraWatch
    from service.table.monitor.dice_watch import DiceWatch
    from service.table.monitor.set_watch import SetWatch
    from vision.capture import Frame, FrameSource
    from vision.reading import PictureReader


_log = logging.getLogger(__name__)

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
_LONGEST_SILENCE_S: Final = 120.0
"""Longer than any pause after a fault: a reading thread that is silent for longer hangs in a driver."""


@dataclass(frozen=True, slots=True)
class Instruments:
    """What reads and watches one table.

    Attributes:
        reader: reads a single picture that a client sends.
        watcher: reads the table's pictures in order; the same reader if None.
        calibration: of the table's camera.
        camera: inspects the table's pictures; None without anything to compare them with.
        tiles: follows the table's set; None without a calibration.
        dice: follows the house's dice; None without a calibration.
        watches: makes the monitors without a picture.
        open_frames: opens the table's source.
        learning: makes what collects crops and runs shadow reading.
    """

    reader: PictureReader
    watcher: PictureReader | None = None
    calibration: TableCalibration | None = None
    camera: CameraWatch | None = None
    tiles: SetWatch | None = None
    dice: DiceWatch | None = None
    watches: Callable[[Config, Record], tuple[Watch, ...]] = lambda _config, _record: ()
    open_frames: Callable[[Config], FrameSource] = open_table
    learning: Callable[[Config, Record, TableMetrics], TableLearning | None] = lambda _config, _record, _metrics: None


@dataclass(slots=True)
class Worker:
    """Reads one table from its own thread and publishes to its live state.

    Attributes:
        watches: monitors without a picture, checked at each picture.
    """

    config: Config
    live: LiveState
    rules: TableRules
    ledger: Ledger
    instruments: Instruments
    metrics: TableMetrics = field(default_factory=lambda: TableMetrics(Metrics(), "table"))
    watches: tuple[Watch, ...] = ()
    _learning: TableLearning | None = field(init=False)
    _pipeline: Pipeline = field(init=False)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _source: FrameSource | None = None
    _thread: threading.Thread | None = None
    _alive_at: float = 0.0
    _recalibrated: tuple[TableCalibration, str] | None = None

    def __post_init__(self) -> None:
        tools = self.instruments
        self._learning = learning = tools.learning(self.config, self.ledger.record, self.metrics)
        self._pipeline = Pipeline(
            self.config,
            self.live,
            tools.watcher or tools.reader,
            self.rules,
            Recorder(self.ledger, self.live, self.metrics, self.config.table.rounds.keep),
            Monitors(self.live, self.ledger, self.watches, tools.camera, tools.tiles, tools.dice),
            tools.calibration,
            (lambda outcome: self.metrics.read(outcome.reading), *(() if learning is None else (learning.follow,))),
        )

    def start(self) -> None:
        self.live.check(Check.of("source", ServiceCode.SOURCE_OPENING, ok=True))
        self._alive_at = time.monotonic()
        if self._learning is not None:
            self._learning.start()
        self._thread = threading.Thread(target=self._run, name=f"table {self.config.table.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop reading, and return once the present picture is done."""
        self._stopping.set()
        self.live.close()
        if (source := self._source) is not None:
            source.close()
        if self._thread is not None:
            self._thread.join(timeout=10)
        if self._learning is not None:
            self._learning.stop()

    def recalibrate(self, calibration: TableCalibration, version: str) -> None:
        """Read with another calibration from the next picture on; ``version`` is the SHA-256 of its file."""
        self._recalibrated = (calibration, version)

    def stalled(self) -> str | None:
        """Return what hangs, so that only a restart helps; None if nothing does. A missing camera is retried."""
        if self._thread is None or not self._thread.is_alive():
            return "the reading thread has ended"
        silent_s = time.monotonic() - self._alive_at - self.config.table.watched.interval_s
        return f"the reading thread hangs for {silent_s:.0f} s" if silent_s > _LONGEST_SILENCE_S else None

    def _run(self) -> None:
        self._pipeline.start()
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            before = self._pipeline.pictures
            self._alive_at = time.monotonic()
            try:
                self._read_source()
            except SourceError as error:
                self.live.check(Check("source", ok=False, findings=(error.finding,)))
            except Exception as error:  # noqa: BLE001  whatever it is, the table must be read again
                _log.exception("reading the table failed; trying again")
                self.live.check(Check.of("reading", ServiceCode.READING_FAULT, ok=False, why=str(error)))
            if self._pipeline.pictures > before:
                pause_s = FIRST_PAUSE_S
                continue
            self._stopping.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _read_source(self) -> None:
        """Read a source to its end; a live one ends only when it is closed."""
        self.metrics.source_openings.inc()
        source = self.instruments.open_frames(self.config)
        self._source = source
        if isinstance(source, IsolatedSource):
            self.live.watch_capture(lambda: source.statistics)
        try:
            for seen in source:
                self._alive_at = started = time.monotonic()
                if isinstance(seen, BadFrame):
                    self.metrics.source_faults.inc()
                    self.live.check(Check("source", ok=False, findings=(seen.finding,)))
                else:
                    self.live.check(Check.of("source", ServiceCode.SOURCE_WELL, ok=True))
                    self._take_calibration()
                    self._read_frame(seen, live=source.live)
                if self._stopping.wait(max(0.0, started + self.config.table.watched.interval_s - time.monotonic())):
                    return
        finally:
            self._source = None
            source.close()

    def _read_frame(self, seen: Frame, *, live: bool) -> None:
        """Read a picture; a recorded one that does not fit the calibration is reported and skipped."""
        try:
            self._pipeline.process(seen, live=live)
        except CalibrationError as error:
            if live:
                raise  # the camera may be in the wrong mode: reopening may fix it
            found = Finding.of(CaptureCode.FILE_UNREADABLE, fault=str(error))
            self.live.check(Check("source", ok=False, findings=(found,)))

    def _take_calibration(self) -> None:
        """Switch to the newest calibration; another one set meanwhile applies to the next picture."""
        if (newest := self._recalibrated) is not None:
            self._pipeline.recalibrate(*newest)
            if self._recalibrated is newest:
                self._recalibrated = None
