"""What a record's writer holds against what it knows, again and again: its file, its end, its folder of pictures."""

from __future__ import annotations

import threading
from abc import abstractmethod
from typing import TYPE_CHECKING, Final, NoReturn

from sqlalchemy import func, select

from service.record.store import schema
from service.record.store.beside import reply_fault
from service.record.store.checked_reader import CheckedReader
from service.record.store.database import open_database
from service.record.store.entries import Picture, RecordState, RecordUnavailableError, Reply
from service.record.store.evidence import EvidenceStore
from service.record.store.faults import ANSWERING, Fault
from service.record.store.memory import Memory
from service.record.store.place import Place
from service.record.store.record_settings import EVIDENCE
from service.record.store.storage_faults import faults_as_unavailable
from service.words.codes import RecordCode
from vision.findings import Finding

if TYPE_CHECKING:
    from service.record.store.chain import Entry
    from service.record.store.record_settings import RecordSettings

CHECKED_AT_START: Final = 200
"""Newest entries whose links are checked when the record is opened: quick, and more than a crash can have touched."""


class SelfChecks(CheckedReader):
    """A record's own checks of itself, and what it reads with them.

    Attributes:
        settings: where the record lies.
        place: the file that its database is.
        head_known: number and hash of the newest entry that was seen; None before the record was opened.
        evidence: its pictures.
    """

    def __init__(self, settings: RecordSettings) -> None:
        super().__init__(open_database(settings.database_url))
        self.settings = settings
        self.place = Place.of(self.database)
        self.head_known: tuple[int, str] | None = None
        self.evidence = EvidenceStore(
            settings.folder / EVIDENCE, max_bytes=settings.max_bytes, min_free_bytes=settings.min_free_bytes
        )
        self._lock = threading.RLock()
        self._state = RecordState(Finding(RecordCode.NOT_OPEN))
        self._answered = 0  # the last entry in which a person answered for faults, as far as it was read

    @abstractmethod
    def _fail(self, fault: RecordUnavailableError, cause: BaseException | None = None) -> NoReturn:
        """Make a fault the record's state, and raise it."""

    def picture(self, sha256: str) -> Picture | None:
        """A picture kept as evidence; None if there is none of the name, or none any more; RecordUnavailableError."""
        columns = schema.OWN.pictures.c
        found = self._ask(select(func.max(columns.seq)).where(columns.sha256 == sha256))
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
        """What was answered to this request before, if the entry that answered it says the same."""
        columns = schema.replies.c
        for row in self._ask(select(schema.replies).where(columns.scope == scope, columns.key == key)):
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
                self._fail_for(Fault.of(0, RecordCode.HEAD_GONE, last=0, found=""))
            self._check_head(newest.seq + 1, newest.hash)
            self.head_known = newest.seq, newest.hash
            self._check_folder()

    def met(self, error: RecordUnavailableError) -> None:
        """Record a reader's error: damage is a fault, because unreadable data cannot be checked."""
        if error.code is RecordCode.DAMAGED:
            self.faults.add(Fault.of(0, RecordCode.DAMAGED))

    def accept_answered(self) -> None:
        """Take what persons answered for since this was asked last, a restore among it; RecordUnavailableError."""
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
            self._fail(RecordUnavailableError.of(RecordCode.EVIDENCE_FOLDER_GONE, folder=folder))

    def _check_head(self, seq: int, previous: str) -> None:
        """Only go on behind the entry that is known to be the newest, or behind what commands of ours appended since.

        ``seq`` and ``previous`` are the number and the link of what would come next.
        """
        known = self.head_known
        if known is None or known == (seq - 1, previous):
            return
        between = self.raw_after(known[0] - 1, limit=CHECKED_AT_START)
        if not between or (between[0][0].seq, between[0][0].hash) != known:
            self._fail_for(Fault.of(0, RecordCode.HEAD_GONE, last=known[0], found=known[1][:16]))
        linked = [entry.previous for entry, _ in between[1:]] == [entry.hash for entry, _ in between[:-1]]
        if not linked or not all(self.is_own(*each) for each in between):
            self._fail_for(Fault.of(between[-1][0].seq, RecordCode.SIGNED_WITH_ANOTHER_KEY))

    def _fail_for(self, fault: Fault) -> NoReturn:
        """Make what somebody did to the record its state, and a fault that stays until a person has dealt with it."""
        self.faults.add(fault)
        self._fail(RecordUnavailableError.of(RecordCode.CHANGED, why=(fault.about,)))

    def _check_memory(self, head: Entry) -> None:
        """Check that the record's end was not cut off since this service last saw it, and reload known faults.

        :mod:`service.record.checkpoints.mark` checks it against the time before this service started.
        """
        remembered = Memory.load(self.settings.folder)
        known = self.head_known or (0, "")
        if remembered is not None and remembered.record == self.id:
            self.faults.add(*remembered.faults)
        self.accept_answered()
        if known[0] and not any(entry.hash == known[1] for entry, _ in self.raw_after(known[0] - 1, limit=1)):
            # What is found once stays until a person has dealt with it; the record goes on from its present end.
            self.faults.add(Fault.of(0, RecordCode.HEAD_GONE, last=known[0], found=known[1][:16]))
        self.head_known = head.seq, head.hash
