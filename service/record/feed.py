"""What is recorded, in its order, from any cursor on and for ever.

Every revision of every round of all tables, by position among the entries of all logs; or every entry of this service's
own log, by its number.
"""

from __future__ import annotations

import json
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from service.record.checkpoints.checkpoint_store import note_at
from service.record.checkpoints.epochs import EntryNamed, common_with, epochs_of
from service.record.results import ResultOut, result_json, result_of
from service.record.store.all_logs import LogsReader
from service.record.store.entries import RESULTS
from service.record.store.stored_logs import START, ForeignCursorError, RestoredError, cursor_of
from service.record.waiting import SingleFlight
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.reports import FrozenModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from service.record.checkpoints.epochs import Epoch
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.record.store.stored_logs import Cursor, HeldEntry
    from service.rounds.judge.rules_in_force import RulesOf


_PAGE_CHARACTERS: Final = 4_000_000
"""Characters of entries from which a page ends, even if it has fewer entries than requested."""


class ResultsOut(FrozenModel):
    """Results of all tables in the order in which they were taken; of each table in the order of its record.

    A result with a number that is not greater than that of the one before it of the same table says that the record of
    that table was restored: earlier results of it with this number or a greater one are no longer in its record.

    Attributes:
        next: send this as ``since`` to go on; the same again if nothing came.
        more: whether there are more already.
        results: oldest first.
        epoch: in which this service's record goes on; another one means that it was restored, or lost its end.
        checkpoint: the newest signed checkpoint of this service's record, a C2SP note in base64; keep the last one.
    """

    results: tuple[ResultOut, ...]
    next: str
    more: bool
    epoch: str
    checkpoint: str | None


class EntryOut(FrozenModel):
    """An entry of the record, and what proves it.

    Attributes:
        line: the entry as in an export: the JSON that is hashed, plus the field ``hash``.
        signature: Ed25519 over the checkpoint that this entry was, hexadecimal; null if it is not signed.
    """

    line: str
    signature: str | None


class EpochOut(FrozenModel):
    """An epoch of the record.

    Attributes:
        name: permanent name.
        at: when it started, UTC.
        since: entries after this number belong to it.
        first: the entry that started it.
    """

    name: str
    at: str
    since: int
    first: EntryNamed

    @classmethod
    def of(cls, epoch: Epoch) -> EpochOut:
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


def number_of(record: DatabaseReader, cursor: Cursor) -> int:
    """The number of the entry that a cursor names in this service's own log.

    Raises:
        ForeignCursorError: the record does not hold it.
        RecordUnavailableError: the record cannot be read.
    """
    seq, start = cursor
    if cursor != START:
        behind = record.entry(seq)
        if behind is None or not behind.hash.startswith(start):
            epochs = epochs_of(record)
            common = common_with(epochs, seq)
            entry = None if not common else record.entry(common)
            go_on = cursor_of(*START) if entry is None else cursor_of(entry.seq, entry.hash)
            raise _foreign(epochs, common, go_on)
    return seq


def position_of(logs: LogsReader, record: DatabaseReader, cursor: Cursor) -> int:
    """The position among the entries of all logs that a cursor names; raises as :func:`number_of`."""
    position, start = cursor
    if cursor != START:
        behind = logs.at(position)
        if behind is None or not behind.entry.hash.startswith(start):
            epochs = epochs_of(record)
            places = {each.entry.seq: each for each in logs.own_numbered([each.since for each in epochs[1:]])}
            # An epoch goes on from an entry of this service's own, or from the beginning of the record.
            since = {0: 0, **{seq: held.position for seq, held in places.items()}}
            since = {each.since: since[each.since] for each in epochs[1:] if each.since in since}
            common = min((seq for seq, place in since.items() if place < position), default=None)
            raise _foreign(epochs, common, places[common].cursor if common else cursor_of(*START))
    return position


def _foreign(epochs: Sequence[Epoch], common: int | None, go_on: str) -> ForeignCursorError:
    """The error for a cursor whose entry is missing; ``common`` is the last entry that is surely common, if any."""
    if common is None:
        return ForeignCursorError(
            "This record does not hold the entry that this cursor points to: it is a different record, or lost its "
            "end. Compare what you have with it before you start again without a cursor."
        )
    return RestoredError(
        f"The record was restored from a copy, or lost its end, and goes on from entry {common} in epoch "
        f"{epochs[-1].name}. What you have of later entries is no longer in it: keep that, have it compared, and go on "
        "from the cursor in go_on.",
        epochs[-1].name,
        go_on,
    )


class Wanted(NamedTuple):
    """Which results a client wants, and how.

    Attributes:
        tables: of these only; None for all.
        closed: of closed rounds only.
        short: rounds in short.
        limit: entries looked at for one page.
    """

    tables: tuple[str, ...] | None = None
    closed: bool = False
    short: bool = False
    limit: int = 50

    def has(self, held: HeldEntry) -> bool:
        """Whether a round is in the state that is wanted."""
        return not self.closed or held.entry.data.get("state") == "closed"


