"""Learning at a running table: collects labelled crops of displays and reviewed hands, and runs shadow reading.

No fault of it may disturb the reading.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from calibration.files.seal import replace_file
from service.record.results import report_of
from service.record.store.entries import RESULTS
from service.rounds.reports import parse_pair
from service.table.learning.shadow_reading import ShadowReading
from service.table.learning.tile_model import own_tiles
from vision.capture.decoding.jpeg import CAMERA_PIXELS
from vision.capture.images import ImageError, decode_image
from vision.enrolment.learning import ReadPicture
from vision.learning.errors import LearningError
from vision.learning.kept_crops import CropFolder, KeptCrop, Origin
from vision.learning.labelling import Labelled, labelled_display, labelled_hand, supported
from vision.networks.classifier import TileClassifier
from vision.networks.model_card import ModelError, sha256_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from engine.game.tiles import Tile
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Picture
    from service.record.store.record import Record
    from service.rounds.reports import HandReport, RoundReport
    from service.system.settings import Config
    from service.table.metrics import TableMetrics
    from service.table.pipeline import Outcome
    from vision.capture.images import Image
    from vision.networks.classifier import NamesTiles
    from vision.reading import PictureReader
    from vision.tracking.tracks.tile_tracks import Track


_log = logging.getLogger(__name__)

_SEEN: Final = "seen.json"
_PAGE: Final = 100
_MODELS: Final = ("detector", "tiles")


class HasPictures(Protocol):
    def picture(self, sha256: str) -> Picture | None:
        """Return a picture by its SHA-256; None if it was deleted."""
        ...


@dataclass(slots=True)
class Collected:
    """Counts of a collection.

    Attributes:
        kept: new crops in the folder.
        aside: new crops whose label no reader confirms; a person decides about them.
        skipped: reviewed hands without a crop, by reason.
    """

    kept: int = 0
    aside: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class CropCollector:
    """Collects the crops of one table.

    Attributes:
        table: its name.
        folder: of the crops.
        name: the shipped tile classifier, one of the readers that labels are checked with.
        counted: called with the numbers of crops kept and put aside.
    """

    table: str
    folder: CropFolder
    name: NamesTiles
    counted: Callable[[int, int], None] = lambda _kept, _aside: None

    def display(self, shot: ReadPicture, at: datetime, picture: str | None = None) -> Collected:
        """Keep the tiles of a display check; OSError if they cannot be written.

        Args:
            shot: the picture with its reading.
            at: moment of the display check, UTC.
            picture: SHA-256 of the picture's file; without it the SHA-256 of its pixels is used.
        """
        sha256 = picture or hashlib.sha256(shot.image.tobytes()).hexdigest()

        def origin(number: int) -> Origin:
            versions = _versions(shot)
            return Origin(kind="display", table=self.table, at=at, number=number, picture=sha256, versions=versions)

        return self._keep(labelled_display(shot), origin)

    def hand(self, shot: ReadPicture, picture: str, report: RoundReport, hand: HandReport) -> Collected:
        """Keep the tiles of a reviewed hand with the reviewer's faces; OSError if they cannot be written."""
        review = hand.review
        if review is None:
            return Collected()
        faces: tuple[Tile, ...] = (*parse_pair(hand.low), *parse_pair(hand.high))
        labelled = labelled_hand(shot, hand.place, faces, self.name)
        if not labelled:
            return Collected(skipped=Counter({"the four tiles are not seen clearly enough in its picture": 1}))

        def origin(number: int) -> Origin:
            return Origin(
                kind="review",
                table=self.table,
                at=review.at,
                number=number,
                picture=picture,
                versions=_versions(shot),
                round=report.id,
                revision=report.revision,
                place=hand.place,
                by=review.by,
            )

        return self._keep(labelled, origin)

    def _keep(self, labelled: Sequence[Labelled], origin: Callable[[int], Origin]) -> Collected:
        if not labelled:
            return Collected()
        seen = supported(np.stack([each.crop for each in labelled]), [each.face for each in labelled], self.name)
        crops = [KeptCrop(each.crop, each.face, origin(each.number)) for each in labelled]
        found = Collected(
            self.folder.keep(each for each, good in zip(crops, seen, strict=True) if good),
            self.folder.keep((each for each, good in zip(crops, seen, strict=True) if not good), aside=True),
        )
        self.counted(found.kept, found.aside)
        return found


@dataclass(slots=True)
class ReviewCollector:
    """Collects the tiles of the reviewed hands in the record.

    Attributes:
        collector: keeps the crops.
        record: the record.
        pictures: the evidence.
        reader: reads the evidence pictures again.
        calibration: of the camera.
        version: of the calibration, as named in results; pictures taken with another are skipped.
    """

    collector: CropCollector
    record: DatabaseReader
    pictures: HasPictures
    reader: PictureReader
    calibration: TableCalibration
    version: str | None

    def collect(self) -> Collected:
        """Process all reviews since the last call; OSError, RecordUnavailableError."""
        path = self.collector.folder.path / _SEEN
        found, seq = Collected(), _seen(path)
        while entries := self.record.after(seq, kinds=("review",), table=self.collector.table, limit=_PAGE):
            for round_id in dict.fromkeys(entry.round for entry in entries if entry.round is not None):
                self._round(round_id, found)
            seq = entries[-1].seq
            replace_file(path, (json.dumps({"through": seq}) + "\n").encode())
        return found

    def _round(self, round_id: str, found: Collected) -> None:
        """Keep the confirmed hands of a round's newest revision."""
        newest = next(iter(self.record.last(RESULTS, round_id=round_id)), None)
        report = None if newest is None else report_of(newest)
        for hand in () if report is None else report.hands:
            if report is None or hand.review is None or hand.status != "confirmed":
                continue
            sha256 = next(
                (one.sha256 for one in report.evidence if (one.place, one.role) == (hand.place, "frame")), None
            )
            shot = None if sha256 is None else self._shot(sha256)
            if sha256 is None or shot is None:
                found.skipped["its picture was deleted"] += 1
            elif report.versions.get("calibration") != self.version:
                found.skipped["it was read with another calibration"] += 1
            else:
                one = self.collector.hand(shot, sha256, report, hand)
                found.kept, found.aside = found.kept + one.kept, found.aside + one.aside
                found.skipped.update(one.skipped)

    def _shot(self, sha256: str) -> ReadPicture | None:
        picture = self.pictures.picture(sha256)
        if picture is None:
            return None
        try:
            image = decode_image(picture.data, sha256, CAMERA_PIXELS)
        except ImageError:
            return None
        return ReadPicture(image, self.reader.read(image, calibration=self.calibration, hands=False))


