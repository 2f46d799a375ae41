"""The service on its host: file handles, signs of life to systemd, trusted certificates.

Each connection takes a file handle, and the record, the camera and the health check must never run out of them. systemd
is notified by datagrams to the socket named in ``NOTIFY_SOCKET``, see sd_notify(3); without systemd nothing is sent.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
import sys
from contextlib import asynccontextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

if sys.platform != "win32":
    import resource

_log = logging.getLogger(__name__)

RESERVED: Final = 256
"""Handles for everything except connections: database, pictures, camera, webhooks, static files being sent."""
LEAST_CONNECTIONS: Final = 16


def handles_needed(connections: int) -> int:
    """Return the number of handles for this many connections and the reserve."""
    return connections + RESERVED


def connections_within(handles: int, wanted: int) -> int:
    """Return how many of the wanted connections this number of handles allows, at least ``LEAST_CONNECTIONS``."""
    return max(LEAST_CONNECTIONS, min(wanted, handles - RESERVED))


def most_handles() -> int:
    """Return the highest number of handles that this process may request."""
    if sys.platform == "win32":
        return 2**31 - 1
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return hard if hard != resource.RLIM_INFINITY else 2**31 - 1


def connections_possible(wanted: int, besides: int = 0) -> int:
    """Return the wanted number of connections, or fewer if the host allows too few handles; raises the limit.

    Args:
        wanted: number of connections.
        besides: handles that this process needs in addition to the usual reserve.
    """
    if sys.platform == "win32":
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = handles_needed(wanted) + besides
    if soft == resource.RLIM_INFINITY or soft >= enough:
        return wanted
    most = enough if hard == resource.RLIM_INFINITY else min(enough, hard)
    if most > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (OSError, ValueError):
            most = soft
    allowed = connections_within(max(most, soft) - besides, wanted)
    if allowed < wanted:
        _log.warning("only %s connections are accepted: a process may open %s files here", allowed, max(most, soft))
    return allowed


_SHARE: Final = 3
"""Signs of life in one watchdog period, so that one may be late."""


def notify(*state: str) -> None:
    """Send lines such as ``READY=1``; a failure is logged and ignored."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]  # Linux' abstract names
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.sendto("\n".join(state).encode(), address)
    except OSError as error:
        _log.warning("the service manager could not be notified of %s: %s", state, error)


def watchdog_s() -> float | None:
    """Return the watchdog period in seconds; None if systemd expects no signs of life from this process."""
    period = os.environ.get("WATCHDOG_USEC", "")
    mine = os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(period) / 1e6 if period.isdecimal() and int(period) > 0 and mine else None


@asynccontextmanager
async def supervised(
    alive: Callable[[], str | None], goes_on: Callable[[], bool] = lambda: False
) -> AsyncIterator[None]:
    """Notify systemd that the service is ready, alive while ``alive`` returns no fault, and stopping.

    The stop is not announced if ``goes_on`` returns true: then another application continues in this process.

    The signs of life come from the event loop that answers requests, so that a service that hangs is restarted.
    """
    period_s = watchdog_s()
    task = None if period_s is None else asyncio.create_task(_live(alive, period_s / _SHARE))
    notify("READY=1")
    try:
        yield
    finally:
        if not goes_on():
            notify("STOPPING=1")
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _live(alive: Callable[[], str | None], every_s: float) -> None:
    reported: str | None = None
    while True:
        fault = alive()
        if fault is None:
            notify("WATCHDOG=1")
        elif fault != reported:
            _log.error("no sign of life to the watchdog: %s", fault)
            notify(f"STATUS={fault}")
        reported = fault
        await asyncio.sleep(every_s)


@lru_cache(maxsize=64)
def tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return a context that trusts the certificates of a file, or the system's; cached, as it takes long to make.

    OSError if the file cannot be read, or holds no certificate.
    """
    return ssl.create_default_context(cafile=ca_file)
