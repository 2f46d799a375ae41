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
from service.record.store.chain import BrokenEntryError, Entry, check_link
from service.record.store.files import WriterLock, make_folder, write_durably
from service.record.store.keys import named_by
from service.record.store.signing import PublicKey, Signer

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
    """This is no submission; the message says why."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What is sent.

    Attributes:
        old: number of the entry that the witness signed for last; 0 if it never did.
        entries: those behind it, up to the checkpoint's; none if the witness knows nothing yet.
        note: the checkpoint.
    """

    old: int
    entries: tuple[Entry, ...]
    note: Note

    @property
    def text(self) -> str:
        """The body of the request."""
        return "".join((f"old {self.old}\n", *(f"{entry.line()}\n" for entry in self.entries), "\n", self.note.text))

    @classmethod
    def of_text(cls, text: str) -> Submission:
        """Read the body of a request; SubmissionError if it is none."""
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
    """The witness cannot be used as asked; the message says why."""


@dataclass(frozen=True, slots=True)
class Refusal(Exception):  # noqa: N818  an answer, as the protocol has it
    """The witness does not sign.

    Attributes:
        status: the HTTP status that says why.
        detail: the same in words.
        size: number of the entry that it signed for last, where the table must know it.
    """

    status: int
    detail: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one record: the last checkpoint signed for, and the key that signs what follows."""

    note: Note
    key: PublicKey

    @property
    def seq(self) -> int:
        """Number of the entry."""
        return self.note.checkpoint.seq

    def json(self) -> bytes:
        """As it is kept."""
        return (json.dumps({"note": self.note.text, "key": self.key.hex}, indent=1) + "\n").encode()

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Read it; ValueError, KeyError."""
        told = json.loads(text)
        return cls(read_note(str(told["note"])), PublicKey.of_hex(str(told["key"])))


@dataclass(slots=True)
class WitnessBook:
    """A witness in its folder: its own key, the public keys of the tables it knows, and what it signed for last.

    Attributes:
        folder: where all of it is.
        name: what it is called.
        signer: its private key.
    """

    folder: Path
    name: str
    signer: Signer
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def make(cls, folder: Path, name: str) -> Self:
        """Begin a witness in a new folder; WitnessError if there is one, OSError."""
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
        """The witness of a folder; WitnessError if there is none, KeyFileError."""
        try:
            name = (folder / NAME).read_text(encoding="utf-8").strip()
        except OSError:
            raise WitnessError(
                f"{folder}: no witness here; make one with `houseway witness serve --name NAME`"
            ) from None
        return cls(folder, name, Signer.load(folder / KEY))

    @classmethod
    def open_or_make(cls, folder: Path, name: str) -> Self:
        """The witness of this name, made if the folder has none; WitnessError if it has another, KeyFileError."""
        if not (folder / KEY).exists():
            return cls.make(folder, name)
        book = cls.open(folder)
        if book.name != name:
            raise WitnessError(f"{folder}: has the witness {book.name}, not {name}")
        return book

    @property
    def key(self) -> WitnessKey:
        """Its public key."""
        return WitnessKey(self.name, self.signer.public)

    def claim(self) -> WriterLock:
        """Be the only program that signs from this folder; WitnessError if another does."""
        lock = WriterLock(self.folder / LOCK)
        try:
            lock.acquire()
        except BlockingIOError:
            raise WitnessError(f"{self.folder}: another witness signs from this folder") from None
        return lock

    def trust(self, table: str, key: PublicKey) -> None:
        """Sign for the records of a table from now on; OSError."""
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", table):
            raise WitnessError("a table is named as in its settings, such as pit4-table2")
        write_durably(self.folder / TABLES / f"{table}.pem", key.pem)

    def known(self) -> Iterator[Known]:
        """All that it signed for last, record by record."""
        for path in sorted((self.folder / SEEN).glob("*.json")):
            yield Known.of_json(path.read_text(encoding="utf-8"))

    def known_of(self, record: str) -> Known | None:
        """What it signed for last of a record; None if it never did."""
        path = self._path(record)
        return Known.of_json(path.read_text(encoding="utf-8")) if path.exists() else None

    def forget(self, record: str) -> Path:
        """Begin anew with a record, on a person's word; what was known stays beside it. WitnessError, OSError."""
        path = self._path(record)
        if not path.exists():
            raise WitnessError(f"nothing is known of a record {record}")
        kept = path.with_name(f"{record}.{time.time_ns()}.forgotten")
        path.rename(kept)
        return kept

    def add(self, sent: Submission) -> str:
        """Sign for a checkpoint if it extends what is known; the signature's line. Refusal if it does not, OSError."""
        with self._lock:
            checkpoint = sent.note.checkpoint
            known = self.known_of(checkpoint.record)
            key = self._first_key(sent) if known is None else _extended(known, sent)
            line = cosign(checkpoint, self.name, self.signer.raw, int(time.time()))
            # On disk first: what is signed is never forgotten.
            write_durably(self._path(checkpoint.record), Known(sent.note.cosigned(line), key).json(), mode=0o600)
            return line

    def _path(self, record: str) -> Path:
        if not re.fullmatch(r"[0-9a-f]{32}", record):
            raise WitnessError(f"{record!r} is not the id of a record")
        return self.folder / SEEN / f"{record}.json"

    def _first_key(self, sent: Submission) -> PublicKey:
        """The key of a record of which nothing is known yet: it is taken as it is now, if a known table signed it."""
        if sent.old:
            raise Refusal(409, "nothing is known of this record yet", 0)
        for path in sorted((self.folder / TABLES).glob("*.pem")):
            key = PublicKey.load(path)
            if key.holds(sent.note.checkpoint):
                return key
        raise Refusal(403, "this checkpoint is not signed with a key of a table that this witness knows")


