"""Proving a record in its database or its export: every entry's hash, link and signature, and every picture it names.

The proof names the first entry that does not hold; what stands before that one is proven.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from service.codes import RecordCode
from service.record.store.chain import NO_HASH, BrokenEntryError, Entry, check_link
from service.record.store.keys import follow, named_by, starting_key
from service.record.store.signing import Checkpoint, PublicKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from service.record.store.database_reader import DatabaseReader

ENTRIES = "entries.jsonl"
CHECKPOINTS = "checkpoints.jsonl"
PUBLIC_KEY = "public-key.pem"
MANIFEST = "manifest.json"
WITNESSED = "witnessed.txt"
PICTURES = "pictures"


class NotARecordError(ValueError):
    """There is nothing to verify; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What verifying found.

    Attributes:
        record: id of the record.
        key: the public key that the signatures were held against, hexadecimal.
        first: number of the first entry.
        last: number of the last entry that was proven.
        hash: that entry's hash; whoever has it from elsewhere knows that nothing was cut off before it.
        pictures: pictures that are what their names say.
        removed: pictures that were removed after an export, as the record itself tells.
        broken: number of the first entry that does not hold; None if all do.
        why: in what way it does not.
        complete: False for an export that does not end with its own mark: entries may be cut off.
    """

    record: str
    key: str
    first: int
    last: int
    hash: str
    pictures: int
    removed: int
    broken: int | None = None
    why: str = ""
    complete: bool = True

    @property
    def holds(self) -> bool:
        """Whether every entry does."""
        return self.broken is None


@dataclass(slots=True)
class _Verifier:
    """Walks along a chain; the state is how far it has come."""

    record: str
    key: PublicKey
    path_of: Callable[[str], Path]
    removed_through: int
    with_pictures: bool
    seq: int = 0
    hash: str = NO_HASH
    kind: str = ""
    removed: int = 0
    proven: set[str] = field(default_factory=set)

    def walk(self, entries: Iterable[tuple[Entry, str | None]]) -> Proof:
        first, broken, why = self.seq + 1, None, ""
        try:
            for entry, signature in entries:
                self._take(entry, signature)
        except BrokenEntryError as error:
            broken, why = self.seq + 1, str(error)
        return Proof(
            record=self.record,
            key=self.key.hex,
            first=first,
            last=self.seq,
            hash=self.hash,
            pictures=len(self.proven),
            removed=self.removed,
            broken=broken,
            why=why,
        )

    def _take(self, entry: Entry, signature: str | None) -> None:
        check_link(entry, self.seq, self.hash)
        if signature is None:
            raise BrokenEntryError.of(RecordCode.NOT_SIGNED)
        if not self.key.holds(Checkpoint(self.record, entry.seq, entry.hash, entry.at, signature)):
            raise BrokenEntryError.of(RecordCode.SIGNED_WITH_ANOTHER_KEY)
        if self.with_pictures:
            self._check_pictures(entry)
        self.seq, self.hash, self.kind = entry.seq, entry.hash, entry.kind
        if entry.kind == "signing_key":
            self.key = named_by(entry) or self.key

    def _check_pictures(self, entry: Entry) -> None:
        for sha256 in sorted(named_in(entry) - self.proven):
            try:
                with self.path_of(sha256).open("rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except FileNotFoundError:
                if entry.seq <= self.removed_through:
                    self.removed += 1
                    continue
                raise BrokenEntryError.of(RecordCode.PICTURE_MISSING, picture=sha256) from None
            except OSError as error:
                raise BrokenEntryError.of(
                    RecordCode.PICTURE_UNREADABLE, picture=sha256, why=str(error.strerror)
                ) from None
            if found != sha256:
                raise BrokenEntryError.of(RecordCode.PICTURE_CHANGED, picture=sha256)
            self.proven.add(sha256)


def verify_database(
    reader: DatabaseReader, evidence: Path | None, *, key: PublicKey | None = None, first: int = 1
) -> Proof:
    """Prove a record in its database, with its pictures unless their folder is None; before ``first`` it is trusted.

    Without the public key as its owner knows it, the record's own is taken. NotARecordError, RecordUnavailableError.
    """
    begun = reader.entry(1)
    if begun is None:
        raise NotARecordError("there is no record in this database" if reader.head() is None else "entry 1 is missing")
    try:
        identity = begun.data
        verifier = _Verifier(
            record=str(identity["record"]),
            key=starting_key(reader, first, key),
            path_of=lambda name: _sharded(evidence, name),
            removed_through=reader.last_through("pictures_removed"),
            with_pictures=evidence is not None,
        )
    except (ValueError, KeyError, TypeError):
        # Among them what says that entry 1, or a change of the key, names none.
        raise NotARecordError("entry 1 does not name the record") from None
    if (before := reader.entry(first - 1)) is not None:
        verifier.seq, verifier.hash = before.seq, before.hash
    return verifier.walk(reader.signed_entries(verifier.seq))


def verify_export(folder: Path, *, key: PublicKey | None = None) -> Proof:
    """Prove an export with its files alone, and the owner's public key if given; NotARecordError if one is missing."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        verifier = _Verifier(
            record=str(manifest["record"]),
            key=_starting_key_in(folder, manifest, key),
            path_of=lambda name: _sharded(folder / PICTURES, name),
            removed_through=_removed_in(folder / ENTRIES),
            with_pictures=True,
            seq=int(manifest["first"]) - 1,
            hash=str(manifest["previous"]),
        )
        signatures = _signatures_in(folder / CHECKPOINTS)
        with (folder / ENTRIES).open(encoding="ascii", newline="\n") as lines:
            entries = (Entry.of_line(line.rstrip("\n")) for line in lines)
            proof = verifier.walk((entry, signatures.get(entry.seq)) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotARecordError(f"{folder}: this is not a complete export ({error})") from None
    if proof.holds and proof.last != manifest["last"]:
        why = f"the export should reach entry {manifest['last']}; its end was cut off"
        return replace(proof, broken=proof.last + 1, why=why)
    return replace(proof, complete=verifier.kind == "export")


def _starting_key_in(folder: Path, manifest: dict[str, Any], given: PublicKey | None) -> PublicKey:
    """The key that the first entry of an export is to be signed with, as :func:`starting_key` has it."""
    own = PublicKey.load(folder / PUBLIC_KEY)
    told = [(Entry.of_line(str(each["entry"])), str(each["signature"])) for each in manifest.get("rotations", ())]
    keys = [own, *(follow(own, str(manifest["record"]), told[: number + 1]) for number in range(len(told)))]
    start = keys[-1]
    for line in (folder / ENTRIES).read_text(encoding="ascii").splitlines():
        if '"kind":"signing_key"' in line:
            with suppress(ValueError):  # a line that is no entry is found when the chain is walked
                keys += [named for named in [named_by(Entry.of_line(line))] if named is not None]
    return start if given is None or given.hex in {key.hex for key in keys} else given


def _signatures_in(path: Path) -> dict[int, str]:
    """The signatures of an export; what they sign is taken from the entries themselves."""
    checkpoints = (json.loads(line) for line in path.read_text(encoding="ascii").splitlines())
    return {int(each["seq"]): str(each["signature"]) for each in checkpoints}


def _removed_in(path: Path) -> int:
    """Up to which entry pictures had been removed, as a later entry tells; a forged one breaks the chain."""
    through = 0
    for line in path.read_text(encoding="ascii").splitlines():
        with suppress(ValueError, TypeError, KeyError):  # a line that is no entry is found when the chain is walked
            entry = json.loads(line)
            if entry["kind"] == "pictures_removed":
                through = max(through, int(entry["body"]["through"]))
    return through


def named_in(entry: Entry) -> set[str]:
    """The pictures that an entry names."""
    return {str(each["sha256"]) for each in entry.data.get("evidence", ())}


def _sharded(folder: Path | None, sha256: str) -> Path:
    if folder is None or len(sha256) != 64 or not sha256.isalnum():
        raise BrokenEntryError.of(RecordCode.NOT_A_PICTURE_NAME, picture=repr(sha256))
    return folder / sha256[:2] / sha256
