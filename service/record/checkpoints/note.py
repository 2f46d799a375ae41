"""Checkpoints as text, in the form of C2SP ``tlog-checkpoint`` and ``signed-note``, as near as a chain comes to it.

The note is made of what the record holds already, so it is the same bytes whenever it is asked for::

    houseway-record-chain/v1/4b1f...            origin: names the record, and says that it is a chain and no tree
    1021                                        number of the newest entry
    q5Hn...=                                    its hash, base64; it holds that of the entry before, and so of all

    — houseway-record-chain/v1/4b1f... AbCd...  the table's signature
    — surveillance.example/w1 EfGh...           a witness's, of C2SP ``tlog-cosignature``

The third line is no root of a Merkle tree, so the table's signature has a type of its own: it is over the statement
that the record keeps with each entry, and has the moment of the entry in front, in microseconds since 1970.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidSignature

from service.record.store.entries import timestamp
from service.record.store.signing import Checkpoint, PublicKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ORIGIN: Final = "houseway-record-chain/v1/"
MOST_SIGNATURES: Final = 32
_OURS: Final = b"\xffhouseway-record-chain/v1"
"""Type of the table's signature: one that C2SP has given no number."""
_COSIGNATURE: Final = b"\x04"
"""Type of a witness's signature: C2SP ``cosignature/v1``, Ed25519 with a moment."""
_DASH: Final = "\N{EM DASH} "
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SIGNATURE: Final = re.compile(rf"{_DASH}([^\s+]+) ([A-Za-z0-9+/]+=*)")
_RECORD: Final = re.compile(r"[0-9a-f]{32}")


class NoteError(ValueError):
    """The text is not a checkpoint; the message says why."""


@dataclass(frozen=True, slots=True)
class Cosignature:
    """What a witness says: at this moment the record that it knew was extended by this checkpoint.

    Attributes:
        line: its line in the note, unchanged.
        key_id: which of the witness's keys made it.
        at: POSIX time, seconds.
    """

    name: str
    line: str
    key_id: bytes
    at: int
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A checkpoint with all its signatures.

    Attributes:
        key_id: which key the table says that it signed with.
    """

    checkpoint: Checkpoint
    key_id: bytes
    cosignatures: tuple[Cosignature, ...] = ()

    @property
    def text(self) -> str:
        lines = (self._signed_line(), *(each.line for each in self.cosignatures))
        return body_of(self.checkpoint) + "\n" + "".join(f"{line}\n" for line in lines)

    @property
    def compact(self) -> str:
        """The note in one word, for headers and JSON: base64."""
        return base64.b64encode(self.text.encode()).decode()

    def cosigned(self, *lines: str) -> Note:
        """Return the note with added witness signatures; NoteError if a line is invalid."""
        more = tuple(cosignature for line in lines if (cosignature := _cosignature(line)) not in self.cosignatures)
        return replace(self, cosignatures=self.cosignatures + more)

    def _signed_line(self) -> str:
        micros = _micros(self.checkpoint.at).to_bytes(8, "big")
        raw = self.key_id + micros + bytes.fromhex(self.checkpoint.signature)
        return f"{_DASH}{ORIGIN}{self.checkpoint.record} {base64.b64encode(raw).decode()}"


def note_of(checkpoint: Checkpoint, key: PublicKey) -> Note:
    """The note of a signed checkpoint; ``key`` is the one that signed it."""
    return Note(checkpoint, _key_id(f"{ORIGIN}{checkpoint.record}", _OURS, key))


def body_of(checkpoint: Checkpoint) -> str:
    """The lines of a note that are signed."""
    return (
        f"{ORIGIN}{checkpoint.record}\n{checkpoint.seq}\n{base64.b64encode(bytes.fromhex(checkpoint.hash)).decode()}\n"
    )


def read_note(text: str) -> Note:
    """Parse a note, plain or in base64, without checking signatures; NoteError if it is invalid."""
    if _DASH not in text:
        text = _unfolded(text)
    head, _, tail = text.strip().partition("\n\n")
    lines, signatures = head.split("\n"), tail.split("\n")
    if len(lines) != 3 or not 1 <= len(signatures) <= MOST_SIGNATURES or not lines[0].startswith(ORIGIN):
        raise NoteError(f"a checkpoint starts with {ORIGIN}RECORD, has three lines, an empty one, and its signatures")
    record = lines[0].removeprefix(ORIGIN)
    if not _RECORD.fullmatch(record) or not re.fullmatch(r"[1-9][0-9]{0,17}", lines[1]):
        raise NoteError("the first two lines of a checkpoint are the record and the number of its newest entry")
    own: tuple[bytes, bytes] | None = None
    others: list[Cosignature] = []
    for line in signatures:
        name, raw = _read_signature(line)
        if name == lines[0]:
            own = own or (raw[:4], raw[4:])
        elif len(raw) == 76:
            others.append(_cosignature(line))
    if own is None or len(own[1]) != 72:
        raise NoteError("the table's own signature is missing")
    micros = int.from_bytes(own[1][:8], "big")
    try:
        at = timestamp(_EPOCH + timedelta(microseconds=micros))
    except OverflowError:
        raise NoteError("its time is invalid") from None
    made = Checkpoint(record, int(lines[1]), _decoded(lines[2], 32).hex(), at, own[1][8:].hex())
    return Note(made, own[0], tuple(others))


def read_notes(text: str) -> tuple[Note, ...]:
    """Return all notes of a file in order; other lines are skipped."""
    found: list[Note] = []
    blocks = re.split(rf"^(?={re.escape(ORIGIN)})", text, flags=re.MULTILINE)
    for block in blocks:
        lines = block.split("\n")
        if not block.startswith(ORIGIN) or len(lines) < 5 or lines[3]:
            continue
        end = 4
        while end < len(lines) and lines[end].startswith(_DASH):
            end += 1
        try:
            found.append(read_note("\n".join(lines[:end]) + "\n"))
        except NoteError:
            continue  # cut off in the middle, as the end of a file may be
    return tuple(found)


@dataclass(frozen=True, slots=True)
class WitnessKey:
    """The public key of a witness and its name, as a C2SP verifier key: ``NAME+ID+KEY``."""

    name: str
    key: PublicKey

    @classmethod
    def of_text(cls, text: str) -> WitnessKey:
        """Read ``NAME+ID+KEY``; NoteError if it is not the key of a witness."""
        name, _, rest = text.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        raw = _decoded(encoded, 33)
        if not name or raw[:1] != _COSIGNATURE:
            raise NoteError("the key of a witness is needed: NAME+ID+KEY, as `houseway witness serve` prints it")
        made = cls(name, PublicKey.of_hex(raw[1:].hex()))
        if made.id.hex() != key_id:
            raise NoteError(f"the key of {name} is mistyped: its id does not belong to it")
        return made

    @property
    def id(self) -> bytes:
        """Its first four bytes, by which its signatures are found."""
        return _key_id(self.name, _COSIGNATURE, self.key)

    @property
    def text(self) -> str:
        raw = base64.b64encode(_COSIGNATURE + bytes.fromhex(self.key.hex)).decode()
        return f"{self.name}+{self.id.hex()}+{raw}"

    def made(self, cosignature: Cosignature) -> bool:
        """Whether a signature says that it is this witness's."""
        return cosignature.name == self.name and cosignature.key_id == self.id

    def holds(self, note: Note, cosignature: Cosignature) -> bool:
        """Whether this witness made a signature for this note."""
        try:
            self.key.raw.verify(cosignature.signature, _witnessed(note.checkpoint, cosignature.at))
        except InvalidSignature:
            return False
        return self.made(cosignature)


