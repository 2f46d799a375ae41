"""Where webhooks may go: global addresses over TLS; others only if the webhook's settings name their network.

The address that was judged is the one connected to, so that a name cannot change in between.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit

from service.codes import ServiceCode
from service.words.findings import FindingError

if TYPE_CHECKING:
    from collections.abc import Sequence

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
"""All that is assigned to machines of the Internet; later Pythons judge what lies outside of it differently."""
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as a network without IPv4 writes them; they lead where their last 32 bits do."""
_NOT_GLOBAL: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # of protocols
        "192.88.99.0/24",  # relays of 6to4
        "2001::/23",  # of protocols, Teredo among them
        "2002::/16",  # 6to4, which leads to an IPv4 address of any kind
        "2001:db8::/32",
        "3fff::/20",  # of documents
    )
)
"""What no Python, or only later ones, say of the register of special addresses (IANA)."""


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
        judge(address, networks=networks, in_clear=parts.scheme == "http")
    return CheckedAddress(found[0], host)


def judge(address: Address, *, networks: Sequence[Network], in_clear: bool) -> None:
    """Refuse an address that is neither global nor of a network that the webhook's settings name; AddressError."""
    plain = _plain(address)
    if plain.is_multicast or plain.is_unspecified or plain == ipaddress.IPv4Address("255.255.255.255"):
        raise AddressError.of(ServiceCode.ADDRESS_OF_MANY, address=str(plain))
    if plain.is_link_local:
        raise AddressError.of(ServiceCode.ADDRESS_LINK_LOCAL, address=str(plain))
    if is_global(plain):
        if in_clear:
            raise AddressError.of(ServiceCode.ADDRESS_PUBLIC, address=str(plain))
        return
    if not any(plain in network for network in networks):
        network = f"{plain}/{plain.max_prefixlen}"
        raise AddressError.of(ServiceCode.ADDRESS_PRIVATE, address=str(plain), network=network)


def is_global(address: Address) -> bool:
    """Whether an address is reachable from everywhere, the same in every version of Python.

    >>> [is_global(ipaddress.ip_address(each)) for each in ("9.9.9.9", "100.64.0.1", "2620:fe::9", "2002:7f00:1::")]
    [True, False, True, False]
    """
    plain = _plain(address)
    if plain in _NAT64:
        return is_global(ipaddress.IPv4Address(int(plain) & 0xFFFFFFFF))
    if plain.version == 6 and plain not in _UNICAST:
        return False
    return plain.is_global and not plain.is_multicast and not any(plain in network for network in _NOT_GLOBAL)


def _plain(address: Address) -> Address:
    """An address without its zone; an IPv4 address in the form of IPv6 as what it is."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    return address.ipv4_mapped or ipaddress.IPv6Address(int(address))


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
