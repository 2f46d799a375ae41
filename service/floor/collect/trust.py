"""Which record and which key of a table the floor trusts: as at the first contact, until a person accepts another.

Each is an entry ``trust`` in the floor's own record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from service.record.store.entries import Draft
from service.record.store.signing import PublicKey

if TYPE_CHECKING:
    from service.record.changes import Attribution
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record import Record


@dataclass(frozen=True, slots=True)
class Trusted:
    """What is trusted of a table.

    Attributes:
        record: id of its record.
        key: a public key, hexadecimal.
        since: number of the first entry that it signs: 1 for the key that the record begins with.
    """

    record: str
    key: str
    since: int = 1

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """What an entry ``trust`` says."""
        said = entry.data
        return cls(str(said["record"]), str(said["public_key"]), int(said["since"]))

    def draft(self, table: str, why: Attribution) -> Draft:
        """The entry that says so."""
        body: dict[str, Any] = {"record": self.record, "public_key": self.key, "since": self.since}
        told = {"act": "record and key of the table accepted", "by": why.by, "reason": why.reason}
        return Draft("trust", {**told, **body}, table=table, subject=table)

    @property
    def public(self) -> PublicKey:
        """The key itself."""
        return PublicKey.of_hex(self.key)


def trusted_of(record: DatabaseReader, table: str) -> tuple[Trusted, ...]:
    """All that was ever trusted of a table, newest first; RecordUnavailableError."""
    return tuple(map(Trusted.of, record.last(("trust",), table=table, count=1_000)))


def trust(record: Record, table: str, trusted: Trusted, why: Attribution) -> None:
    """Trust a record and a key of a table from now on; RecordUnavailableError."""
    record.append(trusted.draft(table, why))
