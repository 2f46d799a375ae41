"""Who may sign in, as the record's entries have it: a row that somebody put into the database lets nobody in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from service.codes import RecordCode
from service.record.store import record_tables
from service.record.store.beside import TELLING, Covered, Expected
from service.record.store.chain import Entry
from service.record.store.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from service.record.store.record import Record


class ProvenRows:
    """Holds rows against the entries that told of them; reads each entry once."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._expected = Expected()
        self._through = 0
        self._key_known = False
        self.roster: Entry | None = None
        """The newest entry that tells of a roster of the floor."""

    def catch_up(self, connection: Connection) -> None:
        """Take in the entries that were appended since, if the record's own key signed them."""
        if self._key_known is not (self._record.public_key is not None):
            # What was taken as it stood, while the record could not be opened, is looked at again.
            self._expected, self._through, self._key_known = Expected(), 0, not self._key_known
            self.roster = None
        columns, signature = record_tables.entries.c, record_tables.checkpoints.c
        asked = select(record_tables.entries, signature.signature).join(
            record_tables.checkpoints, signature.seq == columns.seq, isouter=True
        )
        new = asked.where(columns.kind.in_(TELLING), columns.seq > self._through).order_by(columns.seq)
        for *fields, signed in connection.execute(new):
            entry = Entry(*fields)
            self._through = entry.seq
            if not self._key_known or self._record.is_own(entry, signed):
                self._expected.take(entry)
                if entry.kind == "roster":
                    self.roster = entry
            else:
                self._record.faults.add(Fault.of(entry.seq, RecordCode.SIGNED_WITH_ANOTHER_KEY))

    def refused(self, connection: Connection, covered: Covered) -> frozenset[str]:
        """The names of rows that are not as the entries have them, or are there no more; each is a fault."""
        rows = {covered.name_of(row): row for row in covered.rows(connection)}
        found = {name: self._expected.fault_of(covered, row) for name, row in rows.items()}
        faults = {name: fault for name, fault in found.items() if fault is not None}
        faults |= self._expected.gone(covered, rows)
        self._record.faults.add(*faults.values())
        return frozenset(faults)

    def answer_for(self, tables: Iterable[Covered]) -> bool:
        """Whether the entries that were taken in answer for all of these tables."""
        return all(map(self._expected.answers_for, tables))
