"""Open a record for writing: take the writer's lock, check the file, the key and the end of the record."""

from __future__ import annotations

import threading
import uuid
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from service.record.store import schema
from service.record.store.chain import NO_HASH, BrokenEntryError, check_link
from service.record.store.database import never_new, upgrade
from service.record.store.entries import Draft, RecordState, RecordUnavailableError
from service.record.store.faults import Fault
from service.record.store.files import WriterLock, make_folder
from service.record.store.key_file import begin_key, key_of, left_of_record, take_up_key
from service.record.store.keys import keys_in_order
from service.record.store.lease import Lease
from service.record.store.place import Place
from service.record.store.record_settings import PUBLIC_KEY, WRITER_LOCK
from service.record.store.self_checks import CHECKED_AT_START, SelfChecks
from service.record.store.signing import KeyFileError, PublicKey, save_public_key
from service.record.store.storage_faults import FAULTS, unavailable
from service.words.codes import RecordCode
from vision.findings import Finding

if TYPE_CHECKING:
    from service.record.store.chain import Entry
    from service.record.store.record_settings import RecordSettings
    from service.record.store.signing import Signer

_WELL: Final = RecordState(Finding(RecordCode.WELL))


class Opening(SelfChecks):
    """Opens a record: creates it if it is missing, checks it if it exists."""

    def __init__(self, settings: RecordSettings, *, claim: bool, instead: dict[str, Any] | None) -> None:
        super().__init__(settings)
        self._instead = instead
        self._writer_lock = WriterLock(settings.folder / WRITER_LOCK) if claim else None
        shared = claim and self.database.dialect.name == "postgresql"
        self._lease = Lease(self.database, settings.folder) if shared else None
        self._signer: Signer | None = None
        self._keys: tuple[tuple[int, PublicKey], ...] = ()  # each with the number of the entry that names it
        self._id = ""
        self._outage: tuple[str, Finding] | None = None  # since when nothing can be recorded, and why
        self._wanted = 0  # bytes of the pictures that were to be taken last
        self.openings = 0  # how often it was opened to write: another service may have written in between
        self._opener = 0  # the thread that opens the record, to which a fault of its database is news

    @property
    def id(self) -> str:
        """Names this record for ever; empty until it could be opened."""
        return self._id

    @property
    def public_key(self) -> PublicKey | None:
        """The key that the record began with, from which every proof starts; None until it could be opened."""
        return self._keys[0][1] if self._keys else None

    def signing_key(self, seq: int) -> PublicKey | None:
        """Return the key to verify an entry's signature with."""
        return next((key for since, key in reversed(self._keys) if since < seq), None)

    @abstractmethod
    def _append(self, draft: Draft) -> Entry:
        """Append an entry; what fails becomes the record's state."""

    @abstractmethod
    def _make_room(self, size: int) -> None:
        """Make room for ``size`` bytes of pictures."""

    def _open(self, proof: Draft | None = None) -> None:
        """Make the record ready to write, or say why it is not; ``proof`` is appended to show that it is."""
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
            if proof is not None:
                self._append(proof)
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
        now = Place.of(self.database)
        if self.place.file not in (None, now.file):
            self.faults.add(Fault.of(0, RecordCode.DATABASE_REPLACED, file=str(now.path)))
        self.place = now

    def _claim(self) -> None:
        if self._writer_lock is None:
            return
        try:
            self._writer_lock.acquire()
        except BlockingIOError as error:
            other = RecordUnavailableError.of(RecordCode.OTHER_WRITER, folder=str(self.settings.folder))
            self._fail(other, error)

    def _check_file(self) -> None:
        """Run SQLite's quick check if the file is small; the full check of the record covers larger ones."""
        left = left_of_record(self.settings)
        if self._instead is None and left is not None and self.place.is_empty:
            known = self.head_known is not None
            self._fail(
                RecordUnavailableError.of(
                    RecordCode.DATABASE_GONE if known else RecordCode.KEY_WITHOUT_RECORD,
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
        named = self._ask(select(func.max(schema.OWN.pictures.c.seq)))[0][0] or 0
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
            told = {"record": self._id, "public_key": self._signer.public.hex}
            self._append(Draft("record", {**told, **(self._instead or {})}))
            take_up_key(folder)
        else:
            first = self.entry(1)
            if first is None:
                raise BrokenEntryError.of(RecordCode.FIRST_ENTRY_MISSING)
            self._id = str(first.data["record"])
            self._keys = keys_in_order(self, self._id)
            self._signer = key_of(folder, self._keys[-1][1].hex)
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
