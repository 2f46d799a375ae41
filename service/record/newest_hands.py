"""How many of a table's newest hands were verified, counted once per recorded round."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.record.results import report_of
from service.record.store.entries import RecordUnavailableError

if TYPE_CHECKING:
    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import HandReport

_HANDS: Final = 400
_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class HandsRead:
    """Hands of closed rounds.

    Attributes:
        verified: those that were verified as read, whatever a person said later.
        of: all of them.
    """

    verified: int
    of: int


class NewestHands:
    """Counts the newest hands, some four hundred, of a table.

    Args:
        record: the table's.
        table: its name.
    """

    def __init__(self, record: DatabaseReader, table: str) -> None:
        self._record, self._table = record, table
        self._lock = threading.Lock()
        self._known: tuple[int, HandsRead] | None = None

    def now(self, recorded: int) -> HandsRead | None:
        """The count; None if the record cannot be read.

        Args:
            recorded: how many rounds were recorded since the start; a change makes it count again.
        """
        with self._lock:
            if self._known is None or self._known[0] != recorded:
                try:
                    self._known = recorded, self._count()
                except RecordUnavailableError:
                    return None
            return self._known[1]

    def _count(self) -> HandsRead:
        seen: set[str] = set()
        before, verified, count = None, 0, 0
        while count < _HANDS and (
            entries := self._record.last(("round",), table=self._table, before=before, count=_PAGE)
        ):
            for entry in entries:
                if entry.round is None or entry.round in seen or count >= _HANDS:
                    continue
                seen.add(entry.round)
                played = report_of(entry)
                if played.state == "closed":
                    count += len(played.hands)
                    verified += sum(_status_as_read(hand) == "verified" for hand in played.hands)
            before = entries[-1].seq
        return HandsRead(verified, count)


def _status_as_read(hand: HandReport) -> str:
    return hand.status if hand.review is None or hand.review.read is None else hand.review.read.status
