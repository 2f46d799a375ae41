"""What witnesses signed, kept beside the record; each signature proves itself."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from service.record.checkpoints.newest import note_at
from service.record.store import schema
from service.record.store.database import writing
from service.record.store.storage_faults import faults_as_unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.record.checkpoints.note import Note
    from service.record.store.database_reader import DatabaseReader

_COLUMNS = schema.cosignatures.c


def keep_cosignature(reader: DatabaseReader, seq: int, witness: str, line: str) -> None:
    """Keep a signature of a witness; RecordUnavailableError."""
    same = (_COLUMNS.seq == seq, _COLUMNS.witness == witness)
    with faults_as_unavailable(), writing(reader.database) as connection:
        connection.execute(delete(schema.cosignatures).where(*same))
        connection.execute(insert(schema.cosignatures).values(seq=seq, witness=witness, line=line))


def newest_witnessed(reader: DatabaseReader) -> Note | None:
    """The newest checkpoint that a witness signed, with all signatures of witnesses; RecordUnavailableError."""
    with faults_as_unavailable(), reader.database.connect() as connection:
        seq = connection.execute(select(func.max(_COLUMNS.seq))).scalar()
        rows = connection.execute(
            select(schema.cosignatures).where(_COLUMNS.seq == seq).order_by(_COLUMNS.witness)
        ).all()
    note = None if seq is None else note_at(reader, reader.entry(int(seq)))
    return None if note is None else note.cosigned(*(row.line for row in rows))


def witnessed_notes(reader: DatabaseReader, since: int, through: int) -> Iterator[str]:
    """Every checkpoint beyond an entry that witnesses signed, with all their signatures; RecordUnavailableError."""
    for seq, kept in groupby(all_cosignatures(reader), key=lambda each: each[0]):
        if since < seq <= through and (note := note_at(reader, reader.entry(seq))) is not None:
            yield note.cosigned(*(line for _, _, line in kept)).text


def all_cosignatures(reader: DatabaseReader) -> Iterator[tuple[int, str, str]]:
    """Number of the entry, witness and signature line of each, in order. RecordUnavailableError."""
    with faults_as_unavailable(), reader.database.connect() as connection:
        rows = connection.execute(select(schema.cosignatures).order_by(_COLUMNS.seq, _COLUMNS.witness)).all()
    yield from ((row.seq, row.witness, row.line) for row in rows)
