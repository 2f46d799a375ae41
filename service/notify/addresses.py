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

from service.codes import ServiceCode
from service.words.findings import FindingError

if TYPE_CHECKING:
    from collections.abc import Sequence

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class AddressError(FindingError, ValueError):
    """This place may not be sent to, or is not found."""


@dataclass(frozen=True, slots=True)
class CheckedAddress:
    """An address that may be sent to, and the URL's host for the Host header and the certificate."""

    address: Address
    host: str


async def find(url: str, networks: Sequence[Network]) -> CheckedAddress:
    """Resolve a webhook's host; AddressError if it is not found, or an address it has may not be sent to."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    named = _literal(host)
    found = [named] if named is not None else await _resolve(host, parts.port or 443)
    for address in found:
        judge(address, named=named is not None, networks=networks, in_clear=parts.scheme == "http")
    return CheckedAddress(found[0], host)


def judge(address: Address, *, named: bool, networks: Sequence[Network], in_clear: bool) -> None:
    """Refuse an address that the settings do not allow, named by the URL itself or by ``networks``; AddressError."""
    plain = getattr(address, "ipv4_mapped", None) or address
    if plain.is_global and not plain.is_multicast:
        if in_clear:
            raise AddressError.of(ServiceCode.ADDRESS_PUBLIC, address=str(plain))
        return
    if plain.is_multicast or plain.is_unspecified:
        raise AddressError.of(ServiceCode.ADDRESS_OF_MANY, address=str(plain))
    if not named and not any(plain in network for network in networks):
        network = f"{plain}/{plain.max_prefixlen}"
        raise AddressError.of(ServiceCode.ADDRESS_PRIVATE, address=str(plain), network=network)


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


async def _resolve(host: str, port: int) -> list[Address]:
    try:
        told = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressError.of(ServiceCode.HOST_NOT_FOUND, host=repr(host), why=str(error)) from None
    return [ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in told]
