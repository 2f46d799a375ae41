"""Reading what was collected: whoever has read up to a position has read everything up to it."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import and_, func, select

from service.floor.store import schema
from service.floor.store.held import HeldEntry, HeldRefusal, HeldTable, Known, NamedPicture
from service.record.store.chain import Entry
from service.record.store.database import close_database, open_database
from service.record.store.faults import Fault
from service.record.store.record_tables import OWN_LOG
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy import Row, Select

_ENTRIES = schema.entries.c
_TABLES = schema.tables.c
_BATCH = 500
_NAMING = ("record", "signing_key")
_ASKED = (
    _ENTRIES.position,
    _TABLES.name,
    _ENTRIES.signature,
    _ENTRIES.received_at,
    _ENTRIES.gone,
    *(_ENTRIES[name] for name in schema.ENTRY),
)
_FOLLOWED = _TABLES.id != OWN_LOG
_FROM = schema.entries.join(schema.tables, and_(_TABLES.id == _ENTRIES.log, _FOLLOWED))


class FloorReader:
    """Reads a floor's store without a lock; every method may raise RecordUnavailableError.

    Who opened it closes it: ``with FloorReader(url) as reader``.
    """

    def __init__(self, url: str) -> None:
        self.database = open_database(url)

    def __enter__(self) -> Self:
        """The reader itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Let go of the database's connections."""
        close_database(self.database)

    def position(self) -> int:
        """Of the newest entry; 0 if there is none."""
        return int(self._ask(select(func.coalesce(func.max(_ENTRIES.position), 0)))[0][0])

    def after(
        self,
        position: int,
        *,
        table: str | None = None,
        tables: Collection[str] | None = None,
        kinds: Sequence[str] = (),
        limit: int = 100,
    ) -> tuple[HeldEntry, ...]:
        """Entries beyond a position, in the order in which they were taken; of all tables and kinds if none is named.

        The order of each table is that of its record, but for entries of which ``gone`` says that they were lost.
        """
        asked = select(*_ASKED).select_from(_FROM).where(_ENTRIES.position > position)
        if table is not None:
            asked = asked.where(_TABLES.name == table)
        if tables is not None:
            asked = asked.where(_TABLES.name.in_(tables))
        if kinds:
            asked = asked.where(_ENTRIES.kind.in_(kinds))
        return self._entries(asked.order_by(_ENTRIES.position).limit(limit))

    def all_entries(self, *, table: str | None = None) -> Iterator[HeldEntry]:
        """Every entry in the order of positions, without holding them all."""
        position = 0
        while found := self.after(position, table=table, limit=_BATCH):
            yield from found
            position = found[-1].position

    def at(self, position: int) -> HeldEntry | None:
        """The entry at a position."""
        return self._one(select(*_ASKED).select_from(_FROM).where(_ENTRIES.position == position))

    def hashed(self, table: str, entry_hash: str) -> HeldEntry | None:
        """The entry of a table with a hash, whether its record still has it or not."""
        asked = select(*_ASKED).select_from(_FROM)
        return self._one(asked.where(_TABLES.name == table, _ENTRIES.hash == entry_hash))

    def entry(self, table: str, seq: int) -> HeldEntry | None:
        """The entry of a number that a table's record has now."""
        return self._one(self._of(table).where(_ENTRIES.seq == seq))

    def superseded(self, held: HeldEntry) -> HeldEntry | None:
        """The entry that one takes the place of, as it was then: whether its table's record still has it or not."""
        asked = select(*_ASKED).select_from(_FROM).where(_TABLES.name == held.table, _ENTRIES.position < held.position)
        asked = asked.where(_ENTRIES.seq == held.entry.supersedes)
        return self._one(asked.order_by(_ENTRIES.position.desc()).limit(1))

    def of_kinds(self, table: str, kinds: Sequence[str]) -> tuple[HeldEntry, ...]:
        """All entries of a table of kinds that are seldom, with those that are gone, in the order of positions."""
        asked = select(*_ASKED).select_from(_FROM).where(_TABLES.name == table, _ENTRIES.kind.in_(kinds))
        return tuple(sorted(self._entries(asked), key=lambda each: each.position))

    def tables(self) -> tuple[HeldTable, ...]:
        """All tables that were ever of this floor, by name."""
        return tuple(map(_table, self._ask(select(schema.tables).where(_FOLLOWED).order_by(_TABLES.name))))

    def table(self, name: str) -> HeldTable | None:
        """A table; None if there never was one of this name."""
        return next(map(_table, self._ask(select(schema.tables).where(_FOLLOWED, _TABLES.name == name))), None)

    def hashes(self, table: str, first: int, last: int) -> dict[int, str]:
        """The hashes of the entries that a table's record has now, by number, from one to another."""
        asked = select(_ENTRIES.seq, _ENTRIES.hash).select_from(_FROM)
        asked = asked.where(_TABLES.name == table, _ENTRIES.gone.is_(None), _ENTRIES.seq.between(first, last))
        return {row.seq: row.hash for row in self._ask(asked)}

    def known_at(self, table: str, seq: int, accepted: Mapping[int, str] = MappingProxyType({})) -> Known | None:
        """What was known of a table's record when an entry was its newest; None if the floor does not hold that.

        Args:
            table: name of the table.
            seq: number of the entry.
            accepted: keys that a person accepted, by the number of the first entry that each signs.
        """
        entry = self.entry(table, seq)
        naming, first = self._last(table, _NAMING, seq), self.entry(table, 1)
        if entry is None or naming is None or first is None:
            return None
        since = max((first for first in accepted if naming.entry.seq < first <= seq), default=0)
        begun = self._last(table, ("epoch",), seq) or first
        return Known(
            record=str(first.entry.data["record"]),
            key=accepted[since] if since else str(naming.entry.data["public_key"]),
            seq=seq,
            hash=entry.entry.hash,
            epoch=f"{begun.entry.seq}-{begun.entry.hash[:16]}",
        )

    def pictures(self, sha256: str, tables: Collection[str] | None = None) -> dict[str, NamedPicture]:
        """A picture as the tables that have it name it, by their names; none if no entry names it.

        ``tables`` are those that are asked about, all if left out.
        """
        columns = schema.pictures.c
        named = schema.pictures.join(schema.entries, _ENTRIES.position == columns.position)
        asked = select(_TABLES.name, columns.bytes, columns.media_type)
        asked = asked.select_from(named.join(schema.tables, _TABLES.id == _ENTRIES.log))
        if tables is not None:
            asked = asked.where(_TABLES.name.in_(tables))
        rows = self._ask(asked.where(columns.sha256 == sha256).order_by(columns.position.desc()))
        return {row.name: NamedPicture(sha256, row.bytes, row.media_type) for row in rows}

    def refused(self, table: str | None = None, limit: int = 100) -> tuple[HeldRefusal, ...]:
        """What was not taken, newest first."""
        columns = schema.refused.c
        asked = select(schema.refused, _TABLES.name).join(schema.tables, _TABLES.id == columns.log)
        if table is not None:
            asked = asked.where(_TABLES.name == table)
        rows = self._ask(asked.order_by(columns.last_at.desc(), columns.id.desc()).limit(limit))
        return tuple(
            HeldRefusal(
                row.name, Fault.read(json.loads(row.told)), row.first_at, row.last_at, row.times, bytes(row.line)
            )
            for row in rows
        )

    def _of(self, table: str) -> Select[Any]:
        return select(*_ASKED).select_from(_FROM).where(_TABLES.name == table, _ENTRIES.gone.is_(None))

    def _last(self, table: str, kinds: Sequence[str], seq: int) -> HeldEntry | None:
        asked = self._of(table).where(_ENTRIES.kind.in_(kinds), _ENTRIES.seq <= seq)
        return self._one(asked.order_by(_ENTRIES.seq.desc()).limit(1))

    def _one(self, asked: Select[Any]) -> HeldEntry | None:
        return next(iter(self._entries(asked)), None)

    def _entries(self, asked: Select[Any]) -> tuple[HeldEntry, ...]:
        found = (tuple(row) for row in self._ask(asked))
        return tuple(
            HeldEntry(position, name, Entry(*entry), signature, received_at, gone)
            for position, name, signature, received_at, gone, *entry in found
        )

    def _ask(self, asked: Select[Any]) -> Sequence[Row[Any]]:
        with faults_as_unavailable(), self.database.connect() as connection:
            return connection.execute(asked).all()


def _table(row: Row[Any]) -> HeldTable:
    known = Known.of_columns({name: getattr(row, name) for name in schema.KNOWN})
    return HeldTable(row.id, row.name, known, row.state, row.since, json.loads(row.told), row.copied)
