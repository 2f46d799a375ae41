"""Secrets that the service itself must read again, sealed with a key that lies in a file beside the record.

Who has a copy of the database alone cannot open them; who has the whole folder can.
"""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.record.store.files import write_durably
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from pathlib import Path

KEY_FILE: Final = "second-factor.key"
_PRIVATE: Final = 0o600
_NONCE: Final = 12
_KEY: Final = 32


class SealError(WordedError):
    """Something sealed cannot be opened, or nothing can be sealed; the message says why."""


@dataclass(frozen=True, slots=True)
class Sealer:
    """Seals with AES-256-GCM; the key is made when it is first needed."""

    file: Path

    def seal(self, secret: str, of: str) -> str:
        """What is kept of a secret of somebody or something; SealError."""
        nonce = os.urandom(_NONCE)
        sealed = AESGCM(self._key(make=True)).encrypt(nonce, secret.encode(), of.encode())
        return base64.b64encode(nonce + sealed).decode()

    def open(self, sealed: str, of: str) -> str:
        """The secret; SealError if it was sealed with another key, for something else, or the key is gone."""
        key, kept = self._key(make=False), base64.b64decode(sealed)
        try:
            return AESGCM(key).decrypt(kept[:_NONCE], kept[_NONCE:], of.encode()).decode()
        except InvalidTag:
            raise SealError(
                words("a second factor cannot be decrypted with its key %(file)s", file=str(self.file))
            ) from None

    def _key(self, *, make: bool) -> bytes:
        try:
            if make and not self.file.exists():
                write_durably(self.file, os.urandom(_KEY), mode=_PRIVATE, replace=False)
            key = self.file.read_bytes()
        except OSError as error:
            why = {"file": str(self.file), "why": error.strerror}
            raise SealError(words("the key of second factors %(file)s cannot be used (%(why)s)", **why)) from None
        if len(key) != _KEY:
            raise SealError(words("a second factor cannot be decrypted with its key %(file)s", file=str(self.file)))
        return key
