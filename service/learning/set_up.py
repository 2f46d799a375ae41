"""Learning at a table, put together from its settings."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from service.learning.choice import own_tiles
from service.learning.collecting import CropCollector, ReviewCollector
from service.learning.shadow import Shadow
from service.learning.table_learning import TableLearning
from vision.learning.errors import LearningError
from vision.learning.kept_crops import CropFolder
from vision.networks.classifier import TileClassifier
from vision.networks.model_card import ModelError, sha256_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibration.files.calibration_file import TableCalibration
    from service.config.settings import Config
    from service.ops.metrics import TableMetrics
    from service.record.store.record import Record
    from vision.reading import PictureReader

_log = logging.getLogger(__name__)


def learning_of(
    config: Config, record: Record, metrics: TableMetrics, reader: PictureReader, calibration: TableCalibration | None
) -> TableLearning | None:
    """What a table keeps to learn from and has read beside, as its settings say; None if nothing; ModelError.

    A candidate that cannot be used is told in the log, and the table is read without.
    """
    collector = reviews = None
    if config.learning.collect:
        collector = collector_of(config, lambda kept, aside: metrics.collected(kept=kept, aside=aside))
        reviews = None if calibration is None else reviews_of(config, record, collector, reader, calibration)
    shadow = _shadow(config, metrics)
    return None if collector is None and shadow is None else TableLearning(collector, reviews, shadow)


def collector_of(config: Config, counted: Callable[[int, int], None] = lambda _kept, _aside: None) -> CropCollector:
    """What keeps a table's crops; ModelError."""
    folder = CropFolder(config.crops_folder, config.learning.max_mb * 1_000_000)
    return CropCollector(config.table.name, folder, TileClassifier.load(config.weights_folder, threads=1), counted)


def reviews_of(
    config: Config, record: Record, collector: CropCollector, reader: PictureReader, calibration: TableCalibration
) -> ReviewCollector:
    """What goes through a table's reviews."""
    path = config.table.calibration
    version = f"sha256:{sha256_of(path)}" if path is not None and path.is_file() else None
    return ReviewCollector(collector, record, record, reader, calibration, version)


def _shadow(config: Config, metrics: TableMetrics) -> Shadow | None:
    folder = config.models.shadow
    if folder is None:
        return None
    models = config.models_folder
    try:
        used = own_tiles(models) or config.weights_folder
        return Shadow.load(config.table.name, folder, used, models, metrics.shadowed)
    except (ModelError, LearningError, OSError) as error:
        _log.warning("models.shadow: nothing reads beside the model in use: %s", error)
        return None
