"""Learning at a table, composed from its settings; no fault of it may disturb the reading."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from service.table.learning.collecting import CropCollector, ReviewCollector
from service.table.learning.shadow_reading import ShadowReading
from service.table.learning.tile_model import own_tiles
from vision.learning.errors import LearningError
from vision.learning.kept_crops import CropFolder
from vision.networks.classifier import TileClassifier
from vision.networks.model_card import ModelError, sha256_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from calibration.files.calibration_file import TableCalibration
    from service.record.store.record import Record
    from service.rounds.outcome import Outcome
    from service.system.settings import Config
    from service.table.metrics import TableMetrics
    from vision.capture.images import Image
    from vision.enrolment.learning import ReadPicture
    from vision.reading import PictureReader
    from vision.tracking.tracks.tile_tracks import Track

_log = logging.getLogger(__name__)

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
