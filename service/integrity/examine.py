"""All of a record held against itself: chain, pictures, accounts, keys, answers, alarms; and what no entry covers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from service.alarms.compare import compare_alarms
from service.codes import RecordCode
from service.record.store.faults import Fault
from service.record.verify import Proof, verify_database

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from service.record.store.database_reader import DatabaseReader
    from service.record.store.memory import Memory
    from service.record.store.signing import PublicKey

OUTSIDE: Final[Mapping[str, str]] = {
    "page_sessions": "who is signed in: whoever writes to the database can sign a browser in as somebody (restart the "
    "service and sign in anew if in doubt)",
    "deliveries, dead_letters": "how far webhooks and MQTT were told: whoever writes to the database can have results "
    "sent again or passed over (compare with the entries)",
}
"""Tables that no entry answers for, with what that means."""


def examine_database(
    reader: DatabaseReader, evidence: Path | None, *, key: PublicKey | None = None, memory: Memory | None = None
) -> Proof:
    """Prove a record with all that stands beside it, and that it has what its service knew last (``memory``).

    Raises as :func:`verify_database`.
    """
    proof = verify_database(reader, evidence, key=key)
    if memory is not None and memory.record == proof.record:
        known = next(iter(reader.raw_after(memory.seq - 1, limit=1)), None)
        if known is None or known[0].hash != memory.hash:
            gone = Fault.of(0, RecordCode.HEAD_GONE, last=memory.seq, found=memory.hash[:16])
            proof = proof.with_faults(gone)
    if any(fault.breaks_chain for fault in proof.faults):
        return proof
    alarms = compare_alarms(reader)
    rows = {**proof.rows, "alarms": alarms.as_recorded}
    lacking = {**proof.not_covered, **({"alarms": alarms.not_covered} if alarms.not_covered else {})}
    return replace(proof.with_faults(*alarms.faults), rows=rows, not_covered=lacking)
