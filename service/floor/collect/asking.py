"""Asks a table's service over NATS: what the HTTP client sends is a message, and so is what comes back."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import httpx2
from nats.errors import TimeoutError as NatsTimeoutError

from service.nats.answering import HEADERS, LAST, METHOD, PART, PASSED, STATUS, TARGET, WORKING, WORKING_S
from service.nats.line import FAULTS, LineCutError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from nats.aio.msg import Msg
    from nats.aio.subscription import Subscription

    from service.nats.line import NatsLine
    from service.nats.names import Names

_NOBODY: Final = "503"
_PATIENCE_S: Final = 15.0
_SILENT_S: Final = 4 * WORKING_S


class _Parts(httpx2.AsyncByteStream):
    """The body of an answer, as its parts come."""

    def __init__(self, first: Msg, subscription: Subscription) -> None:
        self._first, self._subscription = first, subscription

    async def __aiter__(self) -> AsyncIterator[bytes]:
        message, part = self._first, 0
        while True:
            headers = message.headers or {}
            if headers.get(PART) != str(part):
                raise httpx2.ReadError("a part of the answer is missing")
            if message.data:
                yield message.data
            if LAST in headers:
                return
            part += 1
            try:
                message = await _next(self._subscription, _PATIENCE_S)
            except FAULTS as error:
                raise httpx2.ReadError(str(error) or "the answer was broken off") from error

    async def aclose(self) -> None:
        await let_go(self._subscription)


class NatsTransport(httpx2.AsyncBaseTransport):
    """A transport of the HTTP client that asks one table over NATS."""

    def __init__(self, line: NatsLine, names: Names) -> None:
        self._line, self._names = line, names

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and wait for the beginning of its answer."""
        passed = {name: request.headers[name] for name in PASSED if name in request.headers}
        headers = {METHOD: request.method, TARGET: request.url.raw_path.decode("ascii"), **passed}
        wait_s = request.extensions.get("timeout", {}).get("read") or _PATIENCE_S
        try:
            first, subscription = await ask(
                self._line, self._names, self._names.requests, await request.aread(), headers, wait_s
            )
        except LineCutError as error:
            raise httpx2.ConnectError(f"NATS: {error}", request=request) from error
        except NatsTimeoutError as error:
            raise httpx2.ReadTimeout("no answer over NATS", request=request) from error
        except FAULTS as error:
            raise httpx2.ConnectError(f"NATS: {error}", request=request) from error
        told = first.headers or {}
        answer_headers = json.loads(told.get(HEADERS, "{}"))
        return httpx2.Response(int(told.get(STATUS, "502")), headers=answer_headers, stream=_Parts(first, subscription))


async def ask(
    line: NatsLine,
    names: Names,
    subject: str,
    body: bytes,
    headers: dict[str, str],
    wait_s: float,
) -> tuple[Msg, Subscription]:
    """Ask something of a table; the first message of the answer, and where more of it comes, until that is let go of.

    The answer comes on a subject of the table's own, the only kind that its server may publish to: no table can answer
    in the place of another. LineCutError if nothing is connected that could answer, or what NATS raises.
    """
    client = line.client
    reply = names.reply(uuid4().hex)
    subscription = await client.subscribe(reply)
    try:
        await client.publish(subject, body, reply=reply, headers=headers or None)
        return await _first(subscription, wait_s), subscription
    except BaseException:
        await let_go(subscription)
        raise


async def _first(subscription: Subscription, wait_s: float) -> Msg:
    found = await _next(subscription, wait_s)
    if (found.headers or {}).get("Status") == _NOBODY:
        raise LineCutError("the table's server or service is not connected")
    return found


async def _next(subscription: Subscription, wait_s: float) -> Msg:
    """The next message of an answer; given up at once if nothing more is heard of it being made."""
    ends = time.monotonic() + wait_s
    while True:
        found = await subscription.next_msg(max(0.0, min(_SILENT_S, ends - time.monotonic())))
        if WORKING not in (found.headers or {}):
            return found


async def let_go(subscription: Subscription) -> None:
    """Take no more messages of a subscription; that the connection has gone is no matter."""
    try:
        await subscription.unsubscribe()
    except FAULTS:
        return
