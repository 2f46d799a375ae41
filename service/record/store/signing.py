"""Checkpoints, which state the newest hash of the chain, and the Ed25519 keys that sign them.

The private key never leaves its file; its public half is in the record's first entry and in every export.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from calibration.files.json_file import read_bounded
from calibration.files.seal import sync_folder
from service.record.store.entries import BrokenEntryError, canonical_json, hash_of
from service.record.store.faults import MEMORY
from service.record.store.files import write_durably
from service.record.store.record_settings import KEY, KEY_NEXT, PUBLIC_KEY
from service.words.codes import RecordCode
from service.words.findings import FindingError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from service.record.store.entries import Entry
    from service.record.store.record_settings import RecordSettings

_PRIVATE = 0o600


class KeyFileError(FindingError, ValueError):
    """A key file cannot be used."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed statement of how the chain stood: its newest entry, and Ed25519 over canonical JSON, hexadecimal."""

    record: str
    seq: int
    hash: str
    at: str
    signature: str = ""

    def statement(self) -> bytes:
        return canonical_json({"record": self.record, "seq": self.seq, "hash": self.hash, "at": self.at}).encode()

    def line(self) -> str:
        return canonical_json(asdict(self))


@dataclass(frozen=True, slots=True)
class PublicKey:
    """What signatures are checked with."""

    raw: Ed25519PublicKey

    @classmethod
    def of_hex(cls, text: str) -> Self:
        """The key of its 32 bytes, hexadecimal; ValueError if they are none."""
        return cls(Ed25519PublicKey.from_public_bytes(bytes.fromhex(text)))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a public key in PEM; KeyFileError if the file holds no Ed25519 public key."""
        try:
            key = load_pem_public_key(read_bounded(path))
        except (OSError, ValueError) as error:
            raise KeyFileError.of(RecordCode.PUBLIC_KEY_UNREADABLE, file=str(path), why=str(error)) from None
        if not isinstance(key, Ed25519PublicKey):
            raise KeyFileError.of(RecordCode.KEY_OF_ANOTHER_KIND, file=str(path))
        return cls(key)

    @property
    def hex(self) -> str:
        return self.raw.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    @property
    def pem(self) -> bytes:
        return self.raw.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def holds(self, checkpoint: Checkpoint) -> bool:
        """Whether the holder of the private key signed this."""
        return self.signed(checkpoint.statement(), checkpoint.signature)

    def signed(self, statement: bytes, signature: str) -> bool:
        """Whether a signature, hexadecimal, is the key's holder's over these bytes."""
        try:
            self.raw.verify(bytes.fromhex(signature), statement)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signer:
    """The private key of a record."""

    raw: Ed25519PrivateKey

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a key file; KeyFileError if it holds no Ed25519 key, or others may read it."""
        try:
            mode, key = path.stat().st_mode, load_pem_private_key(path.read_bytes(), None)
        except (OSError, ValueError, TypeError) as error:
            raise KeyFileError.of(RecordCode.KEY_UNREADABLE, file=str(path), why=str(error)) from None
        if mode & 0o077:
            raise KeyFileError.of(RecordCode.KEY_EXPOSED, file=str(path))
        if not isinstance(key, Ed25519PrivateKey):
            raise KeyFileError.of(RecordCode.KEY_OF_ANOTHER_KIND, file=str(path))
        return cls(key)

    @classmethod
    def make(cls, path: Path) -> Self:
        """Make a key and put it on disk for its owner alone; OSError if that fails."""
        made = Ed25519PrivateKey.generate()
        write_durably(
            path, made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), mode=_PRIVATE, replace=False
        )
        return cls(made)

    @property
    def public(self) -> PublicKey:
        return PublicKey(self.raw.public_key())

    def sign(self, record: str, seq: int, entry_hash: str, at: str) -> Checkpoint:
        plain = Checkpoint(record, seq, entry_hash, at)
        return replace(plain, signature=self.sign_bytes(plain.statement()).hex())

    def sign_bytes(self, statement: bytes) -> bytes:
        return self.raw.sign(statement)


def save_public_key(path: Path, key: PublicKey) -> None:
    """Write the public key beside the private one, unless it is there; a crash may have left the one before."""
    try:
        there = path.read_bytes()
    except FileNotFoundError:
        there = b""
    if there != key.pem:
        write_durably(path, key.pem)


def named_by(entry: Entry) -> PublicKey | None:
    """Return the key that an entry names for later entries, if any; BrokenEntryError if it is not a valid key."""
    if entry.kind not in {"record", "signing_key"}:
        return None
    try:
        return PublicKey.of_hex(str(entry.data["public_key"]))
    except (KeyError, ValueError):
        raise BrokenEntryError.of(RecordCode.NO_SUCH_KEY, entry=entry.seq) from None


def follow(key: PublicKey, record: str, rotations: Iterable[tuple[Entry, str]]) -> PublicKey:
    """The key that is in force behind some changes of it, each with its signature; BrokenEntryError if one fails."""
    for entry, signature in rotations:
        named = named_by(entry) if entry.kind == "signing_key" else None
        if hash_of(entry) != entry.hash:
            raise BrokenEntryError.of(RecordCode.HASH_WRONG)
        if named is None or not key.holds(Checkpoint(record, entry.seq, entry.hash, entry.at, signature)):
            raise BrokenEntryError.of(RecordCode.SIGNED_WITH_ANOTHER_KEY)
        key = named
    return key


_NEW: Final = f"{KEY}.new"


def left_of_record(settings: RecordSettings) -> Path | None:
    """A file that only a record leaves: its key, the public half, what its check found; beside its folder the mark."""
    left = (*(settings.folder / name for name in (KEY, PUBLIC_KEY, MEMORY)), settings.mark_file)
    return next((file for file in left if file.exists()), None)


def begin_key(folder: Path) -> Signer:
    """Return the key for a new record; a key left by a crash is reused."""
    new = folder / _NEW
    return Signer.load(new) if new.exists() else Signer.make(new)


def take_up_key(folder: Path) -> None:
    """Give the key its name: the first entry that it signed is durable."""
    (folder / _NEW).rename(folder / KEY)
    sync_folder(folder)


def put_in_place(folder: Path) -> None:
    """Have the key that comes next take the place of the one before; OSError."""
    save_public_key(folder / PUBLIC_KEY, Signer.load(folder / KEY_NEXT).public)
    (folder / KEY_NEXT).replace(folder / KEY)
    sync_folder(folder)


def load_signer(folder: Path, public: str) -> Signer:
    """The key of a record that is there; KeyFileError if it is missing, cannot be read or is another record's."""
    key, new, following = folder / KEY, folder / _NEW, folder / KEY_NEXT
    if following.exists() and Signer.load(following).public.hex == public:
        put_in_place(folder)  # the change to this key was recorded, and the power went before its file was in place
    if not key.exists() and new.exists() and Signer.load(new).public.hex == public:
        take_up_key(folder)  # the power went between the first entry and this
    if not key.exists():
        raise KeyFileError.of(RecordCode.KEY_MISSING, file=str(key))
    signer = Signer.load(key)
    if signer.public.hex != public:
        raise KeyFileError.of(RecordCode.KEY_OF_ANOTHER_RECORD, file=str(key))
    return signer
