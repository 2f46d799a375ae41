"""File handles: each connection takes one, and the record, the camera and health must never be short of them."""

from __future__ import annotations

import logging
import sys
from typing import Final

if sys.platform != "win32":
    import resource

_log = logging.getLogger(__name__)

RESERVED: Final = 256
"""Handles for all that is no connection: database, pictures, camera, webhooks, static files being sent."""
LEAST_CONNECTIONS: Final = 16


def needed(connections: int) -> int:
    """How many handles so many connections take, with what is reserved for the rest."""
    return connections + RESERVED


def possible(connections: int, handles: int) -> int:
    """How many of the connections so many handles are enough for."""
    return max(LEAST_CONNECTIONS, min(connections, handles - RESERVED))


def most_handles() -> int:
    """How many handles this process could have, if it asked for all of them."""
    if sys.platform == "win32":
        return 2**31 - 1
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return hard if hard != resource.RLIM_INFINITY else 2**31 - 1


def connections_possible(wanted: int, besides: int = 0) -> int:
    """So many connections, or fewer if there are too few handles even after asking for more.

    Args:
        wanted: how many.
        besides: handles that this process needs for more than every service does.
    """
    if sys.platform == "win32":
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = needed(wanted) + besides
    if soft == resource.RLIM_INFINITY or soft >= enough:
        return wanted
    most = enough if hard == resource.RLIM_INFINITY else min(enough, hard)
    if most > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (OSError, ValueError):
            most = soft
    taken = possible(wanted, max(most, soft) - besides)
    if taken < wanted:
        _log.warning("only %s connections are taken: a process may open %s files here", taken, max(most, soft))
    return taken
