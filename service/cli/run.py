"""``houseway run``: the service, with the bundled sample table if no settings are named."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from service.cli.common import DELETE_TO_RESTART, plain_errors, refuse, say, today
from service.cli.options import Settings
from service.cli.serving import (
    CertificateError,
    FolderInUseError,
    NotSetUpError,
    PortError,
    check_alone,
    first_use,
    listen,
    record_settings_of,
    record_start_of,
    server_of,
    url_of,
)

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    import uvicorn
    from fastapi import FastAPI

    from service.system.settings import Config
    from service.table.monitor.dice_watch import DiceWatch
    from service.table.monitor.set_watch import SetWatch
    from service.table.setup.set_up import SettingsPlace
    from vision.capture import FrameSource
    from vision.enrolment.enrolment import Enrolment
    from vision.enrolment.own_dice import OwnDice
    from vision.reader import Reader


def run_command(
    config: Settings = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on, instead of the one in the settings.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on, instead of the one in the settings.")
    ] = None,
    log_format: Annotated[
        Literal["text", "json"] | None,
        typer.Option(help="How log lines look: text for people, or one JSON object on each line."),
    ] = None,
) -> None:
    """Watch a table, or collect tables of other services; serve pages and HTTP.

    If the settings file does not exist yet, or names no camera, the table is set up in the page. A second service that
    collects into the same database is a standby: it takes over when the first ends.
    """
    from service.record.store.entries import RecordVersionError
    from service.system.settings import SAMPLE_CONFIG
    from vision.processes import keep_little_memory

    with plain_errors(*_expected_errors(), program="houseway run"):
        keep_little_memory()
        run = ServiceRun(config or SAMPLE_CONFIG, host, port, log_format, changeable=config is not None)
        # The port first: it is the quickest to fail and the likeliest to be taken.
        with listen(run.settings) as listening:
            _import_program()
            try:
                run.serve(listening)
            except RecordVersionError as error:
                refuse(f"{error}{_to_delete(run.settings) if config is None else ''}", "houseway run")


def _to_delete(settings: Config) -> str:
    """What to do about a record of the sample table, which nobody needs."""
    from service.record.store.record_settings import RecordSettings

    record = RecordSettings.of(settings)
    return f". {DELETE_TO_RESTART.format(what=f'{record.folder} and {record.mark_file}')}"


def _expected_errors() -> tuple[type[Exception], ...]:
    """Errors that are reported in one line and end the command."""
    from calibration.files.calibration_file import CalibrationError
    from service.record.store.database import DatabaseError
    from service.record.store.signing import KeyFileError
    from service.system.settings_file import ConfigError
    from vision.capture import SourceError
    from vision.enrolment.dice_file import DiceError
    from vision.enrolment.enrolment_file import EnrolmentError
    from vision.learning.errors import LearningError
    from vision.markers.markers_file import MarkersError
    from vision.networks.model_card import ModelError

    return (
        *(ConfigError, PortError, CertificateError, FolderInUseError, NotSetUpError, ModelError, LearningError),
        *(CalibrationError, DiceError, EnrolmentError, MarkersError, DatabaseError, KeyFileError, SourceError),
    )


def _import_program() -> None:
    """Import the libraries of the service, and exempt their objects from garbage collection.

    Collecting them would delay the table's pictures by a tenth of a second every now and then.
    """
    gc.disable()
    try:
        import uvicorn  # noqa: F401

    finally:
        gc.freeze()
        gc.enable()


@dataclass(slots=True)
class ServiceRun:
    """A service that runs until stopped, and restarts when its settings are changed in the page.

    Attributes:
        path: the settings file.
        host: replaces the file's.
        port: replaces the file's.
        log_format: replaces the file's.
        changeable: whether the page may change the file.
        open_frames: opens a table's source; by default the one that the settings name.
        settings: the current settings.
        place: their file; None if the page may not change it.
        server: the running server; None before the first start.
        app: the application that it serves.
    """

    path: Path
    host: str | None = None
    port: int | None = None
    log_format: Literal["text", "json"] | None = None
    changeable: bool = True
    open_frames: Callable[[Config], FrameSource] | None = None
    settings: Config = field(init=False)
    place: SettingsPlace | None = field(init=False, default=None)
    server: uvicorn.Server | None = field(init=False, default=None)
    app: FastAPI | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Read the settings."""
        self._read()

    def serve(self, listening: socket.socket) -> None:
        """Serve until stopped; during a restart the port stays open, and requests wait."""
        again = self._serve_once(listening, first=True)
        while again:
            self._read()
            again = self._serve_once(listening, first=False)

    def _read(self) -> None:
        from service.system.logs import configure_logging
        from service.system.service_settings import LogConfig
        from service.system.settings import begun_config, config_of
        from service.system.settings_file import SettingsFile
        from service.table.rules_of_settings import check_rules
        from service.table.setup.set_up import SettingsPlace

        file = SettingsFile.read_or_new(self.path) if self.changeable else SettingsFile.read(self.path)
        read = begun_config if self.changeable else config_of
        settings = read(file, host=self.host, port=self.port)
        check_rules(file, settings)
        if self.log_format is not None:
            settings = settings.model_copy(update={"log": LogConfig(format=self.log_format, level=settings.log.level)})
        configure_logging(settings.log, settings.secrets())
        self.settings = settings
        if self.changeable:
            self.place = SettingsPlace(self.path, host=self.host, port=self.port)

    def _serve_once(self, listening: socket.socket, *, first: bool) -> bool:
        """Serve with the current settings; return whether to restart."""
        app = service_app(self.settings, self.place, self.open_frames)
        check_alone(app)
        server = server_of(app)
        wanted = False

        def restart() -> None:
            nonlocal wanted
            wanted = True
            app.state.parts.stop_waiting()
            server.should_exit = True

        parts = app.state.parts
        for table in parts.tables.values():
            table.setting_up.restart = restart
        url = url_of(self.settings, listening)
        chosen = all(table.source is not None for table in self.settings.local)
        if chosen:
            say(f"Houseway {_doing(self.settings)} on {url} (Ctrl-C ends)")
        else:
            say(f"{self.path} names no camera yet: set the table up on {url}{parts.start_page} (Ctrl-C ends)")
        if first:
            record_start_of(app)
        if chosen:
            record_settings_of(app)
        if first:
            first_use(app, url)
        self.app, self.server = app, server
        server.run(sockets=[listening.dup()])  # the server closes its socket
        return wanted


