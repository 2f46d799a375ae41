"""What was co-signed of a table, and whether what the floor holds extends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from service.record.checkpoints.note import note_of
from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.faults import Fault
from service.record.store.signing import Checkpoint, PublicKey
from service.words.codes import FloorCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select

    from service.record.checkpoints.note import Note, WitnessKey
    from service.record.store.all_logs import LogsReader
    from service.record.store.stored_logs import HeldEntry

_COLUMNS = schema.log_cosignatures.c
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Cosigned:
    """A checkpoint that the floor co-signed.

    Attributes:
        id: the later it was signed, the larger.
        record: id of the record.
        seq: number of the entry.
        hash: its hash.
        key: the public key that signed it, hexadecimal.
        line: the co-signature, as it stands in a note.
    """

    id: int
    record: str
    seq: int
    hash: str
    key: str
    line: str


def newest(reader: LogsReader, table: str) -> Cosigned | None:
    """What was co-signed last of a table; RecordUnavailableError."""
    asked = _of(table).order_by(_COLUMNS.id.desc()).limit(1)
    with faults_as_unavailable(), reader.database.connect() as connection:
        row = connection.execute(asked).first()
    return None if row is None else Cosigned(*row)


def all_of(reader: LogsReader, table: str) -> Iterator[Cosigned]:
    """All that was co-signed of a table, oldest first; RecordUnavailableError."""
    last = 0
    while True:
        with faults_as_unavailable(), reader.database.connect() as connection:
            rows = connection.execute(_of(table).where(_COLUMNS.id > last).order_by(_COLUMNS.id).limit(_BATCH)).all()
        yield from (Cosigned(*row) for row in rows)
        if len(rows) < _BATCH:
            return
        last = rows[-1].id


def checkpoint_of(held: HeldEntry, record: str) -> Checkpoint:
    """The checkpoint that an entry was when it was the newest."""
    entry = held.entry
    return Checkpoint(record, entry.seq, entry.hash, entry.at, held.signature)


def note_at(reader: LogsReader, table: str, cosigned: Cosigned) -> Note | None:
    """A co-signed checkpoint as a note; None if its entry is not held. RecordUnavailableError."""
    held = reader.hashed(table, cosigned.hash)
    if held is None:
        return None
    return note_of(checkpoint_of(held, cosigned.record), PublicKey.of_hex(cosigned.key)).cosigned(cosigned.line)


def not_extended(reader: LogsReader, table: str, cosigned: Cosigned | None) -> Fault | None:
    """In what way what is held of a table does not extend what was co-signed; None if it does.

    An entry that the table's record lost, and says so with a signed entry, is held as gone: that is told, no fault.
    """
    held = None if cosigned is None else reader.hashed(table, cosigned.hash)
    if cosigned is None or (held is not None and held.entry.seq == cosigned.seq):
        return None
    return Fault.of(cosigned.seq, FloorCode.COSIGNED_NOT_HELD)


def faults_of(reader: LogsReader, table: str, key: WitnessKey | None) -> tuple[int, tuple[Fault, ...]]:
    """How many of a table's co-signed checkpoints hold, and what does not; RecordUnavailableError.

    Args:
        reader: of the floor's store.
        table: name of the table.
        key: the floor's; None if it is not at hand, so that signatures are not looked at.
    """
    good, faults = 0, list[Fault]()
    for each in all_of(reader, table):
        note = note_at(reader, table, each)
        if note is None or (note.checkpoint.seq, note.checkpoint.hash) != (each.seq, each.hash):
            faults.append(Fault.of(each.seq, FloorCode.COSIGNED_NOT_HELD))
        elif key is not None and not any(key.holds(note, one) for one in note.cosignatures):
            faults.append(Fault.of(each.seq, FloorCode.COSIGNATURE_FALSE))
        else:
            good += 1
    return good, tuple(faults)


def _of(table: str) -> Select[Any]:
    columns = (_COLUMNS.id, _COLUMNS.record, _COLUMNS.seq, _COLUMNS.hash, _COLUMNS.key, _COLUMNS.line)
    asked = select(*columns).join_from(schema.log_cosignatures, schema.logs, schema.logs.c.id == _COLUMNS.log)
    return asked.where(schema.logs.c.name == table)
