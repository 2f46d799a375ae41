"""What a table is read and watched with, as its settings have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.table.source import open_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibration.files.calibration_file import TableCalibration
    from service.record.health import Watch
    from service.record.store.record import Record
    from service.system.settings import Config
    from service.table.learning.table_learning import TableLearning
    from service.table.metrics import TableMetrics
    from service.table.monitor.camera_watch import CameraWatch
    from service.table.monitor.set_watch import SetWatch
    from vision.capture import FrameSource
    from vision.reading import PictureReader


@dataclass(frozen=True, slots=True)
class Instruments:
    """What reads and watches one table.

    Attributes:
        reader: reads a single picture of the table that somebody asks about.
        watcher: reads the table's pictures, one after the other; the same if None.
        calibration: of the table's camera.
        camera: inspects the table's pictures; None where there is nothing to compare them with.
        tiles: follows the table's set; None without a calibration.
        watches: makes what else every verified result needs.
        open_frames: opens the table's source.
        learning: makes what keeps crops to learn from and has a candidate read.
    """

    reader: PictureReader
    watcher: PictureReader | None = None
    calibration: TableCalibration | None = None
    camera: CameraWatch | None = None
    tiles: SetWatch | None = None
    watches: Callable[[Config, Record], tuple[Watch, ...]] = lambda _config, _record: ()
    open_frames: Callable[[Config], FrameSource] = open_table
    learning: Callable[[Config, Record, TableMetrics], TableLearning | None] = lambda _config, _record, _metrics: None
