"""``houseway run``: the service, with the bundled sample table if no settings are named; where it listens."""

from __future__ import annotations

import gc
import os
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from service.cli.common import Settings, attribution, plain_errors, say

if TYPE_CHECKING:
    from collections.abc import Callable

    import uvicorn
    from fastapi import FastAPI
    from starlette.applications import Starlette

    from service.config.settings import Config
    from service.http.deps import SharedConfig
    from service.setup.set_up import SettingsPlace
    from vision.capture import FrameSource


class PortError(OSError):
    """The address cannot be listened on; the message says why and what to do."""


class CertificateError(OSError):
    """The certificate or its key cannot be used; the message says why."""


def listen(settings: SharedConfig) -> socket.socket:
    """Take the port before anything slow starts.

    Raises:
        PortError: it is taken, or not ours to take.
    """
    host, port = settings.server.host, settings.server.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=512)
    except OSError as error:
        # create_server() puts the address into its text once more; a name that is not known has no number to look up.
        text = error.strerror if error.errno is None or isinstance(error, socket.gaierror) else os.strerror(error.errno)
        reason = (text or str(error)).lower()
        raise PortError(
            f"cannot listen on {host} port {port}: {reason}. Stop the program that uses it, or choose another "
            f"port with --port, for example --port {port + 1 if port < 65_535 else 8000}"
        ) from None


def url_of(settings: SharedConfig, listening: socket.socket) -> str:
    """Where the page is found."""
    host = settings.server.host
    name = "localhost" if settings.server.local_only else f"[{host}]" if ":" in host else host
    return f"{'https' if settings.server.tls else 'http'}://{name}:{listening.getsockname()[1]}"


def server_of(app: Starlette) -> uvicorn.Server:
    """A server that answers requests until told to stop, and then stops at once.

    Raises:
        CertificateError: the certificate or its key cannot be read, or they do not belong together.
    """
    import uvicorn

    from service.http.server.server import Server

    settings = app.state.parts.config.server
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        ws="none",
        timeout_graceful_shutdown=3,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
    )
    try:
        config.load()
    except OSError as error:
        raise CertificateError(
            f"server.tls_certificate {settings.tls_certificate} with server.tls_key {settings.tls_key} cannot be used: "
            f"{error.strerror or error}"
        ) from None
    return Server(config, app)


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
    """Watch a table: read it, check the House hand, serve the page and HTTP.

    If the settings file does not exist yet, or names no camera, the table is set up in the page.
    """
    from service.config.settings import SAMPLE_CONFIG
    from vision.processes import keep_little_memory

    keep_little_memory()
    with plain_errors(*_expected_errors(), program="houseway run"):
        run = TableRun(config or SAMPLE_CONFIG, host, port, log_format, changeable=config is not None)
        # The port first: it is the quickest to fail and the likeliest to be taken.
        with listen(run.settings) as listening:
            _import_program()
            run.serve(listening)


def _expected_errors() -> tuple[type[Exception], ...]:
    """What keeps a table from being served and is told in a line."""
    from calibration.files.calibration_file import CalibrationError
    from service.config.settings_file import ConfigError
    from service.record.store.database import DatabaseError
    from vision.capture import SourceError
    from vision.enrolment.enrolment_file import EnrolmentError
    from vision.learning.errors import LearningError
    from vision.markers.markers_file import MarkersError
    from vision.networks.model_card import ModelError

    return (
        *(ConfigError, PortError, CertificateError, NotSetUpError, ModelError, LearningError),
        *(CalibrationError, EnrolmentError, MarkersError, DatabaseError, SourceError),
    )


def _import_program() -> None:
    """Import what serves a table, without looking for garbage meanwhile or among it later: there is none.

    Looking through all of it would hold up the table's pictures for a tenth of a second, every now and then.
    """
    gc.disable()
    try:
        import uvicorn  # noqa: F401

        import service.app
        import service.http.server.server
        import service.learning.table_learning  # noqa: F401
    finally:
        gc.freeze()
        gc.enable()


