"""How many pictures may be on their way at once, and how large they may be together: they are held in memory."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from service.ops.limited_process import ProcessBusyError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Waiting:
    """The places of those whose picture arrives, waits or is read; of one event loop.

    Args:
        most: how many there are.
        most_bytes: what they may send together; one alone may send more.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._taken: list[int] = []

    @contextmanager
    def place(self, size: int) -> Iterator[None]:
        """Have a place for a request of so many bytes while this is entered.

        Raises:
            ProcessBusyError: there is none left.
        """
        if len(self._taken) >= self._most or (self._taken and sum(self._taken) + size > self._most_bytes):
            raise ProcessBusyError
        self._taken.append(size)
        try:
            yield
        finally:
            self._taken.remove(size)
