"""Rate limits per client, and limits on wrong passwords.

Guesses from unknown browsers use up an account's limit for unknown browsers, never that of browsers in which the
account has signed in before.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.access.account_store import Account
    from service.system.service_settings import LimitsConfig

MAX_CLIENTS: Final = 10_000
"""Number of clients counted at the same time; the one with the oldest request is dropped first."""
ADDRESS_SHARE: Final = 5
"""One address may use a fifth of an account's guesses from unknown browsers."""
KNOWN_BROWSER_S: Final = 180 * 24 * 3600
"""How long a browser stays known after its last sign-in."""
_HOST_PREFIX: Final = 64
"""A client with an IPv6 network of this prefix can use all addresses in it."""
_LONGEST_NAME: Final = 40


class RateLimitedError(Exception):
    """Too many requests; the next one is allowed in ``wait_s`` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too often; again in {wait_s:.0f} s")
        self.wait_s = wait_s


@lru_cache(maxsize=4096)
def client_network(address: str) -> str:
    """Return the address, or the /64 network of an IPv6 address; other text is returned unchanged."""
    try:
        found = ipaddress.ip_address(address[:100].partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _HOST_PREFIX), strict=False))


@dataclass(slots=True)
class RateLimiter:
    """A bucket of ``burst`` tokens per client, refilled at ``per_s`` tokens a second; 0 sets no limit."""

    per_s: float
    burst: int
    clock: Callable[[], float] = time.monotonic
    # Client: tokens left, and when they were counted; the one with the oldest request comes first.
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, client: str) -> float:
        """Take a token and return 0; without a token return the seconds until the next one."""
        if self.per_s <= 0:
            return 0.0
        with self._lock:
            left = self._left(client)
            granted = left >= 1.0
            self._keep(client, left - 1.0 if granted else left)
        return 0.0 if granted else (1.0 - left) / self.per_s

    def give_back(self, client: str) -> None:
        """Return a token for a request that turned out not to count."""
        if self.per_s > 0:
            with self._lock:
                self._keep(client, min(self._left(client) + 1.0, self.burst))

    def _left(self, client: str) -> float:
        left, counted_at = self._buckets.get(client, (self.burst, self.clock()))
        return min(left + (self.clock() - counted_at) * self.per_s, self.burst)

    def _keep(self, client: str, left: float) -> None:
        self._buckets[client] = (left, self.clock())
        self._buckets.move_to_end(client)
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)


@dataclass(frozen=True, slots=True)
class PasswordGuess:
    """A password that is being checked, with the limits that it counts towards."""

    counted: tuple[tuple[RateLimiter, str], ...]

    def give_back(self) -> None:
        """Do not count it: the password was right, or was not checked."""
        for limiter, name in self.counted:
            limiter.give_back(name)


class PasswordGuesses:
    """Limits on wrong passwords."""

    def __init__(self, limits: LimitsConfig) -> None:
        per_s = limits.guesses_per_hour / 3600
        self._by_address = RateLimiter(limits.sign_ins_per_minute / 60, limits.sign_in_burst)
        self._by_account_and_address = RateLimiter(per_s / ADDRESS_SHARE, limits.sign_in_burst)
        self._by_account = RateLimiter(per_s, limits.guesses_burst)
        self._by_known_browser = RateLimiter(per_s, limits.sign_in_burst)

    def take(self, account: str, address: str, browser: str | None) -> PasswordGuess:
        """Count a guess before the password is checked; RateLimitedError if there were too many.

        Args:
            account: the name that was typed; the account need not exist.
            address: of the client.
            browser: id of a browser in which the account has signed in before; None for an unknown one.
        """
        account, address = account[:_LONGEST_NAME], client_network(address)
        if browser is not None:
            wanted = [(self._by_known_browser, f"{account} {browser}")]
        else:
            wanted = [
                (self._by_address, address),
                (self._by_account_and_address, f"{account} {address}"),
                (self._by_account, account),
            ]
        counted: list[tuple[RateLimiter, str]] = []
        for limiter, name in wanted:
            if wait_s := limiter.take(name):
                PasswordGuess(tuple(counted)).give_back()
                raise RateLimitedError(wait_s)
            counted.append((limiter, name))
        return PasswordGuess(tuple(counted))


def known_browser_cookie(account: Account) -> str:
    """Return a cookie value that identifies the browser: an id, and proof that this account signed in there.

    The proof is keyed with the password's hash, so a new password makes all browsers unknown.
    """
    browser = secrets.token_urlsafe(9)
    return f"{browser}.{_proof(account, browser)}"


def known_browser(account: Account, cookie: str) -> str | None:
    """Return the id of a browser in which the account has signed in; None if the cookie is invalid."""
    browser, _, proof = cookie.partition(".")
    if not hmac.compare_digest(_proof(account, browser).encode(), proof.encode("utf-8", "surrogateescape")):
        return None
    return browser


def _proof(account: Account, browser: str) -> str:
    message = f"houseway browser\n{account.name}\n{browser}".encode("utf-8", "surrogateescape")
    return hmac.new(account.password.encode(), message, hashlib.sha256).hexdigest()[:32]
