"""Webhooks: notices posted as CloudEvents, signed according to Standard Webhooks, and their checks by the doctor.

A webhook may go to global addresses over TLS; to others only if its settings name their network. The checked address is
the one connected to, so that a name cannot be re-pointed in between.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit, urlunsplit

import httpx2
from standardwebhooks import Webhook

from service.api.notify.delivery import NotTakenError
from service.api.notify.envelopes import CONTENT_TYPE
from service.record.outbox import Outbox, stopped_webhooks
from service.record.store.database import DatabaseError, open_database
from service.record.store.entries import RecordUnavailableError
from service.record.store.record_settings import RecordSettings
from service.system.outgoing import Bounds, client
from service.table.doctor.diagnosis import Diagnosis
from service.words.codes import ServiceCode
from service.words.diagnoses import DiagnosisCode
from service.words.findings import FindingError
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from service.api.notify.notices import Notice
    from service.system.settings import Config
    from service.system.subscriber_settings import WebhookConfig

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
"""Global unicast; Python versions classify addresses outside of it differently."""
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as written in a network without IPv4; the last 32 bits are the IPv4 address."""
_NOT_GLOBAL: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments
        "192.88.99.0/24",  # relays of 6to4
        "2001::/23",  # protocol assignments, Teredo among them
        "2002::/16",  # 6to4, which contains an IPv4 address of any kind
        "2001:db8::/32",
        "3fff::/20",  # documentation
    )
)
"""Special addresses of the IANA registry that not every supported Python classifies as such."""


class AddressError(FindingError, ValueError):
    """A webhook's host cannot be resolved, or its address is not allowed."""


@dataclass(frozen=True, slots=True)
class CheckedAddress:
    """An allowed address, and the URL's host for the Host header and the certificate."""

    address: Address
    host: str


async def resolve_target(url: str, networks: Sequence[Network]) -> CheckedAddress:
    """Resolve a webhook's host; AddressError if that fails, or any of its addresses is not allowed."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    literal = _literal(host)
    found = [literal] if literal is not None else await _resolve(host, parts.port or 443)
    for address in found:
        check_address(address, networks=networks, in_clear=parts.scheme == "http")
    return CheckedAddress(found[0], host)


def check_address(address: Address, *, networks: Sequence[Network], in_clear: bool) -> None:
    """Raise AddressError for an address that is neither global nor in a network of the webhook's settings."""
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
    """Return whether an address is global, identically in every version of Python.

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
    """Return an address without its zone, and an IPv4-mapped IPv6 address as IPv4."""
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
        resolved = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressError.of(ServiceCode.HOST_NOT_FOUND, host=repr(host), why=str(error)) from None
    return [ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in resolved]


_TIMEOUT_S: Final = 20.0
_GONE: Final = 410
_LONGEST_REST_S: Final = 3600.0


class WebhookChannel:
    """Posts notices to one address; ConfigError if its secret is unreadable or invalid."""

    def __init__(self, config: WebhookConfig) -> None:
        self._config = config
        self._signers = tuple(Webhook(secret) for secret in config.secrets())
        self._client = client(Bounds(_TIMEOUT_S, most_bytes=0))  # the body of an answer is not read

    async def send(self, notice: Notice) -> None:
        """Post a notice; NotTakenError unless the answer is a success."""
        try:
            async with asyncio.timeout(2 * _TIMEOUT_S):
                status, retry_after = await self._post(notice)
        except TimeoutError:
            raise NotTakenError.of(ServiceCode.NO_ANSWER, seconds=round(2 * _TIMEOUT_S)) from None
        except AddressError as error:
            raise NotTakenError(error.finding) from None
        except httpx2.HTTPError as error:
            why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise NotTakenError.of(ServiceCode.NOT_REACHED, why=why) from None
        if not 200 <= status < 300:
            raise NotTakenError(Finding.of(ServiceCode.ANSWERED, status=status), retry_after, gone=status == _GONE)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _post(self, notice: Notice) -> tuple[int, float]:
        url = self._config.url.get_secret_value()
        target = await resolve_target(url, self._config.networks)
        parts = urlsplit(url)
        host = f"[{target.address}]" if target.address.version == 6 else str(target.address)
        place = urlunsplit((parts.scheme, host if parts.port is None else f"{host}:{parts.port}", *parts[2:4], ""))
        request = self._client.build_request(
            "POST",
            place,
            content=notice.body.encode(),
            headers={
                "Host": parts.netloc.rpartition("@")[2],
                "Content-Type": CONTENT_TYPE,
                "User-Agent": "Houseway",
                **self._signed(notice),
            },
            extensions={"sni_hostname": target.host},
        )
        answer = await self._client.send(request, stream=True)
        await answer.aclose()
        return answer.status_code, pause_asked_s(answer.headers.get("retry-after", ""))

    def _signed(self, notice: Notice) -> dict[str, str]:
        now = datetime.now(UTC)
        signatures = (signer.sign(notice.id, now, notice.body) for signer in self._signers)
        return {
            "webhook-id": notice.id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(signatures),
        }


def pause_asked_s(retry_after: str) -> float:
    """The pause that a ``Retry-After`` header asks for, in seconds or as a date (RFC 9110, 10.2.3)."""
    if retry_after.isascii() and retry_after.isdecimal():
        return min(float(retry_after), _LONGEST_REST_S)
    try:
        pause_s = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):  # not a date, or one without a zone
        return 0.0
    return min(max(pause_s, 0.0), _LONGEST_REST_S)


_RESOLVE_TIMEOUT_S: Final = 10.0


def check_webhooks(config: Config) -> Iterator[Diagnosis]:
    """Check every webhook's address and state for the doctor, without sending anything."""
    stopped = _stopped(config) if config.webhooks else {}
    for webhook in config.webhooks:
        yield _webhook(webhook, stopped)


def _webhook(webhook: WebhookConfig, stopped: Mapping[str, str]) -> Diagnosis:
    name, url = webhook.name, webhook.url.get_secret_value()
    if name in stopped:
        return Diagnosis.of(DiagnosisCode.WEBHOOK_STOPPED, name=name, day=stopped[name][:10])
    try:
        asyncio.run(asyncio.wait_for(resolve_target(url, webhook.networks), _RESOLVE_TIMEOUT_S))
    except AddressError as error:
        return Diagnosis.of(DiagnosisCode.WEBHOOK_REFUSED, name=name, why=error)
    except TimeoutError:
        why = f"its name was not found within {_RESOLVE_TIMEOUT_S:.0f} s"
        return Diagnosis.of(DiagnosisCode.WEBHOOK_REFUSED, name=name, why=why)
    return Diagnosis.of(DiagnosisCode.WEBHOOK_WELL, name=name, host=urlsplit(url).hostname)


def _stopped(config: Config) -> dict[str, str]:
    """Return the stopped webhooks; empty if the record cannot be read, which its own check reports."""
    try:
        database = open_database(RecordSettings.of(config).database_url)
        if database.dialect.name == "sqlite" and not Path(database.url.database or "").exists():
            return {}
        try:
            return stopped_webhooks(Outbox(database))
        finally:
            database.dispose()
    except (DatabaseError, RecordUnavailableError):
        return {}
