"""The pipeline of one table: a picture passes the stages inspect, read, withhold, track, judge, record and show.

Each stage is a function of its input and its own state, and passes its result on as a value; none calls an earlier one.
Metrics and learning follow the outcome of each picture.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Final

from service.record.health import Check
from service.record.store.entries import RecordUnavailableError
from service.rounds.bank import bank_of
from service.rounds.judge.verdicts import captions_of, judge_round
from service.rounds.readings import doubted
from service.rounds.round_tracker import RoundTracker, unrecorded
from service.system.logs import round_id
from service.system.versions import service_versions
from service.table.clips import ClipKeeper
from service.table.evidence_keeper import EvidenceKeeper, as_shown, drawn_on, encoded
from service.table.live_pictures import View
from service.table.live_state import round_progress
from service.table.source import camera_watch_of
from service.words.codes import ServiceCode
from vision.hand_grouping import Conventions
from vision.tracking.observed.procedure import Procedure

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibration.files.calibration_file import TableCalibration
    from engine.books.book import Rulebook
    from service.rounds.judge.rules_in_force import TableRules
    from service.rounds.reports import RoundReport
    from service.system.settings import Config
    from service.table.live_state import LiveState
    from service.table.monitor.monitors import Monitors
    from service.table.recorder import Recorder
    from vision.capture import Frame
    from vision.capture.images import Image
    from vision.enrolment.learning import ReadPicture
    from vision.findings import Finding
    from vision.reading import HandReading, PictureReader, Reading
    from vision.tracking import TableWatch

_VIEW_QUALITY: Final = 82
"""JPEG quality of the live view."""
_SELDOM_S: Final = 3.0
"""While clients want pictures faster than they can be read, one is read at least this often."""


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """The outcome of one picture, for the followers of the pipeline, which change nothing in it.

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


