"""The monitors of a table, which may withhold verification: camera and light, the set of tiles, clock and self-test.

:class:`EvidenceWatch` warns days in advance that the evidence will fill its space, after which nothing can be recorded.
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from service.record.health import Check
from service.record.store.entries import RecordUnavailableError
from service.record.store.evidence import EvidenceRoom, evidence_room
from service.rounds.readings import doubted
from service.system.background import in_background
from service.table.monitor.camera_watch import NAME as CAMERA
from service.table.monitor.set_watch import NAME as TILES
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from concurrent.futures import Future

    from calibration.files.calibration_file import TableCalibration
    from service.record.health import Watch, Watched
    from service.record.ledger import Ledger
    from service.record.store.record import Record
    from service.table.live_state import LiveState
    from service.table.metrics import Metrics
    from service.table.monitor.camera_watch import CameraWatch, Faults
    from service.table.monitor.dice_watch import DiceReport, DiceWatch
    from service.table.monitor.set_watch import SetReport, SetWatch
    from vision.capture.images import Image
    from vision.findings import Finding
    from vision.reading import PictureReader, Reading
    from vision.tracking import TableWatch


@dataclass(slots=True)
class Monitors:
    """The monitors of one table, applied to each picture.

    Attributes:
        live: receives the checks.
        ledger: records changes of the checks.
        watches: monitors that need no picture.
        camera: inspects each picture; None without anything to compare it with.
        tiles: follows the set; None without a calibration.
        dice: follows the dice; None without a calibration.
    """

    live: LiveState
    ledger: Ledger
    watches: tuple[Watch, ...] = ()
    camera: CameraWatch | None = None
    tiles: SetWatch | None = None
    dice: DiceWatch | None = None
    _noted: dict[str, bool] = field(default_factory=dict)
    _reports: list[SetReport] = field(default_factory=list)
    _dice_reports: list[DiceReport] = field(default_factory=list)
    _executor: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="inspection")
    )
    _started: tuple[Image, Future[tuple[Faults, float]]] | None = None

    def resume(self) -> None:
        """Restore the last state of the set from the record: a fault of the set persists over restarts."""
        if self.tiles is not None:
            with suppress(RecordUnavailableError):
                self.tiles.resume(self.ledger.last_of_tiles())

    @property
    def empty(self) -> Image | None:
        """The picture of the empty table, if there is one."""
        return None if self.camera is None else self.camera.inspector.empty

    def recalibrate(self, calibration: TableCalibration, camera: CameraWatch | None) -> None:
        """Use another calibration from now on."""
        self.camera = camera
        if self.tiles is not None:
            self.tiles.calibration = calibration
        if self.dice is not None:
            self.dice.calibration = calibration

    def inspect(self, image: Image, name: str) -> None:
        """Start the inspection of a picture while it is read; :meth:`withhold` waits for the result.

        Raises:
            CalibrationError: the calibration is not for pictures of this size.
        """
        if (camera := self.camera) is not None:
            camera.inspector.check_size(image, name)
            self._started = image, self._executor.submit(_inspect, camera, image)

    def withhold(self, image: Image, reading: Reading) -> Reading:
        """Return the reading, with nothing verified while a monitor has a fault."""
        reading = self._inspected(image, reading)
        for finding in self.publish():
            reading = doubted(reading, finding)
        if self.tiles is not None and (other_tiles := self.tiles.fault()) is not None:
            reading = doubted(reading, other_tiles, as_finding=True)
        return reading

    def publish(self) -> list[Finding]:
        """Publish and record the checks; return the faults of monitors without a picture that withhold results."""
        found = [watch() for watch in self.watches]
        found += [each.check for each in (self.camera, self.tiles) if each is not None]
        for check in found:
            self.live.check(check)
            self._note(check)
        bad = (check for check in found if not check.ok and check.name not in (CAMERA, TILES))
        withheld = (check.findings if check.reason is None else (check.reason,) for check in bad)
        return [finding for findings in withheld for finding in findings]

    def confirms_camera(self) -> bool:
        """Return whether the camera has been where it was calibrated for a while."""
        return self.camera is not None and self.camera.is_in_place(time.monotonic())

    def follow_set(self, image: Image, reading: Reading, table: TableWatch) -> PictureReader | None:
        """Check the set in a picture, and record the reports.

        Returns:
            A new reader for the next pictures if a set was enrolled now; otherwise None.
        """
        tiles = self.tiles
        if tiles is None:
            return None
        before, fit = tiles.enrolment, self.camera is None or self.camera.fit
        self._reports += tiles.see(image, reading, table.lying, table.phase, time.monotonic(), fit=fit)
        with suppress(RecordUnavailableError):  # recorded with a later picture; until then nothing is verified anyway
            while self._reports:
                self.ledger.note_tiles(self._reports[0].act, self._reports[0].written())
                del self._reports[0]
        enrolled = tiles.enrolment is not before and tiles.reader_with is not None
        return tiles.reader_with(tiles.enrolment) if enrolled and tiles.reader_with is not None else None

    def follow_dice(self, image: Image, reading: Reading, table: TableWatch) -> PictureReader | None:
        """Learn from the throws of a picture, and record the reports.

        Returns:
            A new reader for the next pictures if something was learnt now; otherwise None.
        """
        dice = self.dice
        if dice is None:
            return None
        before = dice.own
        self._dice_reports += dice.see(image, reading, table, time.monotonic())
        with suppress(RecordUnavailableError):  # recorded with a later picture
            while self._dice_reports:
                self.ledger.note_dice(self._dice_reports[0].act, self._dice_reports[0].written())
                del self._dice_reports[0]
        if dice.own is None or dice.own is before or dice.reader_with is None:
            return None
        return dice.reader_with(dice.own)

    def _inspected(self, image: Image, reading: Reading) -> Reading:
        """Return the reading, with nothing verified on a fault of camera or light."""
        if self.camera is None:
            return reading
        waiting_since = time.perf_counter()
        started, self._started = self._started, None
        if started is None or started[0] is not image:
            started = image, self._executor.submit(_inspect, self.camera, image)
        faults, spent_ms = started[1].result()
        waited_ms = (time.perf_counter() - waiting_since) * 1e3
        total_ms = round(reading.elapsed_ms.get("total", 0.0) + waited_ms, 3)
        reading = replace(reading, elapsed_ms={**reading.elapsed_ms, "inspect": round(spent_ms, 3), "total": total_ms})
        for fault in faults:
            reading = doubted(reading, fault.finding, as_finding=True)
        return reading

    def _note(self, check: Check) -> None:
        """Record a change of a check; if that fails, it is tried again with the next picture."""
        if self._noted.get(check.name) is not check.ok:
            with suppress(RecordUnavailableError):
                self.ledger.note_health(check.name, check.findings, ok=check.ok)
                self._noted[check.name] = check.ok


def _inspect(camera: CameraWatch, image: Image) -> tuple[Faults, float]:
    """Return the faults of a picture, and the duration of the inspection in milliseconds."""
    started = time.perf_counter()
    faults = camera.see(image, time.monotonic())
    return faults, (time.perf_counter() - started) * 1e3


EVIDENCE: Final = "evidence"
_log = logging.getLogger(__name__)
_EVERY_S: Final = 600.0
_MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class EvidenceWatch:
    """Measures periodically how full the evidence of a record is.

    Attributes:
        warn_days: the check fails this many days before the evidence is full.
    """

    record: Record
    live: Watched
    metrics: Metrics
    warn_days: float

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Measure in the background while the block runs."""
        async with in_background(self._run()):
            yield

    async def _run(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self.measure, datetime.now(UTC))
            except RecordUnavailableError:
                pass  # the record's own check reports it
            except OSError as error:
                why = str(error.strerror or error)
                self.live.check(Check.of(EVIDENCE, ServiceCode.EVIDENCE_NOT_COUNTED, ok=False, why=why))
            await asyncio.sleep(_EVERY_S)

    def measure(self, now: datetime) -> None:
        """Publish how full the evidence is.

        Raises:
            RecordUnavailableError: the record cannot be read.
            OSError: the disk cannot be measured.
        """
        room = evidence_room(self.record, self.record.evidence, now)
        self.metrics.evidence(room.used, room.limit, room.kept, room.days_left)
        self.live.check(check_of_room(room, self.warn_days))


def check_of_room(room: EvidenceRoom, warn_days: float) -> Check:
    """Return the check of the evidence's space: it fails if it is full within ``warn_days``."""
    days = room.days_left
    if days is not None and days <= warn_days:
        params = {"days": int(days), "kept_mb": round(room.kept / _MB), "limit_mb": round(room.limit / _MB)}
        return Check.of(EVIDENCE, ServiceCode.EVIDENCE_FILLS, ok=False, **params)
    return Check.of(EVIDENCE, ServiceCode.EVIDENCE_HAS_ROOM, ok=True)
