"""Walk along a chain and check every entry: hash, link, signature, pictures and rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from service.record.store.beside import BESIDE, REPLIES
from service.record.store.chain import NO_HASH, BrokenEntryError, Entry, check_link
from service.record.store.faults import Fault
from service.record.store.keys import named_by
from service.record.store.signing import Checkpoint, PublicKey
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RowsOfEntry:
    """What the tables beside the chain have of one entry: pictures as name, bytes and media type, and answers."""

    pictures: frozenset[tuple[str, int, str]] = frozenset()
    replies: tuple[Mapping[str, Any], ...] = ()


@dataclass(slots=True)
class Walk:
    """Checks one entry after another; the state is its progress.

    Attributes:
        record: id of the record.
        key: the key to verify signatures with.
        evidence: the folder of pictures; None to skip them.
        removed_through: returns the entry up to which the record says that pictures were removed; a service may
            remove some during a walk.
        whole: whether the walk started at the first entry.
        removed: missing pictures whose removal is recorded.
        replies: answers that are as their entries say.
        proven: pictures that are what their names say.
    """

    record: str
    key: PublicKey
    evidence: Path | None
    removed_through: Callable[[], int]
    seq: int = 0
    hash: str = NO_HASH
    kind: str = ""
    whole: bool = True
    removed: int = 0
    replies: int = 0
    proven: set[str] = field(default_factory=set)
    _removed: int = 0
    _folder_gone: bool = False

    def take(self, entry: Entry, signature: str | None, rows: RowsOfEntry | None = None) -> list[Fault]:
        """Check the next entry and return its faults; the walk goes on after it in any case.

        ``rows`` are its rows in the database; None without a database, as in an export.
        """
        faults = list(self._chain_faults(entry, signature))
        if not faults:
            body = entry.data
            if self.evidence is not None:
                faults += self._picture_faults(entry, self.evidence)
            if rows is not None:
                faults += self._row_faults(entry, body, rows)
            if entry.kind == "signing_key":
                self.key = named_by(entry) or self.key
        self.seq, self.hash, self.kind = entry.seq, entry.hash, entry.kind
        return faults

    def _chain_faults(self, entry: Entry, signature: str | None) -> Iterator[Fault]:
        at = self.seq + 1
        try:
            check_link(entry, self.seq, self.hash)
        except BrokenEntryError as error:
            yield Fault(at, error.finding)
            return
        if signature is None:
            yield Fault.of(at, RecordCode.NOT_SIGNED)
        elif not self.key.holds(Checkpoint(self.record, entry.seq, entry.hash, entry.at, signature)):
            yield Fault.of(at, RecordCode.SIGNED_WITH_ANOTHER_KEY)

    def _picture_faults(self, entry: Entry, folder: Path) -> Iterator[Fault]:
        for sha256 in sorted(named_in(entry) - self.proven):
            try:
                with sharded(folder, sha256).open("rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except FileNotFoundError:
                if self._was_removed(entry):
                    self.removed += 1
                elif folder.is_dir():
                    yield Fault.of(entry.seq, RecordCode.PICTURE_MISSING, picture=sha256)
                elif not self._folder_gone:
                    self._folder_gone = True
                    yield Fault.of(entry.seq, RecordCode.EVIDENCE_FOLDER_GONE, folder=str(folder))
            except BrokenEntryError as error:
                yield Fault(entry.seq, error.finding)
            except OSError as error:
                yield Fault.of(entry.seq, RecordCode.PICTURE_UNREADABLE, picture=sha256, why=str(error.strerror))
            else:
                if found == sha256:
                    self.proven.add(sha256)
                else:
                    yield Fault.of(entry.seq, RecordCode.PICTURE_CHANGED, picture=sha256)

    def _was_removed(self, entry: Entry) -> bool:
        if entry.seq > self._removed:
            self._removed = self.removed_through()
        return entry.seq <= self._removed

    def _row_faults(self, entry: Entry, body: dict[str, Any], rows: RowsOfEntry) -> Iterator[Fault]:
        named = {str(each["sha256"]): each for each in body.get("evidence", ())}
        listed = frozenset((name, int(each["bytes"]), str(each["media_type"])) for name, each in named.items())
        if listed != rows.pictures:
            yield Fault.of(entry.seq, RecordCode.PICTURE_LIST_CHANGED)
        said: dict[str, str] = body.get(BESIDE, {}).get(REPLIES.table, {})
        found = {REPLIES.name_of(row): REPLIES.digest_of(row) for row in rows.replies}
        if said.keys() - found.keys():
            yield Fault.of(entry.seq, RecordCode.REPLY_GONE)
        if found.keys() - said.keys():
            yield Fault.of(entry.seq, RecordCode.REPLY_NOT_RECORDED)
        same = [name for name in said.keys() & found.keys() if said[name] == found[name]]
        if len(same) < len(said.keys() & found.keys()):
            yield Fault.of(entry.seq, RecordCode.REPLY_CHANGED)
        self.replies += len(same)


def named_in(entry: Entry) -> set[str]:
    """The pictures that an entry names."""
    return {str(each["sha256"]) for each in entry.data.get("evidence", ())}


def sharded(folder: Path, sha256: str) -> Path:
    """Where a picture lies in a folder of 256; BrokenEntryError if this is no name of one."""
    if len(sha256) != 64 or not sha256.isalnum():
        raise BrokenEntryError.of(RecordCode.NOT_A_PICTURE_NAME, picture=repr(sha256))
    return folder / sha256[:2] / sha256
