"""One transaction of the writer: what several tables had to say, put into the database together."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, insert, select, update

from service.record.store import schema
from service.record.store.database import insert_or_update, put_rows
from service.record.store.entries import timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from service.record.store.stored_logs import Extension, Known, Refusal

LONGEST_LINE: Final = 64_000
"""Bytes that are kept of what was refused."""
MOST_REFUSED: Final = 200
"""Different things refused that are kept of one table; more are only counted."""


class MovedError(Exception):
    """What is known of a table's record is no longer what the entries were held against: look again."""


class NotStoredError(Exception):
    """The database takes everything but this."""


@dataclass(slots=True)
class Batch:
    """What is written in one transaction.

    Attributes:
        connection: in which it is written.
        ids: numbers of the tables, by their names.
        known: what is known of the tables' records once this is written, of those that change.
        position: of the newest entry once this is written.
        taken: how many entries were added.
    """

    connection: Connection
    ids: Mapping[str, int]
    before: Mapping[str, Known]
    position: int
    known: dict[str, Known] = field(default_factory=dict)
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _pictures: list[dict[str, Any]] = field(default_factory=list)
    taken: int = 0
    _now: str = field(default_factory=timestamp)

    def take(self, table: str, extension: Extension) -> None:
        """Add entries of a table, or none: MovedError if they do not follow the known ones, NotStoredError."""
        known = self.known.get(table) or self.before[table]
        after = extension.after
        if known == after:
            return  # they came again: a commit whose answer was lost
        _check_text(extension)
        if extension.lost:
            self._lose(table, known, extension)
        elif (known.seq, known.hash) != extension.follows:
            raise MovedError(table)
        for signed in extension.entries:
            self.position += 1
            self.taken += 1
            entry = {name: getattr(signed.entry, name) for name in schema.ENTRY}
            about = {"position": self.position, "log": self.ids[table], "signature": signed.signature}
            self._rows.append({**about, **entry, "received_at": self._now})
            self._pictures += (
                {"position": self.position, "sha256": name, "bytes": named.bytes, "media_type": named.media_type}
                for name, named in {each.sha256: each for each in signed.pictures}.items()
            )
        self.known[table] = after

    def tell(self, table: str, state: str, since: str, told: str) -> None:
        """Note how a table is, and what it told of itself (JSON)."""
        of_it = schema.logs.c.name == table
        self.connection.execute(update(schema.logs).where(of_it).values(state=state, since=since, told=told))

    def note_copied(self, table: str, position: int) -> None:
        """Note up to which position the pictures of a table's entries were copied."""
        self.connection.execute(update(schema.logs).where(schema.logs.c.name == table).values(copied=position))

    def cosign(self, table: str, row: Mapping[str, Any]) -> None:
        """Keep a co-signature, with the record, number, hash and key of what was signed."""
        self.connection.execute(insert(schema.log_cosignatures).values(log=self.ids[table], **row))

    def refuse(self, table: str, refusal: Refusal) -> None:
        """Keep something aside that is not taken; the same once more is counted."""
        columns = schema.refused.c
        of_it = columns.log == self.ids[table]
        sha256 = hashlib.sha256(refusal.line).hexdigest()
        told = refusal.fault.as_json()
        same = (of_it, columns.sha256 == sha256, columns.code == told["code"])
        again = update(schema.refused).where(*same).values(times=columns.times + 1, last_at=self._now)
        if self.connection.execute(again).rowcount:
            return
        if int(self.connection.execute(select(func.count()).where(of_it)).scalar_one()) < MOST_REFUSED:
            values = {
                "log": self.ids[table],
                "sha256": sha256,
                "line": refusal.line[:LONGEST_LINE],
                "code": told["code"],
                "told": json.dumps(told),
                "first_at": self._now,
                "last_at": self._now,
            }
            self.connection.execute(insert(schema.refused).values(values))

    def flush(self) -> None:
        """Put the entries into the database, and what is known behind them."""
        self._insert()
        put = insert_or_update(self.connection, schema.logs)
        changes = put.on_conflict_do_update(
            index_elements=["id"], set_={name: put.excluded[name] for name in schema.KNOWN}
        )
        rows = [_table(self.ids[table], table, self._now) | known.columns() for table, known in self.known.items()]
        put_rows(self.connection, changes, rows)

    def _insert(self) -> None:
        put_rows(self.connection, insert(schema.entries), self._rows)
        self._rows.clear()
        put_rows(self.connection, insert(schema.pictures), self._pictures)
        self._pictures.clear()

    def _lose(self, table: str, known: Known, extension: Extension) -> None:
        """Mark the entries that a restored record no longer has; MovedError if what is common is not held."""
        self._insert()
        columns = schema.entries.c
        seq, entry_hash = extension.follows
        held = (columns.log == self.ids[table], columns.gone.is_(None))
        if seq:
            same = select(columns.position).where(*held, columns.seq == seq, columns.hash == entry_hash)
            if known.seq < seq or self.connection.execute(same).first() is None:
                raise MovedError(table)
        lost = update(schema.entries).where(*held, columns.seq > seq)
        self.connection.execute(lost.values(gone=extension.after.epoch))


def enter_tables(connection: Connection, names: tuple[str, ...]) -> None:
    """Give each table its number, those that have none yet."""
    there = {row.name: row.id for row in connection.execute(select(schema.logs.c.name, schema.logs.c.id))}
    new = [name for name in names if name not in there]
    now, first = timestamp(), max(there.values(), default=0) + 1
    rows = [_table(number, name, now) for number, name in enumerate(new, start=first)]
    put_rows(connection, insert(schema.logs), rows)


def _table(number: int, name: str, since: str) -> dict[str, Any]:
    return {"id": number, "name": name, "since": since}


def _check_text(extension: Extension) -> None:
    """NotStoredError if a text has an unpaired surrogate, which JSON can hold and no database can."""
    for signed in extension.entries:
        entry = signed.entry
        try:
            f"{entry.kind}{entry.table}{entry.round}{entry.subject}".encode()
        except UnicodeEncodeError as error:
            raise NotStoredError(str(error)) from None
