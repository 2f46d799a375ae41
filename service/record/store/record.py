"""The record: an append-only log of the table service's observations, decisions and inputs; one writer, many readers.

A fault of the disk or the database never ends the service: it becomes the record's
:class:`~service.record.store.entries.RecordState`, and :meth:`Record.recover` tries again until it has gone.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from sqlalchemy import func, insert, select, text

from service.record.store import schema
from service.record.store.covered_rows import BESIDE, REPLIES
from service.record.store.database import FAULTS, is_of_data, unavailable, writing
from service.record.store.entries import (
    NO_HASH,
    Draft,
    Entry,
    Picture,
    RecordState,
    RecordUnavailableError,
    RecordVersionError,
    Reply,
    canonical_json,
    timestamp,
)
from service.record.store.evidence import choose, removable
from service.record.store.opening import Opening
from service.words.codes import RecordCode
from service.words.doubts import DoubtReport
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Connection, Row, Select

    from service.record.store.covered_rows import Digests
    from service.record.store.record_settings import RecordSettings

_log = logging.getLogger(__name__)

T = TypeVar("T")

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 15.0
"""Pauses between attempts to write again, doubled from the first to the longest."""
_ATTEMPT_S: Final = 0.5
"""How long a caller waits for an attempt to reach a database elsewhere again; the attempt itself goes on."""
_WRITERS_LOCK: Final = 0x486F757365776179
"""Advisory lock that every writer of a PostgreSQL record takes; any number will do."""


class Record(Opening):
    """Appends to a record, and reads it.

    Args:
        settings: where it is stored; DatabaseError if its URL is invalid. Every other fault becomes the record's state.
        claim: refuse to write while another program that claimed it does; the table service claims its record, a
            command that appends one entry does not.
        instead: body of the first entry of a record that replaces a lost one; None if an existing key must have its
            record.

    Attributes:
        appended: called with the seconds that each entry took to become durable.
    """

    def __init__(self, settings: RecordSettings, *, claim: bool = True, instead: dict[str, Any] | None = None) -> None:
        super().__init__(settings, claim=claim, instead=instead)
        self.appended: Callable[[float], object] = lambda _seconds: None
        self._next_try = 0.0
        self._pause_s = _FIRST_PAUSE_S
        self._attempt = threading.Lock()
        with self._lock:
            try:
                self._open()
            except RecordUnavailableError as error:
                if not isinstance(error, RecordVersionError):  # ends the program, which then says so
                    _log.error("the record cannot be written: %s", error)

    @property
    def state(self) -> RecordState:
        return self._state

    def append(
        self,
        draft: Draft,
        *,
        pictures: Sequence[Picture] = (),
        reply: Reply | None = None,
        beside: Callable[[Connection], Digests | None] | None = None,
    ) -> Entry:
        """Append an entry with the pictures it names and its request's reply; durable when this returns.

        ``beside`` changes other tables in the same transaction, and returns the digests of the rows that the entry is
        to answer for, if there are any. RecordUnavailableError if it cannot be made durable;
        then nothing of it will be seen by a reader.
        """
        if not self.recover():
            raise self._unavailable()
        with self._lock:
            if not self._state.ok:
                raise self._unavailable()
            started = time.perf_counter()
            entry = self._append(draft, pictures, reply, beside)
            self.appended(time.perf_counter() - started)
            return entry

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in a transaction of this service's one writer; what it did is durable when this returns.

        Raises:
            RecordUnavailableError: the record cannot be written; nothing was done.
            DBAPIError: the database refuses the data; nothing was done, and the record is unchanged.
        """
        if not self.recover():
            raise self._unavailable()
        with self._lock:
            if not self._state.ok:
                raise self._unavailable()
            try:
                self._check_place()
                with self._writing() as connection:
                    return work(connection)
            except RecordUnavailableError as error:
                self._fail(error, error)
            except FAULTS as error:
                if is_of_data(error):
                    raise
                self._fail(unavailable(error), error)

    def sign(self, statement: bytes) -> bytes:
        """Ed25519 over a statement with the record's key; RecordUnavailableError if the key is not to be had."""
        with self._lock:
            if self._signer is None:
                raise self._unavailable()
            return self._signer.sign_bytes(statement)

    def recover(self) -> bool:
        """Try to write again after a failure, with growing pauses; returns whether the record can be written.

        Nobody waits for a remote database that is silent: the attempt continues in the background.
        """
        if self._state.ok or time.monotonic() < self._next_try:
            return self._state.ok
        if self.database.dialect.name == "sqlite":
            return self._recover()
        if self._attempt.acquire(blocking=False):
            attempt = threading.Thread(target=self._recover_and_release, name="record recovery", daemon=True)
            attempt.start()
            attempt.join(_ATTEMPT_S)
        return self._state.ok

    def _recover_and_release(self) -> None:
        try:
            self._recover()
        finally:
            self._attempt.release()

    def _recover(self) -> bool:
        with self._lock:
            if self._state.ok or time.monotonic() < self._next_try:
                return self._state.ok
            since, why = self._outage or ("", self._state.finding)
            self._next_try = time.monotonic() + self._pause_s
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
            try:
                self.database.dispose()
                written = DoubtReport.of(why).model_dump(mode="json", exclude={"about"})
                outage = {"since": since, "until": timestamp(), **written}
                # Alarms belong to a table, and none of them could be recorded.
                self._open([Draft("outage", outage, table=table) for table in self.settings.tables or ("",)])
            except RecordUnavailableError:
                return False
            self._pause_s = _FIRST_PAUSE_S
            _log.warning("the record can be written again")
            return True

    def tidy(self) -> None:
        """Remove exported pictures that have grown too old; RecordUnavailableError if the record cannot be written."""
        with self._lock:
            if self._state.ok:
                try:
                    oldest = timestamp(datetime.now(UTC) - timedelta(days=self.settings.keep_days))
                    while self._remove_exported(older_than=oldest):
                        pass
                except FAULTS as error:
                    self._fail(unavailable(error), error)

    def close(self) -> None:
        """Close the database and release the claim."""
        with self._lock:
            self._state = RecordState(Finding(RecordCode.CLOSED))
            self._next_try = float("inf")
            if self._lease is not None:
                self._lease.release()
            super().close()
            if self._writer_lock is not None:
                self._writer_lock.release()

    def _append(
        self,
        draft: Draft,
        pictures: Sequence[Picture] = (),
        reply: Reply | None = None,
        beside: Callable[[Connection], Digests | None] | None = None,
    ) -> Entry:
        unlike = {picture.sha256: picture.data for picture in pictures}
        self._check_folder()
        try:
            self._wanted = sum(map(len, unlike.values()))
            self._make_room(self._wanted)
            self.evidence.put(unlike)
            return self._commit(draft, reply, beside)
        except RecordUnavailableError as error:
            self._fail(error, error)
        except FAULTS as error:
            self._fail(unavailable(error), error)

    def _commit(
        self, draft: Draft, reply: Reply | None = None, beside: Callable[[Connection], Digests | None] | None = None
    ) -> Entry:
        """Insert an entry, its signature, the names of its pictures and its answer in one transaction."""
        if self._signer is None:
            raise self._unavailable()
        self._check_place()
        with self._writing() as connection:
            digests = (beside(connection) if beside is not None else None) or {}
            if reply is not None:
                answered = asdict(reply)
                digests = {**digests, REPLIES.table: {REPLIES.name_of(answered): REPLIES.digest_of(answered)}}
            if digests:
                draft = replace(draft, body={**draft.body, BESIDE: digests})
            entry = _following(connection, draft)
            self._check_head(entry.seq, entry.previous)
            signed = self._signer.sign(self._id, entry.seq, entry.hash, entry.at).signature
            place = {"position": next_position(connection), "log": schema.OWN_LOG, "signature": signed}
            connection.execute(insert(schema.entries).values(**place, **asdict(entry)))
            for named in {str(each["sha256"]): each for each in draft.body.get("evidence", ())}.values():
                about = {name: named[name] for name in ("sha256", "bytes", "media_type")}
                connection.execute(insert(schema.pictures).values(position=place["position"], **about))
            if reply is not None:
                connection.execute(insert(schema.replies).values(seq=entry.seq, **asdict(reply)))
        self.known.note(entry.seq, entry.hash)
        self.head_known = entry.seq, entry.hash
        return entry

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that excludes all other writers."""
        with writing(self.database) as connection:
            _shut_out_others(connection)
            if self._lease is not None:
                self._lease.check(connection)
            yield connection

    def _make_room(self, size: int) -> None:
        while lacking := self.evidence.lacking(size):
            # A little more than is needed, so that not every append has to.
            if not self._remove_exported(at_least=lacking + self.settings.max_bytes // 100):
                if self.evidence.used + size <= self.settings.max_bytes:
                    self._fail(RecordUnavailableError.of(RecordCode.DISK_FULL_OF_PICTURES))
                used_mb = round(self.evidence.used / 1e6)
                self._fail(RecordUnavailableError.of(RecordCode.NO_ROOM, used_mb=used_mb))

    def _remove_exported(self, *, at_least: int | None = None, older_than: str | None = None) -> int:
        """Remove the oldest exported pictures, after an entry that says so; returns how many."""
        exported, removed = self.last_through("export"), self.last_through("pictures_removed")
        rows = self.rows(removable(removed, exported))
        chosen = choose(rows, removed, at_least=at_least, older_than=older_than)
        if chosen.names:
            body = {"through": chosen.through, "pictures": len(chosen.names), "bytes": chosen.bytes}
            self._commit(Draft("pictures_removed", body))
            self.evidence.remove(chosen.names)
        return len(chosen.names)

    def rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        opens = self._opener == threading.get_ident()
        if self._state.finding.code is RecordCode.UNREACHABLE and not opens:
            raise self._unavailable()  # known to be unreachable: do not wait for another timeout
        try:
            return super().rows(query)
        except RecordUnavailableError as error:
            # Damage met by a reader is damage: nothing more is appended until the file has been looked through.
            if error.code in {RecordCode.DAMAGED, RecordCode.UNREACHABLE} and not opens:
                self._fail(error, error)
            raise

    def _unavailable(self) -> RecordUnavailableError:
        return RecordUnavailableError(self._state.finding)

    def _fail(self, fault: RecordUnavailableError, cause: BaseException | None = None) -> NoReturn:
        if self._state.ok:
            # The fault says what disk or database did; where it was met helps only if nothing here explains it.
            unexplained = cause if fault.code is RecordCode.REFUSED else None
            _log.error("the record cannot be written: %s", fault, exc_info=unexplained)
        if self._outage is None:
            self._outage = (timestamp(), fault.finding)
        if fault.code is RecordCode.UNREACHABLE:
            # Later calls report this fault without another attempt, so name the time of the first failure.
            why = str(dict(fault.finding.params).get("why", ""))
            fault = RecordUnavailableError.of(RecordCode.UNREACHABLE, why=why, since=self._outage[0][11:19])
        self._state = RecordState(fault.finding)
        raise fault from (cause if cause is not fault else cause.__cause__)


def _shut_out_others(connection: Connection) -> None:
    """Let no other writer of a PostgreSQL record get between until the transaction ends; SQLite has one at a time."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL synchronous_commit TO on"))
        connection.execute(select(func.pg_advisory_xact_lock(_WRITERS_LOCK)))


def next_position(connection: Connection) -> int:
    """The place of the next entry among those of all logs; nobody else may write until the transaction ends."""
    return int(connection.execute(select(func.coalesce(func.max(schema.entries.c.position), 0) + 1)).scalar_one())


def _following(connection: Connection, draft: Draft) -> Entry:
    columns = schema.OWN.entries.c
    head = connection.execute(select(columns.seq, columns.hash).order_by(columns.seq.desc()).limit(1)).first()
    return Entry(
        seq=1 if head is None else head.seq + 1,
        at=timestamp(),
        monotonic_ns=time.monotonic_ns(),
        kind=draft.kind,
        table=draft.table,
        round=draft.round,
        subject=draft.subject,
        supersedes=draft.supersedes,
        body=canonical_json(draft.body),
        previous=NO_HASH if head is None else head.hash,
    ).sealed()
