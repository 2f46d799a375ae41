"""Where in a record an entry is missing, found by counting and without reading them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from service.record.store import record_tables as tables
from service.record.store.database import reading
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from service.record.store.database_reader import DatabaseReader

_SEQ = tables.entries.c.seq


def missing_entry(reader: DatabaseReader) -> int:
    """The number of the first entry that is missing; 0 if there is no gap. RecordUnavailableError."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        row = connection.execute(select(func.count(), func.max(_SEQ)).select_from(tables.entries)).one()
        low, high = 0, int(row[1] or 0)
        if int(row[0]) == high:
            return 0
        # Up to ``low`` there is no gap, up to ``high`` there is one.
        while high - low > 1:
            middle = (low + high) // 2
            up_to = select(func.count()).select_from(tables.entries).where(middle >= _SEQ)
            if int(connection.execute(up_to).scalar_one()) == middle:
                low = middle
            else:
                high = middle
        return high
