"""The feed of results: every revision of every round, in the order recorded, from any cursor on and for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.record.results import START, ForeignCursorError, ResultOut, cursor_of, result_of
from service.record.single_flight import SingleFlight
from service.record.store.entries import RESULTS
from service.rounds.reports import FrozenModel

if TYPE_CHECKING:
    from service.record.results import Cursor
    from service.record.store.database_reader import DatabaseReader


class ResultsOut(FrozenModel):
    """Results in the order in which they were recorded.

    Attributes:
        next: send this as ``since`` to go on; the same again if nothing came.
        more: whether there are more already.
        results: oldest first.
    """

    results: tuple[ResultOut, ...]
    next: str
    more: bool


def position_of(record: DatabaseReader, cursor: Cursor) -> int:
    """The number of the entry that a cursor names.

    Raises:
        ForeignCursorError: the record does not hold it.
        RecordUnavailableError: the record cannot be read.
    """
    seq, start = cursor
    if cursor != START:
        behind = record.entry(seq)
        if behind is None or not behind.hash.startswith(start):
            raise ForeignCursorError(
                "This record does not have the entry that the cursor names: it is a different record, or lost its end. "
                "Compare what you have with it before you begin again without a cursor."
            )
    return seq


class Feed:
    """Answers of the feed: when a result comes, one query to the database answers all who wait at the newest entry."""

    def __init__(self, record: DatabaseReader) -> None:
        self._record = record
        self._pages: SingleFlight[tuple[bytes, bool]] = SingleFlight(lambda page: page[1])

    async def page(self, since: Cursor, table: str | None, limit: int, changes: int) -> tuple[bytes, bool]:
        """The answer as JSON, and whether there is a result in it; shared until ``changes``, a count of entries, grows.

        ForeignCursorError if the record does not hold the cursor's entry, RecordUnavailableError if it cannot be read.
        """
        return await self._pages.answer((since, table, limit, changes), lambda: self._read(since, table, limit))

    def _read(self, since: Cursor, table: str | None, limit: int) -> tuple[bytes, bool]:
        seq = position_of(self._record, since)
        found = self._record.after(seq, kinds=RESULTS, table=table, limit=limit + 1)
        results = tuple(result_of(entry) for entry in found[:limit])
        end = results[-1].cursor if results else cursor_of(*since)
        page = ResultsOut(results=results, next=end, more=len(found) > limit)
        return page.model_dump_json().encode(), bool(results)
