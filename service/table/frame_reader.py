"""What happens to one picture of the table: read, held back if need be, followed over time, recorded, shown."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from calibration.table.places import Place, PlaceKind
from engine.books.registry import BOOKS
from service.codes import ServiceCode
from service.judge.low_hand import low_hand_of
from service.judge.verdicts import captions_of, judge_round
from service.ops.logs import round_id
from service.ops.versions import service_versions
from service.rounds.bank import bank_of
from service.rounds.round_tracker import RoundTracker
from service.rounds.withheld import doubted
from service.table.clips import ClipKeeper
from service.table.evidence import EvidenceKeeper, draw_view, encoded
from service.table.live_state import Check
from service.table.source import camera_watch_of
from service.table.table_now import table_now
from service.table.views import View
from vision.hand_grouping import Conventions
from vision.tracking.observed.procedure import Procedure

if TYPE_CHECKING:
    from calibration.files.calibration_file import TableCalibration
    from engine.house_way import HouseWay
    from service.config.settings import Config
    from service.learning.table_learning import TableLearning
    from service.monitor.monitors import Monitors
    from service.ops.metrics import Metrics
    from service.record.round_evidence import Evidence
    from service.rounds.reports import RoundReport
    from service.table.live_state import LiveState
    from service.table.recorder import Recorder
    from vision.capture import Frame
    from vision.capture.images import Image
    from vision.reading import HandReading, PictureReader, Reading

_VIEW_QUALITY: Final = 82
"""JPEG quality of the live view."""
_SELDOM_S: Final = 3.0
"""While pictures are hurried on, one is read all the same after so long: the table's state stays known."""


