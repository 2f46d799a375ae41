"""Reading the record's database; the chain is not checked here, see :mod:`service.record.store.verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from service.record.store import tables
from service.record.store.chain import Entry
from service.record.store.faults import FAULTS, in_words
from service.record.store.protocols import RESULTS, RecordUnavailableError, Reply
from service.record.store.signing import Checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Engine, Row, Select

    from service.record.store.protocols import Kind

_BATCH = 500


class DatabaseReader:
    """Reads a record from its database; any number at a time, beside one that writes.

    Args:
        database: the open database.
    """

    def __init__(self, database: Engine) -> None:
        self.database = database

    def head(self) -> Entry | None:
        """The newest entry."""
        return self._one(select(tables.entries).order_by(tables.entries.c.seq.desc()).limit(1))

    def entry(self, seq: int) -> Entry | None:
        """The entry of a number."""
        return self._one(select(tables.entries).where(tables.entries.c.seq == seq))

    def after(
        self, seq: int, *, kinds: Sequence[Kind] = (), table: str | None = None, limit: int = 100
    ) -> tuple[Entry, ...]:
        """Entries beyond a number, oldest first; all kinds and tables if none is named."""
        columns = tables.entries.c
        asked = select(tables.entries).where(columns.seq > seq).order_by(columns.seq).limit(limit)
        return self._entries(_of_these(asked, kinds, table))

    def last(
        self, kinds: Sequence[Kind], *, table: str | None = None, round_id: str | None = None, count: int = 1
    ) -> tuple[Entry, ...]:
        """The newest entries of these kinds, newest first."""
        columns = tables.entries.c
        asked = _of_these(select(tables.entries), kinds, table).order_by(columns.seq.desc()).limit(count)
        return self._entries(asked if round_id is None else asked.where(columns.round == round_id))

    def count(self, kind: Kind, table: str) -> int:
        """How many entries of a kind there are about a table."""
        asked = select(func.count()).select_from(tables.entries)
        return int(self._ask(_of_these(asked, (kind,), table))[0][0])

    def of_round(self, round_id: str, kinds: Sequence[Kind] = RESULTS) -> tuple[Entry, ...]:
        """All that was recorded of a round, oldest first."""
        columns = tables.entries.c
        asked = select(tables.entries).where(columns.round == round_id).order_by(columns.seq)
        return self._entries(_of_these(asked, kinds, None))

    def of_rounds(self, round_ids: Sequence[str], kinds: Sequence[Kind] = RESULTS) -> tuple[Entry, ...]:
        """All that was recorded of some rounds, oldest first."""
        columns = tables.entries.c
        asked = select(tables.entries).where(columns.round.in_(round_ids)).order_by(columns.seq)
        return self._entries(_of_these(asked, kinds, None))

    def newest_rounds(self, table: str, count: int) -> tuple[Entry, ...]:
        """The newest revision of each of the last rounds of a table, oldest round first."""
        return tuple(entry for _, entry in reversed(self.rounds_before(table, None, count)))

    def rounds_before(self, table: str, seq: int | None, count: int) -> tuple[tuple[int, Entry], ...]:
        """Rounds of a table that began before an entry, newest first.

        Args:
            table: the table.
            seq: number of the entry; None for the newest rounds.
            count: the most rounds.

        Returns:
            For each round the number of its first entry, which a next call may begin at, and its newest revision.
        """
        columns = tables.entries.c
        began = (columns.kind == "round", columns.table == table, columns.subject == "1")
        asked = select(columns.seq, columns.round).where(*began).order_by(columns.seq.desc()).limit(count)
        first = {row.round: row.seq for row in self._ask(asked if seq is None else asked.where(columns.seq < seq))}
        ofit = (columns.round.in_(first), columns.kind.in_(RESULTS))
        newest = select(func.max(columns.seq)).where(*ofit).group_by(columns.round)
        found = self._entries(select(tables.entries).where(columns.seq.in_(newest)))
        return tuple(sorted(((first[str(entry.round)], entry) for entry in found), key=lambda pair: -pair[0]))

    def round_from(self, table: str, seq: int) -> Entry | None:
        """The first entry of the first round of a table that began at an entry or after it."""
        columns = tables.entries.c
        began = (columns.kind == "round", columns.table == table, columns.subject == "1", columns.seq >= seq)
        return self._one(select(tables.entries).where(*began).order_by(columns.seq).limit(1))

    def reply(self, scope: str, key: str) -> Reply | None:
        """What was answered to this request before."""
        columns = tables.replies.c
        rows = self._ask(select(tables.replies).where(columns.scope == scope, columns.key == key))
        return next((Reply(row.scope, row.key, row.request, row.answer) for row in rows), None)

    def media_type(self, sha256: str) -> str | None:
        """What a picture is encoded as; None if no entry names it."""
        columns = tables.pictures.c
        rows = self._ask(select(columns.media_type).where(columns.sha256 == sha256).limit(1))
        return rows[0].media_type if rows else None

    def all_entries(self, seq: int = 0) -> Iterator[Entry]:
        """Every entry beyond a number, in order, without holding them all."""
        while found := self.after(seq, limit=_BATCH):
            yield from found
            seq = found[-1].seq

    def signatures(self, first: int, last: int) -> dict[int, str]:
        """Signatures of the checkpoints from one entry to another, by entry."""
        columns = tables.checkpoints.c
        rows = self._ask(select(tables.checkpoints).where(columns.seq.between(first, last)))
        return {row.seq: row.signature for row in rows}

    def checkpoint(self, record: str, entry: Entry) -> Checkpoint | None:
        """The checkpoint made when an entry was the newest."""
        signature = self.signatures(entry.seq, entry.seq).get(entry.seq)
        return None if signature is None else Checkpoint(record, entry.seq, entry.hash, entry.at, signature)

    def _one(self, asked: Select[Any]) -> Entry | None:
        return next(iter(self._entries(asked)), None)

    def _entries(self, asked: Select[Any]) -> tuple[Entry, ...]:
        return tuple(Entry(*tuple(row)) for row in self._ask(asked))

    def _ask(self, asked: Select[Any]) -> Sequence[Row[Any]]:
        try:
            with self.database.connect() as connection:
                return connection.execute(asked).all()
        except FAULTS as error:
            raise RecordUnavailableError(in_words(error)) from error


def _of_these(asked: Select[Any], kinds: Sequence[Kind], table: str | None) -> Select[Any]:
    columns = tables.entries.c
    if kinds:
        asked = asked.where(columns.kind.in_(kinds))
    return asked if table is None else asked.where(columns.table == table)
