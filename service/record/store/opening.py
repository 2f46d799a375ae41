"""Open a record for writing, and check it again and again: the writer's lock, the file, the key, the end."""

from __future__ import annotations

import threading
import uuid
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self

from sqlalchemy import func, select

from service.record.store import schema
from service.record.store.covered_rows import reply_fault
from service.record.store.database import FAULTS, faults_as_unavailable, never_new, open_database, unavailable, upgrade
from service.record.store.database_reader import CheckedReader, keys_in_order
from service.record.store.entries import (
    NO_HASH,
    BrokenEntryError,
    Draft,
    Picture,
    RecordState,
    RecordUnavailableError,
    Reply,
    check_link,
)
from service.record.store.evidence import EvidenceStore
from service.record.store.faults import ANSWERING, Fault, Memory
from service.record.store.files import WriterLock, make_folder
from service.record.store.record_settings import EVIDENCE, PUBLIC_KEY, WRITER_LOCK
from service.record.store.signing import (
    KeyFileError,
    PublicKey,
    begin_key,
    left_of_record,
    load_signer,
    save_public_key,
    take_up_key,
)
from service.words.codes import RecordCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine

    from service.record.store.entries import Entry
    from service.record.store.postgresql import Lease
    from service.record.store.record_settings import RecordSettings
    from service.record.store.signing import Signer

