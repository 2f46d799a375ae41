"""The service's HTTP interface, asked over NATS: a request is one message, an answer one or several.

What is asked passes through the same application as a request over HTTP, with the same keys, rights and limits. So a
floor reaches a table that nothing can connect to, over the line which the table itself has opened.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from nats.errors import Error

from service.ops.background import in_background

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from nats.aio.client import Client
    from nats.aio.msg import Msg
    from starlette.types import ASGIApp

    from service.nats.names import Names

_log = logging.getLogger(__name__)

METHOD: Final = "Houseway-Method"
TARGET: Final = "Houseway-Target"
PASSED: Final = ("authorization", "content-type", "idempotency-key")
"""Headers of a request that are passed on."""
STATUS: Final = "Houseway-Status"
HEADERS: Final = "Houseway-Headers"
PART: Final = "Houseway-Part"
LAST: Final = "Houseway-Last"
WORKING: Final = "Houseway-Working"
"""On a message that says no more than that the answer is still being made."""
WORKING_S: Final = 1.0
"""How often that is said: a line that is cut, or a table that is killed, says nothing."""
_TOLD: Final = frozenset({"content-type", "retry-after", "date"})
"""Headers of an answer that are passed on."""
_PART_BYTES: Final = 256_000
_AT_ONCE: Final = 16
_METHODS: Final = frozenset({"GET", "POST", "PUT"})


@dataclass(slots=True)
class _Answer:
    """The answer to one request, sent on as it is made."""

    client: Client
    reply: str
    part: int = 0
    waits: bytearray = field(default_factory=bytearray)
    about: dict[str, str] = field(default_factory=dict)

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Take what the application says."""
        if message["type"] == "http.response.start":
            told = {name.decode(): value.decode("latin-1") for name, value in message.get("headers", ())}
            kept = {"date": formatdate(usegmt=True), **told}
            self.about = {
                STATUS: str(message["status"]),
                HEADERS: json.dumps({name: kept[name] for name in _TOLD & kept.keys()}),
            }
        elif message["type"] == "http.response.body":
            self.waits += message.get("body", b"")
            while len(self.waits) > _PART_BYTES:
                await self._part(_PART_BYTES)
            if not message.get("more_body", False):
                await self._part(_PART_BYTES, last=True)

    async def say_working(self) -> None:
        """Say now and then that the answer is being made."""
        while True:
            await asyncio.sleep(WORKING_S)
            await self.client.publish(self.reply, headers={WORKING: "1"})

    async def _part(self, size: int, *, last: bool = False) -> None:
        headers = {PART: str(self.part), **self.about, **({LAST: "1"} if last else {})}
        piece = bytes(self.waits[:size])
        del self.waits[:size]
        await self.client.publish(self.reply, piece, headers=headers)
        if not last:
            await self.client.flush()  # so that no more is in memory than is under way
        self.part += 1
        self.about = {}


class Answering:
    """Has an application answer what is asked over NATS."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self._app, self._names = app, names
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, client: Client) -> None:
        """Answer what comes over a connection."""

        async def asked(message: Msg) -> None:
            await self._begin(client, message)

        await client.subscribe(self._names.requests, cb=asked)

    async def end(self) -> None:
        """Answer nothing more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _begin(self, client: Client, asked: Msg) -> None:
        await self._room.acquire()
        task = asyncio.create_task(self._answer(client, asked))
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.release()

    async def _answer(self, client: Client, asked: Msg) -> None:
        headers = asked.headers or {}
        target, method = headers.get(TARGET, ""), headers.get(METHOD, "")
        # Nobody but the floor may ask, and only for an answer to this table's own subjects: else a table's server
        # could be made to publish what another one is taken for.
        if not asked.reply.startswith(self._names.reply("")) or method not in _METHODS or not target.startswith("/"):
            return
        answer = _Answer(client, asked.reply)
        try:
            async with in_background(answer.say_working()):
                await self._app(_scope(method, target, headers, len(asked.data)), _receiving(asked.data), answer.send)
        except Error as error:
            _log.debug("an answer over NATS was not sent: %s", error)
        except Exception:  # noqa: BLE001  as a server of HTTP does
            _log.exception("a request over NATS failed: %s %s", method, target.partition("?")[0])
            if answer.part == 0:
                await answer.send({"type": "http.response.start", "status": 500})
                await answer.send({"type": "http.response.body"})


def _scope(method: str, target: str, headers: dict[str, str], size: int) -> dict[str, Any]:
    path, _, query = target.partition("?")
    given = {name.lower(): value for name, value in headers.items()}
    passed = [(name.encode(), given[name].encode("latin-1")) for name in PASSED if name in given]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"content-length", str(size).encode()), *passed],
        "client": None,
        "server": None,
        "state": {},
    }


def _receiving(body: bytes) -> Any:  # noqa: ANN401  an ASGI callable
    given = False

    async def receive() -> dict[str, Any]:
        nonlocal given
        if given:
            await asyncio.Event().wait()  # whoever asked is not known to go away
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
