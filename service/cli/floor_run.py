"""Serving a service that collects the tables of other services."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from service.cli.common import say
from service.cli.serving import first_use, record_settings_of, server_of, url_of

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from fastapi import FastAPI

    from service.config.settings import Config


@dataclass(slots=True)
class FloorRun:
    """A service that collects tables."""

    settings: Config

    @classmethod
    def of(cls, path: Path, host: str | None, port: int | None, log_format: Literal["text", "json"] | None) -> FloorRun:
        """As a settings file has it; the rest takes the place of what is in the file; ConfigError."""
        from service.config.service_settings import LogConfig
        from service.config.settings import load_config
        from service.ops.logs import configure_logging

        settings = load_config(path, host=host, port=port)
        if log_format is not None:
            settings = settings.model_copy(update={"log": LogConfig(format=log_format, level=settings.log.level)})
        configure_logging(settings.log, settings.secrets())
        return cls(settings)

    def serve(self, listening: socket.socket) -> None:
        """Serve until stopped. A second service with the same record waits until it may write."""
        from service.floor.app import create_floor_app

        app = create_floor_app(self.settings)
        url = url_of(self.settings, listening)
        tables = len(self.settings.remote)
        say(f"Houseway collects {tables} tables of {self.settings.service.title!r}; all on {url} (Ctrl-C ends)")
        first_use(app, url)
        record_settings_of(app)
        _record_start(app)
        server_of(app).run(sockets=[listening.dup()])  # the server closes its socket


def _record_start(app: FastAPI) -> None:
    """Note in the floor's own record that it was started, and as which program."""
    from service import __version__
    from service.ops.code import code_state
    from service.record.store.entries import Draft, RecordUnavailableError

    parts = app.state.parts
    versions = {"houseway": __version__, "code": f"sha256:{code_state().sha256}"}
    with suppress(RecordUnavailableError):  # its state says so
        parts.record.append(Draft("start", {"versions": versions}, table=parts.config.service.name))
