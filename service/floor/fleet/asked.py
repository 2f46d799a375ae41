"""Asking each table now and then what it runs on."""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, ValidationError

from service.floor.collect.client import TableAwayError
from service.http.equipment_schemas import EquipmentOut
from service.ops.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from service.floor.collect.client import TableClient
    from service.table.change_notifier import ChangeNotifier

_log = logging.getLogger(__name__)

EVERY_S: Final = 60.0
_AT_ONCE: Final = 8


class _Told(EquipmentOut):
    """Of a later version, which may say more."""

    model_config = ConfigDict(frozen=True, extra="ignore")


@dataclass(frozen=True, slots=True)
class Equipment:
    """What a table told last, and when that was."""

    at: datetime
    told: EquipmentOut


class Asked:
    """What each table runs on.

    Args:
        clients: what asks them, by name; there are none before the collector runs.
        changes: notified when a table told something else than before.
        every_s: how often each is asked.

    Attributes:
        known: by table, what it told last; one that never did since the floor was started is not there.
    """

    def __init__(self, clients: Mapping[str, TableClient], changes: ChangeNotifier, every_s: float = EVERY_S) -> None:
        self.known: dict[str, Equipment] = {}
        self._clients, self._changes, self._every_s = clients, changes, every_s
        self._room = asyncio.Semaphore(_AT_ONCE)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ask while the block runs."""
        async with in_background(*(self._run(name, client) for name, client in self._clients.items())):
            yield

    async def _run(self, name: str, client: TableClient) -> None:
        await asyncio.sleep(random.uniform(0.0, min(self._every_s, 0.02 * len(self._clients))))  # noqa: S311  no secret
        while True:
            pause_s = self._every_s
            try:
                async with self._room:
                    told = _Told.model_validate(await client.equipment())
            except TableAwayError:
                pause_s = self._every_s / 4
            except ValidationError as error:
                _log.warning("%s: what it says of itself cannot be read: %s", name, error.errors()[0]["msg"])
            else:
                before = self.known.get(name)
                self.known[name] = Equipment(datetime.now(UTC), told)
                if before is None or before.told != told:
                    self._changes.notify()
            await asyncio.sleep(pause_s * random.uniform(0.75, 1.0))  # noqa: S311  no secret
