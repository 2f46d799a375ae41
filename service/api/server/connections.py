"""All connections of the service: how many there may be, and which is closed when room is needed.

Of the bounds, the one on all connections always holds, so that file handles are left for the rest of the service. When
it is reached, a stranger who keeps the service waiting gives way: of the address with the most, the oldest. Whoever is
signed in gives way last, and only between requests.
"""

from __future__ import annotations

import logging
import socket
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Final, Protocol

from service.access.rate_limits import client_network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_log = logging.getLogger(__name__)

GRACE_S: Final = 2.0
"""So long a connection is not held against its address: pages and pollers may all come back at once."""
MOST_UNSENT_BYTES: Final = 128 * 2**20
"""What may wait for all readers together; then the one with the most loses its connection."""
FREE_SHARE: Final = 0.1
"""The share of connections that callers who are signed in leave for others."""
_TELL_EVERY_S: Final = 60.0
BEHIND_PROXY: Final = ""
"""In place of an address: a trusted proxy, between the requests of those behind it."""


@unique
class Closed(StrEnum):
    """Why the service closed a connection, or did not take it."""

    NO_ROOM = "no_room"
    ADDRESS = "too_many_from_address"
    HEAD = "head_too_large"
    SLOW_REQUEST = "slow_request"
    SLOW_READER = "slow_reader"
    UNREAD = "too_much_unread"


class Client(Protocol):
    """The protocol that speaks with a client, as far as its connection is concerned."""

    @property
    def keeps_waiting(self) -> bool:
        """Whether the service owes it nothing: it has sent no whole request."""

    @property
    def unsent(self) -> int:
        """Bytes that wait until the client reads."""

    def overdue(self, now: float) -> Closed | None:
        """What the client takes too long for."""

    def leave(self) -> None:
        """Close once what was answered is sent."""

    def drop(self) -> None:
        """Close at once."""


