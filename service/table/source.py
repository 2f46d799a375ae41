"""Opens a table's source in a separate process, and loads its calibration; also for a simulated table."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from calibration.files.calibration_file import TableCalibration, load_calibration
from engine.books.way_files import is_file
from service.system.source_kinds import CAMERA_SETTINGS
from service.table.monitor.camera_watch import CameraWatch
from service.table.monitor.inspection import Inspector
from vision.capture import CameraSettings, CaptureTimeouts, IsolatedSource, Resume, SourceError
from vision.capture.faults import CaptureCode
from vision.capture.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from datasets.simulator.film import SimulatedSource
    from datasets.simulator.script import Script
    from service.system.settings import Config
    from service.system.table_settings import LocalTableConfig, SourceConfig
    from vision.capture import FrameResult, FrameSource

_REHEARSAL_S: Final = 30.0
"""Time to simulate a session before its first picture."""

_LEAST_INTERVAL_S: Final = 0.05
"""Shortest time between two requests to a camera."""


class _EndlessTable:
    """A simulated session, played again when it ends."""

    live: Final = True
    length: Final = None

    def __init__(self, text: str) -> None:
        self._text = text
        self._session: SimulatedSource = _simulator(text)

    def __iter__(self) -> Iterator[FrameResult]:
        while True:
            for frame in self._session:
                yield replace(frame, monotonic_ns=time.monotonic_ns())
            self._session = _simulator(self._text)

    def close(self) -> None:
        self._session.close()


def open_table(config: Config) -> FrameSource:
    """Return the source of the table's pictures, opened at the first request; SourceError if none is configured."""
    source = config.table.watched
    timeouts = CaptureTimeouts(
        open_s=open_timeout_s(source), frame_s=source.frame_timeout_s, frozen_s=source.frozen_after_s
    )
    if source.kind == "simulator":
        return IsolatedSource("simulator", partial(_open_simulated, simulated(config.table)), timeouts=timeouts)
    return open_source(
        source.spec,
        settings_of(source),
        timeouts,
        isolated=True,
        apart_s=source.interval_s,
        start_s=source.start_s,
    )


def open_timeout_s(source: SourceConfig) -> float:
    """Return the longest time from opening the source to its first picture, in seconds."""
    return max(source.open_timeout_s, _REHEARSAL_S) if source.kind == "simulator" else source.open_timeout_s


def settings_of(source: SourceConfig) -> CameraSettings:
    settings = CameraSettings(**{key: getattr(source, key) for key in CAMERA_SETTINGS})
    return replace(settings, fps=1 / max(source.interval_s, _LEAST_INTERVAL_S)) if source.declared.polled else settings


def calibration_of(config: Config) -> TableCalibration | None:
    """Return the calibration of the table's camera; a simulated table needs no file. CalibrationError, SourceError."""
    path = config.table.calibration
    if path is not None:
        return load_calibration(path)
    if config.table.source is None or config.table.source.kind != "simulator":
        return None
    described = _script(simulated(config.table)).calibration()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calibration.json"
        file.write_text(json.dumps(described), encoding="utf-8")
        return load_calibration(file)


def camera_watch_of(config: Config, calibration: TableCalibration) -> CameraWatch:
    """Return the watch of the table's camera; CalibrationError, SourceError."""
    inspector = inspector_of(config, calibration)
    return CameraWatch(inspector, live=config.table.watched.declared.pictures != "recording")


def inspector_of(config: Config, calibration: TableCalibration) -> Inspector:
    """Return what compares pictures with the empty table, which is drawn for a simulated table.

    Raises:
        CalibrationError: the picture of the empty table is missing or a different one.
        SourceError: the table cannot be simulated.
    """
    path = config.table.calibration
    if path is not None:
        return Inspector.load(path, calibration)
    # Not at import, as below.
    from datasets.simulator.moments import empty_table  # noqa: PLC0415

    return Inspector.of(calibration, empty_table(_script(simulated(config.table))))


def simulated(table: LocalTableConfig) -> str:
    """Return the session for ``datasets.simulator``, with the table's rulebook and variant if the text names none."""
    session, follows = table.watched.simulator, []
    if "rulebook=" not in session and not is_file(table.rulebook):
        follows.append(f"rulebook={table.rulebook}")
    if "variant=" not in session and table.variant is not None:
        follows.append(f"variant={table.variant}")
    return f"simulator:{','.join(filter(None, (*follows, session)))}"


def _open_simulated(text: str, _: Resume) -> _EndlessTable:
    return _EndlessTable(text)


@lru_cache(maxsize=1)
def _script(text: str) -> Script:
    """Write a session, which takes seconds; SourceError if the text is invalid."""
    return _simulator(text).script


def _simulator(text: str) -> SimulatedSource:
    """Make a session; SourceError if the text is invalid."""
    # Not at import: a table with a camera does not need the simulator.
    from datasets.simulator.film import open_simulator  # noqa: PLC0415
    from datasets.simulator.layouts import SimulatorError  # noqa: PLC0415
    from engine.errors import EngineError  # noqa: PLC0415

    try:
        return open_simulator(text)
    except (SimulatorError, EngineError) as error:
        raise SourceError.of(CaptureCode.NOT_SIMULATED, why=str(error)) from None
