"""Reading the entries of all logs: a reader at a position has seen every entry up to it."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import and_, case, func, or_, select

from service.record.store import schema
from service.record.store.database import close_database, open_database
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import RESULTS, Entry
from service.record.store.faults import Fault
from service.record.store.schema import OWN_LOG, TIMED
from service.record.store.stored_logs import HeldEntry, HeldRefusal, HeldTable, Known, NamedPicture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, Row, ScalarSelect, Select

_ENTRIES = schema.entries.c
_TABLES = schema.logs.c
_BATCH = 500
_NAMING = ("record", "signing_key")
_ABOUT = ("position", "log", "signature", "received_at", "gone")
_EVERY = select(*(_ENTRIES[name] for name in (*_ABOUT, *schema.ENTRY)))
_FOLLOWED = _TABLES.id != OWN_LOG
_FROM = schema.entries.join(schema.logs, and_(_TABLES.id == _ENTRIES.log, _FOLLOWED))


class LogsReader:
    """Reads the logs of a store without a lock; every method may raise RecordUnavailableError.

    A table is named as in this service's settings. The caller closes it: ``with LogsReader(url) as reader``.

    Args:
        own: reads this service's own log, and checks its entries if it does so itself; or the URL of the store.
    """

    def __init__(self, own: DatabaseReader | str) -> None:
        self._own = DatabaseReader(open_database(own)) if isinstance(own, str) else own
        self.database = self._own.database

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        close_database(self.database)

    def position(self) -> int:
        return int(self._own.rows(select(func.coalesce(func.max(_ENTRIES.position), 0)))[0][0])

    def after(
        self,
        position: int,
        *,
        tables: Collection[str] | None = None,
        kinds: Sequence[str] = (),
        limit: int = 100,
    ) -> tuple[HeldEntry, ...]:
        """Entries of all logs beyond a position, in their order; of all tables and kinds if none is named.

        The order within a log is that of its numbers, but for entries of which ``gone`` says that they were lost.
        """
        query = _EVERY.where(_ENTRIES.position > position)
        if tables is not None:
            query = query.where(self._about(tables))
        if kinds:
            query = query.where(_ENTRIES.kind.in_(kinds))
        return self._entries(query.order_by(_ENTRIES.position).limit(limit))

    def all_followed(self, *, table: str | None = None) -> Iterator[HeldEntry]:
        """Every entry of the followed logs, or of one of them, in the order of positions, read in batches."""
        of_it = _ENTRIES.log != OWN_LOG if table is None else _ENTRIES.log == self._number_of(table)
        position = 0
        while found := self._entries(
            _EVERY.where(of_it, _ENTRIES.position > position).order_by(_ENTRIES.position).limit(_BATCH)
        ):
            yield from found
            position = found[-1].position

    def at(self, position: int) -> HeldEntry | None:
        return self._one(_EVERY.where(_ENTRIES.position == position))

    def own_number_before(self, position: int) -> int:
        """The number of the newest entry of this service's own log before a position; 0 without one."""
        of_it = (_ENTRIES.log == OWN_LOG, _ENTRIES.position < position)
        return int(self._own.rows(select(func.coalesce(func.max(_ENTRIES.seq), 0)).where(*of_it))[0][0])

    def own_numbered(self, numbers: Sequence[int]) -> tuple[HeldEntry, ...]:
        """The entries of these numbers in this service's own log, oldest first."""
        # None of its own is ever gone, but the database finds them by this condition.
        of_it = (_ENTRIES.log == OWN_LOG, _ENTRIES.gone.is_(None))
        return self._entries(_EVERY.where(*of_it, _ENTRIES.seq.in_(numbers)))

    def hashed(self, table: str, entry_hash: str) -> HeldEntry | None:
        """The entry of a table with a hash, whether its record still has it or not."""
        return self._one(_EVERY.where(_ENTRIES.log == self._number_of(table), _ENTRIES.hash == entry_hash))

    def entry(self, table: str, seq: int) -> HeldEntry | None:
        """The entry of a number that a table's record has now."""
        return self._one(self._of(table).where(_ENTRIES.seq == seq))

    def superseded(self, held: HeldEntry) -> HeldEntry | None:
        """The entry that an entry replaced, whether its log still has it or not."""
        query = _EVERY.where(_ENTRIES.log == held.log, _ENTRIES.position < held.position)
        query = query.where(_ENTRIES.seq == held.entry.supersedes)
        return self._one(query.order_by(_ENTRIES.position.desc()).limit(1))

    def of_kinds(self, log: int, kinds: Sequence[str]) -> tuple[HeldEntry, ...]:
        """All entries of rare kinds in a log, with those that are gone, in the order of positions."""
        query = _EVERY.where(_ENTRIES.log == log, _ENTRIES.kind.in_(kinds))
        return self._entries(query)

    def of_rounds(self, rounds: Select[Any]) -> tuple[HeldEntry, ...]:
        """All revisions of rounds, in the order of positions; ``rounds`` selects the columns ``log`` and ``round``."""
        chosen = rounds.subquery()
        of_them = and_(chosen.c.log == _ENTRIES.log, chosen.c.round == _ENTRIES.round)
        asked = _EVERY.join_from(schema.entries, chosen, of_them)
        return self._entries(asked.where(_ENTRIES.kind.in_(RESULTS), _ENTRIES.gone.is_(None)))

    def between(self, started: str, ended: str, tables: Collection[str]) -> tuple[HeldEntry, ...]:
        """What people decided at tables and which checks failed, from one moment to before another."""
        followed, local = self._logs_of(tables)
        in_them = _ENTRIES.log.in_([*followed, *([OWN_LOG] if local else [])])
        timed = _ENTRIES.kind.in_([schema.of_index(kind) for kind in TIMED])  # as in the partial index
        asked = _EVERY.where(in_them, timed, _ENTRIES.at >= started, _ENTRIES.at < ended, _ENTRIES.gone.is_(None))
        return tuple(held for held in self._entries(asked) if held.table in (local if held.log == OWN_LOG else tables))

    def last_before(self, moment: str, kind: str, tables: Collection[str]) -> tuple[HeldEntry, ...]:
        def newest(log: object, *where: ColumnElement[bool]) -> ScalarSelect[int]:
            of_log = (_ENTRIES.log == log, _ENTRIES.kind == kind, _ENTRIES.gone.is_(None), _ENTRIES.at < moment)
            asked = select(_ENTRIES.position).where(*of_log, *where)
            return asked.order_by(_ENTRIES.seq.desc()).limit(1).scalar_subquery()

        followed, local = self._logs_of(tables)
        positions = [row[0] for row in self._own.rows(select(newest(_TABLES.id)).where(_TABLES.id.in_(followed)))]
        if local:
            of_each: list[Any] = [newest(OWN_LOG, _ENTRIES.table == name) for name in local]
            positions += self._own.rows(select(*of_each))[0]
        return self._entries(_EVERY.where(_ENTRIES.position.in_([each for each in positions if each is not None])))

    def tables(self) -> tuple[HeldTable, ...]:
        """All tables that were ever followed, by name."""
        return tuple(map(_table, self._own.rows(select(schema.logs).where(_FOLLOWED).order_by(_TABLES.name))))

    def table(self, name: str) -> HeldTable | None:
        """A table; None if there never was one of this name."""
        return next(map(_table, self._own.rows(select(schema.logs).where(_FOLLOWED, _TABLES.name == name))), None)

    def hashes(self, table: str, first: int, last: int) -> dict[int, str]:
        """The hashes of the entries that a table's record has now, by number, from one to another."""
        query = select(_ENTRIES.seq, _ENTRIES.hash).select_from(_FROM)
        query = query.where(_TABLES.name == table, _ENTRIES.gone.is_(None), _ENTRIES.seq.between(first, last))
        return {row.seq: row.hash for row in self._own.rows(query)}

    def known_at(self, table: str, seq: int, accepted: Mapping[int, str] = MappingProxyType({})) -> Known | None:
        """The head of a table's record when an entry was its newest; None if the entries are missing.

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
        started = self._last(table, ("epoch",), seq) or first
        return Known(
            record=str(first.entry.data["record"]),
            key=accepted[since] if since else str(naming.entry.data["public_key"]),
            seq=seq,
            hash=entry.entry.hash,
            epoch=f"{started.entry.seq}-{started.entry.hash[:16]}",
        )

    def pictures(self, sha256: str, tables: Collection[str] | None = None) -> dict[str, NamedPicture]:
        """Return the entries' descriptions of a picture, by table name; empty if no entry names it.

        ``tables`` limits the search; all by default.
        """
        columns = schema.pictures.c
        named = schema.pictures.join(schema.entries, _ENTRIES.position == columns.position)
        query = select(_TABLES.name, columns.bytes, columns.media_type)
        query = query.select_from(named.join(schema.logs, _TABLES.id == _ENTRIES.log))
        if tables is not None:
            query = query.where(_TABLES.name.in_(tables))
        rows = self._own.rows(query.where(columns.sha256 == sha256).order_by(columns.position.desc()))
        return {row.name: NamedPicture(sha256, row.bytes, row.media_type) for row in rows}

    def refused(self, table: str | None = None, limit: int = 100) -> tuple[HeldRefusal, ...]:
        """Refusals, newest first."""
        columns = schema.refused.c
        query = select(schema.refused, _TABLES.name).join(schema.logs, _TABLES.id == columns.log)
        if table is not None:
            query = query.where(_TABLES.name == table)
        rows = self._own.rows(query.order_by(columns.last_at.desc(), columns.id.desc()).limit(limit))
        return tuple(
            HeldRefusal(
                row.name, Fault.of_json(json.loads(row.fault)), row.first_at, row.last_at, row.times, bytes(row.line)
            )
            for row in rows
        )

    def _of(self, table: str) -> Select[Any]:
        return _EVERY.where(_ENTRIES.log == self._number_of(table), _ENTRIES.gone.is_(None))

    def _last(self, table: str, kinds: Sequence[str], seq: int) -> HeldEntry | None:
        query = self._of(table).where(_ENTRIES.kind.in_(kinds), _ENTRIES.seq <= seq)
        return self._one(query.order_by(_ENTRIES.seq.desc()).limit(1))

    def _number_of(self, table: str) -> ScalarSelect[int]:
        """The number of the log of a followed table, for a statement."""
        return select(_TABLES.id).where(_FOLLOWED, _TABLES.name == table).scalar_subquery()

    def _about(self, tables: Collection[str]) -> ColumnElement[bool]:
        """Entries of tables of both kinds: of a followed log, or of this service's own."""
        followed, local = self._logs_of(tables)
        logs = _ENTRIES.log.in_(followed)
        if not local:
            return logs  # so that the database finds them by their logs alone
        return or_(and_(_ENTRIES.log == OWN_LOG, _ENTRIES.table.in_(local)), logs)

    def _logs_of(self, tables: Collection[str]) -> tuple[list[int], list[str]]:
        """Numbers of the followed logs of tables, and names of those in this service's own log."""
        known = self._own.rows(select(_TABLES.name, _TABLES.id).where(_FOLLOWED))
        followed = {row.name: row.id for row in known if row.name not in self._own.local}
        local = [name for name in tables if name not in followed]
        return [followed[name] for name in tables if name in followed], local

    def _one(self, query: Select[Any]) -> HeldEntry | None:
        return next(iter(self._entries(query)), None)

    def _entries(self, query: Select[Any]) -> tuple[HeldEntry, ...]:
        # Names are joined to what was found, so that they cannot change how the database looks for it.
        found = query.subquery()
        name = case((found.c.log == OWN_LOG, found.c.table), else_=_TABLES.name)
        named = select(name, *found.c).join_from(found, schema.logs, _TABLES.id == found.c.log)
        held = [
            HeldEntry(position, log, name, Entry(*entry), signature or "", received_at, gone)
            for name, position, log, signature, received_at, gone, *entry in map(tuple, self._own.rows(named))
        ]
        own = {entry.seq for entry in self._own.checked(tuple(each.entry for each in held if each.own))}
        return tuple(
            sorted(
                (each for each in held if not each.own or each.entry.seq in own),
                key=lambda each: each.position,
            )
        )


def _table(row: Row[Any]) -> HeldTable:
    known = Known.of_columns({name: getattr(row, name) for name in schema.KNOWN})
    return HeldTable(row.id, row.name, known, row.copied)
