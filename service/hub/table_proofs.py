"""Proving what a floor has collected: each entry of each table held against its hash, link and signature anew.

What is shown of a table, its rounds and alarms, is held against its entries. What its record does not have any more,
because it was restored, is held against what it had then.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from service.hub.collect.trust import ever_trusted
from service.hub.witness.cosigned import faults_of
from service.record.projections.compare import compare
from service.record.store.entries import NO_HASH, BrokenEntryError, is_as_hashed
from service.record.store.faults import Fault
from service.record.store.signing import Checkpoint, PublicKey, named_by
from service.words.codes import FloorCode, RecordCode
from service.words.findings import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.hub.collect.trust import Trusted
    from service.record.checkpoints.note import WitnessKey
    from service.record.store.all_logs import LogsReader
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.stored_logs import HeldEntry, HeldTable

_KEPT: Final = 20
"""Faults of a table that are told one by one."""


@dataclass(frozen=True, slots=True)
class TableProof:
    """What is proven of a table.

    Attributes:
        record: id of its record.
        entries: how many of its entries hold.
        gone: how many of these its record does not have any more.
        last: number of the newest one that its record has.
        hash: that entry's hash.
        cosigned: how many checkpoints that the floor co-signed hold.
        faults: what does not hold.
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
        """The proof for programs."""
        faults = [{**fault.as_json(), "message": str(words_of(fault.finding))} for fault in self.faults]
        names = ("name", "record", "entries", "gone", "last", "hash", "cosigned")
        told = {name: getattr(self, name) for name in names}
        return {**told, "faults": faults, "holds": not self.faults}


def prove_tables(
    reader: LogsReader, record: DatabaseReader, witness: WitnessKey | None = None
) -> tuple[TableProof, ...]:
    """Prove the entries of all tables, in the order in which they were taken; RecordUnavailableError.

    Args:
        reader: reads the floor's store.
        record: the floor's own record, which says which records and keys were accepted; it is proven before, with
            the places of all entries.
        witness: the key that the floor co-signs with; None to leave co-signatures' own signatures alone.
    """
    tables = reader.tables()
    walks = {table.name: _Walk(table.name, reader, ever_trusted(record, table.name)) for table in tables}
    for held in reader.all_followed():
        walks[held.table].take(held)
    return tuple(walks[table.name].proof(table, witness) for table in tables)


@dataclass(slots=True)
class _Walk:
    """Goes along one table's entries; the state is how far its record had come at each of them."""

    name: str
    reader: LogsReader
    trusted: Sequence[Trusted]
    record: str = ""
    seq: int = 0
    hash: str = NO_HASH
    standing: tuple[int, str] = (0, NO_HASH)  # the newest entry that is not gone
    entries: int = 0
    gone: int = 0
    keys: list[tuple[int, str]] = field(default_factory=list)  # each with the entry behind which it signs
    faults: list[Fault] = field(default_factory=list)

    def fault(self, fault: Fault) -> None:
        """Note something that does not hold."""
        if len(self.faults) < _KEPT:
            self.faults.append(fault)

    def take(self, held: HeldEntry) -> None:
        """Look at the entry that was taken next."""
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
            self._part(held)
        if entry.seq == 1:
            self._begin(held)

    def _part(self, held: HeldEntry) -> None:
        """Go back to where a restored record parted from what it had been."""
        entry = held.entry
        before = self.reader.hashed(self.name, entry.previous) if entry.seq > 1 else None
        if entry.seq > 1 and (before is None or before.entry.seq != entry.seq - 1 or before.position > held.position):
            raise BrokenEntryError.of(RecordCode.NOT_LINKED)
        self.keys = [(since, key) for since, key in self.keys if since < entry.seq]

    def _begin(self, held: HeldEntry) -> None:
        key = named_by(held.entry)
        self.record = str(held.entry.data.get("record"))
        if key is None or not any((self.record, key.hex) == (each.record, each.key) for each in self.trusted):
            named = "" if key is None else key.hex
            raise BrokenEntryError.of(FloorCode.NOT_TRUSTED, record=self.record, key=named)
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
        """What was found, held against what is noted of the table, and against what is shown of it."""
        known = table.known
        if (known.seq, known.hash) != self.standing or known.record != self.record:
            self.fault(Fault.of(known.seq, FloorCode.KNOWN_OTHERWISE))
        cosigned, faults = faults_of(self.reader, self.name, witness)
        for fault in (*compare(self.reader.database, table.id).faults, *faults):
            self.fault(fault)
        found = TableProof(self.name, self.record, self.entries, self.gone, *self.standing, cosigned)
        return replace(found, faults=tuple(self.faults))
