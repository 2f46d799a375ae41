"""All tables of one computer, each in its own process; the end of one touches no other."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from service.several.table_process import TableProcess

_FIRST_S: Final = 30.0
"""So long the others wait for the first table, whose record has everybody's accounts and is made at its first start."""


@dataclass(slots=True)
class Supervisor:
    """Keeps the processes of all tables running.

    Attributes:
        tables: the processes, in the settings' order.
    """

    tables: Sequence[TableProcess]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep them running while the block runs; all are ended at its end."""
        with tempfile.TemporaryDirectory(prefix="houseway-") as folder:
            work = [asyncio.create_task(self._keep(table, Path(folder))) for table in self.tables]
            try:
                yield
            finally:
                for task in work:
                    task.cancel()
                await asyncio.gather(*work, return_exceptions=True)

    async def _keep(self, table: TableProcess, folder: Path) -> None:
        if table is not self.tables[0]:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.tables[0].ready.wait(), _FIRST_S)
        await table.keep_running(folder)
