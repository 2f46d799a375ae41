"""The record: what the table service saw, decided and was told, appended and never changed.

One writer at a time, any number of readers. An append puts its pictures on disk, then the entry with its signature
into the database, and returns only once that is durable. A fault of the disk or the database never ends the service: it
becomes the record's :class:`~service.record.store.protocols.RecordState`, and :meth:`Record.recover` tries again until
it has gone.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NoReturn

from sqlalchemy import func, insert, select, text

from service.record.store import tables
from service.record.store.chain import NO_HASH, BrokenEntryError, Entry, canonical, check_link, written
from service.record.store.database import open_database, sqlite_url, upgrade, writing
from service.record.store.evidence import EvidenceStore
from service.record.store.faults import FAULTS, in_words, is_damage
from service.record.store.files import make_folder
from service.record.store.protocols import Draft, Picture, RecordState, RecordUnavailableError, Reply
from service.record.store.reading import DatabaseReader
from service.record.store.signing import KeyFileError, PublicKey, Signer, save_public_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Row, Select

_log = logging.getLogger(__name__)

DATABASE: Final = "record.db"
KEY: Final = "record.key"
PUBLIC_KEY: Final = "record.pub"
EVIDENCE: Final = "evidence"
_CLAIM: Final = "record.lock"

_CHECKED_AT_START = 200
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 15.0
_REMOVED_AT_ONCE = 256
# Any number will do, as long as every writer of a PostgreSQL record takes the same lock.
_WRITERS_LOCK = 0x486F757365776179
_WELL = RecordState(ok=True, message="what is recorded is durable")


@dataclass(frozen=True, slots=True)
class RecordSettings:
    """Where a record lies and how much it may hold.

    Attributes:
        folder: the key, the evidence and, unless ``url`` names another, the database.
        url: SQLAlchemy URL of the database; the folder's own SQLite file if None.
        keep_days: exported pictures older than this are removed.
        max_bytes: the most that all pictures may fill; the oldest exported ones make room.
        min_free_bytes: what must stay free on the disk.
    """

    folder: Path
    url: str | None = None
    keep_days: int = 365
    max_bytes: int = 50_000_000_000
    min_free_bytes: int = 0

    @property
    def database_url(self) -> str:
        """Where the database is."""
        return self.url or sqlite_url(self.folder / DATABASE)


class Record(DatabaseReader):
    """Appends to a record, and reads it.

    Args:
        settings: where it lies.
        claim: refuse to write while another program that claimed it does; the table service claims its record, a
            command that appends one entry does not.

    Attributes:
        appended: told how many seconds each entry took to become durable.

    Raises:
        DatabaseError: ``settings.url`` is no URL. Every other fault becomes the record's state.
    """

    def __init__(self, settings: RecordSettings, *, claim: bool = True) -> None:
        super().__init__(open_database(settings.database_url))
        self.settings = settings
        self.evidence = EvidenceStore(
            settings.folder / EVIDENCE, max_bytes=settings.max_bytes, min_free_bytes=settings.min_free_bytes
        )
        self.appended: Callable[[float], object] = lambda _seconds: None
        self._claims = claim
        self._claimed: int | None = None
        self._lock = threading.RLock()
        self._signer: Signer | None = None
        self._id = ""
        self._since = ""
        self._because = ""
        self._wanted = 0
        self._state = RecordState(ok=False, message="the record has not been opened yet")
        self._next_try = 0.0
        self._pause_s = _FIRST_PAUSE_S
        with self._lock:
            try:
                self._open()
            except RecordUnavailableError as error:
                _log.error("the record cannot be written: %s", error)

    @property
    def state(self) -> RecordState:
        """How the record is."""
        return self._state

    @property
    def id(self) -> str:
        """Names this record for ever; empty until it could be opened."""
        return self._id

    def append(
        self,
        draft: Draft,
        *,
        pictures: Sequence[Picture] = (),
        reply: Reply | None = None,
        beside: Callable[[Connection], None] | None = None,
    ) -> Entry:
        """Append an entry with its pictures; durable when this returns.

        Args:
            draft: the entry.
            pictures: what it names as evidence.
            reply: the answer to the request that it comes from.
            beside: changes other tables of the database in the same transaction, so that no change is without its
                entry; whatever it raises leaves everything as it was.

        Raises:
            RecordUnavailableError: it could not be made durable; nothing of it will be seen by a reader.
        """
        with self._lock:
            if not self.recover():
                raise RecordUnavailableError(self._state.message)
            begun = time.perf_counter()
            entry = self._append(draft, pictures, reply, beside)
            self.appended(time.perf_counter() - begun)
            return entry

    def picture(self, sha256: str) -> Picture | None:
        """A picture kept as evidence; None if there is none of the name, or none any more.

        Raises:
            RecordUnavailableError: it cannot be read.
        """
        media_type = self.media_type(sha256)
        if media_type is None:
            return None
        try:
            data = self.evidence.get(sha256)
        except OSError as error:
            raise RecordUnavailableError(in_words(error)) from error
        return None if data is None else Picture(data, media_type)

    def recover(self) -> bool:
        """Try to write again if that failed before, with growing pauses.

        What could not be recorded meanwhile is told by an entry of its own. Returns whether the record is well.
        """
        with self._lock:
            if self._state.ok:
                return True
            if time.monotonic() < self._next_try:
                return False
            reason, since = self._because, self._since
            self._next_try = time.monotonic() + self._pause_s
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
            try:
                self.database.dispose()
                self._open(tell=Draft("outage", {"since": since, "until": written(_now()), "reason": reason}))
            except RecordUnavailableError:
                return False
            self._pause_s = _FIRST_PAUSE_S
            _log.warning("the record can be written again")
            return True

    def tidy(self) -> None:
        """Remove exported pictures that have grown too old; never one that was not exported.

        Raises:
            RecordUnavailableError: the record cannot be written.
        """
        with self._lock:
            if self._state.ok:
                try:
                    while self._remove_exported(older_than=written(_now() - timedelta(days=self.settings.keep_days))):
                        pass
                except FAULTS as error:
                    self._fail(in_words(error), error)

    def close(self) -> None:
        """Let go of the database and of the claim."""
        with self._lock:
            self._state = RecordState(ok=False, message="the record is closed")
            self._next_try = float("inf")
            self.database.dispose()
            if self._claimed is not None:
                os.close(self._claimed)
                self._claimed = None

    def _open(self, tell: Draft | None = None) -> None:
        """Make the record ready to write, or say why it is not; ``tell`` is appended to prove that it is."""
        try:
            make_folder(self.settings.folder, 0o700)
            self._claim()
            self.evidence.open()
            self.evidence.probe()
            self._check_file()
            upgrade(self.database)
            self._begin_or_check()
            # Well again is only what could take the pictures that were refused.
            self._make_room(self._wanted)
        except KeyFileError as error:
            self._fail(str(error), error)
        except BrokenEntryError as error:
            self._fail(f"the record was changed by another hand ({error}): `houseway record verify` says where", error)
        except FAULTS as error:
            self._fail(in_words(error), error)
        if tell is not None:
            self._append(tell, (), None)
        self._state = _WELL
        self._since = ""

    def _claim(self) -> None:
        if not self._claims or self._claimed is not None:
            return
        handle = os.open(self.settings.folder / _CLAIM, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(handle)
            self._fail(
                f"another table service writes to {self.settings.folder}: end it, or give this one its own", error
            )
        self._claimed = handle

    def _check_file(self) -> None:
        """Have SQLite look through its file; a database elsewhere looks after its own."""
        if self.database.dialect.name != "sqlite":
            return
        with self.database.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if found != "ok":
            self._fail(in_words(_Damaged()), None)

    def _begin_or_check(self) -> None:
        key, head = self.settings.folder / KEY, self.head()
        if head is None:
            self._signer = Signer.load(key) if key.exists() else Signer.make(key)
            self._id = uuid.uuid4().hex
            self._append(Draft("record", {"record": self._id, "public_key": self._signer.public.hex}), (), None)
        else:
            first = self.entry(1)
            if first is None:
                raise BrokenEntryError("its first entry is missing")
            self._id = str(first.data["record"])
            if not key.exists():
                raise KeyFileError(
                    f"{key}: the key that signs this record is missing; put it back, or begin a new record"
                )
            self._signer = Signer.load(key)
            if self._signer.public.hex != first.data["public_key"]:
                raise KeyFileError(f"{key}: this record was begun with another key; put that one back")
            self._check_end(head, self._signer.public)
        save_public_key(self.settings.folder / PUBLIC_KEY, self._signer.public)

    def _check_end(self, head: Entry, key: PublicKey) -> None:
        """Hold the newest entries against each other and their signatures."""
        first = max(1, head.seq - _CHECKED_AT_START + 1)
        before = self.entry(first - 1)
        seq, previous = (0, NO_HASH) if before is None else (before.seq, before.hash)
        for entry in self.after(first - 1, limit=_CHECKED_AT_START):
            check_link(entry, seq, previous)
            seq, previous = entry.seq, entry.hash
        checkpoint = self.checkpoint(self._id, head)
        if checkpoint is None or not key.holds(checkpoint):
            raise BrokenEntryError(f"entry {head.seq} is not signed with the record's key")

    def _append(
        self,
        draft: Draft,
        pictures: Sequence[Picture],
        reply: Reply | None,
        beside: Callable[[Connection], None] | None = None,
    ) -> Entry:
        unlike = {picture.sha256: picture.data for picture in pictures}
        try:
            self._wanted = sum(map(len, unlike.values()))
            self._make_room(self._wanted)
            self.evidence.put(unlike)
            return self._commit(draft, reply, beside)
        except FAULTS as error:
            self._fail(in_words(error), error)

    def _commit(
        self, draft: Draft, reply: Reply | None = None, beside: Callable[[Connection], None] | None = None
    ) -> Entry:
        """Have the database take an entry, its signature, the names of its pictures and its answer, all or nothing."""
        if self._signer is None:
            raise RecordUnavailableError(self._state.message)
        with writing(self.database) as connection:
            entry = _following(connection, draft)
            signed = self._signer.sign(self._id, entry.seq, entry.hash, entry.at)
            connection.execute(insert(tables.entries).values(_row(entry)))
            connection.execute(insert(tables.checkpoints).values(seq=entry.seq, signature=signed.signature))
            for named in {str(each["sha256"]): each for each in draft.body.get("evidence", ())}.values():
                about = {name: named[name] for name in ("sha256", "bytes", "media_type")}
                connection.execute(insert(tables.pictures).values(seq=entry.seq, **about))
            if reply is not None:
                answered = {name: getattr(reply, name) for name in Reply.__slots__}
                connection.execute(insert(tables.replies).values(seq=entry.seq, **answered))
            if beside is not None:
                beside(connection)
        return entry

    def _make_room(self, size: int) -> None:
        while lacking := self.evidence.lacking(size):
            # A little more than is needed, so that not every append has to.
            if not self._remove_exported(at_least=lacking + self.settings.max_bytes // 100):
                full = f"the pictures fill all the room that record.max_mb gives ({self.evidence.used / 1e6:.0f} MB)"
                if self.evidence.used + size <= self.settings.max_bytes:
                    full = "the disk is full"
                self._fail(
                    f"{full}, and no picture has been exported that could go: run `houseway record export`", None
                )

    def _remove_exported(self, *, at_least: int | None = None, older_than: str | None = None) -> int:
        """Remove the oldest exported pictures, told in the record before they go; returns how many."""
        exported, removed = (
            max((int(entry.data["through"]) for entry in self.last((kind,))), default=0)
            for kind in ("export", "pictures_removed")
        )
        rows = self._ask(_removable(removed, exported))
        names: list[str] = []
        freed, through = 0, removed
        for seq, group in groupby(rows, key=lambda row: int(row.newest)):
            together = tuple(group)
            enough = at_least is not None and freed >= at_least
            too_young = older_than is not None and together[0].at >= older_than
            if enough or too_young or (names and len(names) + len(together) == _REMOVED_AT_ONCE):
                break  # the last group may be cut short by the limit of the query
            names += [row.sha256 for row in together]
            freed += sum(row.bytes for row in together)
            through = seq
        if names:
            self._commit(Draft("pictures_removed", {"through": through, "pictures": len(names), "bytes": freed}))
            self.evidence.remove(names)
        return len(names)

    def _ask(self, asked: Select[Any]) -> Sequence[Row[Any]]:
        try:
            return super()._ask(asked)
        except RecordUnavailableError as error:
            # Damage met by a reader is damage: nothing more is appended until the file has been looked through.
            if is_damage(str(error)):
                self._fail(str(error), error)
            raise

    def _fail(self, words: str, cause: BaseException | None) -> NoReturn:
        if self._state.ok:
            _log.error("the record cannot be written: %s", words, exc_info=cause)
        if not self._since:
            self._since, self._because = written(_now()), words
        self._state = RecordState(ok=False, message=words)
        raise RecordUnavailableError(words) from cause


class _Damaged(Exception):  # noqa: N818  never raised; carries SQLite's own name for what was found
    sqlite_errorname = "SQLITE_CORRUPT"


def _following(connection: Connection, draft: Draft) -> Entry:
    """The entry that comes next; no other writer gets between until the transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL synchronous_commit TO on"))
        connection.execute(select(func.pg_advisory_xact_lock(_WRITERS_LOCK)))
    columns = tables.entries.c
    head = connection.execute(select(columns.seq, columns.hash).order_by(columns.seq.desc()).limit(1)).first()
    return Entry(
        seq=1 if head is None else head.seq + 1,
        at=written(_now()),
        monotonic_ns=time.monotonic_ns(),
        kind=draft.kind,
        table=draft.table,
        round=draft.round,
        subject=draft.subject,
        supersedes=draft.supersedes,
        body=canonical(draft.body),
        previous=NO_HASH if head is None else head.hash,
    ).sealed()


def _row(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in Entry.__slots__}


def _removable(removed: int, exported: int) -> Select[Any]:
    """Pictures that no entry beyond the last exported one names, in the order in which they were last named."""
    columns = tables.pictures.c
    newest = func.max(columns.seq).label("newest")
    last_named = (
        select(columns.sha256, newest, func.max(columns.bytes).label("bytes"))
        .where(columns.seq > removed)
        .group_by(columns.sha256)
        .subquery()
    )
    return (
        select(last_named.c.sha256, last_named.c.newest, last_named.c.bytes, tables.entries.c.at)
        .join(tables.entries, tables.entries.c.seq == last_named.c.newest)
        .where(last_named.c.newest <= exported)
        .order_by(last_named.c.newest, last_named.c.sha256)
        .limit(_REMOVED_AT_ONCE)
    )


def _now() -> datetime:
    return datetime.now(UTC)
