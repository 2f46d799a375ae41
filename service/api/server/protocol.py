"""HTTP/1.1 with bounds on what comes before a request is whole: uvicorn's protocol sets none."""

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
"""Of a request's line and headers together, and of all else that is neither body nor request."""
MOST_HEADERS: Final = 100
MOST_PIPELINED: Final = 16
"""Requests sent without waiting for an answer."""
HEAD_S: Final = 10.0
"""Until a request's head is whole, from when the client could begin to send it."""
SLOW_READER_S: Final = 30.0
LEAST_BYTES_PER_S: Final = 1_024
"""A client that reads less than this for :data:`SLOW_READER_S` is given up."""


class HeadTooLargeError(Exception):
    """The head of a request has too many bytes or headers, or too many requests were sent at once."""


class BoundedProtocol(HttpToolsProtocol):
    """One client, who may take only so much memory and time."""

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
        self._not_parsed = 0
        self._head_whole = False
        self._turn_began = connection.opened_at
        self._unsent_before = 0
        self._read_at = connection.opened_at

    # What its connection asks.

    @property
    def keeps_waiting(self) -> bool:
        """Whether no whole request waits for its answer."""
        return self._between_requests or (self.cycle.more_body and not self.pipeline)

    @property
    def unsent(self) -> int:
        """Bytes that wait until the client reads."""
        return self.transport.get_write_buffer_size()

    def overdue(self, now: float) -> Closed | None:
        """Whether the client takes too long to send a head, or to read what it was sent."""
        if self._reads_too_slowly(now):
            return Closed.SLOW_READER
        slow = self._between_requests and now - self._turn_began > HEAD_S and not self.transport.is_closing()
        return Closed.SLOW_REQUEST if slow else None

    def leave(self) -> None:
        """Close once what was answered is sent."""
        self.transport.close()

    def drop(self) -> None:
        """Close at once."""
        self.transport.abort()

    def _reads_too_slowly(self, now: float) -> bool:
        """Look once a second: what was sent meanwhile is what there is less of."""
        unsent, before = self.unsent, self._unsent_before
        self._unsent_before = unsent
        if unsent == 0 or before - unsent >= LEAST_BYTES_PER_S or before == 0:
            self._read_at = now
        return now - self._read_at > SLOW_READER_S

    @property
    def _between_requests(self) -> bool:
        return self.cycle is None or (self.cycle.response_complete and not self.pipeline)

    # What uvicorn and its parser call.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, after the TLS handshake if there is one."""
        super().connection_made(transport)
        self._turn_began = self._all.clock()
        self._connection.client = self

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._all.gone(self._connection)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, and refuse what has no end."""
        if self.transport.is_closing():
            return
        self._not_parsed += len(data)
        super().data_received(data)
        if self._not_parsed > MOST_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Let the application know the connection."""
        super().on_message_begin()
        self._head_whole = False
        self.scope["state"]["connection"] = self._connection

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; one that comes behind the body is none that anybody asked for."""
        if self._head_whole:
            return
        if len(self.headers) >= MOST_HEADERS:
            raise HeadTooLargeError
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin a request, or have it wait for those before."""
        self._not_parsed, self._head_whole = 0, True
        if len(self.pipeline) >= MOST_PIPELINED:
            raise HeadTooLargeError
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body, which has bounds of its own."""
        self._not_parsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._not_parsed = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request was answered: it is the client's turn."""
        self._turn_began = self._all.clock()
        self._all.rest(self._connection)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """More waits to be read than the client reads."""
        super().pause_writing()
        self._all.unread()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  uvicorn's own words
        """Refuse what is no request, or too large to be one; in the middle of an answer only close."""
        too_large = self._not_parsed > MOST_HEAD_BYTES or len(self.headers or ()) >= MOST_HEADERS
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
