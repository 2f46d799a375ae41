"""How well a table reads now, counted once for everybody who asks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from service.record.store.entries import RecordUnavailableError
from service.release.trial import figures_before

if TYPE_CHECKING:
    from service.record.store.database_reader import DatabaseReader
    from service.release.figures import Figures
    from service.table.live_state import LiveState

HANDS: Final = 400
"""Of the newest hands it is told how many were verified."""


class CountedHands:
    """The newest hands of a table, counted anew once a round was recorded.

    Args:
        record: the table's.
        table: its name.
        live: tells when a round is recorded.
    """

    def __init__(self, record: DatabaseReader, table: str, live: LiveState) -> None:
        self._record, self._table, self._live = record, table, live
        self._lock = threading.Lock()
        self._known: tuple[int, Figures] | None = None

    def now(self) -> Figures | None:
        """How the table read its newest hands; None if that cannot be told."""
        moment = self._live.recorded.count
        with self._lock:
            if self._known is None or self._known[0] != moment:
                try:
                    self._known = moment, figures_before(self._record, self._table, HANDS)
                except RecordUnavailableError:
                    return None
            return self._known[1]
