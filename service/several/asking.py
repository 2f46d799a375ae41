"""Asks the tables' own services on behalf of whoever asks for all of them: with the same credentials, not with more."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import httpx2

from service.several.table_process import ProcessState

if TYPE_CHECKING:
    from starlette.requests import Request

    from service.config.service_settings import ServerConfig
    from service.several.table_process import TableProcess

_PATIENCE_S: Final = 3.0
_AT_ONCE: Final = 16
"""Requests to tables at the same time, for all who ask."""
_HANDED_ON: Final = ("cookie", "authorization", "accept-language")
_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  an address that is listened on, by where it is reached


@dataclass(frozen=True, slots=True)
class Answer:
    """What a table answered.

    Attributes:
        status: of HTTP; None if it did not answer.
    """

    status: int | None = None
    text: str = ""
    headers: httpx2.Headers = field(default_factory=httpx2.Headers)


@dataclass(slots=True)
class Asking:
    """Asks the services of tables that listen on this computer."""

    server: ServerConfig
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))
    _client: httpx2.AsyncClient = field(init=False)

    def __post_init__(self) -> None:
        """Connections are not kept: each is counted as its caller's by the service that it leads to."""
        # The address is one that this program listens on itself; its certificate is made out to another name.
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._client = httpx2.AsyncClient(
            timeout=_PATIENCE_S,
            verify=context,
            trust_env=False,
            limits=httpx2.Limits(max_keepalive_connections=0),
        )

    async def all(self, tables: list[TableProcess], path: str, request: Request) -> list[Answer]:
        """What each table answers, in their order; one that is not running is not asked."""
        return list(await asyncio.gather(*(self.one(table, path, request) for table in tables)))

    async def one(self, table: TableProcess, path: str, request: Request) -> Answer:
        """What a table answers."""
        if table.state is not ProcessState.RUNNING:
            return Answer()
        host = _EVERYWHERE.get(self.server.host, self.server.host)
        port = table.listening.getsockname()[1]
        named = f"[{host}]" if ":" in host else host
        headers = {name: value for name in _HANDED_ON if (value := request.headers.get(name)) is not None}
        headers["host"] = f"{host_name(request)}:{port}"  # the table judges the name that was asked for
        url = f"{'https' if self.server.tls else 'http'}://{named}:{port}{path}"
        async with self._room:
            try:
                found = await self._client.get(url, headers=headers)
            except httpx2.HTTPError:
                return Answer()
        return Answer(found.status_code, found.text, found.headers)

    async def close(self) -> None:
        """Let go of what is open."""
        await self._client.aclose()


def host_name(request: Request) -> str:
    """The name by which this computer was asked, without a port."""
    host = request.headers.get("host", "")
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
