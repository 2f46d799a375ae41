"""What is recorded, in its order, from any cursor on and for ever: every revision of every round, or every entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.record.checkpoints.epochs import EntryNamed, common_with, epochs_of
from service.record.checkpoints.newest import newest_note
from service.record.results import START, ForeignCursorError, RestoredError, ResultOut, cursor_of, result_of
from service.record.single_flight import SingleFlight
from service.record.store.entries import RESULTS
from service.rounds.reports import FrozenModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import BaseModel

    from engine.house_way import HouseWay
    from service.record.checkpoints.epochs import Epoch
    from service.record.results import Cursor
    from service.record.store.chain import Entry
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


class EntryOut(FrozenModel):
    """An entry of the record, and what proves it.

    Attributes:
        line: the entry as an export has it: JSON, as it is hashed but for the field ``hash``.
        signature: Ed25519 over the checkpoint that this entry was, hexadecimal; null if it is not signed.
    """

    line: str
    signature: str | None


class EpochOut(FrozenModel):
    """An epoch of the record.

    Attributes:
        name: names it for ever.
        at: when it was begun, UTC.
        since: entries beyond this number belong to it.
        first: the entry that says so.
    """

    name: str
    at: str
    since: int
    first: EntryNamed

    @classmethod
    def of(cls, epoch: Epoch) -> EpochOut:
        """An epoch as it is given out."""
        return cls(name=epoch.name, at=epoch.at, since=epoch.since, first=epoch.first)


class EntriesOut(FrozenModel):
    """Entries in the order in which they were recorded.

    Attributes:
        record: names the record for ever.
        entries: oldest first.
        next: send this as ``since`` to go on; the same again if nothing came.
        more: whether there are more already.
        epoch: in which the record goes on; another one means that it was restored, or lost its end.
        epochs: all of them, oldest first.
        checkpoint: the table's newest signed checkpoint, a C2SP note in base64.
    """

    record: str
    entries: tuple[EntryOut, ...]
    next: str
    more: bool
    epoch: str
    epochs: tuple[EpochOut, ...]
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
    """Answers of the feed: when a result comes, one query to the database answers all who wait at the newest entry.

    Each is JSON, with whether there is something in it, and shared until ``changes``, a count of entries, grows.
    ForeignCursorError if the record does not hold the cursor's entry, RecordUnavailableError if it cannot be read.
    """

    def __init__(self, record: DatabaseReader, ways: Mapping[str, HouseWay] | None = None) -> None:
        self._record = record
        self._ways = ways or {}
        self._pages: SingleFlight[tuple[bytes, bool]] = SingleFlight(lambda page: page[1])

    async def page(self, since: Cursor, table: str | None, limit: int, changes: int) -> tuple[bytes, bool]:
        """Results."""
        return await self._pages.answer((since, table, limit, changes), lambda: self._results(since, table, limit))

    async def entries(self, since: Cursor, limit: int, changes: int) -> tuple[bytes, bool]:
        """Entries of all kinds, with their signatures."""
        return await self._pages.answer((EntriesOut, since, limit, changes), lambda: self._entries(since, limit))

    def _results(self, since: Cursor, table: str | None, limit: int) -> tuple[bytes, bool]:
        seq = position_of(self._record, since)
        found = self._record.after(seq, kinds=RESULTS, table=table, limit=limit + 1)
        results = tuple(result_of(entry, self._ways.get(entry.table or "")) for entry in found[:limit])
        page = ResultsOut(
            results=results,
            next=_end(found[:limit], since),
            more=len(found) > limit,
            epoch=_newest(epochs_of(self._record)),
            checkpoint=self._checkpoint(),
        )
        return _json(page), bool(results)

    def _entries(self, since: Cursor, limit: int) -> tuple[bytes, bool]:
        found = self._record.after(position_of(self._record, since), limit=limit + 1)
        given = found[:limit]
        signatures = self._record.signatures([entry.seq for entry in given])
        first, epochs = self._record.entry(1), epochs_of(self._record)
        page = EntriesOut(
            record="" if first is None else str(first.data["record"]),
            entries=tuple(EntryOut(line=entry.line(), signature=signatures.get(entry.seq)) for entry in given),
            next=_end(given, since),
            more=len(found) > limit,
            epoch=_newest(epochs),
            epochs=tuple(map(EpochOut.of, epochs)),
            checkpoint=self._checkpoint(),
        )
        return _json(page), bool(given)

    def _checkpoint(self) -> str | None:
        note = newest_note(self._record)
        return None if note is None else note.compact


def _end(entries: Sequence[Entry], since: Cursor) -> str:
    """Where to go on behind these entries."""
    return cursor_of(entries[-1].seq, entries[-1].hash) if entries else cursor_of(*since)


def _newest(epochs: Sequence[Epoch]) -> str:
    return epochs[-1].name if epochs else ""


def _json(page: BaseModel) -> bytes:
    return page.model_dump_json().encode()
