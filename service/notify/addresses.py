"""Where webhooks may go: public addresses over TLS; private ones only if the URL or the webhook's settings name them.

The address that was judged is the one connected to, so that a name cannot change in between.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class AddressError(ValueError):
    """This place may not be sent to, or is not found; the message says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be sent to, and the URL's host for the Host header and the certificate."""

    address: Address
    host: str


async def find(url: str, networks: Sequence[Network]) -> Target:
    """Resolve a webhook's host; AddressError if it is not found, or an address it has may not be sent to."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    named = _literal(host)
    found = [named] if named is not None else await _resolve(host, parts.port or 443)
    for address in found:
        judge(address, named=named is not None, networks=networks, in_clear=parts.scheme == "http")
    return Target(found[0], host)


def judge(address: Address, *, named: bool, networks: Sequence[Network], in_clear: bool) -> None:
    """Refuse an address that the settings do not allow, named by the URL itself or by ``networks``; AddressError."""
    plain = getattr(address, "ipv4_mapped", None) or address
    if plain.is_global and not plain.is_multicast:
        if in_clear:
            raise AddressError(f"{plain} is a public address, and http:// would show it everything: use https://")
        return
    if plain.is_multicast or plain.is_unspecified:
        raise AddressError(f"{plain} is no address of one machine")
    if not named and not any(plain in network for network in networks):
        raise AddressError(
            f"{plain} is a private address that the settings do not name: write it in the url, or add its network to "
            f'the webhook\'s networks = ["{plain}/{plain.max_prefixlen}"]'
        )


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


async def _resolve(host: str, port: int) -> list[Address]:
    try:
        told = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressError(f"the name {host!r} is not found ({error})") from None
    return [ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in told]
