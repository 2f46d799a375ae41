"""Serving an application: where it listens, what is printed at its first start, and what is recorded of it."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from service.cli.common import attribution, say, say_boxed

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI
    from starlette.applications import Starlette

    from service.system.settings import Config


class PortError(OSError):
    """The address cannot be listened on; the message says why and what to do."""


class CertificateError(OSError):
    """The certificate or its key cannot be used; the message says why."""


def listen(settings: Config) -> socket.socket:
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


def url_of(settings: Config, listening: socket.socket) -> str:
    """Where the page is found."""
    host = settings.server.host
    name = "localhost" if settings.server.local_only else f"[{host}]" if ":" in host else host
    return f"{'https' if settings.server.tls else 'http'}://{name}:{listening.getsockname()[1]}"


def server_of(app: Starlette) -> uvicorn.Server:
    """A server that answers requests until it is asked to stop, and then stops immediately.

    Raises:
        CertificateError: the certificate or its key cannot be read, or they do not belong together.
    """
    import uvicorn

    from service.api.server.server import Server

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


class FolderInUseError(RuntimeError):
    """Another service writes to the record's folder."""


class NotSetUpError(RuntimeError):
    """Other machines could ask before anybody has chosen a password."""


def first_use(app: FastAPI, url: str) -> None:
    """Print where the page is; until an administrator has chosen a password, with a link that signs in.

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
        say_boxed(f"Open {url}")
        return
    if first.password is not None:
        say(f"The password of {first.account}, shown only now, until another is chosen: {first.password}")
    say_boxed(
        f"Nobody has chosen a password yet. This link signs in once, as {first.account}:",
        f"{url}/set-up?code={first.code}",
    )


def check_alone(app: FastAPI) -> None:
    """Check that no other service writes to the same folder; FolderInUseError names its process."""
    from service.words.codes import RecordCode

    record = app.state.parts.record
    if record.state.finding.code is RecordCode.OTHER_WRITER:
        message = record.state.message
        record.close()
        raise FolderInUseError(message)


def record_settings_of(app: FastAPI) -> None:
    """Record the settings if they are not those of the last start."""
    from service.record.changes import FOUND_AT_START, note_settings
    from service.record.store.entries import RecordUnavailableError

    parts = app.state.parts
    with suppress(RecordUnavailableError):  # its state says so, and is shown
        note_settings(parts.record, parts.config, attribution(FOUND_AT_START))


def record_start_of(app: FastAPI) -> None:
    """Record that a service that follows tables of others was started, and as which program."""
    from service import __version__
    from service.record.store.entries import Draft, RecordUnavailableError
    from service.system.versions import code_state

    parts = app.state.parts
    if parts.following is None:
        return
    versions = {"houseway": __version__, "code": f"sha256:{code_state().sha256}"}
    with suppress(RecordUnavailableError):  # its state says so
        parts.record.append(Draft("start", {"versions": versions}, table=parts.config.service.name))
