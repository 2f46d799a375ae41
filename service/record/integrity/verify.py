"""Verify a record in its database or its export: the chain, every picture it names, and the rows it covers.

The proof names the first invalid entry; all entries before it are proven.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from calibration.files.json_file import read_bounded
from service.record.checkpoints.checkpoint_store import mark_faults
from service.record.integrity.walk import Walk, database_faults, judged_rows, walk_along
from service.record.store.covered_rows import REPLIES, SIGNING_IN, TELLING, Expected
from service.record.store.database_reader import key_of, starting_key
from service.record.store.entries import BrokenEntryError, Entry, is_as_hashed
from service.record.store.faults import LOST, Fault
from service.record.store.signing import PublicKey, follow, named_by
from service.words.findings import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from service.record.integrity.walk import JudgedRows
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import RecordSettings

ENTRIES = "entries.jsonl"
CHECKPOINTS = "checkpoints.jsonl"
PUBLIC_KEY = "public-key.pem"
MANIFEST = "manifest.json"
WITNESSED = "witnessed.txt"
PICTURES = "pictures"


MOST_BYTES: Final = 32_000_000
"""Of the manifest, and of a line of an export, which may come from anywhere: far more than any entry has."""


class NotARecordError(ValueError):
    """There is nothing to verify; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What verifying found.

    Attributes:
        key: the public key that the signatures were verified with, hexadecimal.
        last: number of the last entry that was proven.
        hash: that entry's hash; compared with an independent copy, it shows that nothing before it was removed.
        pictures: pictures that are what their names say.
        removed: pictures that were removed after an export, as the record itself tells.
        lost: pictures that are not there or changed, for which a person answered on record.
        broken: number of the first entry that does not hold; None if all do.
        why: in what way it does not, or what else is not as recorded; empty if all is.
        complete: False for an export that does not end with its own mark: entries may be cut off.
        faults: all that was found; behind an entry that does not hold, nothing is looked at.
        rows: how many rows of each table beside the chain are as the record has them.
    """

    record: str
    key: str
    first: int
    last: int
    hash: str
    pictures: int
    removed: int
    lost: int = 0
    broken: int | None = None
    why: str = ""
    complete: bool = True
    faults: tuple[Fault, ...] = ()
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether all that was looked at is as it was recorded."""
        return self.broken is None and not self.faults

    def with_faults(self, *faults: Fault) -> Proof:
        why = self.why or next((str(fault.words) for fault in faults), "")
        return replace(self, faults=(*self.faults, *faults), why=why)

    def as_json(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        faults = [{**fault.as_json(), "message": str(words_of(fault.finding))} for fault in self.faults]
        return {**values, "faults": faults, "holds": self.holds}


@dataclass(slots=True)
class _Findings:
    """What a walk finds, and how far it was well."""

    walk: Walk
    lost: frozenset[str] = frozenset()
    answered: int = 0
    first: int = field(init=False)
    faults: list[Fault] = field(default_factory=list)
    good: tuple[int, str] | None = None
    _before: tuple[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.walk.seq + 1
        self._before = self.walk.seq, self.walk.hash

    def take(self, faults: Iterable[Fault]) -> bool:
        """Note the faults of the entry that the walk took last; returns whether the chain holds up to it."""
        found = [fault for fault in faults if not self._is_lost(fault)]
        if found and not self.faults:
            self.good = self._before
        self._before = self.walk.seq, self.walk.hash
        self.faults += found
        return not any(fault.breaks_chain for fault in found)

    def _is_lost(self, fault: Fault) -> bool:
        """Whether this is a picture of which a person said, on record, that it is lost."""
        lost = fault.finding.code in LOST and dict(fault.finding.params)["picture"] in self.lost
        self.answered += lost
        return lost

    def broken_line(self, error: BrokenEntryError) -> None:
        """Take note of a line of an export that is no entry."""
        self.good = self.good or (self.walk.seq, self.walk.hash)
        self.faults.append(Fault(self.walk.seq + 1, error.finding))

    def proof(self) -> Proof:
        walk, worst = self.walk, min(self.faults, key=lambda fault: fault.entry, default=None)
        last, entry_hash = self.good or (walk.seq, walk.hash)
        return Proof(
            record=walk.record,
            key=walk.key.hex,
            first=self.first,
            last=last,
            hash=entry_hash,
            pictures=len(walk.proven),
            removed=walk.removed,
            lost=self.answered,
            broken=None if worst is None else worst.entry,
            why="" if worst is None else str(words_of(worst.finding)),
            faults=tuple(self.faults),
        )


def begin_walk(reader: DatabaseReader, evidence: Path | None, *, key: PublicKey | None = None, first: int = 1) -> Walk:
    """Return a walk along a record in its database from entry ``first``; earlier entries are trusted.

    ``key`` is the public key that the owner knows; the record's own by default. NotARecordError,
    RecordUnavailableError.
    """
    started = reader.entry(1)
    if started is None:
        raise NotARecordError("there is no record in this database" if reader.head() is None else "entry 1 is missing")
    try:
        identity = started.data
        walk = Walk(
            record=str(identity["record"]),
            key=starting_key(reader, first, key),
            evidence=evidence,
            removed_through=lambda: reader.last_through("pictures_removed"),
        )
    except (ValueError, KeyError, TypeError):
        raise NotARecordError("entry 1 does not name the record") from None
    if (before := reader.entry(first - 1)) is not None:
        walk.seq, walk.hash = before.seq, before.hash
    return walk


def verify_database(reader: DatabaseReader, evidence: Path | None, *, key: PublicKey | None = None) -> Proof:
    """Verify a record in its database, and its pictures if ``evidence`` is given.

    ``key`` is the public key that the owner knows; the record's own by default.
    NotARecordError, RecordUnavailableError.
    """
    walk = begin_walk(reader, evidence, key=key)
    found, expected = _Findings(walk, _lost(reader, walk)), Expected()
    for entry, faults_of_entry in walk_along(reader, walk):
        if not found.take(faults_of_entry):
            return found.proof()
        if entry.kind in TELLING:
            expected.take(entry)
    proof = found.proof()
    counted = {REPLIES.table: walk.replies}
    faults = list(database_faults(reader))
    for covered in SIGNING_IN:
        judged = judged_rows(reader, covered, expected)
        faults += judged.faults
        counted[covered.table] = judged.as_recorded
    return replace(proof.with_faults(*faults), rows=counted)


def _lost(reader: DatabaseReader, walk: Walk) -> frozenset[str]:
    """Pictures that a person said to be lost, in entries that the record's key signed."""
    found: set[str] = set()
    seq = 0
    while entries := reader.after(seq, kinds=("integrity",)):
        for entry in entries:
            checkpoint = reader.checkpoint(walk.record, entry)
            if is_as_hashed(entry) and checkpoint is not None and key_of(reader, entry.seq).holds(checkpoint):
                found |= set(map(str, entry.data.get("lost", ())))
        seq = entries[-1].seq
    return frozenset(found)


def verify_export(folder: Path, *, key: PublicKey | None = None) -> Proof:
    """Prove an export with its files alone, and the owner's public key if given; NotARecordError if one is missing."""
    try:
        manifest = manifest_of(folder)
        removed = _removed_in(folder / ENTRIES)
        walk = Walk(
            record=str(manifest["record"]),
            key=_starting_key_in(folder, manifest, key),
            evidence=folder / PICTURES,
            removed_through=lambda: removed,
            seq=int(manifest["first"]) - 1,
            hash=str(manifest["previous"]),
        )
        signatures = _signatures_in(folder / CHECKPOINTS)
        proof = _walked(walk, lines_of(folder / ENTRIES), signatures)
        last = int(manifest["last"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise NotARecordError(f"{folder}: this is not a complete export ({error})") from None
    # An interrupted export may have more entries than its manifest says; they are proven as the others are.
    if proof.holds and proof.last < last:
        why = f"the export should reach entry {last}; its end was cut off"
        return replace(proof, broken=proof.last + 1, why=why)
    return replace(proof, complete=walk.kind == "export")


def _walked(walk: Walk, lines: Iterable[str], signatures: dict[int, str]) -> Proof:
    found = _Findings(walk)
    try:
        for line in lines:
            entry = Entry.of_line(line)
            if not found.take(walk.take(entry, signatures.get(entry.seq))):
                break
    except BrokenEntryError as error:
        found.broken_line(error)
    return found.proof()


def _starting_key_in(folder: Path, manifest: dict[str, Any], given: PublicKey | None) -> PublicKey:
    """The key that the first entry of an export is to be signed with, as :func:`starting_key` has it."""
    own = PublicKey.load(folder / PUBLIC_KEY)
    rotations = [(Entry.of_line(str(each["entry"])), str(each["signature"])) for each in manifest.get("rotations", ())]
    keys = [own, *(follow(own, str(manifest["record"]), rotations[: number + 1]) for number in range(len(rotations)))]
    start = keys[-1]
    for line in lines_of(folder / ENTRIES):
        if '"kind":"signing_key"' in line:
            with suppress(ValueError):  # a line that is no entry is found when the chain is walked
                keys += [named for named in [named_by(Entry.of_line(line))] if named is not None]
    return start if given is None or given.hex in {key.hex for key in keys} else given


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of an export; OSError, ValueError or RecursionError if it has none."""
    found = json.loads(read_bounded(folder / MANIFEST, MOST_BYTES))
    if not isinstance(found, dict):
        raise ValueError(f"{MANIFEST} holds no object")  # noqa: TRY004  as all that is wrong with a file
    return found


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file of an export, one at a time: it may be larger than the memory.

    OSError or ValueError if it is not one.
    """
    with path.open("rb") as file:
        while line := file.readline(MOST_BYTES + 1):
            if len(line) > MOST_BYTES:
                raise ValueError(f"{path.name} has a line of more than {MOST_BYTES // 1_000_000} MB")
            yield line.decode("ascii").removesuffix("\n")


def _signatures_in(path: Path) -> dict[int, str]:
    """The signatures of an export; what they sign is taken from the entries themselves."""
    checkpoints = map(json.loads, lines_of(path))
    return {int(each["seq"]): str(each["signature"]) for each in checkpoints}


def _removed_in(path: Path) -> int:
    """Up to which entry pictures had been removed, as a later entry tells; a forged one breaks the chain."""
    through = 0
    for line in lines_of(path):
        if '"kind":"pictures_removed"' not in line:
            continue
        # A line that is no entry is found when the chain is walked.
        with suppress(ValueError, TypeError, KeyError, RecursionError):
            entry = json.loads(line)
            if entry["kind"] == "pictures_removed":
                through = max(through, int(entry["body"]["through"]))
    return through


OUTSIDE: Final[Mapping[str, str]] = {
    "page_sessions": "sessions: a person who writes to the database can sign a browser in as somebody (restart the "
    "service and sign in again if in doubt)",
    "second_factors.counter, second_factors.used_at": "when a second factor was used last: whoever writes to the "
    "database can have a code of the last minute count once more (the password is needed all the same)",
    "deliveries, dead_letters": "how far webhooks and MQTT were sent: whoever writes to the database can have results "
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
