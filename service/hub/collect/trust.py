"""Which record and which keys of a table the floor trusts: as at the first contact, until a person accepts others.

Each is an entry ``trust`` in the floor's own record.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from service.record.checkpoints.checkpoint_store import is_explained
from service.record.checkpoints.epochs import epochs_of
from service.record.store.database_reader import record_of_log
from service.record.store.entries import Draft
from service.words.codes import FloorCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.record.changes import Attribution
    from service.record.checkpoints.note import Note
    from service.record.store.all_logs import LogsReader
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.faults import Fault
    from service.record.store.record import Record

_FIRST = 1


@dataclass(frozen=True, slots=True)
class Trusted:
    """What is trusted of a table.

    Attributes:
        record: id of its record.
        key: the public key that the record begins with, hexadecimal.
        accepted: keys that a person accepted since, by the number of the first entry that each signs.
    """

    record: str
    key: str
    accepted: Mapping[int, str] = field(default_factory=dict)


def ever_trusted(record: DatabaseReader, table: str) -> tuple[Trusted, ...]:
    """Every record that was ever trusted of a table, oldest first; RecordUnavailableError."""
    found: list[Trusted] = []
    for entry in reversed(record.last(("trust",), table=table, count=1_000)):
        said = entry.data
        if said["since"] == _FIRST:
            found.append(Trusted(str(said["record"]), str(said["public_key"])))
        elif found and found[-1].record == said["record"]:
            accepted = {**found[-1].accepted, int(said["since"]): str(said["public_key"])}
            found[-1] = replace(found[-1], accepted=accepted)
    return tuple(found)


def trusted_of(record: DatabaseReader, table: str) -> Trusted | None:
    """What is trusted of a table now; None before the first contact. RecordUnavailableError."""
    return next(reversed(ever_trusted(record, table)), None)


def disputed(record: DatabaseReader, reader: LogsReader, table: str) -> Fault | None:
    """A checkpoint that a table showed and that its entries do not lead to, as long as no person decided since.

    RecordUnavailableError.
    """
    decided = next((entry.at for entry in record.last(("trust",), table=table)), "")
    kept = (each for each in reader.refused(table) if each.fault.finding.code is FloorCode.CHECKPOINT_NOT_HELD)
    return next((each.fault for each in kept if each.last_at > decided), None)


def contradicted(reader: LogsReader, table: str, shown: Note) -> bool:
    """Whether a checkpoint is of another entry than the table's record has, and no epoch accounts for that.

    RecordUnavailableError.
    """
    held, of = reader.entry(table, shown.checkpoint.seq), reader.table(table)
    if held is None or of is None or held.entry.hash == shown.checkpoint.hash:
        return False
    return not is_explained(shown, epochs_of(record_of_log(reader.database, of.id)))


def trust(  # noqa: D417  the rest says itself
    record: Record, table: str, of: str, key: str, why: Attribution, *, since: int = _FIRST
) -> None:
    """Trust a record of a table from now on, or another key of the record that is trusted; RecordUnavailableError.

    Args:
        record: the floor's own.
        of: id of the table's.
        key: a public key, hexadecimal.
        since: number of the first entry that it signs.
    """
    act = "record accepted" if since == _FIRST else "key accepted"
    body: dict[str, Any] = {"act": act, "record": of, "public_key": key, "since": since}
    record.append(Draft("trust", {**body, "by": why.by, "reason": why.reason}, table=table, subject=table))
