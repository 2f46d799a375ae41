"""Changing the key that signs a record, on record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.record.store.entries import Draft

if TYPE_CHECKING:
    from service.record.changes import Attribution
    from service.record.store.chain import Entry
    from service.record.store.record import Record
    from service.record.store.signing import PublicKey


def rotate(record: Record, following: PublicKey, told: Attribution) -> Entry:
    """Append the entry that names the next key, signed with the current one; RecordUnavailableError.

    Nothing can be appended to this record afterwards: reopen it with the new key.
    """
    body = {"public_key": following.hex, "by": told.by, "reason": told.reason}
    return record.append(Draft("signing_key", body))
