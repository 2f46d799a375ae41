"""Rows outside the chain that entries cover: accounts, keys, and answers to requests that may be sent again.

An entry that makes or changes such a row has the SHA-256 of the row as it then stood, under ``beside``: by table and by
the row's name. The row itself, with hashes of passwords and keys, is never in the chain. Second factors and recovery
codes are covered by account, all rows of one together, so that none can be put in, taken away or exchanged.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import column, literal_column, select, table

from service.record.store.entries import canonical_json
from service.record.store.faults import Fault
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection, Select

    from service.record.store.entries import Entry, Kind

BESIDE: Final = "beside"
"""Where the body of an entry has the digests of rows."""
Digests: TypeAlias = dict[str, dict[str, str | None]]
"""SHA-256 of rows, hexadecimal, by table and by the row's name; None for a deleted row."""
TELLING: Final[tuple[Kind, ...]] = ("record", "account", "key", "integrity")
"""Entries with digests of accounts, keys, second factors and recovery codes."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A table whose rows are covered by entries.

    Attributes:
        key: the columns that name a row.
        left_out: columns that are not in the digest because they change without an entry.
    """

    table: str
    key: tuple[str, ...]
    left_out: frozenset[str] = frozenset()

    def name_of(self, row: Mapping[str, Any]) -> str:
        return str(row[self.key[0]]) if len(self.key) == 1 else canonical_json([row[part] for part in self.key])

    def digest_of(self, row: Mapping[str, Any]) -> str:
        """SHA-256 of a row.

        Empty columns (NULL, false, 0) are omitted, so a column that a later version adds changes no digest.
        """
        values = {name: int(value) if isinstance(value, bool) else value for name, value in row.items()}
        kept = {name: value for name, value in values.items() if name not in self.left_out and value not in (None, 0)}
        return hashlib.sha256(canonical_json([self.table, kept]).encode()).hexdigest()

    def rows(self, connection: Connection, *where: ColumnElement[bool]) -> Iterator[dict[str, Any]]:
        query: Select[Any] = select(literal_column("*")).select_from(table(self.table)).where(*where)
        return (dict(row._mapping) for row in connection.execute(query))  # noqa: SLF001

    def standing(self, connection: Connection) -> dict[str, str | None]:
        """The digests of all rows as they stand now, by their names."""
        return {self.name_of(row): self.digest_of(row) for row in self.rows(connection)}

    def digests(self, connection: Connection, *names: str) -> Digests:
        """The digests of rows as they stand now; of a table with a key of one column."""
        found = self.rows(connection, column(self.key[0]).in_(names))
        return {self.table: dict.fromkeys(names) | {self.name_of(row): self.digest_of(row) for row in found}}


@dataclass(frozen=True, slots=True)
class CoveredTogether(Covered):
    """A table whose rows of one name are covered together; ``rows`` yields one of their digests for each name."""

    def rows(self, connection: Connection, *where: ColumnElement[bool]) -> Iterator[dict[str, Any]]:
        each = sorted(Covered.rows(self, connection, *where), key=self.name_of)
        for name, rows in groupby(each, key=self.name_of):
            yield {self.key[0]: name, "rows": sorted(map(self.digest_of, rows))}


ACCOUNTS: Final = Covered("accounts", ("name",))
KEYS: Final = Covered("api_keys", ("id",))
# What changes each time that a factor is used is no business of the record.
FACTORS: Final = CoveredTogether("second_factors", ("account",), frozenset({"counter", "used_at"}))
RECOVERY_CODES: Final = CoveredTogether("recovery_codes", ("account",))
OF_ACCOUNTS: Final = (ACCOUNTS, FACTORS, RECOVERY_CODES)
"""What somebody signs in with: every entry of an account has the digests of all three."""
SIGNING_IN: Final = (*OF_ACCOUNTS, KEYS)
"""The tables that decide access."""
REPLIES: Final = Covered("record_replies", ("scope", "key"), frozenset({"seq"}))


def reply_fault(entry: Entry | None, row: Mapping[str, Any]) -> Fault | None:
    """How a stored answer differs from its entry; None if it does not."""
    if entry is None:
        return Fault.of(0, RecordCode.REPLY_NOT_RECORDED)
    noted = entry.data.get(BESIDE, {}).get(REPLIES.table, {}).get(REPLIES.name_of(row))
    if noted is None:
        return Fault.of(entry.seq, RecordCode.REPLY_NOT_RECORDED)
    return None if noted == REPLIES.digest_of(row) else Fault.of(entry.seq, RecordCode.REPLY_CHANGED)


_CODES: Final = {
    ACCOUNTS.table: (RecordCode.ACCOUNT_CHANGED, RecordCode.ACCOUNT_NOT_RECORDED, RecordCode.ACCOUNT_REMOVED),
    KEYS.table: (RecordCode.API_KEY_CHANGED, RecordCode.API_KEY_NOT_RECORDED, RecordCode.API_KEY_REMOVED),
    FACTORS.table: (
        RecordCode.SECOND_FACTORS_CHANGED,
        RecordCode.SECOND_FACTORS_NOT_RECORDED,
        RecordCode.SECOND_FACTORS_REMOVED,
    ),
    RECOVERY_CODES.table: (
        RecordCode.RECOVERY_CODES_CHANGED,
        RecordCode.RECOVERY_CODES_NOT_RECORDED,
        RecordCode.RECOVERY_CODES_REMOVED,
    ),
}
"""Codes of a row that was changed, added and removed."""


@dataclass(frozen=True, slots=True)
class _Noted:
    entry: int
    digest: str


class Expected:
    """The expected digests of access rows, from the entries that changed them, taken in order."""

    def __init__(self) -> None:
        self._noted: dict[str, dict[str, _Noted]] = {covered.table: {} for covered in SIGNING_IN}

    def take(self, entry: Entry) -> None:
        noted = entry.data.get(BESIDE, {})
        for name in self._noted.keys() & noted.keys():
            for row, digest in noted[name].items():
                if digest is None:
                    self._noted[name].pop(row, None)
                else:
                    self._noted[name][row] = _Noted(entry.seq, digest)

    def fault_of(self, covered: Covered, row: Mapping[str, Any]) -> Fault | None:
        """How a row differs from the entries; None if it does not."""
        name, (changed, not_recorded, _) = covered.name_of(row), _CODES[covered.table]
        noted = self._noted[covered.table].get(name)
        if noted is None:
            return Fault.of(0, not_recorded, name=_shown(row, name), found=covered.digest_of(row)[:16])
        digest = covered.digest_of(row)
        return (
            None
            if noted.digest == digest
            else Fault.of(noted.entry, changed, name=_shown(row, name), found=digest[:16])
        )

    def gone(self, covered: Covered, names: Iterable[str]) -> Iterator[tuple[str, Fault]]:
        """Rows that entries name and that are not among ``names``, each with its fault."""
        there = frozenset(names)
        for name, noted in self._noted[covered.table].items():
            if name not in there:
                yield name, Fault.of(noted.entry, _CODES[covered.table][2], name=name)


def _shown(row: Mapping[str, Any], name: str) -> str:
    """A row as a person knows it: a key by its id and its name."""
    return f"{name} ({row['name']})" if row.get("name") not in (None, name) else name
