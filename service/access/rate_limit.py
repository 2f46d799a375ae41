"""Rate limiting: a token bucket for each client, in memory."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_CLIENTS: Final = 10_000
"""Clients counted at once; who asked longest ago is forgotten first."""


class RateLimitedError(Exception):
    """A client asks too often; it may again in ``wait_s`` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too often; again in {wait_s:.0f} s")
        self.wait_s = wait_s


@dataclass(slots=True)
class RateLimiter:
    """A bucket of ``burst`` tokens for each client, filled again at ``per_s`` a second; 0 a second sets no limit."""

    per_s: float
    burst: int
    clock: Callable[[], float] = time.monotonic
    # Client: tokens left, and when they were counted; the one that asked longest ago comes first.
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, client: str) -> float:
        """Take a token; returns 0, or in how many seconds there will be one again, and then none was taken."""
        if self.per_s <= 0:
            return 0.0
        with self._lock:
            left = self._left(client)
            granted = left >= 1.0
            self._keep(client, left - 1.0 if granted else left)
        return 0.0 if granted else (1.0 - left) / self.per_s

    def give_back(self, client: str) -> None:
        """Put a token back for a request that turned out not to count."""
        if self.per_s > 0:
            with self._lock:
                self._keep(client, min(self._left(client) + 1.0, self.burst))

    def _left(self, client: str) -> float:
        left, counted_at = self._buckets.get(client, (self.burst, self.clock()))
        return min(left + (self.clock() - counted_at) * self.per_s, self.burst)

    def _keep(self, client: str, left: float) -> None:
        self._buckets[client] = (left, self.clock())
        self._buckets.move_to_end(client)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
