"""What is half done: kept in memory for some minutes, under a secret that the browser has."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Final, Generic, TypeVar

from service.access.secrets import digest, new_secret

LASTS_S: Final = 300
_MOST: Final = 10_000
T = TypeVar("T")


class Pending(Generic[T]):
    """Values by secrets of which digests are kept; the oldest give way where there are too many."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, value: T) -> str:
        """Keep a value; returns its secret."""
        secret = new_secret()
        self.put(secret, value)
        return secret

    def put(self, secret: str, value: T) -> None:
        """Keep a value under a secret that there is already."""
        with self._lock:
            self._kept.pop(digest(secret), None)
            self._kept[digest(secret)] = (time.monotonic() + LASTS_S, value)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)

    def find(self, secret: str) -> T | None:
        """The value of a secret; None if it is over."""
        with self._lock:
            until, value = self._kept.get(digest(secret), (0.0, None))
        return value if time.monotonic() < until else None

    def take(self, secret: str) -> T | None:
        """The value of a secret, which is over now."""
        value = self.find(secret)
        with self._lock:
            self._kept.pop(digest(secret), None)
        return value