@dataclass(slots=True)
class TableRun:
    """One table served for as long as it is wanted: begun anew whenever its settings were changed in the page.

    Attributes:
        path: the settings file.
        host: in place of the file's.
        port: in place of the file's.
        log_format: in place of the file's.
        changeable: whether the page may change the file.
        make: puts the application together.
        settings: as they were read last.
        place: the file that they are in, None if it is not to be changed.
        server: what serves now; None before the first.
        app: the application that it serves.
    """

    path: Path
    host: str | None = None
    port: int | None = None
    log_format: Literal["text", "json"] | None = None
    changeable: bool = True
    make: Callable[[Config, SettingsPlace | None], FastAPI] | None = None
    settings: Config = field(init=False)
    place: SettingsPlace | None = field(init=False, default=None)
    server: uvicorn.Server | None = field(init=False, default=None)
    app: FastAPI | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Read the settings."""
        self._read()

    def serve(self, listening: socket.socket) -> None:
        """Serve until told to stop; in between the address stays taken, and who asks meanwhile waits."""
        again = self._serve_once(listening, first=True)
        while again:
            self._read()
            again = self._serve_once(listening, first=False)

    def _read(self) -> None:
        from service.config.service_settings import LogConfig
        from service.config.settings import begun_config, config_of, names_source
        from service.config.settings_file import SettingsFile
        from service.ops.logs import configure_logging
        from service.setup.set_up import SettingsPlace

        file = SettingsFile.read_or_new(self.path) if self.changeable else SettingsFile.read(self.path)
        chosen = names_source(file) or not self.changeable
        read = config_of if chosen else begun_config
        settings = read(file, host=self.host, port=self.port)
        if self.log_format is not None:
            settings = settings.model_copy(update={"log": LogConfig(format=self.log_format, level=settings.log.level)})
        configure_logging(settings.log, settings.secrets())
        self.settings = settings
        if self.changeable:
            self.place = SettingsPlace(self.path, chosen=chosen, host=self.host, port=self.port)

    def _table_app(self) -> FastAPI:
        return table_app(self.settings, self.place)

    def _serve_once(self, listening: socket.socket, *, first: bool) -> bool:
        """Serve with the settings as they are; returns whether to begin anew."""
        app = self.make(self.settings, self.place) if self.make else self._table_app()
        server = server_of(app)
        wanted = False

        def begin_anew() -> None:
            nonlocal wanted
            wanted = True
            app.state.parts.live.close()
            server.should_exit = True

        app.state.parts.setting_up.restart = begin_anew
        url = url_of(self.settings, listening)
        chosen = self.place is None or self.place.chosen
        if chosen:
            say(f"Houseway watches {self.settings.table.title!r} on {url} (Ctrl-C ends)")
        else:
            say(f"{self.path} names no camera yet: set the table up on {url}/setup (Ctrl-C ends)")
        if first:
            first_use(app, url)
        if chosen:
            record_settings_of(app)
        self.app, self.server = app, server
        server.run(sockets=[listening.dup()])  # it closes what it is given
        return wanted


def table_app(
    settings: Config,
    place: SettingsPlace | None = None,
    open_frames: Callable[[Config], FrameSource] | None = None,
) -> FastAPI:
    """The application of a table as its settings have it; raises what any part of it refuses.

    Args:
        settings: the settings.
        place: the file that they are in; None if it is not to be changed.
        open_frames: opens the source; as the settings name it if left out.
    """
    from service.app import create_app
    from service.judge.house_way_choice import house_way_of
    from service.judge.low_hand import low_hand_of
    from service.learning.table_learning import learning_of
    from service.learning.tile_model import own_tiles
    from service.monitor.self_test import watches_of
    from service.monitor.set_watch import SetWatch
    from service.sent.sent_pictures import SeparateProcessReader
    from service.table.source import calibration_of, camera_watch_of, open_table
    from vision.enrolment.enrolment_file import load_enrolment
    from vision.markers.markers_file import load_markers
    from vision.reader import Reader

    calibration = calibration_of(settings)
    house_way = house_way_of(settings.table.rulebook, settings.table.house_way)
    low_hand = low_hand_of(settings.table.low_hand, house_way)
    tiles = own_tiles(settings.models_folder)
    reader = Reader.load(weights=settings.models.weights, tiles=tiles, low_hand=low_hand)
    path = settings.table.enrolment
    enrolment = None if path is None or not path.exists() else load_enrolment(path)
    marks = settings.table.markers
    watcher = reader.enrolled(enrolment)
    if marks is not None:
        watcher = watcher.marked(load_markers(marks))
    watcher = watcher.steady()
    return create_app(
        settings,
        reader=reader,
        watcher=watcher,
        calibration=calibration,
        watches=watches_of,
        camera=None if calibration is None else camera_watch_of(settings, calibration),
        tiles=None if calibration is None else SetWatch(calibration, path, enrolment, watcher.enrolled),
        learning=lambda config, record, metrics: learning_of(config, record, metrics, reader, calibration),
        open_frames=open_frames or open_table,
        place=place,
        reads=SeparateProcessReader(settings, tiles, low_hand),
    )


class NotSetUpError(RuntimeError):
    """Other machines could ask before anybody has chosen a password."""


def first_use(app: FastAPI, url: str) -> None:
    """Print how to sign in, until an administrator has chosen a password.

    Raises:
        NotSetUpError: the service listens for other machines already.
    """
    from service.record.store.entries import RecordUnavailableError

    parts = app.state.parts
    try:
        if not parts.config.server.local_only and not parts.access.accounts.configured:
            raise NotSetUpError(
                f"there is no account yet, so this service does not listen on {parts.config.server.host}: run "
                "`houseway account add NAME --role admin --reason TEXT` first, or start it with --host 127.0.0.1"
            )
        first = parts.access.prepare_first_sign_in()
    except RecordUnavailableError as error:
        say(f"houseway run: accounts cannot be read or made: {error}", err=True)
        return
    if first is None:
        return
    say(f"Nobody has chosen a password yet. This link signs in once, as {first.account}:")
    say(f"  {url}/set-up?code={first.code}")
    if first.password is not None:
        say(f"The password of {first.account}, shown only now, until another is chosen: {first.password}")


def record_settings_of(app: FastAPI) -> None:
    """Record the settings if they are not those of the last start."""
    from service.record.changes import note_settings
    from service.record.store.entries import RecordUnavailableError

    parts = app.state.parts
    with suppress(RecordUnavailableError):  # its state says so, and is shown
        note_settings(parts.record, parts.config, attribution("as found when the service started"))
