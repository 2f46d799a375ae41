"""HTTP/1.1 with limits on incomplete requests and slow readers, which uvicorn's protocol lacks."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from service.api.server.connections import Closed

if TYPE_CHECKING:
    import asyncio

    from uvicorn.config import Config
    from uvicorn.server import ServerState

    from service.api.server.connections import Connection, Connections

MOST_HEAD_BYTES: Final = 32_768
"""Limit of a request line with its headers, and of any other bytes outside bodies."""
MOST_HEADERS: Final = 100
MOST_PIPELINED: Final = 16
"""Requests sent without waiting for responses."""
HEAD_S: Final = 10.0
"""Time to send a request's head, from when the client may start."""
SLOW_READER_S: Final = 30.0
LEAST_BYTES_PER_S: Final = 1_024
"""A client that reads less than this for :data:`SLOW_READER_S` is disconnected."""


class HeadTooLargeError(Exception):
    """The head of a request has too many bytes or headers, or too many requests were sent at once."""


class BoundedProtocol(HttpToolsProtocol):
    """The protocol of one connection, with limits on memory and time."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        *,
        connection: Connection,
        connections: Connections,
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._connection = connection
        self._all = connections
        self._unparsed = 0
        self._head_whole = False
        self._turn_started = connection.opened_at
        self._unsent_before = 0
        self._read_at = connection.opened_at

    @property
    def keeps_waiting(self) -> bool:
        """Whether no complete request awaits its response."""
        return self._between_requests or (self.cycle.more_body and not self.pipeline)

    @property
    def unsent(self) -> int:
        """Bytes that the client has not read yet."""
        return self.transport.get_write_buffer_size()

    def overdue(self, now: float) -> Closed | None:
        """The reason to disconnect a client that sends or reads too slowly, if it does."""
        if self._reads_too_slowly(now):
            return Closed.SLOW_READER
        slow = self._between_requests and now - self._turn_started > HEAD_S and not self.transport.is_closing()
        return Closed.SLOW_REQUEST if slow else None

    def leave(self) -> None:
        """Close once the pending responses are sent."""
        self.transport.close()

    def drop(self) -> None:
        """Close at once."""
        self.transport.abort()

    def _reads_too_slowly(self, now: float) -> bool:
        """Called once a second: the decrease of unsent bytes is what the client has read."""
        unsent, before = self.unsent, self._unsent_before
        self._unsent_before = unsent
        if unsent == 0 or before - unsent >= LEAST_BYTES_PER_S or before == 0:
            self._read_at = now
        return now - self._read_at > SLOW_READER_S

    @property
    def _between_requests(self) -> bool:
        return self.cycle is None or (self.cycle.response_complete and not self.pipeline)

    # Called by uvicorn and its parser.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called after the TLS handshake, if there is one."""
        super().connection_made(transport)
        self._turn_started = self._all.clock()
        self._connection.client = self

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.gone(self._connection)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data, and refuse heads without end."""
        if self.transport.is_closing():
            return
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > MOST_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Pass the connection to the application."""
        super().on_message_begin()
        self._head_whole = False
        self.scope["state"]["connection"] = self._connection

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; trailers are ignored."""
        if self._head_whole:
            return
        if len(self.headers) >= MOST_HEADERS:
            raise HeadTooLargeError
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start a request, or queue it."""
        self._unparsed, self._head_whole = 0, True
        if len(self.pipeline) >= MOST_PIPELINED:
            raise HeadTooLargeError
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass on a part of the body, which has its own limits."""
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._unparsed = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The response is sent; the client may send its next request."""
        self._turn_started = self._all.clock()
        self._all.rest(self._connection)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Called when the client reads too slowly."""
        super().pause_writing()
        self._all.unread()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  uvicorn's wording
        """Refuse a malformed or oversized request; during a response, only close."""
        too_large = self._unparsed > MOST_HEAD_BYTES or len(self.headers or ()) >= MOST_HEADERS
        if too_large or len(self.pipeline) >= MOST_PIPELINED:
            self._all.refused(Closed.HEAD)
        if not self._between_requests:
            self.transport.abort()
            return
        status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if too_large else HTTPStatus.BAD_REQUEST
        self.transport.write(
            f"HTTP/1.1 {status.value} {status.phrase}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".encode()
        )
        self.transport.close()
