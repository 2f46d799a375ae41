"""Passwords and random secrets: how they are generated, checked for strength, stored and compared.

Passwords are stored as Argon2id hashes. Keys, sessions and links are 256 random bits, of which a SHA-256 is stored.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import re
import secrets
import sys
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The second of RFC 9106's recommended parameters, for machines where 2 GiB for one password are too much.
_HASHER: Final = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=4)
_HASHING: Final = threading.Lock()
# The hash of a password nobody has; verified when an account is unknown, so that timing does not reveal that.
_NOBODYS: Final = "$argon2id$v=19$m=65536,t=3,p=4$bm9ib2R5J3Mgc2FsdCEhIQ$jTMhVQ5i1yZ9nL0YB4Oe0uZ6o4s2m9oCkS4dQnS8m3E"
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters and digits that look alike."""
MAX_WAITING: Final = 8
"""Maximum number of passwords that wait to be checked, a tenth of a second or more each."""
RETRY_AFTER_S: Final = 5.0
_NICENESS: Final = 5
SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 200
_ESTIMATED: Final = 40
"""Number of characters of a password that are estimated: the time grows faster than the length."""
_GUESSES_LOG10: Final = 8.0
"""The fewest guesses, as a power of ten: what zxcvbn calls safely unguessable under a slow hash."""
_OWN_LETTERS: Final = 4
"""The fewest letters that a password has besides known names."""
_WELL_KNOWN: Final = (
    "correcthorsebatterystaple",
    "thequickbrownfoxjumpsoverthelazydog",
    "maytheforcebewithyou",
    "tobeornottobethatisthequestion",
    "loremipsumdolorsitamet",
    "openthepodbaydoorshal",
    "iamthewalrus",
    "letmeinplease",
)
"""Long passwords known from books and films, which word lists lack."""
_TRADE: Final = (
    *("houseway", "casino", "paigow", "pai", "gow", "tiles", "dice", "dealer", "pit", "table", "floor", "house"),
    *("supervisor", "technician", "auditor", "viewer", "admin", "administrator", "surveillance", "geejoon", "dominoes"),
    *("crown", "star", "skycity", "sky", "city", "melbourne", "sydney", "perth", "auckland", "macau", "hongkong"),
)
_SIGNS: Final = str.maketrans("@$!|([{<+%", "asilcccctx")
"""Signs as the letters they stand for: zxcvbn tries every reading of each, for seconds if there are many."""
_FEW_SIGNS: Final = 2
_ESTIMATING: Final = threading.Lock()


class BusyError(Exception):
    """Too many passwords are waiting to be checked."""

    wait_s = RETRY_AFTER_S


class WeakPasswordError(WordedError):
    """The password is too weak; the message says what is required."""


def hash_password(password: str) -> str:
    """Hash a password; takes a tenth of a second or more and 64 MiB, one at a time."""
    with _HASHING:
        return _HASHER.hash(_normalized(password))


def password_matches(password_hash: str | None, password: str) -> bool:
    """Return whether a password has this hash; takes equally long without a hash."""
    with _HASHING:
        try:
            return _HASHER.verify(password_hash or _NOBODYS, _normalized(password)) and bool(password_hash)
        except (VerificationError, InvalidHashError):
            return False


def _normalized(password: str) -> str:
    """Normalise a password, independently of how the keyboard composes letters."""
    return unicodedata.normalize("NFKC", password)


class PasswordChecks:
    """Checks one password at a time in a low-priority thread, since hashing is slow on purpose."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "passwords", initializer=_lower_priority)
        self._waiting = 0

    async def matches(self, password_hash: str | None, password: str) -> bool:
        """As `password_matches`; BusyError if too many are waiting."""
        if self._waiting >= MAX_WAITING:
            raise BusyError
        self._waiting += 1
        try:
            return await asyncio.wrap_future(self._thread.submit(password_matches, password_hash, password))
        finally:
            self._waiting -= 1


def _lower_priority() -> None:
    """Lower the priority of the thread and of those that compute a hash for it; Linux has one for each thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def new_password() -> str:
    """Return a password to read from a screen and type: 100 bits, no characters that look alike."""
    return "-".join(random_letters(5) for _ in range(4))


