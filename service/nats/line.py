"""A connection to NATS that is kept up by the official client, and begun anew whenever that gives up."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from nats.aio.client import Client
from nats.errors import Error

from service.config.settings_file import ConfigError
from service.ops.trusted import trusted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from service.config.nats_settings import NatsConfig

_log = logging.getLogger(__name__)

FAULTS: Final = (Error, OSError, TimeoutError)
"""What is raised when NATS does not do what it was asked, or is away."""
_CONNECT_S: Final = 5
_RECONNECT_S: Final = 1
_PING_S: Final = 10
_PINGS: Final = 2
_PAUSE_S: Final = 2.0
_GOODBYE_S: Final = 2.0


class LineCutError(Exception):
    """There is no connection to NATS now."""


class NatsLine:
    """One connection.

    Args:
        config: where to, and as who; ConfigError if the password or the certificates cannot be read.
        name: what the connection is called at the server.
        begin: called with each new connection, before it is used.
        changed: called when the connection came or went.
    """

    def __init__(
        self,
        config: NatsConfig,
        name: str,
        begin: Callable[[Client], Awaitable[None]] | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._name, self._begin, self._changed = name, begin, changed
        self._client: Client | None = None
        self._servers = config.addresses
        self._user = config.username
        self._password = config.password()
        self._tls = None
        if any(each.startswith("tls://") for each in self._servers):
            try:
                self._tls = trusted(config.ca_file)
            except OSError as error:
                raise ConfigError(f"nats.ca_file {config.ca_file}: cannot be used: {error}") from None
        self.where = ", ".join(str(each) for each in config.servers)
        self.why = "not connected yet"

    @property
    def up(self) -> bool:
        """Whether there is a connection now."""
        return self._client is not None and self._client.is_connected

    @property
    def client(self) -> Client:
        """The client of a connection that is up; LineCutError."""
        if self._client is None or not self._client.is_connected:
            raise LineCutError(f"{self.where}: {self.why}")
        return self._client

    async def run(self) -> None:
        """Keep the connection up until cancelled."""
        while True:
            client, closed = Client(), asyncio.Event()
            try:
                await self._connect(client, closed)
                if self._begin is not None:
                    await self._begin(client)
                self._client = client
                self._changed()
                await closed.wait()
            except FAULTS as error:
                self._note(error)
            finally:
                self._client = None
                await _let_go(client)
            self._changed()
            await asyncio.sleep(_PAUSE_S)

    async def _connect(self, client: Client, closed: asyncio.Event) -> None:
        async def is_closed() -> None:
            closed.set()

        async def came() -> None:
            _log.info("NATS at %s: connected again", self.where)
            self._changed()

        async def went() -> None:
            if client is self._client:  # else it is let go of
                _log.warning("NATS at %s: the connection is lost (%s)", self.where, self.why)
                self._changed()

        async def failed(error: Exception) -> None:
            self._note(error)

        await client.connect(
            servers=list(self._servers),
            name=self._name,
            user=self._user,
            password=self._password,
            tls=self._tls,
            connect_timeout=_CONNECT_S,
            reconnect_time_wait=_RECONNECT_S,
            max_reconnect_attempts=-1,
            ping_interval=_PING_S,
            max_outstanding_pings=_PINGS,
            closed_cb=is_closed,
            reconnected_cb=came,
            disconnected_cb=went,
            error_cb=failed,
        )

    def _note(self, error: BaseException) -> None:
        why = str(error) or type(error).__name__
        if why != self.why:
            _log.log(logging.DEBUG if self.up else logging.WARNING, "NATS at %s: %s", self.where, why)
        self.why = why


async def _let_go(client: Client) -> None:
    """Close a client; one whose encryption did not come about waits for ever for the other side to close as well."""
    with suppress(*FAULTS):
        await asyncio.wait_for(client.close(), _GOODBYE_S)
