"""A witness: it signs a table's checkpoints as long as each extends the one before.

A submission has the form of C2SP ``tlog-witness``, ``add-checkpoint``, with the proof of a chain instead of a tree's:
each entry as in an export, since a hash of the chain covers the complete entry and the hash before it. The witness
stores the last checkpoint of each record that it signed, before it signs, and nothing else of a record.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from service.record.checkpoints.note import NoteError, WitnessKey, cosign, read_note
from service.record.store.entries import BrokenEntryError, Entry, check_link
from service.record.store.files import WriterLock, make_folder, write_durably
from service.record.store.signing import PublicKey, Signer, named_by

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from service.record.checkpoints.note import Note
    from service.record.store.signing import Checkpoint

MOST_ENTRIES = 500
MOST_BYTES = 32_000_000


class SubmissionError(ValueError):
    """The body is not a submission; the message says why."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A checkpoint to sign, with its proof.

    Attributes:
        old: number of the entry that the witness signed last; 0 if it never did.
        entries: the entries after it, up to the checkpoint's; empty if the witness does not know the record yet.
    """

    old: int
    entries: tuple[Entry, ...]
    note: Note

    @property
    def text(self) -> str:
        return "".join((f"old {self.old}\n", *(f"{entry.line()}\n" for entry in self.entries), "\n", self.note.text))

    @classmethod
    def of_text(cls, text: str) -> Submission:
        """Parse the body of a request; SubmissionError."""
        head, _, note = text.partition("\n\n")
        lines = head.split("\n")
        old = re.fullmatch(r"old (0|[1-9][0-9]{0,17})", lines[0])
        if old is None:
            raise SubmissionError(
                "the first line is 'old' and the number of the entry that the witness signed for last"
            )
        if len(lines) - 1 > MOST_ENTRIES:
            raise SubmissionError(f"at most {MOST_ENTRIES} entries at once")
        try:
            return cls(int(old[1]), tuple(map(Entry.of_line, lines[1:])), read_note(note))
        except (BrokenEntryError, NoteError) as error:
            raise SubmissionError(str(error)) from None


KEY: Final = "witness.key"
NAME: Final = "witness.name"
LOCK: Final = "witness.lock"
TABLES: Final = "tables"
SEEN: Final = "seen"
_NAMES: Final = re.compile(r"[^\s+]{1,200}")


class WitnessError(ValueError):
    """The witness cannot do this; the message says why."""


@dataclass(frozen=True, slots=True)
class WitnessRefusal(Exception):  # noqa: N818  an answer of the protocol
    """The witness does not sign.

    Attributes:
        size: number of the last signed entry, if the table must know it.
    """

    status: int
    detail: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class WitnessedRecord:
    """What a witness stores of a record: the last signed checkpoint, and the key in force after it."""

    note: Note
    key: PublicKey

    @property
    def seq(self) -> int:
        return self.note.checkpoint.seq

    def json(self) -> bytes:
        return (json.dumps({"note": self.note.text, "key": self.key.hex}, indent=1) + "\n").encode()

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Parse what :meth:`json` wrote; ValueError, KeyError."""
        stored = json.loads(text)
        return cls(read_note(str(stored["note"])), PublicKey.of_hex(str(stored["key"])))


@dataclass(slots=True)
class WitnessBook:
    """A witness in its folder: its own key, the public keys of its tables, and the last signed checkpoints."""

    folder: Path
    name: str
    signer: Signer
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def make(cls, folder: Path, name: str) -> Self:
        """Create a witness in a new folder; WitnessError if the folder has one, OSError."""
        if not _NAMES.fullmatch(name):
            raise WitnessError("a witness needs a name without spaces and '+', such as surveillance.example/w1")
        if (folder / KEY).exists():
            raise WitnessError(f"{folder}: there is a witness already")
        for each in (folder, folder / TABLES, folder / SEEN):
            make_folder(each, 0o700)
        write_durably(folder / NAME, f"{name}\n".encode())
        return cls(folder, name, Signer.make(folder / KEY))

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the witness of a folder; WitnessError if it has none, KeyFileError."""
        try:
            name = (folder / NAME).read_text(encoding="utf-8").strip()
        except OSError:
            raise WitnessError(
                f"{folder}: no witness here; make one with `houseway witness serve --name NAME`"
            ) from None
        return cls(folder, name, Signer.load(folder / KEY))

    @classmethod
    def open_or_make(cls, folder: Path, name: str) -> Self:
        """Open or create the witness of this name; WitnessError if the folder has another, KeyFileError."""
        if not (folder / KEY).exists():
            return cls.make(folder, name)
        book = cls.open(folder)
        if book.name != name:
            raise WitnessError(f"{folder}: has the witness {book.name}, not {name}")
        return book

    @property
    def key(self) -> WitnessKey:
        return WitnessKey(self.name, self.signer.public)

    def claim(self) -> WriterLock:
        """Lock the folder, so that no other program signs from it; WitnessError if another does."""
        lock = WriterLock(self.folder / LOCK)
        try:
            lock.acquire()
        except BlockingIOError:
            raise WitnessError(f"{self.folder}: another witness signs from this folder") from None
        return lock

    def trust(self, table: str, key: PublicKey) -> None:
        """Sign the records of a table from now on; WitnessError, OSError."""
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", table):
            raise WitnessError("a table is named as in its settings, such as pit4-table2")
        write_durably(self.folder / TABLES / f"{table}.pem", key.pem)

    def records(self) -> Iterator[WitnessedRecord]:
        for path in sorted((self.folder / SEEN).glob("*.json")):
            yield WitnessedRecord.of_json(path.read_text(encoding="utf-8"))

    def record(self, record: str) -> WitnessedRecord | None:
        """Return a record by its id; None if it was never signed."""
        path = self._path(record)
        return WitnessedRecord.of_json(path.read_text(encoding="utf-8")) if path.exists() else None

    def forget(self, record: str) -> Path:
        """Forget a record on a person's request; return the file with its old state. WitnessError, OSError."""
        path = self._path(record)
        if not path.exists():
            raise WitnessError(f"nothing is known of a record {record}")
        kept = path.with_name(f"{record}.{time.time_ns()}.forgotten")
        path.rename(kept)
        return kept

    def add(self, sent: Submission) -> str:
        """Sign a checkpoint that extends the last one, and return the signature's line; WitnessRefusal, OSError."""
        with self._lock:
            checkpoint = sent.note.checkpoint
            known = self.record(checkpoint.record)
            key = self._first_key(sent) if known is None else _extended(known, sent)
            line = cosign(checkpoint, self.name, self.signer.raw, int(time.time()))
            # On disk first, so that no signed checkpoint is forgotten.
            stored = WitnessedRecord(sent.note.cosigned(line), key)
            write_durably(self._path(checkpoint.record), stored.json(), mode=0o600)
            return line

    def _path(self, record: str) -> Path:
        if not re.fullmatch(r"[0-9a-f]{32}", record):
            raise WitnessError(f"{record!r} is not the id of a record")
        return self.folder / SEEN / f"{record}.json"

    def _first_key(self, sent: Submission) -> PublicKey:
        """Return the table key that signed the first checkpoint of a new record; WitnessRefusal if none did."""
        if sent.old:
            raise WitnessRefusal(409, "nothing is known of this record yet", 0)
        for path in sorted((self.folder / TABLES).glob("*.pem")):
            key = PublicKey.load(path)
            if key.holds(sent.note.checkpoint):
                return key
        raise WitnessRefusal(403, "this checkpoint is not signed with a key of a table that this witness knows")


