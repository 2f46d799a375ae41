"""A person accepts the faults of a record and the current rows beside its chain, in one entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.record.checkpoints.checkpoint_store import mark_faults
from service.record.integrity.verify import begin_walk
from service.record.integrity.walk import database_faults, judged_rows, walk_along
from service.record.store.covered_rows import ACCOUNTS, KEYS, SIGNING_IN, TELLING, Expected
from service.record.store.database import faults_as_unavailable, reading
from service.record.store.entries import Draft
from service.record.store.faults import LOST
from service.words.findings import words_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from service.record.changes import Attribution
    from service.record.store.covered_rows import Digests
    from service.record.store.faults import Fault
    from service.record.store.record import Record

ACCEPTED: Final = "accepted"
"""Act of the entry in which a person accepts faults."""
MOST: Final = 1000
"""Maximum number of faults named in the entry; missing pictures are all named, by their SHA-256."""


@dataclass(frozen=True, slots=True)
class IntegrityState:
    """The faults of a record, and the rows beside its chain.

    Attributes:
        gone: rows that the record mentions and that do not exist any more.
    """

    faults: tuple[Fault, ...]
    accounts: tuple[str, ...]
    keys: tuple[str, ...]
    gone: Digests


def record_state(record: Record) -> IntegrityState:
    """Check a complete record, also after an invalid entry; RecordUnavailableError."""
    walk, expected = begin_walk(record, record.evidence.folder, key=record.public_key), Expected()
    faults: dict[str, Fault] = {fault.name: fault for fault in record.faults.open}
    for entry, found in walk_along(record, walk):
        if entry.kind in TELLING and not any(fault.breaks_chain for fault in found):
            expected.take(entry)
        faults |= {fault.name: fault for fault in found}
    beside = [each for covered in SIGNING_IN for each in judged_rows(record, covered, expected).faults]
    more = (*mark_faults(record, record.settings, record.id), *database_faults(record), *beside)
    faults |= {fault.name: fault for fault in more}
    with faults_as_unavailable(), reading(record.database) as connection:
        accounts = tuple(f"{row['name']} ({row['role']})" for row in ACCOUNTS.rows(connection))
        keys = tuple(f"{row['name']} ({row['role']})" for row in KEYS.rows(connection))
        gone: Digests = {
            covered.table: {name: None for name, _ in expected.gone(covered, covered.standing(connection))}
            for covered in SIGNING_IN
        }
    left = (fault for fault in faults.values() if not record.faults.is_accepted(fault))
    return IntegrityState(tuple(left), accounts, keys, gone)


def accept(record: Record, why: Attribution) -> IntegrityState:
    """Accept the current state of a record, and return it; RecordUnavailableError if that cannot be recorded.

    The present accounts, keys and second factors become valid, missing pictures count as lost, and invalid entries are
    omitted from every answer from now on; a proof of the record still fails at them.
    """
    found = record_state(record)
    lost = [dict(fault.finding.params)["picture"] for fault in found.faults if fault.finding.code in LOST]
    named = [fault for fault in found.faults if fault.finding.code not in LOST][:MOST]
    body = {
        "act": ACCEPTED,
        "by": why.by,
        "reason": why.reason.strip()[:500],
        "accepted": {fault.name: {**fault.as_json(), "message": str(words_of(fault.finding))} for fault in named},
        "lost": sorted(map(str, lost)),
        "accounts": list(found.accounts),
        "keys": list(found.keys),
    }

    def beside(connection: Connection) -> Digests:
        return {covered.table: found.gone[covered.table] | covered.standing(connection) for covered in SIGNING_IN}

    record.append(Draft("integrity", body), beside=beside)
    record.accept_answered()
    return found
