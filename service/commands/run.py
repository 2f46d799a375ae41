"""``houseway run``: the table service, with the bundled sample table if no other is named."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from types import FrameType

    import uvicorn
    from fastapi import FastAPI

    from service.config import Config


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run_command)


def run_command(
    config: Annotated[
        Path | None, typer.Option(help="The table's settings (TOML); the sample table if left out.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on, in place of the settings' one.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port, in place of the settings' one.")] = None,
) -> None:
    """Watch a table: reading, House Way, HTTP and page."""
    import logging

    from calibration.store import CalibrationError, load_calibration
    from engine.errors import EngineError
    from service.app import create_app
    from service.config import SAMPLE_CONFIG, ConfigError, load_config
    from service.store.database import DatabaseError
    from vision.card import ModelError
    from vision.enrolment_file import EnrolmentError, load_enrolment
    from vision.pipeline import Reader

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        settings = load_config(config or SAMPLE_CONFIG, host=host, port=port)
        # The port first: it is the quickest to fail and the likeliest to be taken.
        with listen(settings) as listening:
            calibration = None if settings.table.calibration is None else load_calibration(settings.table.calibration)
            reader = Reader.load()
            enrolment = None if settings.table.enrolment is None else load_enrolment(settings.table.enrolment)
            watcher = reader.enrolled(enrolment).steady()
            app = create_app(settings, reader=reader, watcher=watcher, calibration=calibration)
            typer.echo(f"Houseway watches {settings.table.title!r} on {url_of(settings, listening)} (Ctrl-C ends)")
            server_of(app).run(sockets=[listening])
    except (ConfigError, PortError, ModelError, EngineError, CalibrationError, EnrolmentError, DatabaseError) as error:
        typer.echo(f"houseway run: {error}", err=True)
        raise typer.Exit(2) from None


class PortError(OSError):
    """The address cannot be listened on; the message says why and what to do."""


def listen(settings: Config) -> socket.socket:
    """Take the port before anything slow begins.

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
            f"cannot listen on {host} port {port}: {reason}. End what uses it, or choose another one with --port, for "
            f"example --port {port + 1 if port < 65_535 else 8000}"
        ) from None


def url_of(settings: Config, listening: socket.socket) -> str:
    """Where the page is found."""
    host = settings.server.host
    name = "localhost" if settings.server.local_only else f"[{host}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}"


def server_of(app: FastAPI) -> uvicorn.Server:
    """A server that answers requests until told to stop, and then stops at once."""
    import uvicorn

    class Server(uvicorn.Server):
        """Ends long polls and event streams when told to stop, in place of waiting for their readers to go."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            app.state.parts.desk.close()
            super().handle_exit(sig, frame)

    return Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3))
