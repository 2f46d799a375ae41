"""Verify all collected entries again: hash, link and signature of each, and the rounds and alarms derived from them.

Entries that a restored record lost are verified against the record as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from service.hub.checking import ever_trusted
from service.hub.cosigning import faults_of
from service.record.projections.compare import compare
from service.record.store.entries import NO_HASH, BrokenEntryError, is_as_hashed
from service.record.store.faults import Fault
from service.record.store.signing import Checkpoint, PublicKey, named_by
from service.words.codes import HubCode, RecordCode
from service.words.findings import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.hub.checking import Trusted
    from service.record.checkpoints.note import WitnessKey
    from service.record.store.all_logs import LogsReader
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.stored_logs import HeldEntry, HeldTable

_MOST_FAULTS: Final = 20
"""Reported faults of one table."""


@dataclass(frozen=True, slots=True)
class TableProof:
    """The result for one table.

    Attributes:
        record: id of its record.
        entries: number of valid entries.
        gone: number of these that its record has lost.
        last: number of the newest entry in its record.
        hash: that entry's hash.
        cosigned: number of valid co-signed checkpoints.
        faults: the faults.
    """

    name: str
    record: str = ""
    entries: int = 0
    gone: int = 0
    last: int = 0
    hash: str = NO_HASH
    cosigned: int = 0
    faults: tuple[Fault, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        faults = [{**fault.as_json(), "message": str(words_of(fault.finding))} for fault in self.faults]
        names = ("name", "record", "entries", "gone", "last", "hash", "cosigned")
        return {**{name: getattr(self, name) for name in names}, "faults": faults, "holds": not self.faults}


def prove_tables(
    reader: LogsReader, record: DatabaseReader, witness: WitnessKey | None = None
) -> tuple[TableProof, ...]:
    """Verify the entries of all tables, in the order in which they were collected; RecordUnavailableError.

    Args:
        reader: reads the store.
        record: this service's own record, which contains the decisions on trust; verified before, with the positions of
            all entries.
        witness: the witness's key; None to skip the check of co-signatures.
    """
    tables = reader.tables()
    walks = {table.name: _Walk(table.name, reader, ever_trusted(record, table.name)) for table in tables}
    for held in reader.all_followed():
        walks[held.table].take(held)
    return tuple(walks[table.name].proof(table, witness) for table in tables)


@dataclass(slots=True)
class _Walk:
    """Walks along one table's entries; the fields are the state of its record after the last one."""

    name: str
    reader: LogsReader
    trusted: Sequence[Trusted]
    record: str = ""
    seq: int = 0
    hash: str = NO_HASH
    standing: tuple[int, str] = (0, NO_HASH)  # the newest entry that is not gone
    entries: int = 0
    gone: int = 0
    keys: list[tuple[int, str]] = field(default_factory=list)  # each with the entry after which it signs
    faults: list[Fault] = field(default_factory=list)

    def fault(self, fault: Fault) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(fault)

    def take(self, held: HeldEntry) -> None:
        """Verify the next entry."""
        try:
            self._follow(held)
            self._check_signature(held)
        except BrokenEntryError as error:
            self.fault(Fault(held.entry.seq, error.finding))
        else:
            self.entries += 1
            self.gone += held.gone is not None
        entry = held.entry
        self.seq, self.hash = entry.seq, entry.hash
        if held.gone is None:
            if (entry.seq - 1, entry.previous) != self.standing:
                self.fault(Fault.of(entry.seq, RecordCode.NOT_LINKED))
            self.standing = entry.seq, entry.hash

    def _follow(self, held: HeldEntry) -> None:
        entry = held.entry
        if not is_as_hashed(entry):
            raise BrokenEntryError.of(RecordCode.HASH_WRONG)
        if (entry.seq - 1, entry.previous) != (self.seq, self.hash):
            self._diverge(held)
        if entry.seq == 1:
            self._start(held)

    def _diverge(self, held: HeldEntry) -> None:
        """Return to the entry after which a restored record diverged."""
        entry = held.entry
        before = self.reader.hashed(self.name, entry.previous) if entry.seq > 1 else None
        if entry.seq > 1 and (before is None or before.entry.seq != entry.seq - 1 or before.position > held.position):
            raise BrokenEntryError.of(RecordCode.NOT_LINKED)
        self.keys = [(since, key) for since, key in self.keys if since < entry.seq]

    def _start(self, held: HeldEntry) -> None:
        key = named_by(held.entry)
        self.record = str(held.entry.data.get("record"))
        if key is None or not any((self.record, key.hex) == (each.record, each.key) for each in self.trusted):
            named = "" if key is None else key.hex
            raise BrokenEntryError.of(HubCode.NOT_TRUSTED, record=self.record, key=named)
        self.keys = [(0, key.hex)]

    def _check_signature(self, held: HeldEntry) -> None:
        entry = held.entry
        made = Checkpoint(self.record, entry.seq, entry.hash, entry.at, held.signature)
        if not self.keys or not PublicKey.of_hex(self.keys[-1][1]).holds(made):
            accepted = (each.accepted.get(entry.seq) for each in self.trusted if each.record == self.record)
            key = next((key for key in accepted if key is not None and PublicKey.of_hex(key).holds(made)), None)
            if key is None:
                raise BrokenEntryError.of(RecordCode.SIGNED_WITH_ANOTHER_KEY)
            self.keys.append((entry.seq - 1, key))
        if entry.kind == "signing_key" and (named := named_by(entry)) is not None:
            self.keys.append((entry.seq, named.hex))

    def proof(self, table: HeldTable, witness: WitnessKey | None) -> TableProof:
        """The result, after a comparison with the stored head, the co-signatures and the derived rounds and alarms."""
        known = table.known
        if (known.seq, known.hash) != self.standing or known.record != self.record:
            self.fault(Fault.of(known.seq, HubCode.NEWEST_ENTRY_DIFFERS))
        cosigned, faults = faults_of(self.reader, self.name, witness)
        for fault in (*compare(self.reader.database, table.id).faults, *faults):
            self.fault(fault)
        found = TableProof(self.name, self.record, self.entries, self.gone, *self.standing, cosigned)
        return replace(found, faults=tuple(self.faults))