_QUICK_BYTES: Final = 32_000_000
"""SQLite looks through this much in less than half a second; a larger file is looked through in the background."""


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where a database is: its file with device and inode; without a path where it is elsewhere."""

    path: Path | None
    file: tuple[int, int] | None = None

    @classmethod
    def of(cls, database: Engine) -> Self:
        name = database.url.database
        if database.dialect.name != "sqlite" or not name or name == ":memory:":
            return cls(None)
        return cls(Path(name), _file(Path(name)))

    @property
    def holds(self) -> bool:
        """Whether the file of this name is still the one that was opened."""
        return self.path is None or self.file is None or _file(self.path) == self.file

    @property
    def is_empty(self) -> bool:
        """Whether there is no file, or one with nothing in it."""
        return self.path is not None and (not self.path.exists() or self.path.stat().st_size == 0)

    @property
    def quick_to_check(self) -> bool:
        """Whether looking through all of the file takes no time to speak of."""
        return self.path is not None and self.path.exists() and self.path.stat().st_size <= _QUICK_BYTES


def _file(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


CHECKED_AT_START: Final = 200
"""Newest entries whose links are checked when the record is opened: quick, and more than a crash can have touched."""
_WELL: Final = RecordState(Finding(RecordCode.WELL))


class Opening(CheckedReader):
    """Opens a record and checks it: creates it if it is missing, and compares it with earlier knowledge.

    Attributes:
        head_known: number and hash of the newest entry that was seen; None before the record was opened.
        openings: how often it was opened to write: another service may have written in between.
    """

    def __init__(self, settings: RecordSettings, *, claim: bool, instead: dict[str, Any] | None) -> None:
        super().__init__(open_database(settings.database_url))
        self.settings = settings
        self.local = settings.tables
        self.place = RecordPlace.of(self.database)
        self.head_known: tuple[int, str] | None = None
        self.evidence = EvidenceStore(
            settings.folder / EVIDENCE, max_bytes=settings.max_bytes, min_free_bytes=settings.min_free_bytes
        )
        self._lock = threading.RLock()
        self._state = RecordState(Finding(RecordCode.NOT_OPEN))
        self._answered = 0  # the last entry in which a person answered for faults, as far as it was read
        self._instead = instead
        self._writer_lock = WriterLock(settings.folder / WRITER_LOCK) if claim else None
        self._lease = _lease(self.database, settings) if claim else None
        self._signer: Signer | None = None
        self._keys: tuple[tuple[int, PublicKey], ...] = ()  # each with the number of the entry that names it
        self._id = ""
        self._outage: tuple[str, Finding] | None = None  # since when nothing can be recorded, and why
        self._wanted = 0  # bytes of the pictures that were to be taken last
        self.openings = 0
        self._opener = 0  # the thread that opens the record, to which a fault of its database is news

    @property
    def id(self) -> str:
        """Names this record for ever; empty until it could be opened."""
        return self._id

    @property
    def public_key(self) -> PublicKey | None:
        """The key that the record started with, from which every proof starts; None until it could be opened."""
        return self._keys[0][1] if self._keys else None

    def signing_key(self, seq: int) -> PublicKey | None:
        """Return the key to verify an entry's signature with."""
        return next((key for since, key in reversed(self._keys) if since < seq), None)

    @abstractmethod
    def _append(self, draft: Draft) -> Entry: ...

    @abstractmethod
    def _make_room(self, size: int) -> None: ...

    def _open(self, first: Sequence[Draft] = ()) -> None:
        """Make the record ready to write, or say why it is not; ``first`` are appended to show that it is."""
        self._opener = threading.get_ident()
        try:
            make_folder(self.settings.folder, 0o700)
            self._claim()
            self._check_file()
            upgrade(self.database)
            if self._lease is not None:
                self._lease.acquire()
            self._open_evidence()
            self._begin_or_check()
            # Well again is only what could take the pictures that were refused.
            self._make_room(self._wanted)
            self._note_place()
            for draft in first:
                self._append(draft)
        except RecordUnavailableError as error:
            self._fail(error, error)
        except KeyFileError as error:
            self._fail(RecordUnavailableError(error.finding), error)
        except BrokenEntryError as error:
            self._fail(RecordUnavailableError.of(RecordCode.CHANGED, why=(error.finding,)), error)
        except FAULTS as error:
            self._fail(unavailable(error), error)
        finally:
            self._opener = 0
        self.openings += 1
        self._state = _WELL
        self._outage = None

    def _note_place(self) -> None:
        """Never recreate the database file from now on; a fault if it was replaced by another file."""
        never_new(self.database)
        now = RecordPlace.of(self.database)
        if self.place.file not in (None, now.file):
            self.faults.add(Fault.of(0, RecordCode.DATABASE_REPLACED, file=str(now.path)))
        self.place = now

    def _claim(self) -> None:
        if self._writer_lock is None:
            return
        try:
            self._writer_lock.acquire()
        except BlockingIOError as error:
            other = RecordUnavailableError.of(
                RecordCode.OTHER_WRITER, folder=str(self.settings.folder), process=self._writer_lock.holder()
            )
            self._fail(other, error)

    def _check_file(self) -> None:
        """Run SQLite's quick check if the file is small; the full check of the record covers larger ones."""
        left = left_of_record(self.settings)
        if self._instead is None and left is not None and self.place.is_empty:
            known = self.head_known is not None
            self._fail(
                RecordUnavailableError.of(
                    RecordCode.DATABASE_MISSING if known else RecordCode.KEY_WITHOUT_RECORD,
                    file=str(self.place.path if known else left),
                )
            )
        if self.place.quick_to_check:
            with self.database.connect() as connection:
                found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
            if found != "ok":
                self._fail(RecordUnavailableError.of(RecordCode.DAMAGED))

    def _open_evidence(self) -> None:
        """Open the folder of pictures; never recreate it if the record names pictures."""
        named = self.rows(select(func.max(schema.OWN.pictures.c.seq)))[0][0] or 0
        if named > self.last_through("pictures_removed"):
            self._check_folder()
        self.evidence.open()
        self.evidence.probe()

    def _begin_or_check(self) -> None:
        folder, head = self.settings.folder, self.head()
        if head is None:
            if self._instead is None and (left := left_of_record(self.settings)) is not None:
                raise KeyFileError.of(RecordCode.KEY_WITHOUT_RECORD, file=str(left))
            self._signer = begin_key(folder)
            self._keys = ((0, self._signer.public),)
            self._id = uuid.uuid4().hex
            body = {"record": self._id, "public_key": self._signer.public.hex}
            try:
                self._append(Draft("record", {**body, **(self._instead or {})}))
            except BaseException:
                self._id, self._keys = "", ()  # nothing may remember a record that does not exist
                raise
            take_up_key(folder)
        else:
            first = self.entry(1)
            if first is None:
                raise BrokenEntryError.of(RecordCode.FIRST_ENTRY_MISSING)
            self._id = str(first.data["record"])
            self._keys = keys_in_order(self, self._id)
            self._signer = load_signer(folder, self._keys[-1][1].hex)
            self._check_end(head, self.signing_key(head.seq) or self._signer.public)
            self._check_memory(head)
        save_public_key(folder / PUBLIC_KEY, self._signer.public)

    def _check_end(self, head: Entry, key: PublicKey) -> None:
        """Check the links of the newest entries, and the newest one's signature."""
        first = max(1, head.seq - CHECKED_AT_START + 1)
        before = self.entry(first - 1)
        seq, previous = (0, NO_HASH) if before is None else (before.seq, before.hash)
        for entry in self.after(first - 1, limit=CHECKED_AT_START):
            check_link(entry, seq, previous)
            seq, previous = entry.seq, entry.hash
        checkpoint = self.checkpoint(self._id, head)
        if checkpoint is None or not key.holds(checkpoint):
            raise BrokenEntryError.of(RecordCode.END_NOT_SIGNED, entry=head.seq)

    @abstractmethod
    def _fail(self, fault: RecordUnavailableError, cause: BaseException | None = None) -> NoReturn: ...

    def picture(self, sha256: str) -> Picture | None:
        """A picture kept as evidence; None if it is unknown, or was removed; RecordUnavailableError."""
        columns = schema.OWN.pictures.c
        found = self.rows(select(func.max(columns.seq)).where(columns.sha256 == sha256))
        entry = None if found[0][0] is None else self.entry(int(found[0][0]))
        if entry is None:
            return None
        # The row says where to look, the entry what the picture is.
        named = next((each for each in entry.data.get("evidence", ()) if each["sha256"] == sha256), None)
        if named is None:
            self.faults.add(Fault.of(entry.seq, RecordCode.PICTURE_LIST_CHANGED))
            return None
        with faults_as_unavailable():
            data = self.evidence.get(sha256)
        if data is not None:
            return Picture(data, str(named["media_type"]))
        if entry.seq > self.last_through("pictures_removed"):
            there = self.evidence.path(sha256).exists()
            code = RecordCode.PICTURE_CHANGED if there else RecordCode.PICTURE_MISSING
            self.faults.add(Fault.of(entry.seq, code, picture=sha256))
        return None

    def reply(self, scope: str, key: str) -> Reply | None:
        """The earlier answer to this request, if it is as its entry has it."""
        columns = schema.replies.c
        for row in self.rows(select(schema.replies).where(columns.scope == scope, columns.key == key)):
            entry = self.entry(row.seq)
            if (fault := reply_fault(entry, dict(row._mapping))) is not None:  # noqa: SLF001
                self.faults.add(fault)
                raise RecordUnavailableError.of(RecordCode.CHANGED, why=(fault.about,))
            return Reply(row.scope, row.key, row.request, row.answer)
        return None

    def look(self) -> None:
        """Check the file, its end and the folder of pictures against the known state.

        RecordUnavailableError names a fault, which also becomes the record's state.
        """
        with self._lock:
            if not self._state.ok:
                return
            self._check_place()
            newest = next(iter(self.raw_last()), None)
            if newest is None:
                self._fail_for(Fault.of(0, RecordCode.END_MISSING, last=0, found=""))
            self._check_head(newest.seq + 1, newest.hash)
            self.head_known = newest.seq, newest.hash
            self._check_folder()

    def met(self, error: RecordUnavailableError) -> None:
        """Note a reader's error: damage is a fault, because unreadable data cannot be checked."""
        if error.code is RecordCode.DAMAGED:
            self.faults.add(Fault.of(0, RecordCode.DAMAGED))

    def accept_answered(self) -> None:
        """Accept the faults that persons answered for since the last call; RecordUnavailableError."""
        for entry in self.after(self._answered, kinds=ANSWERING, limit=1000):
            body, self._answered = entry.data, entry.seq
            pictures = body.get("lost", ()) if entry.kind == "integrity" else ()  # what an epoch lost is an entry
            self.faults.accept(map(str, body.get("accepted", ())), map(str, pictures))

    def _check_place(self) -> None:
        if not self.place.holds:
            self._fail(RecordUnavailableError.of(RecordCode.DATABASE_REPLACED, file=str(self.place.path)))

    def _check_folder(self) -> None:
        if not self.evidence.folder.is_dir():
            folder = str(self.evidence.folder)
            self._fail(RecordUnavailableError.of(RecordCode.EVIDENCE_FOLDER_MISSING, folder=folder))

    def _check_head(self, seq: int, previous: str) -> None:
        """Check that the next entry follows the newest known entry, or what our own commands appended since.

        ``seq`` and ``previous`` are the number and the link of what would come next.
        """
        known = self.head_known
        if known is None or known == (seq - 1, previous):
            return
        between = self.raw_after(known[0] - 1, limit=CHECKED_AT_START)
        if not between or (between[0][0].seq, between[0][0].hash) != known:
            self._fail_for(Fault.of(0, RecordCode.END_MISSING, last=known[0], found=known[1][:16]))
        linked = [entry.previous for entry, _ in between[1:]] == [entry.hash for entry, _ in between[:-1]]
        if not linked or not all(self.is_own(*each) for each in between):
            self._fail_for(Fault.of(between[-1][0].seq, RecordCode.SIGNED_WITH_ANOTHER_KEY))

    def _fail_for(self, fault: Fault) -> NoReturn:
        """Make a fault the record's state, and keep it until a person accepts it."""
        self.faults.add(fault)
        self._fail(RecordUnavailableError.of(RecordCode.CHANGED, why=(fault.about,)))

    def _check_memory(self, head: Entry) -> None:
        """Check that the record's end was not cut off since this service last saw it, and reload known faults.

        :mod:`service.record.checkpoints.checkpoint_store` checks it against the time before this service started.
        """
        remembered = Memory.load(self.settings.folder)
        known = self.head_known or (0, "")
        if remembered is not None and remembered.record == self.id:
            self.faults.add(*remembered.faults)
        self.accept_answered()
        if known[0] and not any(entry.hash == known[1] for entry, _ in self.raw_after(known[0] - 1, limit=1)):
            # What is found once stays until a person has dealt with it; the record goes on from its present end.
            self.faults.add(Fault.of(0, RecordCode.END_MISSING, last=known[0], found=known[1][:16]))
        self.head_known = head.seq, head.hash


def _lease(database: Engine, settings: RecordSettings) -> Lease | None:
    if database.dialect.name != "postgresql":
        return None
    from service.record.store.postgresql import Lease  # noqa: PLC0415  few tables have one

    return Lease(database, settings.folder)
