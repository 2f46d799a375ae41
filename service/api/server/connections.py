"""The connections of the service: their limits, and which one is closed to make room.

The limit on all connections always holds, so that file handles remain for the rest of the service. When it is reached,
an idle anonymous connection is closed: the oldest of the address with the most. Connections of authenticated callers
are closed last, and only between requests.
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
"""New connections do not count against their address: pages and pollers may all reconnect at once."""
MOST_UNSENT_BYTES: Final = 128 * 2**20
"""Limit of unread bytes of all clients together; beyond it, the client with the most is disconnected."""
FREE_SHARE: Final = 0.1
"""Share of connections reserved for anonymous clients."""
_LOG_EVERY_S: Final = 60.0
BEHIND_PROXY: Final = ""
"""Stands for the address of a trusted proxy between requests."""


@unique
class Closed(StrEnum):
    """Why the service closed or refused a connection."""

    NO_ROOM = "no_room"
    ADDRESS = "too_many_from_address"
    HEAD = "head_too_large"
    SLOW_REQUEST = "slow_request"
    SLOW_READER = "slow_reader"
    UNREAD = "too_much_unread"


class Client(Protocol):
    """The protocol of a connection."""

    @property
    def keeps_waiting(self) -> bool:
        """Whether no complete request awaits its response."""

    @property
    def unsent(self) -> int:
        """Bytes that the client has not read yet."""

    def overdue(self, now: float) -> Closed | None:
        """The reason to disconnect a client that is too slow, if it is."""

    def leave(self) -> None:
        """Close once the pending responses are sent."""

    def drop(self) -> None:
        """Close at once."""


@dataclass(eq=False, slots=True)
class Connection:
    """One connection.

    Attributes:
        socket: the accepted socket.
        proxied: whether it comes from a trusted proxy.
        opened_at: by the monotonic clock.
        address: the network that it counts against.
        caller: the authenticated caller; None for an anonymous client.
        client: its protocol; None until the TLS handshake ends.
    """

    socket: socket.socket
    proxied: bool
    opened_at: float
    address: str
    caller: str | None = None
    client: Client | None = None
    _all: Connections | None = field(default=None, repr=False)

    def claim(self, address: str, caller: str | None) -> bool:
        """Assign the connection to a caller, as :meth:`Connections.claim`."""
        return self._all is None or self._all.claim(self, address, caller)

    @property
    def keeps_waiting(self) -> bool:
        """Whether no complete request awaits its response."""
        return self.client is None or self.client.keeps_waiting


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on connections: in total, anonymous ones per address, and per key or session."""

    in_all: int
    per_address: int
    per_caller: int


@dataclass(slots=True)
class Connections:
    """The connections of one service.

    Attributes:
        bounds: their limits.
        is_proxy: whether an address belongs to a trusted proxy.
        closed: called with the reason when a connection is closed or refused.
    """

    bounds: Bounds
    is_proxy: Callable[[str], bool] = lambda _address: False
    closed: Callable[[Closed], None] = lambda _why: None
    clock: Callable[[], float] = time.monotonic
    # Anonymous connections by address, and others by caller; oldest first.
    _strangers: dict[str, dict[Connection, None]] = field(default_factory=dict)
    _callers: dict[str, dict[Connection, None]] = field(default_factory=dict)
    _all: dict[Connection, None] = field(default_factory=dict)
    _not_logged: Counter[Closed] = field(default_factory=Counter)
    _logged_at: float = float("-inf")

    def __len__(self) -> int:
        """Number of open connections."""
        return len(self._all)

    @property
    def signed_in(self) -> int:
        """Number of connections of authenticated callers."""
        return sum(map(len, self._callers.values()))

    def admit(self, accepted: socket.socket, peer: str) -> Connection | None:
        """Add a connection, closing another one to make room if necessary; None if no connection can be closed."""
        if len(self._all) >= self.bounds.in_all and not self._make_room():
            self._count(Closed.NO_ROOM)
            return None
        proxied = self.is_proxy(peer)
        made = Connection(accepted, proxied, self.clock(), BEHIND_PROXY if proxied else client_network(peer), _all=self)
        self._all[made] = None
        self._add(made)
        return made

    def gone(self, connection: Connection) -> None:
        """Remove a closed connection."""
        if connection in self._all:
            del self._all[connection]
            self._discard(connection)

    def claim(self, connection: Connection, address: str, caller: str | None) -> bool:
        """Assign a connection to a caller, None for an anonymous one; False if that would exceed a limit.

        Args:
            connection: the connection.
            address: of the client; behind a proxy, the one that the proxy reports.
            caller: the name that the caller's requests count under.
        """
        if connection not in self._all:
            return True  # closed in the meantime: nobody will read the response
        if caller is not None and caller != connection.caller:
            most = min(self.bounds.in_all * (1 - FREE_SHARE) - self.signed_in, self.bounds.per_caller)
            if len(self._callers.get(caller, ())) >= self.bounds.per_caller or most < 1:
                return False
        self._discard(connection)
        connection.caller, connection.address = caller, client_network(address)
        self._add(connection)
        return True

    def rest(self, connection: Connection) -> None:
        """Called after a response: a proxy's next request may come from another client."""
        if connection.proxied and connection in self._all:
            self._discard(connection)
            connection.caller, connection.address = None, BEHIND_PROXY
            self._add(connection)

    def sweep(self) -> None:
        """Close connections that are too slow, or too many of one address."""
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
        self._log_closed(now)

    def unread(self) -> None:
        """Called when a client reads too slowly: over the total limit, close the largest of the worst client."""
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
        """Count a connection that its protocol closes."""
        self._count(why)

    def _make_room(self) -> bool:
        if (found := next(self._closable(), None)) is None:
            return False
        self._close(found, Closed.NO_ROOM)
        return True

    def _closable(self) -> Iterator[Connection]:
        """The connections that may be closed, in that order."""
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
            # During a TLS handshake, which then fails and closes the socket.
            with suppress(OSError):
                connection.socket.shutdown(socket.SHUT_RDWR)
        self.gone(connection)

    def _group(self, connection: Connection) -> tuple[dict[str, dict[Connection, None]], str]:
        if connection.caller is None:
            return self._strangers, connection.address
        return self._callers, connection.caller

    def _add(self, connection: Connection) -> None:
        groups, name = self._group(connection)
        groups.setdefault(name, {})[connection] = None

    def _discard(self, connection: Connection) -> None:
        groups, name = self._group(connection)
        groups[name].pop(connection, None)
        if not groups[name]:
            del groups[name]

    def _count(self, why: Closed) -> None:
        self._not_logged[why] += 1
        self.closed(why)

    def _log_closed(self, now: float) -> None:
        """Log closed connections, at most once a minute: clients must not fill the log."""
        if self._not_logged and now - self._logged_at >= _LOG_EVERY_S:
            counts = ", ".join(f"{why.value} {count}" for why, count in sorted(self._not_logged.items()))
            _log.warning("connections closed: %s; %s are open, %s of them signed in", counts, len(self), self.signed_in)
            self._not_logged.clear()
            self._logged_at = now
