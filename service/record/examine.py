"""Check a record for consistency: chain, pictures, accounts, keys, answers, alarms; and list what no entry covers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from service.record.checkpoints.mark import mark_faults
from service.record.verify import Proof, verify_database

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import RecordSettings
    from service.record.store.signing import PublicKey
    from service.record.tables_beside import JudgedRows

OUTSIDE: Final[Mapping[str, str]] = {
    "page_sessions": "who is signed in: whoever writes to the database can sign a browser in as somebody (restart the "
    "service and sign in anew if in doubt)",
    "second_factors.counter, second_factors.used_at": "when a second factor was used last: whoever writes to the "
    "database can have a code of the last minute count once more (the password is needed all the same)",
    "deliveries, dead_letters": "how far webhooks and MQTT were told: whoever writes to the database can have results "
    "sent again or passed over (compare with the entries)",
}
"""Tables that no entry answers for, with what that means."""


Look: TypeAlias = Callable[["DatabaseReader"], "JudgedRows"]
"""Checks the rows of one more table against the record."""


def examine_database(
    reader: DatabaseReader,
    evidence: Path | None,
    *,
    key: PublicKey | None = None,
    settings: RecordSettings | None = None,
    more: Mapping[str, Look] | None = None,
) -> Proof:
    """Verify a record and the tables beside it.

    Args:
        reader: the database.
        evidence: the folder of its pictures; None to skip them.
        key: the public key that the owner knows; the record's own by default.
        settings: where this machine stores the record; None for a record from another machine.
        more: other tables derived from the entries, by name.

    Raises:
        NotARecordError, RecordUnavailableError: as :func:`verify_database`.
    """
    proof = verify_database(reader, evidence, key=key)
    if settings is not None:
        proof = proof.with_faults(*mark_faults(reader, settings, proof.record))
    if any(fault.breaks_chain for fault in proof.faults):
        return proof
    judged = {name: look(reader) for name, look in (more or {}).items()}
    rows = {**proof.rows, **{name: each.as_recorded for name, each in judged.items()}}
    faults = (fault for each in judged.values() for fault in each.faults)
    return replace(proof.with_faults(*faults), rows=rows)
