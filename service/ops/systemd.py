"""Tells systemd that the service is up and alive; without systemd every call does nothing.

The protocol is a datagram to the socket named in ``NOTIFY_SOCKET``, see sd_notify(3).
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

_log = logging.getLogger(__name__)

_SHARE: Final = 3
"""Signs of life in one period of the watchdog: one may come late."""


def notify(*state: str) -> None:
    """Send lines such as ``READY=1``; a service manager that does not listen is passed over."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]  # Linux' abstract names
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.sendto("\n".join(state).encode(), address)
    except OSError as error:
        _log.warning("the service manager could not be told %s: %s", state, error)


def watchdog_s() -> float | None:
    """How often at least systemd wants a sign of life, seconds; None if it wants none from this process."""
    period = os.environ.get("WATCHDOG_USEC", "")
    mine = os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(period) / 1e6 if period.isdecimal() and int(period) > 0 and mine else None


@asynccontextmanager
async def supervised(
    alive: Callable[[], str | None], goes_on: Callable[[], bool] = lambda: False
) -> AsyncIterator[None]:
    """Notify systemd that the service is ready, alive while ``alive`` names no fault, and stopping.

    That it stops is not said if ``goes_on``: then something else takes its place in this process.

    The signs of life come from the event loop that answers requests: one that hangs is started anew.
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
    told: str | None = None
    while True:
        fault = alive()
        if fault is None:
            notify("WATCHDOG=1")
        elif fault != told:
            _log.error("no sign of life to the watchdog: %s", fault)
            notify(f"STATUS={fault}")
        told = fault
        await asyncio.sleep(every_s)