@dataclass(slots=True)
class FrameReader:
    """Takes each picture of one table from the camera to the record and the live state."""

    config: Config
    live: LiveState
    reader: PictureReader
    house_way: HouseWay
    recorder: Recorder
    monitors: Monitors
    calibration: TableCalibration | None
    metrics: Metrics
    learning: TableLearning | None = None
    pictures: int = 0
    _read_s: float = float("-inf")
    _versions: dict[str, str] = field(default_factory=dict)
    _tracker: RoundTracker = field(init=False)
    _evidence: EvidenceKeeper = field(default_factory=EvidenceKeeper)
    _clips: ClipKeeper = field(init=False)

    def __post_init__(self) -> None:
        """Keep as much for clips as the settings say."""
        self._clips = ClipKeeper(self.config.record.clip_s)

    def begin(self) -> None:
        """Take up the record and the monitors as they were, and begin to follow the table."""
        self._versions = service_versions(self.config, self.house_way)
        self.recorder.recover(self._versions)
        self.monitors.publish()
        self.monitors.resume()
        self._follow()

    def recalibrate(self, calibration: TableCalibration, version: str) -> None:
        """Read by another calibration from now on; camera and set are held against it too."""
        self.monitors.camera = camera_watch_of(self.config, calibration)
        if self.monitors.tiles is not None:
            self.monitors.tiles.calibration = calibration
        self.calibration = calibration
        self._versions = {**self._versions, "calibration": f"sha256:{version}"}
        self._follow()

    def read(self, frame: Frame, *, live: bool) -> None:
        """Read one picture; one that is not ``live`` is dated when it is read."""
        self.live.pictures.offer(frame.image, datetime.now(UTC))
        if self._may_skip():
            return
        not_recorded = self.recorder.recover(self._versions)
        if (watch := self.monitors.camera) is not None:
            watch.inspector.check_size(frame.image, frame.name)
        self.monitors.begin(frame.image)
        # Hands are put together over time, by the tracker.
        empty = self.monitors.empty
        taken_ns = frame.monotonic_ns if live and frame.monotonic_ns is not None else time.monotonic_ns()
        reading = self.reader.read(
            frame.image,
            calibration=self.calibration,
            empty=empty,
            name=frame.name,
            hands=False,
            t_s=taken_ns / 1e9,
        )
        reading = self.monitors.hold(frame.image, reading)
        if not_recorded is not None:
            reading = doubted(reading, not_recorded)
        self.live.check(Check.of("reading", ServiceCode.READING_WELL, ok=True))
        self.pictures += 1
        self.metrics.read(reading)
        read_at = datetime.now(UTC)
        at = frame.captured_at if live else read_at
        self._track(frame.image, reading, at)
        self._show(frame.image, self._tracker.watch.without_left_behind(reading), at, read_at)
        self._learn(frame.image, at)

    def _may_skip(self) -> bool:
        """Whether a picture need not be read: nothing can be verified yet, and somebody waits for the next one."""
        now_s = time.monotonic()
        if self.calibration is None and self.live.pictures.hurried and now_s - self._read_s < _SELDOM_S:
            return True
        self._read_s = now_s
        return False

    def _follow(self) -> None:
        """Begin to follow the table, in the middle of its round if one is open."""
        rounds = self.config.rounds
        self._tracker = RoundTracker(
            lambda: uuid.uuid4().hex,
            rounds.settle_frames,
            rounds.clear_frames,
            conventions=self._conventions(),
            dealer_sets=frozenset(Place(PlaceKind.BOX, box) for box in self.config.table.house_way_boxes),
            players_bank=self.config.table.players_bank,
            procedure=self._procedure(),
        )
        if (last := self.recorder.resume()) is not None:
            self._tracker.resume(last)

    def _conventions(self) -> Conventions:
        return Conventions.of(self.calibration, low_hand_of(self.config.table.low_hand, self.house_way))

    def _procedure(self) -> Procedure | None:
        """What a round is held against; None without a rulebook that knows one."""
        book = BOOKS.get(self.house_way.played_under)
        if book is None:
            return None
        return Procedure(book, self._conventions().order, self.config.table.side_wagers)

    def _track(self, image: Image, reading: Reading, at: datetime) -> None:
        """Follow the table, and record what is news of its round."""
        tracker = self._tracker
        if self.monitors.stands():
            tracker.watch.confirm_in_place()
        changed = tracker.update(reading, at, self.live.state.told)
        self._evidence.see(image, reading, tracker.watch)
        self._clips.see(image, self.pictures, at, tracker.seconds.now_s)
        if (reader := self.monitors.follow_set(image, reading, tracker.watch)) is not None:
            self.reader = reader
        round_id.set(None if tracker.current is None else tracker.current.id)
        if changed is None:
            return
        versions = {**self._versions, **reading.versions}

        def judged(played: RoundReport) -> RoundReport:
            named = played.model_copy(update={"table": self.config.table.name, "versions": versions})
            return judge_round(named, self.house_way)

        def evidence(report: RoundReport, before: RoundReport | None) -> tuple[Evidence, ...]:
            return (*self._evidence.of(report, before), *self._clips.of(report, before))

        tracker.current = self.recorder.record(changed, judged, evidence)
        if changed.closed_at is not None:
            self._evidence.begin()
            # Another round may have another bank, so nothing that was said of this one holds any more.
            self.live.tell(None)

    def _learn(self, image: Image, at: datetime) -> None:
        """Let the table learn from a picture; nothing of it reaches what is verified."""
        if self.learning is not None:
            watch, tiles = self._tracker.watch, self.monitors.tiles
            display = None if tiles is None else tiles.display
            self.learning.see(image, watch.lying, display, at, self._tracker.seconds.now_s)

    def _show(self, image: Image, reading: Reading, at: datetime, read_at: datetime) -> None:
        seen = self._tracker.watch.seen
        current = self.live.state.current
        lying: dict[str, HandReading] = {
            str(hand.place): hand.now for hand in seen.hands if hand.present and hand.now is not None
        }
        recorded = () if current is None or current.state == "closed" else current.hands

        def drawn() -> bytes:
            captions = captions_of(hand for hand in recorded if hand.place in lying)
            view = draw_view(image, replace(reading, hands=tuple(lying.values())), captions)
            return encoded(view, _VIEW_QUALITY).data

        tracker = self._tracker
        now = table_now(
            seen,
            tracker.watch.tracks,
            at,
            tracker.seconds.now_s,
            self.house_way,
            tracker.conventions.order,
            bank_of(seen.markers, self.live.state.told, players_bank=self.config.table.players_bank),
        )
        self.live.show(View(self.pictures, read_at, drawn), reading, now)
