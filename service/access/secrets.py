"""Passwords, and the random secrets of keys, sessions and links: how they are made, kept and compared.

Passwords are kept under Argon2id, slow on purpose; of 256 random bits a SHA-256 gives nothing away.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import unicodedata
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# The second of RFC 9106's recommended parameters, for machines where 2 GiB for one password are too much.
_HASHER: Final = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=4)
_ONE_AT_A_TIME: Final = threading.Lock()
# Of a password nobody has; verified when an account is unknown, so that the time taken does not tell.
_NOBODYS: Final = "$argon2id$v=19$m=65536,t=3,p=4$bm9ib2R5J3Mgc2FsdCEhIQ$jTMhVQ5i1yZ9nL0YB4Oe0uZ6o4s2m9oCkS4dQnS8m3E"
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"


def hash_password(password: str) -> str:
    """What is kept of a password; takes a tenth of a second or more and 64 MiB, one at a time."""
    with _ONE_AT_A_TIME:
        return _HASHER.hash(_typed(password))


def password_is(kept: str | None, given: str) -> bool:
    """Whether a password is the one that is kept; as slow if nothing is kept."""
    with _ONE_AT_A_TIME:
        try:
            return _HASHER.verify(kept or _NOBODYS, _typed(given)) and bool(kept)
        except (VerificationError, InvalidHashError):
            return False


def _typed(password: str) -> str:
    """The same however the keyboard composes its letters."""
    return unicodedata.normalize("NFKC", password)


def new_password() -> str:
    """A password to be read off a screen and typed: 100 bits, no characters that look alike."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(5)) for _ in range(4))


def new_secret() -> str:
    """256 random bits, fit for headers, cookies and links."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """What is kept of a random secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def secret_is(kept: str, given: str) -> bool:
    """Whether a secret is the one whose digest is kept, in a time that says nothing about where they differ."""
    return hmac.compare_digest(kept.encode(), digest(given).encode())


def csrf_token(session: str) -> str:
    """What a page of this session sends along to show that it is a page of ours."""
    return hmac.new(session.encode(), b"houseway page", hashlib.sha256).hexdigest()


def csrf_token_is(session: str, given: str) -> bool:
    """Whether a page of this session sent this."""
    return hmac.compare_digest(csrf_token(session).encode(), given.encode("utf-8", "surrogateescape"))