def _versions(shot: ReadPicture) -> dict[str, str]:
    return {name: version for name, version in shot.reading.versions.items() if name in _MODELS}


def _seen(path: Path) -> int:
    """Return the last processed entry; 0 if unknown, which is harmless: no crop is kept twice."""
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["through"])
    except (OSError, ValueError, TypeError, KeyError):
        return 0


REVIEWS_EVERY_S: Final = 60.0
APART_S: Final = 600.0
"""Displays closer in time are one display that an arm hid for a moment; its tiles are kept once."""


@dataclass(slots=True)
class TableLearning:
    """Collects crops and compares a candidate, as the settings say.

    Attributes:
        collector: keeps the tiles of displays; None to keep nothing.
        reviews: keeps the tiles of reviewed hands, in a thread of its own.
        shadow: compares a candidate; None without a candidate.
    """

    collector: CropCollector | None = None
    reviews: ReviewCollector | None = None
    shadow: ShadowReading | None = None
    _display_at: datetime | None = None
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread that collects reviewed hands."""
        if self.reviews is not None:
            self._thread = threading.Thread(target=self._run, name="reviews to learn from", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread and write the shadow report."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=10)
        if self.shadow is not None:
            self._guarded(self.shadow.write)

    def follow(self, outcome: Outcome) -> None:
        """Learn from an outcome; verification is not affected."""
        self.see(outcome.image, outcome.table.lying, outcome.display, outcome.at, outcome.t_s)

    def see(self, image: Image, lying: Sequence[Track], display: ReadPicture | None, at: datetime, t_s: float) -> None:
        """Learn from a picture after it was read; never raises.

        Args:
            image: the picture.
            lying: its resting tiles.
            display: the newest picture of a checked display; None without one.
            at: when the picture was taken, UTC.
            t_s: the same in monotonic seconds.
        """
        shadow = self.shadow
        if shadow is not None and not self._guarded(partial(shadow.see, image, lying, t_s)):
            self.shadow = None
        if display is not None and self.collector is not None:
            last = self._display_at
            if last is None or (at - last).total_seconds() > APART_S:
                self._guarded(partial(self._keep, display, at))
            elif last < at:
                self._display_at = at

    def _keep(self, display: ReadPicture, at: datetime) -> None:
        if self.collector is not None:
            found = self.collector.display(display, at)
            if found.kept or found.aside:
                self._display_at = at
                _log.info("kept %s tiles of a display to learn from, put %s aside", found.kept, found.aside)

    def _run(self) -> None:
        while not self._stopping.wait(REVIEWS_EVERY_S):
            if self.reviews is not None:
                self._guarded(self.reviews.collect)

    def _guarded(self, work: Callable[[], object]) -> bool:
        """Call ``work`` and log any exception, which must not stop the reading; return whether it succeeded."""
        try:
            work()
        except Exception:  # noqa: BLE001  no fault of learning may stop the reading
            _log.exception("learning beside the table failed")
            return False
        return True


def learning_of(
    config: Config, record: Record, metrics: TableMetrics, reader: PictureReader, calibration: TableCalibration | None
) -> TableLearning | None:
    """Return the learning that a table's settings ask for; None if they ask for nothing. ModelError.

    An unusable candidate is logged, and shadow reading is disabled.
    """
    collector = reviews = None
    if config.learning.collect:
        collector = collector_of(config, lambda kept, aside: metrics.collected(kept=kept, aside=aside))
        reviews = None if calibration is None else reviews_of(config, record, collector, reader, calibration)
    shadow = _shadow(config, metrics)
    return None if collector is None and shadow is None else TableLearning(collector, reviews, shadow)


def collector_of(config: Config, counted: Callable[[int, int], None] = lambda _kept, _aside: None) -> CropCollector:
    """Return the collector of a table's crops; ModelError."""
    folder = CropFolder(config.crops_folder, config.learning.max_mb * 1_000_000)
    return CropCollector(config.table.name, folder, TileClassifier.load(config.weights_folder, threads=1), counted)


def reviews_of(
    config: Config, record: Record, collector: CropCollector, reader: PictureReader, calibration: TableCalibration
) -> ReviewCollector:
    path = config.table.calibration
    version = f"sha256:{sha256_of(path)}" if path is not None and path.is_file() else None
    return ReviewCollector(collector, record, record, reader, calibration, version)


def _shadow(config: Config, metrics: TableMetrics) -> ShadowReading | None:
    folder = config.models.shadow
    if folder is None:
        return None
    models = config.models_folder
    try:
        used = own_tiles(models) or config.weights_folder
        return ShadowReading.load(config.table.name, folder, used, models, metrics.shadowed)
    except (ModelError, LearningError, OSError) as error:
        _log.warning("models.shadow: nothing reads beside the model in use: %s", error)
        return None
