"""A uvicorn server that accepts connections itself, to limit their number."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from service.api.server.connections import Bounds, Connections
from service.api.server.protocol import HEAD_S, BoundedProtocol
from service.system.host import connections_possible

if TYPE_CHECKING:
    import socket
    from collections.abc import Coroutine
    from types import FrameType

    from starlette.applications import Starlette

    from service.api.parts import Parts
    from service.api.server.connections import Connection

_log = logging.getLogger(__name__)

SWEEP_S: Final = 1.0
_AT_ONCE: Final = 64
"""Connections accepted before other tasks run again."""
_NO_HANDLE_S: Final = 0.1


class Server(uvicorn.Server):
    """Serves an application; ends long polls and event streams on shutdown."""

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._parts: Parts = app.state.parts
        limits = self._parts.config.limits
        bounds = Bounds(
            connections_possible(limits.connections, self._parts.handles),
            limits.connections_per_address,
            limits.connections_per_caller,
        )
        trusted = ProxyHeadersMiddleware(config.app, config.forwarded_allow_ips).trusted_hosts  # type: ignore[arg-type]
        self.connections = Connections(
            bounds,
            lambda peer: config.proxy_headers and peer in trusted,
            lambda why: self._parts.metrics.connections_closed.labels(why.value).inc(),
        )
        self._work: set[asyncio.Task[None]] = set()
        self._listening: list[socket.socket] = []

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Answer all waiting requests."""
        self._parts.stop_waiting()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then accept connections from listening sockets."""
        await super().startup(sockets=[])
        for listening in sockets or ():
            listening.settimeout(0)
            self._listening.append(listening)
            self._accept_from(listening)
        self._start(self._sweep())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and stop."""
        for listening in self._listening:
            asyncio.get_running_loop().remove_reader(listening)
        self._listening.clear()
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        await super().shutdown(sockets)

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            self.connections.sweep()

    def _accept_from(self, listening: socket.socket) -> None:
        if listening in self._listening:
            asyncio.get_running_loop().add_reader(listening, self._accept, listening)

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(_AT_ONCE):
            try:
                accepted, peer = listening.accept()
            except BlockingIOError:
                return
            except OSError as error:
                _log.warning("a connection cannot be accepted: %s", error.strerror or error)
                loop = asyncio.get_running_loop()
                loop.remove_reader(listening)
                loop.call_later(_NO_HANDLE_S, self._accept_from, listening)
                return
            self._admit(accepted, str(peer[0]))

    def _admit(self, accepted: socket.socket, peer: str) -> None:
        connection = self.connections.admit(accepted, peer)
        if connection is None:
            accepted.close()
            return
        accepted.settimeout(0)
        # Not in the coroutine itself: it may be cancelled before its first step.
        self._start(self._serve_connection(connection)).add_done_callback(lambda _: self._close_if_silent(connection))

    async def _serve_connection(self, connection: Connection) -> None:
        """Pass a connection to its protocol, after the TLS handshake if there is one."""
        tls = self.config.ssl
        within = {} if tls is None else {"ssl_handshake_timeout": HEAD_S, "ssl_shutdown_timeout": HEAD_S}
        with suppress(OSError):  # the client is gone, or does not speak TLS
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: BoundedProtocol(
                    self.config,
                    self.server_state,
                    self.lifespan.state,
                    connection=connection,
                    connections=self.connections,
                ),
                connection.socket,
                ssl=tls,
                **within,
            )

    def _close_if_silent(self, connection: Connection) -> None:
        """Close a connection that was never passed to a protocol."""
        if connection.client is None:
            self.connections.gone(connection)
            connection.socket.close()
