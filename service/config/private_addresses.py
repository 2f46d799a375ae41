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


def is_private_address(address: str, encrypted: str = "https", plain: str = "http") -> bool:
    """Whether nobody on the network can: it is encrypted, or of this machine.

    Args:
        address: with its scheme.
        encrypted: the scheme of an encrypted connection.
        plain: the scheme of one that is not; an address with any other scheme is not private.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == encrypted or (parts.scheme == plain and is_this_machine(host)))
