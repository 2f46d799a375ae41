"""Accounts read again while requests come in, in a thread of its own: a database that is silent holds up nobody."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from service.access.accounts import Accounts
    from service.access.sessions import Sessions

_PATIENCE_S: Final = 0.5
"""A database that is well answers within milliseconds."""


@dataclass(slots=True)
class ReadingAgain:
    """Has the accounts read again when they are older than they may be; one reading at a time.

    Attributes:
        accounts: the accounts.
        sessions: read again as well, if other services begin and end some; None if none does.
    """

    accounts: Accounts
    sessions: Sessions | None = None
    _busy: threading.Lock = field(default_factory=threading.Lock)
    _slow: bool = False

    async def refresh(self, *, patient: bool = False) -> None:
        """Read again if it is time; returns with what is known after a moment. RecordUnavailableError if nothing is.

        Args:
            patient: wait that moment also for a database that was silent the last time, and for another's reading.
        """
        if not self.accounts.take_turn() or not self._busy.acquire(blocking=False):
            ends = time.monotonic() + (_PATIENCE_S if patient else 0.0)
            while self._busy.locked() and time.monotonic() < ends:  # noqa: ASYNC110  a lock of threads tells no loop
                await asyncio.sleep(0.01)
            return
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def read() -> None:
            error: Exception | None = None
            begun = time.monotonic()
            try:
                self.accounts.read_again()
                if self.sessions is not None:
                    self.sessions.read_again()
            except Exception as failed:  # noqa: BLE001  handed to whoever waits
                error = failed
            finally:
                self._slow = time.monotonic() - begun > _PATIENCE_S
                self._busy.release()
            if not loop.is_closed():
                loop.call_soon_threadsafe(_tell, done, error)

        threading.Thread(target=read, name="accounts", daemon=True).start()
        # A database that was silent the last time is asked, and not waited for.
        patience = None if not self.accounts.known else 0.0 if self._slow and not patient else _PATIENCE_S
        await asyncio.wait({done}, timeout=patience)
        self._slow |= not done.done()
        if done.done():
            done.result()


def _tell(done: asyncio.Future[None], error: Exception | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
        done.exception()  # whoever went on meanwhile does not hear of it; the log does
