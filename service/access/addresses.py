"""Under what a client's address is counted."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Final

_ONE_HOST: Final = 64
"""Bits of an IPv6 address that a network is given; whoever has it has all addresses of the rest."""


@lru_cache(maxsize=4096)
def counted_address(address: str) -> str:
    """The address, or the network of an IPv6 address that one client may have to itself; other text as it is."""
    try:
        found = ipaddress.ip_address(address[:100].partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _ONE_HOST), strict=False))
