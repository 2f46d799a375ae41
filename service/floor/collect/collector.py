"""All tables of a floor, one task for each; the failing of one touches no other."""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from service.floor.collect.asking import NatsTransport
from service.floor.collect.client import TableClient
from service.floor.collect.pull import PAUSES_S, TablePull
from service.floor.collect.states import TableStates
from service.floor.collect.stream_copy import StreamCopy
from service.floor.collect.stream_reader import StreamReader
from service.floor.collect.streamed import QUIET_S, Streamed
from service.nats.line import NatsLine
from service.nats.names import Names
from service.ops.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.config.nats_settings import FloorNatsConfig
    from service.floor.settings import FloorConfig, FloorTableConfig
    from service.floor.store.reader import FloorReader
    from service.floor.store.writer import FloorWriter
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

ROOM: Final = 24
"""Large answers with entries that are in memory at once; the others wait to be read."""
_STARTS_A_SECOND: Final = 200.0
_LOOK_S: Final = 1.0
_MB: Final = 1_000_000
_ANY_HOST: Final = "http://localhost"
"""Over NATS there is no address: the line leads to one table."""


class Collector:
    """Collects all tables of a floor.

    Attributes:
        states: how each is.
        clients: what asks them, by name.
    """

    def __init__(
        self,
        config: FloorConfig,
        writer: FloorWriter,
        reader: FloorReader,
        record: Record,
        *,
        pauses_s: tuple[float, float, float] = PAUSES_S,
        quiet_s: float = QUIET_S,
    ) -> None:
        self.states = TableStates(table.name for table in config.tables)
        self.clients: dict[str, TableClient] = {}
        self._config, self._pauses_s, self._quiet_s = config, pauses_s, quiet_s
        self._line = None if config.nats is None else NatsLine(config.nats, f"houseway floor {config.floor.name}")
        self._writer, self._reader, self._record = writer, reader, record

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Collect while the block runs; ConfigError if a key cannot be read."""
        room = asyncio.Semaphore(ROOM)
        pulls = [self._pull(table, room) for table in self._config.tables]
        lines = () if self._line is None else (self._line.run(),)
        try:
            # The line ends last: what waits for an answer takes the end of it for a fault, and goes on.
            async with (
                in_background(*lines),
                in_background(self._look_after_record(), *(self._run(each) for each in pulls)),
            ):
                yield
        finally:
            await asyncio.gather(*(client.close() for client in self.clients.values()))

    def _pull(self, table: FloorTableConfig, room: asyncio.Semaphore) -> TablePull:
        line, nats, names = self._line, self._config.nats, Names(table.name)
        over_nats = line is not None and table.address is None
        transport = NatsTransport(line, names) if line is not None and over_nats else None
        client = TableClient(table.address or _ANY_HOST, table.key(), table.ca_file, room, transport)
        self.clients[table.name] = client
        source = (
            client
            if line is None or nats is None or table.via == "http"
            else self._streamed(line, nats, names, client, room)
        )
        now = self.states.tables[table.name]
        return TablePull(table, client, source, now, self._writer, self._reader, self._record, self._pauses_s)

    def _streamed(
        self, line: NatsLine, nats: FloorNatsConfig, names: Names, client: TableClient, room: asyncio.Semaphore
    ) -> Streamed:
        copy = StreamCopy(line, names, nats.replicas, nats.max_mb * _MB)
        return Streamed(StreamReader(line, names), copy, client, room, self._quiet_s)

    async def _look_after_record(self) -> None:
        """Have the floor's own record, which says what is trusted, be written again after the database was away."""
        while True:
            await asyncio.sleep(_LOOK_S)
            if not self._record.state.ok:
                await asyncio.to_thread(self._record.recover)

    async def _run(self, pull: TablePull) -> None:
        # All at once would be as many connections at once.
        await asyncio.sleep(random.uniform(0.0, len(self._config.tables) / _STARTS_A_SECOND))  # noqa: S311  no secret
        while True:
            try:
                await pull.run()
            except Exception:  # noqa: BLE001  it is logged, and what ends one table's task would end it for good
                _log.exception("collecting the table %s met a fault of its own; it is begun again", pull.name)
                await asyncio.sleep(1.0)
            else:
                return
