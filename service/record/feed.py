"""The feed of results: every revision of every round, in the order recorded, from any point on and for ever.

A cursor is the number of an entry and the beginning of its hash. It stays good for ever, across restarts of either
side; one of another record, or of a record whose end was cut off, is refused and never silently read on from.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Final

from service.http.schemas import ResultOut, ResultsOut
from service.record.ledger import report_of
from service.record.single_flight import Shared
from service.record.store.chain import NO_HASH
from service.record.store.protocols import RESULTS

if TYPE_CHECKING:
    from service.record.store.chain import Entry
    from service.record.store.protocols import RecordReader

START: Final = (0, NO_HASH[:16])
_CURSOR: Final = re.compile(r"1\.([0-9]{1,18})\.([0-9a-f]{16})")


class CursorError(ValueError):
    """This is no cursor."""


class ForeignCursorError(CursorError):
    """This cursor is of another record, or of entries that are no longer there."""


def cursor_of(seq: int, entry_hash: str) -> str:
    """The cursor behind an entry.

    >>> read_cursor(cursor_of(7, "ab" * 32))
    (7, 'abababababababab')
    """
    return base64.urlsafe_b64encode(f"1.{seq}.{entry_hash[:16]}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[int, str]:
    """The number and the hash in a cursor; CursorError if it is none."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeError, ValueError):
        text = ""
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise CursorError("This is no cursor: send 'next' of an earlier answer, or none to begin at the start.")
    return int(found[1]), found[2]


def read_results(record: RecordReader, since: tuple[int, str], table: str | None, limit: int) -> ResultsOut:
    """The results behind a cursor.

    Raises:
        ForeignCursorError: the record does not hold the entry that the cursor names.
        RecordUnavailableError: the record cannot be read.
    """
    seq, start = since
    if since != START:
        behind = record.entry(seq)
        if behind is None or not behind.hash.startswith(start):
            raise ForeignCursorError(
                "This record does not hold the entry that the cursor names: it is another one, or lost its end. "
                "Compare what you have with it before you begin again without a cursor."
            )
    found = record.after(seq, kinds=RESULTS, table=table, limit=limit + 1)
    page = found[:limit]
    last = (page[-1].seq, page[-1].hash) if page else since
    return ResultsOut(results=tuple(result_of(entry) for entry in page), next=cursor_of(*last), more=len(found) > limit)


def result_of(entry: Entry) -> ResultOut:
    """An entry as the feed gives it."""
    return ResultOut.model_validate(
        {
            "cursor": cursor_of(entry.seq, entry.hash),
            "seq": entry.seq,
            "at": entry.at,
            "monotonic_ns": entry.monotonic_ns,
            "kind": entry.kind,
            "hash": entry.hash,
            "supersedes": entry.supersedes,
            "round": report_of(entry),
        }
    )


class Feed:
    """Answers of the feed, read once for all who wait at the same place.

    Hundreds of integrators wait at the newest entry; when the next comes, one question to the database answers all.

    Args:
        record: what is read.
    """

    def __init__(self, record: RecordReader) -> None:
        self._record = record
        self._pages: Shared[tuple[bytes, bool]] = Shared(lambda page: page[1])

    async def page(self, since: tuple[int, str], table: str | None, limit: int, heard: int) -> tuple[bytes, bool]:
        """The answer as JSON, and whether there is a result in it.

        Args:
            since: what the cursor says.
            table: the only table asked for; None for all.
            limit: the most results.
            heard: how often something had been recorded when this was asked; an answer is shared only until the next.
        """
        asked = (since, table, limit, heard)
        return await self._pages.answer(asked, lambda: self._read(since, table, limit))

    def _read(self, since: tuple[int, str], table: str | None, limit: int) -> tuple[bytes, bool]:
        found = read_results(self._record, since, table, limit)
        return found.model_dump_json().encode(), bool(found.results)
