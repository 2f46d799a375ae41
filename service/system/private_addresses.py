"""Whether anybody on the network could read or change what is said to an address, by the address alone."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_this_machine(host: str) -> bool:
    """Whether a host can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_private_address(address: str) -> bool:
    """Whether nobody on the network can: it is https, or http to this machine; any other scheme is not private."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host)))
