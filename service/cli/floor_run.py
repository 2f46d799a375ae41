"""Serving a service that collects the tables of other services."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from service.cli.common import say
from service.cli.serving import first_use, record_settings_of, server_of, url_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from pathlib import Path

    from fastapi import FastAPI
    from starlette.applications import Starlette

    from service.config.settings import Config
    from service.floor.store.writer import FloorWriter

_DECIDED_S: Final = 5.0
"""Seconds to wait for the store before requests are answered with "waiting"."""


@dataclass(slots=True)
class FloorRun:
    """A service that collects tables, served until stopped, as the writer of its store or as a standby."""

    settings: Config
    _goes_on: bool = field(default=True, init=False)

    @classmethod
    def of(cls, path: Path, host: str | None, port: int | None, log_format: Literal["text", "json"] | None) -> FloorRun:
        """As a settings file has it; the rest takes the place of what is in the file; ConfigError."""
        from service.config.service_settings import LogConfig
        from service.config.settings import load_config
        from service.ops.logs import set_up

        settings = load_config(path, host=host, port=port)
        if log_format is not None:
            settings = settings.model_copy(update={"log": LogConfig(format=log_format, level=settings.log.level)})
        set_up(settings.log, settings.secrets())
        return cls(settings)

    def serve(self, listening: socket.socket) -> None:
        """Serve; between two applications the address stays taken, and requests wait."""
        from service.floor.store.writer import FloorWriter
        from service.record.store.record_settings import RecordSettings

        database_url = RecordSettings.of(self.settings).database_url
        names = [table.name for table in self.settings.remote]
        first = True
        while self._goes_on:
            writer = FloorWriter(database_url, names)
            writer.start()
            self._wait(writer, listening)
            if self._goes_on and writer.state.name == "writing":
                self._collect(writer, listening, first=first)
                first = False

    def _wait(self, writer: FloorWriter, listening: socket.socket) -> None:
        """Until the store can be written to, say so to whoever asks."""
        from service.floor.app import waiting_app

        writer.begun.wait(_DECIDED_S)
        if writer.state.name == "writing":
            return
        say(f"this service is waiting for its database ({writer.state.name}): {writer.state.why}", err=True)
        self._serve_until(lambda end: waiting_app(self.settings, writer, end), listening)

    def _collect(self, writer: FloorWriter, listening: socket.socket, *, first: bool) -> None:
        from service.floor.app import create_floor_app

        def begun(end: Callable[[], None]) -> Starlette:
            app = create_floor_app(self.settings, writer, end)
            url = url_of(self.settings, listening)
            tables = len(self.settings.remote)
            say(f"Houseway collects {tables} tables of {self.settings.service.title!r}; all on {url} (Ctrl-C ends)")
            if first:
                first_use(app, url)
            record_settings_of(app)
            _record_start(app)
            return app

        self._serve_until(begun, listening)

    def _serve_until(self, make: Callable[[Callable[[], None]], Starlette], listening: socket.socket) -> None:
        """Serve an application until it ends itself, or this program is told to stop."""
        ended = False

        def end() -> None:
            nonlocal ended
            ended = True
            server.should_exit = True

        server = server_of(make(end))
        server.run(sockets=[listening.dup()])  # the server closes its socket
        self._goes_on = ended


def _record_start(app: FastAPI) -> None:
    """Note in the floor's own record that it was started, and as which program."""
    from service import __version__
    from service.ops.code import code_state
    from service.record.store.entries import Draft, RecordUnavailableError

    parts = app.state.parts
    versions = {"houseway": __version__, "code": f"sha256:{code_state().sha256}"}
    with suppress(RecordUnavailableError):  # its state says so
        parts.record.append(Draft("start", {"versions": versions}, table=parts.config.service.name))
