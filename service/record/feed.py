"""The feed of results: every revision of every round, in the order recorded, from any cursor on and for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.record.checkpoints.epochs import common_with, epochs_of
from service.record.checkpoints.newest import newest_note
from service.record.results import START, ForeignCursorError, RestoredError, ResultOut, cursor_of, result_of
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
        epoch: in which the record goes on; another one means that it was restored, or lost its end.
        checkpoint: the table's newest signed checkpoint, a C2SP note in base64; keep the last one.
    """

    results: tuple[ResultOut, ...]
    next: str
    more: bool
    epoch: str
    checkpoint: str | None


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
            raise _foreign(record, seq)
    return seq


def _foreign(record: DatabaseReader, seq: int) -> ForeignCursorError:
    epochs = epochs_of(record)
    common = common_with(epochs, seq)
    if common is None:
        return ForeignCursorError(
            "This record does not hold the entry that this cursor points to: it is a different record, or lost its "
            "end. Compare what you have with it before you begin again without a cursor."
        )
    entry = record.entry(common)
    go_on = cursor_of(*START) if entry is None else cursor_of(entry.seq, entry.hash)
    return RestoredError(
        f"The record was restored from a copy, or lost its end, and goes on from entry {common} in epoch "
        f"{epochs[-1].name}. What you have of later entries is no longer in it: keep that, have it compared, and go on "
        "from the cursor in go_on.",
        epochs[-1].name,
        go_on,
    )


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
        epochs, note = epochs_of(self._record), newest_note(self._record)
        page = ResultsOut(
            results=results,
            next=end,
            more=len(found) > limit,
            epoch=epochs[-1].name if epochs else "",
            checkpoint=None if note is None else note.compact,
        )
        return page.model_dump_json().encode(), bool(results)