def _extended(known: WitnessedRecord, sent: Submission) -> PublicKey:
    """Check that a checkpoint extends the last signed one; return the key in force after it. WitnessRefusal."""
    before, checkpoint = known.note.checkpoint, sent.note.checkpoint
    if sent.old > checkpoint.seq:
        raise WitnessRefusal(400, "the old number is beyond the checkpoint's")
    if sent.old != known.seq:
        raise WitnessRefusal(409, f"this witness signed for entry {known.seq} last", known.seq)
    if checkpoint.seq == before.seq:
        if checkpoint.hash != before.hash:
            raise WitnessRefusal(422, f"entry {before.seq} is not the one that was signed for")
        if checkpoint != before:
            raise WitnessRefusal(403, "this checkpoint is not the one that was signed for")
        return known.key
    end, signing, following = _walked(before, known.key, sent.entries)
    if end != (checkpoint.seq, checkpoint.hash):
        raise WitnessRefusal(422, f"the entries lead to another one than the checkpoint's, {checkpoint.seq}")
    if not signing.holds(checkpoint):
        raise WitnessRefusal(403, "this checkpoint is not signed with the record's key")
    return following


def _walked(
    before: Checkpoint, key: PublicKey, entries: tuple[Entry, ...]
) -> tuple[tuple[int, str], PublicKey, PublicKey]:
    """Follow entries from a checkpoint.

    Returns:
        Number and hash of the last entry, the key that signs it, and the key in force after it; or WitnessRefusal.
    """
    seq, entry_hash, signing = before.seq, before.hash, key
    try:
        for entry in entries:
            check_link(entry, seq, entry_hash)
            signing = key
            if entry.kind == "signing_key":
                key = named_by(entry) or key
            seq, entry_hash = entry.seq, entry.hash
    except BrokenEntryError as error:
        raise WitnessRefusal(
            422, f"entry {seq + 1} does not follow entry {seq} as it was signed for: {error}"
        ) from None
    return (seq, entry_hash), signing, key


_log = logging.getLogger(__name__)

_SIZE: Final = "text/x.tlog.size"


def witness_app(book: WitnessBook) -> Starlette:
    """Return the HTTP application of a witness: ``POST /add-checkpoint`` and ``GET /checkpoint/{record}``.

    Requests need no key: the checkpoint's own signature authenticates them.
    """

    async def add(request: Request) -> Response:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return PlainTextResponse(f"at most {MOST_BYTES} bytes\n", 413)
        return await run_in_threadpool(_answer, book, bytes(body))

    def checkpoint(request: Request) -> Response:
        try:
            known = book.record(str(request.path_params["record"]))
        except WitnessError:
            known = None
        if known is None:
            return PlainTextResponse("nothing is known of this record\n", 404)
        return PlainTextResponse(known.note.text)

    return Starlette(
        routes=[
            Route("/add-checkpoint", add, methods=["POST"]),
            Route("/checkpoint/{record}", checkpoint, methods=["GET"]),
        ]
    )


def _answer(book: WitnessBook, body: bytes) -> Response:
    try:
        return PlainTextResponse(f"{book.add(_read(body))}\n")
    except (SubmissionError, WitnessError) as error:
        return PlainTextResponse(f"{error}\n", 400)
    except WitnessRefusal as refusal:
        _log.warning("not signed: %s", refusal.detail)
        if refusal.size is not None:
            return PlainTextResponse(f"{refusal.size}\n", refusal.status, media_type=_SIZE)
        return PlainTextResponse(f"{refusal.detail}\n", refusal.status)
    except OSError as error:
        _log.exception("the signed checkpoint cannot be stored")
        return PlainTextResponse(f"the signed checkpoint cannot be stored: {error.strerror}\n", 503)


def _read(body: bytes) -> Submission:
    try:
        return Submission.of_text(body.decode())
    except UnicodeDecodeError:
        raise SubmissionError("this is not text in UTF-8") from None
