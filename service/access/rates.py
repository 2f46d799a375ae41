"""How often somebody may ask: a token bucket for each, in memory."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BUCKETS: Final = 10_000


class Buckets:
    """A bucket of ``burst`` requests for each name, filled again at ``per_s`` a second.

    Args:
        per_s: how many a second in the long run; 0 sets no limit.
        burst: how many at once.
        clock: seconds that never go back.
    """

    def __init__(self, per_s: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._burst = float(burst)
        self._clock = clock
        # Name: what is left, and when that was counted; the one asked for longest ago comes first.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str) -> float:
        """Take one; returns 0, or in how many seconds there will be one again, and then none was taken."""
        if self._per_s <= 0:
            return 0.0
        with self._lock:
            left = self._left(name)
            granted = left >= 1.0
            self._keep(name, left - 1.0 if granted else left)
        return 0.0 if granted else (1.0 - left) / self._per_s

    def give_back(self, name: str) -> None:
        """Put one back that turned out not to count."""
        if self._per_s > 0:
            with self._lock:
                self._keep(name, min(self._left(name) + 1.0, self._burst))

    def _left(self, name: str) -> float:
        left, counted_at = self._buckets.get(name, (self._burst, self._clock()))
        return min(left + (self._clock() - counted_at) * self._per_s, self._burst)

    def _keep(self, name: str, left: float) -> None:
        self._buckets[name] = (left, self._clock())
        self._buckets.move_to_end(name)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