@dataclass(eq=False, slots=True)
class Connection:
    """One connection.

    Attributes:
        socket: as it was accepted.
        proxied: comes from a trusted proxy.
        opened_at: by the monotonic clock.
        address: under which it is counted.
        caller: who is signed in on it; None for a stranger.
        client: speaks with the client; None before the end of the TLS handshake.
    """

    socket: socket.socket
    proxied: bool
    opened_at: float
    address: str
    caller: str | None = None
    client: Client | None = None
    _all: Connections | None = field(default=None, repr=False)

    def claim(self, address: str, caller: str | None) -> bool:
        """Say who asks, as :meth:`Connections.claim`."""
        return self._all is None or self._all.claim(self, address, caller)

    @property
    def keeps_waiting(self) -> bool:
        """Whether nothing is owed to the client."""
        return self.client is None or self.client.keeps_waiting


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many connections there may be: in all, of strangers from one address, and of one key or page."""

    in_all: int
    per_address: int
    per_caller: int


@dataclass(slots=True)
class Connections:
    """The connections of one service.

    Attributes:
        bounds: how many there may be.
        is_proxy: whether an address is a trusted proxy's.
        closed: is told why a connection was closed.
    """

    bounds: Bounds
    is_proxy: Callable[[str], bool] = lambda _address: False
    closed: Callable[[Closed], None] = lambda _why: None
    clock: Callable[[], float] = time.monotonic
    # Of each address, its strangers' connections, and of each caller the caller's own; the oldest first.
    _strangers: dict[str, dict[Connection, None]] = field(default_factory=dict)
    _callers: dict[str, dict[Connection, None]] = field(default_factory=dict)
    _all: dict[Connection, None] = field(default_factory=dict)
    _not_told: Counter[Closed] = field(default_factory=Counter)
    _told_at: float = float("-inf")

    def __len__(self) -> int:
        """How many there are."""
        return len(self._all)

    @property
    def signed_in(self) -> int:
        """How many are of callers who are signed in."""
        return sum(map(len, self._callers.values()))

    def admit(self, accepted: socket.socket, peer: str) -> Connection | None:
        """Take in a new connection, another one giving way if need be; None if none can."""
        if len(self._all) >= self.bounds.in_all and not self._make_room():
            self._count(Closed.NO_ROOM)
            return None
        proxied = self.is_proxy(peer)
        made = Connection(accepted, proxied, self.clock(), BEHIND_PROXY if proxied else client_network(peer), _all=self)
        self._all[made] = None
        self._enter(made)
        return made

    def gone(self, connection: Connection) -> None:
        """A connection has ended."""
        if connection in self._all:
            del self._all[connection]
            self._leave(connection)

    def claim(self, connection: Connection, address: str, caller: str | None) -> bool:
        """Say who asks on a connection, None for a stranger; False if the caller has too many, or all of them have.

        Args:
            connection: the connection.
            address: of the client; behind a proxy the one that the proxy tells.
            caller: under what name the caller's requests are counted.
        """
        if connection not in self._all:
            return True  # was closed meanwhile: nobody will read the answer
        if caller is not None and caller != connection.caller:
            most = min(self.bounds.in_all * (1 - FREE_SHARE) - self.signed_in, self.bounds.per_caller)
            if len(self._callers.get(caller, ())) >= self.bounds.per_caller or most < 1:
                return False
        self._leave(connection)
        connection.caller, connection.address = caller, client_network(address)
        self._enter(connection)
        return True

    def rest(self, connection: Connection) -> None:
        """A request was answered; the next one that a proxy sends may be of another client."""
        if connection.proxied and connection in self._all:
            self._leave(connection)
            connection.caller, connection.address = None, BEHIND_PROXY
            self._enter(connection)

    def sweep(self) -> None:
        """Close what takes too long, and what is too much of one address."""
        now = self.clock()
        for connection in list(self._all):
            if connection.client is not None and (why := connection.client.overdue(now)) is not None:
                self._count(why)
                connection.client.drop() if why is Closed.SLOW_READER else connection.client.leave()
        for address, theirs in list(self._strangers.items()):
            too_many = 0 if address == BEHIND_PROXY else len(theirs) - self.bounds.per_address
            for connection in list(theirs)[: max(0, too_many)]:
                if connection.keeps_waiting and now - connection.opened_at > GRACE_S:
                    self._close(connection, Closed.ADDRESS)
        self._tell(now)

    def unread(self) -> None:
        """Somebody does not read: whoever has most waiting loses the largest, if all have too much."""
        waiting = {each: each.client.unsent for each in self._all if each.client is not None and each.client.unsent}
        if len(waiting) < 2 or sum(waiting.values()) <= MOST_UNSENT_BYTES:
            return
        per_client: Counter[str] = Counter()
        for each, size in waiting.items():
            per_client[each.caller or each.address] += size
        ((most, _),) = per_client.most_common(1)
        theirs = (each for each in waiting if (each.caller or each.address) == most)
        self._close(max(theirs, key=waiting.__getitem__), Closed.UNREAD)

    def refused(self, why: Closed) -> None:
        """A connection closes itself."""
        self._count(why)

    def _make_room(self) -> bool:
        if (found := next(self._dispensable(), None)) is None:
            return False
        self._close(found, Closed.NO_ROOM)
        return True

    def _dispensable(self) -> Iterator[Connection]:
        """Who gives way, first those who give way first."""
        by_count = sorted(
            self._strangers, key=lambda address: (address == BEHIND_PROXY, -len(self._strangers[address]))
        )
        for address in by_count:
            yield from (each for each in self._strangers[address] if each.keeps_waiting)
        for theirs in sorted(self._callers.values(), key=len, reverse=True):
            yield from (each for each in theirs if each.keeps_waiting and not (each.client and each.client.unsent))

    def _close(self, connection: Connection, why: Closed) -> None:
        self._count(why)
        if connection.client is not None:
            connection.client.drop()
        else:
            # In the middle of a TLS handshake, which then fails and closes it.
            with suppress(OSError):
                connection.socket.shutdown(socket.SHUT_RDWR)
        self.gone(connection)

    def _group(self, connection: Connection) -> tuple[dict[str, dict[Connection, None]], str]:
        if connection.caller is None:
            return self._strangers, connection.address
        return self._callers, connection.caller

    def _enter(self, connection: Connection) -> None:
        groups, name = self._group(connection)
        groups.setdefault(name, {})[connection] = None

    def _leave(self, connection: Connection) -> None:
        groups, name = self._group(connection)
        groups[name].pop(connection, None)
        if not groups[name]:
            del groups[name]

    def _count(self, why: Closed) -> None:
        self._not_told[why] += 1
        self.closed(why)

    def _tell(self, now: float) -> None:
        """Write what was closed, at most once a minute: strangers must not fill the log."""
        if self._not_told and now - self._told_at >= _TELL_EVERY_S:
            told = ", ".join(f"{why.value} {count}" for why, count in sorted(self._not_told.items()))
            _log.warning("connections closed: %s; %s are open, %s of them signed in", told, len(self), self.signed_in)
            self._not_told.clear()
            self._told_at = now