def cosign(checkpoint: Checkpoint, name: str, key: Ed25519PrivateKey, at: int) -> str:
    """The line by which a witness says at a POSIX time that it saw a checkpoint extend what it knew."""
    of_it = WitnessKey(name, PublicKey(key.public_key()))
    raw = of_it.id + at.to_bytes(8, "big") + key.sign(_witnessed(checkpoint, at))
    return f"{_DASH}{name} {base64.b64encode(raw).decode()}"


def _witnessed(checkpoint: Checkpoint, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{body_of(checkpoint)}".encode()


def _key_id(name: str, kind: bytes, key: PublicKey) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + kind + bytes.fromhex(key.hex)).digest()[:4]


def _cosignature(line: str) -> Cosignature:
    name, raw = _read_signature(line)
    if len(raw) != 76:
        raise NoteError("a signature of a witness is 76 bytes")
    return Cosignature(name, line, raw[:4], int.from_bytes(raw[4:12], "big"), raw[12:])


def _read_signature(line: str) -> tuple[str, bytes]:
    found = _SIGNATURE.fullmatch(line)
    raw = b"" if found is None else _decoded(found[2])
    if found is None or len(raw) < 5:
        raise NoteError("a signature line is a dash, a name and base64")
    return found[1], raw


def _decoded(text: str, length: int | None = None) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if not raw or (length is not None and len(raw) != length):
        raise NoteError("this is not base64, or not of the right length")
    return raw


def _unfolded(text: str) -> str:
    try:
        return _decoded("".join(text.split())).decode()
    except UnicodeDecodeError:
        raise NoteError("this is no checkpoint") from None


def _micros(at: str) -> int:
    return (datetime.fromisoformat(at) - _EPOCH) // timedelta(microseconds=1)