def random_letters(count: int) -> str:
    """Return random small letters and digits that do not look alike, 5 bits each."""
    return "".join(secrets.choice(_LETTERS) for _ in range(count))


def new_secret() -> str:
    """Return 256 random bits as text for headers, cookies and links."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """Return the SHA-256 of a random secret, hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def secret_matches(stored: str, secret: str) -> bool:
    """Return whether a secret has this digest, compared in constant time."""
    return hmac.compare_digest(stored.encode(), digest(secret).encode())


def csrf_token(session: str) -> str:
    """Return the token by which a page of this session proves its origin."""
    return hmac.new(session.encode(), b"houseway page", hashlib.sha256).hexdigest()


def csrf_token_matches(session: str, token: str) -> bool:
    """Return whether the token is that of the session, compared in constant time."""
    return hmac.compare_digest(csrf_token(session).encode(), token.encode("utf-8", "surrogateescape"))


def names_of(*names: str) -> tuple[str, ...]:
    """Return names and their parts, which an attacker would try as passwords."""
    return tuple(_parts(names))


def check_password(password: str, account: str, names: Iterable[str] = ()) -> None:
    """Raise WeakPasswordError for a password that is easily guessed.

    zxcvbn estimates the guesses; it has lists of common passwords, words and names, and knows keyboards.

    Args:
        password: as it was typed.
        account: name of its account.
        names: further words that an attacker would try, from `names_of`.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise WeakPasswordError(
            words(
                "a password has %(shortest)s to %(longest)s characters",
                shortest=SHORTEST_PASSWORD,
                longest=LONGEST_PASSWORD,
            )
        )
    if not password.isprintable():
        raise WeakPasswordError(words("this password has characters that cannot be typed"))
    if len(set(password)) < 5:
        raise WeakPasswordError(words("this password has too few different characters; use several words"))
    if account.lower() in password.lower() and len(password) < len(account) + SHORTEST_PASSWORD:
        raise WeakPasswordError(words("this password is little more than the account's name; use several words"))
    known = (*_WELL_KNOWN, *_TRADE, *_parts((account,)), *names)
    if _is_made_of(known, password) or _guesses_log10(password, known) < _GUESSES_LOG10:
        raise WeakPasswordError(
            words(
                "this password is easily guessed: it is a common one, or made of names, dates, repetitions or keys "
                "side by side; use four or more words that have nothing to do with each other, or let a password "
                "manager make one"
            )
        )


def _is_made_of(names: Sequence[str], password: str) -> bool:
    """Return whether a password consists of known names with digits and signs, and little else."""
    rest = password.lower()
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(name, "")
    return len(rest) < len(password) and sum(map(str.isalpha, rest)) < _OWN_LETTERS


def _guesses_log10(password: str, known: Sequence[str]) -> float:
    """Return the number of guesses needed, as a power of ten: the least of several variants of the password."""
    from zxcvbn import zxcvbn  # noqa: PLC0415  its lists are read when it is imported, and few commands need them

    bare = re.sub(r"[\W_]+", "", password)
    variants = {password.translate(_SIGNS)[:_ESTIMATED]}
    if len({each for each in password if ord(each) in _SIGNS}) <= _FEW_SIGNS:
        variants.add(password[:_ESTIMATED])
    if 2 * len(bare) >= len(password):
        variants.add(bare[:_ESTIMATED])
    # It stores the given names in a global variable.
    with _ESTIMATING:
        return min(float(zxcvbn(each, user_inputs=list(known))["guesses_log10"]) for each in variants)


def _parts(names: Iterable[str]) -> set[str]:
    """Return names without separators, and their parts of three letters or more."""
    found = {re.sub(r"[\W_]+", "", name.lower()) for name in names}
    found |= {part for name in names for part in re.split(r"[\W_]+", name.lower())}
    return {each for each in found if len(each) > 2}