class _About(NamedTuple):
    """Epochs and newest checkpoint of this service's own log."""

    epochs: tuple[Epoch, ...]
    checkpoint: str | None


class Feed:
    """Answers of the feed: when a result comes, one query to the database answers all who wait at the newest entry.

    Each is JSON, with whether there is something in it, and shared until ``changes``, a count of entries, grows.
    ForeignCursorError if the store does not hold the cursor's entry, RecordUnavailableError if it cannot be read.

    Args:
        record: this service's own log.
        rules: finds those that a round of this service's own tables was judged by.
    """

    def __init__(self, record: DatabaseReader, rules: RulesOf = rules_of) -> None:
        self._record = record
        self._logs = LogsReader(record)
        self._rules = rules
        self._pages: SingleFlight[tuple[bytes, bool]] = SingleFlight(lambda page: page[1])
        self._signed: tuple[Entry, _About] | None = None

    def after(self, seq: int) -> tuple[str, str]:
        """The cursors of results and of entries after entry ``seq`` of this service's own log; at the start for 0."""
        for held in self._logs.own_numbered([seq]):
            return held.cursor, cursor_of(seq, held.entry.hash)
        return cursor_of(*START), cursor_of(*START)

    async def page(self, since: Cursor, wanted: Wanted, changes: int) -> tuple[bytes, bool]:
        """Results after a cursor."""
        return await self._pages.answer((since, wanted, changes), lambda: self._results(since, wanted))

    def revisions(self, numbers: Sequence[int]) -> tuple[ResultOut, ...]:
        """Revisions by the numbers of their entries in this service's own log, oldest first."""
        return tuple(result_of(held, self._rules_of(held)) for held in self._logs.own_numbered(numbers))

    async def entries(self, since: Cursor, limit: int, changes: int) -> tuple[bytes, bool]:
        """Entries of all kinds, with their signatures."""
        return await self._pages.answer((EntriesOut, since, limit, changes), lambda: self._entries(since, limit))

    def _results(self, since: Cursor, wanted: Wanted) -> tuple[bytes, bool]:
        position = position_of(self._logs, self._record, since)
        found = self._logs.after(position, kinds=RESULTS, tables=wanted.tables, limit=wanted.limit + 1)
        given = found[: wanted.limit]
        shown = [held for held in given if wanted.has(held)]
        results = ",".join(result_json(held, self._rules_of(held), short=wanted.short) for held in shown)
        about = json.dumps(
            {
                "next": given[-1].cursor if given else cursor_of(*since),
                "more": (more := len(found) > wanted.limit),
                "epoch": _newest((own := self._about()).epochs),
                "checkpoint": own.checkpoint,
            }
        )
        return f'{{"results":[{results}],{about[1:]}'.encode(), bool(shown) or more

    def _rules_of(self, held: HeldEntry) -> RulesOf:
        return self._rules if held.own else rules_of

    def _entries(self, since: Cursor, limit: int) -> tuple[bytes, bool]:
        found = self._record.after(number_of(self._record, since), limit=limit + 1)
        given = _within(_PAGE_CHARACTERS, found[:limit])
        signatures = self._record.signatures([entry.seq for entry in given])
        first, own = self._record.entry(1), self._about()
        page = EntriesOut(
            record="" if first is None else str(first.data["record"]),
            entries=tuple(EntryOut(line=entry.line(), signature=signatures.get(entry.seq)) for entry in given),
            next=_end(given, since),
            more=len(found) > len(given),
            epoch=_newest(own.epochs),
            epochs=tuple(map(EpochOut.of, own.epochs)),
            checkpoint=own.checkpoint,
        )
        return _json(page), bool(given)

    def _about(self) -> _About:
        """Kept for the newest entry of this service's own log, which a hub seldom appends to."""
        head, known = self._record.head(), self._signed
        if known is not None and known[0] == head:
            return known[1]
        note = note_at(self._record, head)
        about = _About(epochs_of(self._record), None if note is None else note.compact)
        if head is not None and note is not None:
            self._signed = (head, about)
        return about


def _within(most: int, entries: Sequence[Entry]) -> Sequence[Entry]:
    """The first entries that have at most ``most`` characters together; at least one."""
    sizes = accumulate(len(entry.body) for entry in entries)
    return entries[: max(1, sum(size <= most for size in sizes))]


def _end(entries: Sequence[Entry], since: Cursor) -> str:
    return cursor_of(entries[-1].seq, entries[-1].hash) if entries else cursor_of(*since)


def _newest(epochs: Sequence[Epoch]) -> str:
    return epochs[-1].name if epochs else ""


def _json(page: BaseModel) -> bytes:
    return page.model_dump_json().encode()