def _doing(settings: Config) -> str:
    """What the service does, for the line that it prints when it starts."""
    watches = " and ".join(repr(table.title) for table in settings.local)
    tables = len(settings.remote)
    collects = f"collects {tables} {'table' if tables == 1 else 'tables'} of {settings.service.title!r}"
    done = ([f"watches {watches}"] if watches else []) + ([collects] if tables else [])
    return " and ".join(done)


def _with_set(watcher: Reader, dice: DiceWatch, enrolment: Enrolment | None) -> Reader:
    """A reader with a newly enrolled set and the dice in use."""
    return watcher.enrolled(enrolment).throwing(dice.own)


def _with_dice(watcher: Reader, tiles: SetWatch, own: OwnDice) -> Reader:
    """A reader with newly learnt dice and the set in use."""
    return watcher.enrolled(tiles.enrolment).throwing(own)


def service_app(
    settings: Config,
    place: SettingsPlace | None = None,
    open_frames: Callable[[Config], FrameSource] | None = None,
) -> FastAPI:
    """Build the application for these settings; raises the errors of its parts.

    Args:
        settings: the settings.
        place: their file; None if the page may not change it.
        open_frames: opens a table's source; by default the one that the settings name.
    """
    from service.rounds.judge.rules_in_force import TableRules
    from service.table.doctor.examination import watches_of
    from service.table.learning.table_learning import learning_of
    from service.table.learning.tile_model import own_tiles
    from service.table.monitor.dice_watch import DiceWatch
    from service.table.monitor.set_watch import SetWatch
    from service.table.sent_pictures import SeparateProcessReader
    from service.table.source import calibration_of, camera_watch_of, open_table
    from service.table.worker import Instruments
    from service.web.app import create_app
    from vision.enrolment.dice_file import load_dice
    from vision.enrolment.enrolment_file import load_enrolment
    from vision.markers.markers_file import load_markers
    from vision.reader import Reader

    tile_model = own_tiles(settings.models_folder)
    low_hands = {
        table.name: TableRules.of(table.rulebook, table.house_way).on(today()).low_hand(table.low_hand)
        for table in settings.local
    }

    def instruments(of_table: Config) -> Instruments:
        table, calibration = of_table.table, calibration_of(of_table)
        reader = Reader.load(weights=of_table.models.weights, tiles=tile_model, low_hand=low_hands[table.name])
        path = table.enrolment
        enrolment = None if path is None or not path.exists() else load_enrolment(path)
        watcher = reader.enrolled(enrolment)
        if table.markers is not None:
            watcher = watcher.marked(load_markers(table.markers))
        own = None if table.dice is None or not table.dice.exists() else load_dice(table.dice).learnt()
        watcher = watcher.throwing(own).steady()
        tiles, dice = None, None
        if calibration is not None:
            tiles, dice = SetWatch(calibration, path, enrolment), DiceWatch(calibration, table.dice, own)
            tiles.reader_with = partial(_with_set, watcher, dice)
            dice.reader_with = partial(_with_dice, watcher, tiles)
        return Instruments(
            reader=reader,
            watcher=watcher,
            calibration=calibration,
            camera=None if calibration is None else camera_watch_of(of_table, calibration),
            tiles=tiles,
            dice=dice,
            watches=watches_of,
            open_frames=open_frames or open_table,
            learning=lambda config, record, metrics: learning_of(config, record, metrics, reader, calibration),
        )

    reads = SeparateProcessReader(settings, tile_model, low_hands)
    return create_app(settings, instruments, place=place, reads=reads)
