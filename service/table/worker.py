"""The thread that reads the table: picture after picture, for ever, whatever the camera does.

A bad picture, a camera that drops out or a fault of our own is shown as the table's health and tried again with growing
pauses; none of them ends the thread. Live cameras hand over their newest picture only, so a slow reading never falls
behind the table; recorded pictures are played again from the start when they end.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import cv2
import numpy as np

from service.codes import ServiceCode
from service.judge.remedies import remedies
from service.judge.verdict_lines import verdicts_of
from service.monitor.camera_watch import NAME as CAMERA
from service.monitor.set_watch import NAME as TILES
from service.ops.logs import round_id
from service.ops.metrics import Metrics
from service.ops.versions import service_versions
from service.record.store.entries import Picture, RecordUnavailableError
from service.rounds.reports import report_reading, report_round, round_of
from service.rounds.round_tracker import RoundTracker
from service.rounds.withheld import doubted, unrecorded
from service.table.live_state import Check, View
from service.table.source import camera_watch_of, open_table
from service.table.table_now import table_now
from service.words.findings import english
from vision.capture import BadFrame, Frame, FrameSource, IsolatedSource, SourceError
from vision.draw.overlay import draw_reading
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from calibration.files.calibration_file import TableCalibration
    from engine.house_way import HouseWay
    from service.config.settings import Config
    from service.monitor.camera_watch import CameraWatch
    from service.monitor.set_watch import SetReport, SetWatch
    from service.monitor.watches import Watch
    from service.record.ledger import Ledger
    from service.rounds.reports import RoundReport
    from service.rounds.round_tracker import Round
    from service.table.live_state import Desk
    from vision.capture.images import Image
    from vision.draw.tile_card import HandCaption
    from vision.reading import PictureReader, Reading

_log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
_VIEW_WIDTH_PX = 1600
_JPEG_QUALITY = 82
_EVIDENCE_QUALITY = 92
_TIDY_EVERY_S = 3600.0
_LONGEST_SILENCE_S = 120.0
"""Longer than any pause after a fault; a reading thread that is quiet for longer hangs in a driver."""
_UNRECORDED_AT_MOST = 20
"""Rounds held while the record cannot be written; with two pictures each, more would eat the memory."""


@dataclass(slots=True)
class Worker:
    """Reads one table from its own thread and publishes to its desk.

    Attributes:
        config: the table's settings.
        desk: where readings, rounds and health are published.
        reader: what reads a picture.
        house_way: what hands are judged by.
        ledger: where rounds are recorded before anybody is told of them.
        calibration: the camera's calibration, if there is one.
        metrics: what is counted.
        watches: what else every verified result needs, looked at before each picture.
        camera: inspects each picture; None where there is nothing to compare it with.
        tiles: follows the set; None without a calibration.
        open_frames: opens the source; a stand-in in tests.
    """

    config: Config
    desk: Desk
    reader: PictureReader
    house_way: HouseWay
    ledger: Ledger
    calibration: TableCalibration | None = None
    metrics: Metrics = field(default_factory=Metrics)
    watches: tuple[Watch, ...] = ()
    camera: CameraWatch | None = None
    tiles: SetWatch | None = None
    open_frames: Callable[[Config], FrameSource] = open_table
    _stopping: threading.Event = field(default_factory=threading.Event)
    _source: FrameSource | None = None
    _thread: threading.Thread | None = None
    _pictures: int = 0
    _versions: dict[str, str] = field(default_factory=dict)
    _begun: bool = False
    _alive_at: float = 0.0
    _noted: dict[str, bool] = field(default_factory=dict)
    _durable: Round | None = None
    _tracker: RoundTracker = field(init=False)
    _recalibrated: tuple[TableCalibration, str] | None = None
    _unrecorded: dict[str, tuple[RoundReport, dict[str, Picture]]] = field(default_factory=dict)
    _tidy_at: float = 0.0
    _unnoted: list[SetReport] = field(default_factory=list)

    def start(self) -> None:
        """Begin to read."""
        self.desk.check(Check.of("source", ServiceCode.SOURCE_OPENING, ok=True))
        self._versions = service_versions(self.config, self.house_way)
        self._alive_at = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=f"table {self.config.table.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop reading; returns once the picture being read is done."""
        self._stopping.set()
        self.desk.close()
        if (source := self._source) is not None:
            source.close()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def recalibrate(self, calibration: TableCalibration, version: str) -> None:
        """Read by another calibration from the next picture on; the round goes on as after a new start.

        Args:
            calibration: the calibration.
            version: SHA-256 of its file, as results name it.
        """
        self._recalibrated = (calibration, version)

    def stalled(self) -> str | None:
        """What has stopped working so that only a new start helps; None if nothing has.

        A camera that is gone is no such thing: it is asked again and again, which is a sign of life.
        """
        if self._thread is None or not self._thread.is_alive():
            return "the reading thread has ended"
        silent_s = time.monotonic() - self._alive_at - self.config.source.interval_s
        return f"the reading thread hangs for {silent_s:.0f} s" if silent_s > _LONGEST_SILENCE_S else None

    def _run(self) -> None:
        self._look_after_record()
        self._look_after_watches()
        self._resume_tiles()
        self._follow()
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            before = self._pictures
            self._alive_at = time.monotonic()
            try:
                self._read_source()
            except SourceError as error:
                self.desk.check(Check.of("source", ServiceCode.SOURCE_FAULT, ok=False, why=str(error)))
            except Exception as error:  # noqa: BLE001  whatever it was, the table must be read again
                _log.exception("reading the table failed; trying again")
                self.desk.check(Check.of("reading", ServiceCode.READING_FAULT, ok=False, why=str(error)))
            if self._pictures > before:
                pause_s = FIRST_PAUSE_S
                continue
            self._stopping.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _resume_tiles(self) -> None:
        if self.tiles is not None:
            with suppress(RecordUnavailableError):
                self.tiles.resume(self.ledger.last_of_tiles())

    def _read_source(self) -> None:
        """Read a source from beginning to end; a live one ends only when it is closed."""
        self.metrics.source_openings.inc()
        source = self.open_frames(self.config)
        self._source = source
        if isinstance(source, IsolatedSource):
            self.desk.watch_capture(lambda: source.statistics)
        try:
            for seen in source:
                self._alive_at = time.monotonic()
                if isinstance(seen, BadFrame):
                    self.metrics.source_faults.inc()
                    self.desk.check(Check.of("source", ServiceCode.SOURCE_FAULT, ok=False, why=seen.message))
                else:
                    self.desk.check(Check.of("source", ServiceCode.SOURCE_WELL, ok=True))
                    self._read(seen, live=source.live)
                if self._stopping.wait(self.config.source.interval_s):
                    return
        finally:
            self._source = None
            source.close()

    def _follow(self) -> None:
        """Begin to follow the table, in the middle of its round if one is open."""
        rounds = self.config.rounds
        self._tracker = RoundTracker(
            lambda: uuid.uuid4().hex,
            rounds.settle_frames,
            rounds.clear_frames,
            angle_deg=None if self.calibration is None else self.calibration.angle_of,
            dealer_sets=frozenset(f"box{box}" for box in self.config.table.house_way_boxes),
            remedied=remedies(self.house_way),
        )
        last = self.desk.state.current
        if last is not None:
            self._durable = round_of(last)
            self._tracker.resume(self._durable)

    def _read_by(self, calibration: TableCalibration, version: str) -> None:
        """Read the table by another calibration from now on; camera and set are held against it too."""
        self.camera = camera_watch_of(self.config, calibration)
        if self.tiles is not None:
            self.tiles.calibration = calibration
        self.calibration = calibration
        self._versions = {**self._versions, "calibration": f"sha256:{version}"}
        self._follow()

    def _read(self, frame: Frame, *, live: bool) -> None:
        if (given := self._recalibrated) is not None:
            self._read_by(*given)
            if self._recalibrated is given:  # what came meanwhile is for the next picture
                self._recalibrated = None
        tracker = self._tracker
        self.desk.pictures.offer(frame.image, datetime.now(UTC))
        fault = self._look_after_record()
        reading = self._inspected(frame, self.reader.read(frame.image, calibration=self.calibration, name=frame.name))
        for doubt in (*self._look_after_watches(), *(() if fault is None else (fault,))):
            reading = doubted(reading, doubt)
        self.desk.check(Check.of("reading", ServiceCode.READING_WELL, ok=True))
        self._pictures += 1
        self.metrics.read(reading)
        if self.tiles is not None and (other_tiles := self.tiles.fault()) is not None:
            reading = doubted(reading, other_tiles, tell=True)
        now = datetime.now(UTC)
        report = report_reading(reading, self.house_way)
        annotated = _draw(frame.image, reading, verdicts_of(report))
        at = frame.captured_at if live else now
        if self.camera is not None and self.camera.stands(time.monotonic()):
            tracker.watch.stands()
        changed = tracker.update(reading, at)
        self._look_after_tiles(frame.image, reading, tracker)
        doing = table_now(tracker.watch.seen, tracker.watch.tracks, at, tracker.seen_s, self.house_way)
        self.desk.show(View(self._pictures, annotated, now), report, doing)
        round_id.set(None if tracker.current is None else tracker.current.id)
        if changed is not None:
            pictures = {"frame": Picture(_encode(frame.image, _EVIDENCE_QUALITY)), "annotated": Picture(annotated)}
            self._record(tracker, changed, {**self._versions, **reading.versions}, pictures)

    def _inspected(self, frame: Frame, reading: Reading) -> Reading:
        """A reading, doubted if camera or light are not as they should be."""
        if self.camera is None:
            return reading
        begun = time.perf_counter()
        faults = self.camera.see(frame.image, time.monotonic())
        spent_ms = round((time.perf_counter() - begun) * 1e3, 3)
        total_ms = round(reading.elapsed_ms.get("total", 0.0) + spent_ms, 3)
        reading = replace(reading, elapsed_ms={**reading.elapsed_ms, "inspect": spent_ms, "total": total_ms})
        for fault in faults:
            reading = doubted(reading, fault.finding, tell=True)
        return reading

    def _look_after_tiles(self, image: Image, reading: Reading, tracker: RoundTracker) -> None:
        """Have the set looked at, and note what was found; a set that was enrolled now is read with from now on."""
        tiles = self.tiles
        if tiles is None:
            return
        before, fit = tiles.enrolment, self.camera is None or self.camera.fit
        table = tracker.watch
        self._unnoted += tiles.see(image, reading, table.lying, table.phase, time.monotonic(), fit=fit)
        if tiles.enrolment is not before and tiles.reader_with is not None:
            self.reader = tiles.reader_with(tiles.enrolment)
        with suppress(RecordUnavailableError):  # noted with a later picture; until then nothing is verified anyway
            while self._unnoted:
                self.ledger.note_tiles(self._unnoted[0].act, asdict(self._unnoted[0]))
                del self._unnoted[0]

    def _look_after_record(self) -> Finding | None:
        """Have the record recover if it can; returns why nothing may be verified, or None if all is well."""
        record = self.ledger.record
        try:
            if record.recover():
                if not self._begun:
                    self.metrics.starts.set(self.ledger.begin(self._versions))
                    self.desk.record(*self.ledger.rounds(self.config.rounds.keep))
                    self._begun = True
                self._record_waiting()
                if time.monotonic() >= self._tidy_at:
                    self._tidy_at = time.monotonic() + _TIDY_EVERY_S
                    record.tidy()
        except RecordUnavailableError:
            pass  # the record's state says so
        state = record.state
        self.desk.check(Check.of("record", ServiceCode.RECORD_STATE, ok=state.ok, why=state.message))
        return None if state.ok else Finding.of(ServiceCode.NOT_RECORDED, why=state.message)

    def _look_after_watches(self) -> list[Finding]:
        """Publish how each watched thing is and record when it turns; returns why nothing may be verified."""
        found = [watch() for watch in self.watches]
        if self.camera is not None:
            found.append(self.camera.check)
        if self.tiles is not None:
            found.append(self.tiles.check)
        for check in found:
            self.desk.check(check)
            if self._noted.get(check.name) is not check.ok:
                # What cannot be recorded now is noted with the next picture; until then nothing is verified anyway.
                with suppress(RecordUnavailableError):
                    self.ledger.note_health(check.name, check.findings, ok=check.ok)
                    self._noted[check.name] = check.ok
        # What these two hold back is doubted by findings of their own.
        held = (check.findings for check in found if not check.ok and check.name not in (CAMERA, TILES))
        return [finding for findings in held for finding in findings]

    def _record_waiting(self) -> None:
        for played in tuple(self._unrecorded):
            self._publish(*self.ledger.revise(*self._unrecorded[played]))
            del self._unrecorded[played]

    def _publish(self, *recorded: RoundReport) -> None:
        self.desk.record(*recorded)
        self.metrics.recorded(*recorded)
        for played in recorded:
            told = (played.number, played.revision, played.state, played.status)
            _log.info("round %s revision %s is recorded: %s, %s", *told)

    def _record(
        self, tracker: RoundTracker, changed: Round, versions: dict[str, str], pictures: dict[str, Picture]
    ) -> None:
        """Record a round's new revision and only then publish it; one that cannot be recorded is handed to a person."""

        def told(played: Round) -> RoundReport:
            return report_round(played, table=self.config.table.name, house_way=self.house_way, versions=versions)

        try:
            # Rounds are recorded in their order; one that still waits holds up those behind it.
            self._record_waiting()
            self._publish(*self.ledger.revise(told(changed), pictures))
            self._durable = changed
        except RecordUnavailableError as error:
            doubt = Finding.of(ServiceCode.NOT_RECORDED, why=str(error))
            durable = self._durable if self._durable is not None and self._durable.id == changed.id else None
            tracker.current = unrecorded(changed, durable, doubt)
            report = told(tracker.current)
            self._unrecorded[changed.id] = (report, pictures)
            while len(self._unrecorded) > _UNRECORDED_AT_MOST:
                lost = self._unrecorded.pop(next(iter(self._unrecorded)))[0]
                _log.error("round %s could not be recorded in time and is lost", lost.number)
            self.desk.record(report)
            self.desk.check(Check.of("record", ServiceCode.RECORD_STATE, ok=False, why=str(error)))


def _draw(image: Image, reading: Reading, verdicts: Mapping[str, HandCaption]) -> bytes:
    """The picture with what was read drawn on it, as a JPEG no wider than the page needs."""
    # Without the strip of figures on top: the page has them beside the picture, in letters that can be read.
    drawn = draw_reading(image, reading, verdicts, english(reading.findings))[-image.shape[0] :]
    height, width = drawn.shape[:2]
    if width > _VIEW_WIDTH_PX:
        size = (_VIEW_WIDTH_PX, round(height * _VIEW_WIDTH_PX / width))
        drawn = np.asarray(cv2.resize(drawn, size, interpolation=cv2.INTER_AREA), np.uint8)
    return _encode(drawn, _JPEG_QUALITY)


def _encode(image: Image, quality: int) -> bytes:
    _, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return encoded.tobytes()
