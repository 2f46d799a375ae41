"""The floor's feed of results: those of all tables in the order in which they were taken, from any cursor on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import ValidationError

from service.record.results import START, ForeignCursorError, ResultOut, cursor_of, report_of
from service.record.single_flight import SingleFlight
from service.record.store.entries import RESULTS
from service.rounds.reports import FrozenModel
from service.words.served import RoundOut

if TYPE_CHECKING:
    from service.floor.store.held import HeldEntry
    from service.floor.store.reader import FloorReader
    from service.record.results import Cursor


class FloorResultOut(ResultOut):
    """One revision of a round, as its table gives it.

    Attributes:
        cursor: behind this result in the floor's feed.
        table: name of the table on the floor.
        seq: its number in the table's record.
        monotonic_ns: the table's monotonic clock at that moment.
        kind: ``round`` was read, ``review`` was decided by a person.
        hash: of the entry, by which it is found in an export.
        supersedes: number of the revision that this one takes the place of.
        gone: the epoch in which the table's record no longer has this result; null if it has.
    """

    table: str
    gone: str | None


class FloorResultsOut(FrozenModel):
    """Results of the floor in the order in which they were taken; of each table in the order of its record.

    A result with a number that is not greater than that of the one before it of the same table says that the table was
    restored: what came of it under this number and greater ones is no longer in its record.

    Attributes:
        next: send this as ``since`` to go on; the same again if nothing came.
        more: whether there are more already.
        results: oldest first.
    """

    results: tuple[FloorResultOut, ...]
    next: str
    more: bool


class FloorFeed:
    """Answers of the feed: when a result comes, one query answers all who wait at the newest entry."""

    def __init__(self, reader: FloorReader) -> None:
        self._reader = reader
        self._pages: SingleFlight[tuple[bytes, bool]] = SingleFlight(lambda page: page[1])

    async def page(self, since: Cursor, tables: tuple[str, ...] | None, limit: int, changes: int) -> tuple[bytes, bool]:
        """The results of some tables, or of all, as JSON, and whether there is one; shared until ``changes`` grows.

        ForeignCursorError if the floor does not hold the cursor's entry, RecordUnavailableError if it cannot be read.
        """
        return await self._pages.answer((since, tables, limit, changes), lambda: self._read(since, tables, limit))

    def _read(self, since: Cursor, tables: tuple[str, ...] | None, limit: int) -> tuple[bytes, bool]:
        position, start = since
        if since != START:
            behind = self._reader.at(position)
            if behind is None or not behind.entry.hash.startswith(start):
                raise ForeignCursorError(
                    "This floor does not hold the entry that this cursor points to: it is another floor's, or the "
                    "floor's database was restored from a copy. Compare what you have with it before you begin again "
                    "without a cursor."
                )
        found = self._reader.after(position, tables=tables, kinds=RESULTS, limit=limit + 1)
        given = found[:limit]
        end = given[-1].cursor if given else cursor_of(*since)
        about = json.dumps({"next": end, "more": len(found) > limit})
        return f'{{"results":[{",".join(map(_result, given))}],{about[1:]}'.encode(), bool(given)


def _result(held: HeldEntry) -> str:
    """A result as JSON, in English as well; a round of another version is served as its table recorded it."""
    entry = held.entry
    known = {name: getattr(entry, name) for name in ("seq", "at", "monotonic_ns", "kind", "hash", "supersedes")}
    about = json.dumps({"cursor": held.cursor, "table": held.table, **known, "gone": held.gone})
    try:
        body = RoundOut.from_report(report_of(entry)).model_dump_json()
    except ValidationError:
        body = entry.body
    return f'{about[:-1]},"round":{body}}}'
