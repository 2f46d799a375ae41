"""All tables of a floor, one task for each; the failing of one touches no other."""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from service.hub.collect.client import TableClient
from service.hub.collect.pull import PAUSES_S, TablePull
from service.hub.collect.states import TableStates
from service.system.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.hub.store.writer import FloorWriter
    from service.record.store.all_logs import LogsReader
    from service.record.store.record import Record
    from service.system.remote_settings import RemoteTableConfig
    from service.system.settings import Config

_log = logging.getLogger(__name__)

ROOM: Final = 24
"""Large answers with entries that are in memory at once; the others wait to be read."""
_STARTS_A_SECOND: Final = 200.0
_LOOK_S: Final = 1.0


class Collector:
    """Collects all tables of a floor.

    Attributes:
        states: how each is.
        clients: what asks them, by name.
    """

    def __init__(
        self,
        config: Config,
        writer: FloorWriter,
        reader: LogsReader,
        record: Record,
        *,
        pauses_s: tuple[float, float, float] = PAUSES_S,
    ) -> None:
        self.states = TableStates(table.name for table in config.remote)
        self.clients: dict[str, TableClient] = {}
        self._config, self._pauses_s = config, pauses_s
        self._writer, self._reader, self._record = writer, reader, record

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Collect while the block runs; ConfigError if a key cannot be read."""
        room = asyncio.Semaphore(ROOM)
        pulls = [self._pull(table, room) for table in self._config.remote]
        try:
            async with in_background(self._look_after_record(), *(self._run(each) for each in pulls)):
                yield
        finally:
            await asyncio.gather(*(client.close() for client in self.clients.values()))

    def _pull(self, table: RemoteTableConfig, room: asyncio.Semaphore) -> TablePull:
        client = TableClient(table.address, table.key(), table.ca_file, room)
        self.clients[table.name] = client
        now = self.states.tables[table.name]
        return TablePull(table, client, now, self._writer, self._reader, self._record, self._pauses_s)

    async def _look_after_record(self) -> None:
        """Have the floor's own record, which says what is trusted, be written again after the database was away."""
        while True:
            await asyncio.sleep(_LOOK_S)
            if not self._record.state.ok:
                await asyncio.to_thread(self._record.recover)

    async def _run(self, pull: TablePull) -> None:
        # All at once would be as many connections at once.
        await asyncio.sleep(random.uniform(0.0, len(self._config.remote) / _STARTS_A_SECOND))  # noqa: S311  no secret
        while True:
            try:
                await pull.run()
            except Exception:  # noqa: BLE001  it is logged, and what ends one table's task would end it for good
                _log.exception("collecting the table %s met a fault of its own; it is begun again", pull.name)
                await asyncio.sleep(1.0)
            else:
                return
