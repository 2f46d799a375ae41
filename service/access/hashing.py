"""Passwords looked at in a thread of their own: hashing is slow on purpose, and nobody else is to wait for it."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from service.access.secrets import password_is

MOST_WAITING: Final = 8
"""Passwords that wait to be looked at, a tenth of a second or more each; more are refused at once."""
RETRY_AFTER_S: Final = 5.0
_NICENESS: Final = 5


class BusyError(Exception):
    """Too many passwords wait to be looked at."""

    wait_s = RETRY_AFTER_S


class PasswordChecks:
    """Looks at one password at a time, behind what the table's pictures and answers need."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "passwords", initializer=_give_way)
        self._waiting = 0

    async def is_right(self, kept: str | None, given: str) -> bool:
        """As :func:`service.access.secrets.password_is`; BusyError if too many wait."""
        if self._waiting >= MOST_WAITING:
            raise BusyError
        self._waiting += 1
        try:
            return await asyncio.wrap_future(self._thread.submit(password_is, kept, given))
        finally:
            self._waiting -= 1


def _give_way() -> None:
    """Have the threads that compute a hash run when others leave them time; Linux knows this of each thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
