"""Checkpoints: the newest hash of the chain, signed with the table's own Ed25519 key.

The key never leaves its file; its public half is in the record's first entry and in every export.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Self

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

from service.record.store.chain import canonical_json
from service.record.store.files import write_durably
from service.words.codes import RecordCode
from service.words.findings import FindingError

if TYPE_CHECKING:
    from pathlib import Path

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
        """What is signed."""
        return canonical_json({"record": self.record, "seq": self.seq, "hash": self.hash, "at": self.at}).encode()

    def line(self) -> str:
        """The checkpoint as one line of an export."""
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
            key = load_pem_public_key(path.read_bytes())
        except (OSError, ValueError) as error:
            raise KeyFileError.of(RecordCode.PUBLIC_KEY_UNREADABLE, file=str(path), why=str(error)) from None
        if not isinstance(key, Ed25519PublicKey):
            raise KeyFileError.of(RecordCode.KEY_OF_ANOTHER_KIND, file=str(path))
        return cls(key)

    @property
    def hex(self) -> str:
        """The 32 bytes, hexadecimal."""
        return self.raw.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    @property
    def pem(self) -> bytes:
        """The key as a file."""
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
        """The half that everybody may have."""
        return PublicKey(self.raw.public_key())

    def sign(self, record: str, seq: int, entry_hash: str, at: str) -> Checkpoint:
        """State how the chain stands."""
        plain = Checkpoint(record, seq, entry_hash, at)
        return replace(plain, signature=self.sign_bytes(plain.statement()).hex())

    def sign_bytes(self, statement: bytes) -> bytes:
        """Ed25519 over a statement."""
        return self.raw.sign(statement)


def save_public_key(path: Path, key: PublicKey) -> None:
    """Write the public key beside the private one, unless it exists."""
    if not os.path.lexists(path):
        write_durably(path, key.pem)
