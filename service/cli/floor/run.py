"""``houseway floor run``: the floor service; a second one waits until the first has ended."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from service.cli.common import plain_errors, say
from service.cli.floor.common import FloorSettings  # noqa: TC001  typer resolves annotations
from service.cli.table.listening import CertificateError, PortError, listen, server_of, url_of
from service.cli.table.run import NotSetUpError, first_use, record_settings_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from fastapi import FastAPI
    from starlette.applications import Starlette

    from service.floor.settings import FloorConfig
    from service.floor.store.writer import FloorWriter


_DECIDED_S: Final = 5.0
"""So long it may take until it is known whether the store can be written to; then who asks is told to wait."""


def run_command(
    config: FloorSettings,
    host: Annotated[str | None, typer.Option(help="Address to listen on, instead of the one in the settings.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on, instead of the one in the settings.")
    ] = None,
    log_format: Annotated[
        Literal["text", "json"] | None,
        typer.Option(help="How log lines look: text for people, or one JSON object on each line."),
    ] = None,
) -> None:
    """Collect all tables of a floor, and serve its pages and HTTP.

    A second one with the same database is a standby: it takes over when the first ends.
    """
    from service.config.service_settings import LogConfig
    from service.config.settings_file import ConfigError
    from service.floor.settings import load_floor
    from service.ops.logs import set_up
    from service.record.store.database import DatabaseError

    expected = (ConfigError, DatabaseError, PortError, CertificateError, NotSetUpError)
    with plain_errors(*expected, program="houseway floor run"):
        settings = load_floor(config, host=host, port=port)
        if log_format is not None:
            settings = settings.model_copy(update={"log": LogConfig(format=log_format, level=settings.log.level)})
        set_up(settings.log, settings.secrets())
        with listen(settings) as listening:
            _FloorRun(settings, listening).serve()


@dataclass(slots=True)
class _FloorRun:
    """A floor served until told to stop, as the writer of its store or waiting for whoever is."""

    settings: FloorConfig
    listening: socket.socket
    _goes_on: bool = field(default=True, init=False)

    def serve(self) -> None:
        """Serve; in between the address stays taken, and who asks meanwhile waits."""
        from service.floor.store.writer import FloorWriter

        first = True
        while self._goes_on:
            writer = FloorWriter(self.settings.database_url, [table.name for table in self.settings.tables])
            writer.start()
            self._wait(writer)
            if self._goes_on and writer.state.name == "writing":
                self._collect(writer, first=first)
                first = False

    def _wait(self, writer: FloorWriter) -> None:
        """Until the store can be written to, say so to whoever asks."""
        from service.floor.app import waiting_app

        writer.begun.wait(_DECIDED_S)
        if writer.state.name == "writing":
            return
        say(f"this floor is waiting for its database ({writer.state.name}): {writer.state.why}", err=True)
        self._serve_until(lambda end: waiting_app(self.settings, writer, end))

    def _collect(self, writer: FloorWriter, *, first: bool) -> None:
        from service.floor.app import create_floor_app

        def begun(end: Callable[[], None]) -> Starlette:
            app = create_floor_app(self.settings, writer, end)
            url = url_of(self.settings, self.listening)
            tables = len(self.settings.tables)
            say(f"Houseway collects {tables} tables of {self.settings.floor.title!r}; all on {url} (Ctrl-C ends)")
            if first:
                first_use(app, url)
            record_settings_of(app)
            _record_start(app)
            return app

        self._serve_until(begun)

    def _serve_until(self, make: Callable[[Callable[[], None]], Starlette]) -> None:
        """Serve an application until it ends itself, or this program is told to stop."""
        ended = False

        def end() -> None:
            nonlocal ended
            ended = True
            server.should_exit = True

        server = server_of(make(end))
        server.run(sockets=[self.listening.dup()])  # it closes what it is given
        self._goes_on = ended


def _record_start(app: FastAPI) -> None:
    """Note in the floor's own record that it was started, and as which program."""
    from service import __version__
    from service.ops.code import code_state
    from service.record.store.entries import Draft, RecordUnavailableError

    parts = app.state.parts
    versions = {"houseway": __version__, "code": f"sha256:{code_state().sha256}"}
    with suppress(RecordUnavailableError):  # its state says so
        parts.record.append(Draft("start", {"versions": versions}, table=parts.config.floor.name))