@dataclass(slots=True)
class Pipeline:
    """Takes each picture of one table from the camera to the record and the live state.

    Attributes:
        pictures: number of pictures read so far.
        followers: called with the outcome of each picture.
    """

    config: Config
    live: LiveState
    reader: PictureReader
    rules: TableRules
    recorder: Recorder
    monitors: Monitors
    calibration: TableCalibration | None
    followers: tuple[Callable[[Outcome], None], ...] = ()
    pictures: int = 0
    _read_s: float = float("-inf")
    _versions: dict[str, str] = field(default_factory=dict)
    _tracker: RoundTracker = field(init=False)
    _evidence: EvidenceKeeper = field(default_factory=EvidenceKeeper)
    _clips: ClipKeeper = field(init=False)

    def __post_init__(self) -> None:
        self._clips = ClipKeeper(self.config.record.clip_s)

    def start(self) -> None:
        """Continue from the record."""
        self._versions = service_versions(self.config)
        self._recover()
        self.monitors.publish()
        self.monitors.resume()
        self._follow()

    def recalibrate(self, calibration: TableCalibration, version: str) -> None:
        """Read with another calibration from now on, and compare camera and set with it."""
        self.monitors.recalibrate(calibration, camera_watch_of(self.config, calibration))
        self.calibration = calibration
        self._versions = {**self._versions, "calibration": f"sha256:{version}"}
        self._follow()

    def process(self, frame: Frame, *, live: bool) -> None:
        """Take one picture through all stages; a recorded one is dated when it is read.

        Raises:
            CalibrationError: the calibration is not for pictures of this size.
        """
        self.live.pictures.offer(frame.image, datetime.now(UTC))
        if self._may_skip():
            return
        not_recorded = self._recover()
        self.monitors.inspect(frame.image, frame.name)
        reading = self._withhold(frame.image, self._read(frame, live=live), not_recorded)
        self.live.check(Check.of("reading", ServiceCode.READING_WELL, ok=True))
        self.pictures += 1
        read_at = datetime.now(UTC)
        at = frame.captured_at if live else read_at
        changed = self._track(frame.image, reading, at)
        if changed is not None:
            self._record(changed, reading.versions)
        self._show(frame.image, self._tracker.watch.without_left_behind(reading), at, read_at)
        display = None if self.monitors.tiles is None else self.monitors.tiles.display
        outcome = Outcome(frame.image, at, self._tracker.seconds.now_s, reading, self._tracker.watch, display)
        for follower in self.followers:
            follower(outcome)

    def _recover(self) -> Finding | None:
        """Let the record recover; return why nothing may be verified, or None."""
        return self.recorder.recover({**self._versions, **self.rules.now.versions})

    def _may_skip(self) -> bool:
        """Return whether to skip a picture: nothing can be verified yet, and a client waits for the next one."""
        now_s = time.monotonic()
        if self.calibration is None and self.live.pictures.hurried and now_s - self._read_s < _SELDOM_S:
            return True
        self._read_s = now_s
        return False

    def _follow(self) -> None:
        """Start to track the table; an open round continues."""
        rounds, table = self.config.table.rounds, self.config.table
        now = self.rules.now
        conventions = Conventions.of(
            self.calibration, now.low_hand(table.low_hand), table.house_way_boxes, now.fewest_dice
        )

        @cache
        def checked_by(book: Rulebook) -> Procedure:
            return Procedure(book, conventions.order, table.side_wagers)

        def procedure(opened_at: datetime) -> Procedure | None:
            book = self.rules.at(opened_at).book
            return None if book is None else checked_by(book)

        self._tracker = RoundTracker(
            lambda: uuid.uuid4().hex,
            rounds.settle_frames,
            rounds.clear_frames,
            conventions=conventions,
            players_bank=table.players_bank,
            procedure=procedure,
        )
        if (last := self.recorder.resume()) is not None:
            self._tracker.resume(last)

    def _read(self, frame: Frame, *, live: bool) -> Reading:
        """Read a picture without hands, which the tracker finds over several pictures."""
        taken_ns = frame.monotonic_ns if live and frame.monotonic_ns is not None else time.monotonic_ns()
        return self.reader.read(
            frame.image,
            calibration=self.calibration,
            empty=self.monitors.empty,
            name=frame.name,
            hands=False,
            t_s=taken_ns / 1e9,
        )

    def _withhold(self, image: Image, reading: Reading, not_recorded: Finding | None) -> Reading:
        """Return the reading, with nothing verified while a monitor or the record has a fault."""
        reading = self.monitors.withhold(image, reading)
        return reading if not_recorded is None else doubted(reading, not_recorded)

    def _track(self, image: Image, reading: Reading, at: datetime) -> RoundReport | None:
        """Return the round that this picture opened, changed or closed; None without a change."""
        tracker = self._tracker
        if self.monitors.confirms_camera():
            tracker.watch.confirm_in_place()
        changed = tracker.update(reading, at, self.live.state.reported_bank)
        self._evidence.see(image, reading, tracker.watch)
        self._clips.see(image, self.pictures, at, tracker.seconds.now_s)
        for follow in (self.monitors.follow_set, self.monitors.follow_dice):
            if (reader := follow(image, reading, tracker.watch)) is not None:
                self.reader = reader
        round_id.set(None if tracker.current is None else tracker.current.id)
        return changed

    def _judge(self, played: RoundReport, versions: dict[str, str]) -> RoundReport:
        named = {"table": self.config.table.name, "versions": {**self._versions, **versions}}
        return judge_round(played.model_copy(update=named), self.rules.at(played.opened_at))

    def _record(self, changed: RoundReport, versions: dict[str, str]) -> None:
        """Judge and record a round; what cannot be recorded is withheld."""
        judged, before = self._judge(changed, versions), self.recorder.published(changed.id)
        evidence = (*self._evidence.of(judged, before), *self._clips.of(judged, before))
        try:
            self.recorder.record(judged, evidence)
        except RecordUnavailableError as error:
            changed = unrecorded(changed, self.recorder.durable(changed.id), error.finding)
            self.recorder.wait(self._judge(changed, versions), evidence, error.finding)
            self._tracker.withheld(changed)
        if changed.closed_at is not None:
            self._evidence.start_round()
            # The next round may have another bank.
            self.live.report_bank(None)

    def _show(self, image: Image, reading: Reading, at: datetime, read_at: datetime) -> None:
        seen = self._tracker.watch.seen
        current = self.live.state.current
        lying: dict[str, HandReading] = {
            str(hand.place): hand.now for hand in seen.hands if hand.present and hand.now is not None
        }
        recorded = () if current is None or current.state == "closed" else current.hands

        def encode() -> bytes:
            return encoded(as_shown(image), _VIEW_QUALITY).data

        def draw(plain: bytes) -> bytes:
            captions = captions_of(hand for hand in recorded if hand.place in lying)
            drawn = drawn_on(plain, replace(reading, hands=tuple(lying.values())), captions)
            return encoded(drawn, _VIEW_QUALITY).data

        tracker = self._tracker
        book = self.rules.at(at if current is None or current.state == "closed" else current.opened_at).book
        progress = round_progress(
            seen,
            tracker.watch.tracks,
            at,
            tracker.seconds.now_s,
            book,
            tracker.conventions.order,
            bank_of(seen.markers, self.live.state.reported_bank, players_bank=self.config.table.players_bank),
        )
        self.live.publish_picture(View(self.pictures, read_at, encode, draw), reading, progress)
