"""How many pictures may be on their way at once, and how large they may be together: they are held in memory."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from service.ops.limited_process import ProcessBusyError

if TYPE_CHECKING:
    from collections.abc import Iterator


OF_ONE_CALLER: Final = 2
"""Pictures that one caller may have here: one that is read, and one that arrives or waits meanwhile."""
_FOR_OTHERS: Final = 16_000_000
"""Bytes that are left for the pictures of others while one caller has as many as it may."""


class TooManyOfOneError(Exception):
    """A caller has as many pictures here as it may."""


class Waiting:
    """The places of those whose picture arrives, waits or is read; of one event loop.

    No caller can keep the others out, however slowly its pictures arrive.

    Args:
        most: how many there are.
        most_bytes: what one caller may send together; one picture alone may be larger.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._taken: list[tuple[str, int]] = []

    @contextmanager
    def place(self, caller: str, size: int) -> Iterator[None]:
        """Have a place for a request of so many bytes while this is entered.

        Raises:
            TooManyOfOneError: the caller has all places that it may have.
            ProcessBusyError: there is none left.
        """
        own = [taken for whose, taken in self._taken if whose == caller]
        everybody = sum(taken for _, taken in self._taken)
        if len(own) >= OF_ONE_CALLER:
            raise TooManyOfOneError
        too_large = own and sum(own) + size > self._most_bytes
        if too_large or (self._taken and everybody + size > self._most_bytes + _FOR_OTHERS):
            raise ProcessBusyError
        if len(self._taken) >= self._most:
            raise ProcessBusyError
        self._taken.append((caller, size))
        try:
            yield
        finally:
            self._taken.remove((caller, size))