def _extended(known: Known, sent: Submission) -> PublicKey:
    """The key that signs what follows a checkpoint that extends what is known; Refusal if it does not."""
    before, checkpoint = known.note.checkpoint, sent.note.checkpoint
    if sent.old > checkpoint.seq:
        raise Refusal(400, "the old number is beyond the checkpoint's")
    if sent.old != known.seq:
        raise Refusal(409, f"this witness signed for entry {known.seq} last", known.seq)
    if checkpoint.seq == before.seq:
        if checkpoint.hash != before.hash:
            raise Refusal(422, f"entry {before.seq} is not the one that was signed for")
        if checkpoint != before:
            raise Refusal(403, "this checkpoint is not the one that was signed for")
        return known.key
    end, signing, following = _walked(before, known.key, sent.entries)
    if end != (checkpoint.seq, checkpoint.hash):
        raise Refusal(422, f"the entries lead to another one than the checkpoint's, {checkpoint.seq}")
    if not signing.holds(checkpoint):
        raise Refusal(403, "this checkpoint is not signed with the record's key")
    return following


def _walked(
    before: Checkpoint, key: PublicKey, entries: tuple[Entry, ...]
) -> tuple[tuple[int, str], PublicKey, PublicKey]:
    """Where entries lead to from a checkpoint, which key signs the last of them, and which what follows; Refusal."""
    seq, entry_hash, signing = before.seq, before.hash, key
    try:
        for entry in entries:
            check_link(entry, seq, entry_hash)
            signing = key
            if entry.kind == "signing_key":
                key = named_by(entry) or key
            seq, entry_hash = entry.seq, entry.hash
    except BrokenEntryError as error:
        raise Refusal(422, f"entry {seq + 1} does not follow entry {seq} as it was signed for: {error}") from None
    return (seq, entry_hash), signing, key


_log = logging.getLogger(__name__)

_SIZE: Final = "text/x.tlog.size"


def witness_app(book: WitnessBook) -> Starlette:
    """The application of a witness. A request needs no key: the checkpoint's own signature is what counts."""

    async def add(request: Request) -> Response:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return PlainTextResponse(f"at most {MOST_BYTES} bytes\n", 413)
        return await run_in_threadpool(_answer, book, bytes(body))

    def checkpoint(request: Request) -> Response:
        try:
            known = book.known_of(str(request.path_params["record"]))
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
    except Refusal as refusal:
        _log.warning("not signed: %s", refusal.detail)
        if refusal.size is not None:
            return PlainTextResponse(f"{refusal.size}\n", refusal.status, media_type=_SIZE)
        return PlainTextResponse(f"{refusal.detail}\n", refusal.status)
    except OSError as error:
        _log.exception("what was signed for cannot be kept")
        return PlainTextResponse(f"what is signed for cannot be kept: {error.strerror}\n", 503)


def _read(body: bytes) -> Submission:
    try:
        return Submission.of_text(body.decode())
    except UnicodeDecodeError:
        raise SubmissionError("this is no text") from None
