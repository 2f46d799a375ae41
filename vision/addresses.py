"""Network addresses: what may be shown without revealing secrets, and whether traffic to one stays private."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN: Final = "(address hidden)"
"""Shown for an address whose host and port cannot be determined with certainty."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*", re.IGNORECASE)
_HOST = re.compile(r"(?:\w(?:[\w.-]*\w)?|\[[0-9a-f:.]+(?:%[\w.-]+)?\])(?::\d{1,5})?", re.IGNORECASE)
_AFTER_AUTHORITY = re.compile(r"[/?#]")
_LIKE_AN_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/|[^/]*:.*@", re.IGNORECASE)
_SHORTEST_PART: Final = 4
_SHORTEST_PATH: Final = 12
"""Shorter paths are common words, such as ``/stream``, and unlikely to be secrets."""


def is_address(text: str) -> bool:
    """Whether a text is, or may be meant as, a network address; no file path looks like one.

    >>> is_address("rtsp://10.0.0.7/live"), is_address("user:secret@10.0.0.7"), is_address("pictures/a@2x.jpg")
    (True, True, False)
    """
    return "://" in text or _LIKE_AN_ADDRESS.match(text) is not None


def shown_address(address: str) -> str:
    """An address reduced to host and port; other texts are returned unchanged.

    User and password precede the host; a key may be anywhere after it: in the path, or in the query.

    >>> shown_address("rtsp://user:secret@10.0.0.7:554/stream?key=secret")
    'rtsp://10.0.0.7:554/...'
    >>> shown_address("https://hooks.example.com")
    'https://hooks.example.com'

    An unescaped password may contain a slash or an ``@``. If host and port cannot be determined with certainty, nothing
    is shown.

    >>> shown_address("rtsp://user:pass@with/both@10.0.0.7/stream")
    '(address hidden)'
    """
    if not is_address(address):
        return address
    scheme, _, rest = address.partition("://")
    authority = _AFTER_AUTHORITY.split(rest, maxsplit=1)[0]
    after = rest[len(authority) :]
    host = authority.rpartition("@")[2]
    if not _SCHEME.fullmatch(scheme) or (authority and not _HOST.fullmatch(host)) or "@" in after:
        return HIDDEN
    return f"{scheme}://{host}" + ("/..." if after.strip("/") else "")


def secret_parts(address: str) -> Iterator[str]:
    """Each part of an address that may be secret, as written and unescaped, for redaction of third-party messages.

    >>> sorted(secret_parts("rtsp://user:p%40ss@10.0.0.7/live?key=abcd"))[:4]
    ['abcd', 'key=abcd', 'p%40ss', 'p@ss']
    """
    _, _, rest = address.partition("://")
    before, at, after = rest.rpartition("@")
    user, _, password = before.partition(":")
    path, _, query = (after if at else rest).partition("?")
    path = path[len(_AFTER_AUTHORITY.split(path, maxsplit=1)[0]) :]
    parts = {address, before, password or user, query, *(each.partition("=")[2] for each in re.split(r"[&;]", query))}
    if shown_address(address) == HIDDEN:
        parts |= set(re.split(r"[/?#@:&=;]", rest))
    parts = {part for part in parts if len(part) >= _SHORTEST_PART}
    if len(path) >= _SHORTEST_PATH:
        parts.add(path)
    yield from parts | {unquote(part) for part in parts}


def is_this_machine(host: str) -> bool:
    """Whether a host name or IP address is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_private_address(url: str) -> bool:
    """Whether nobody on the network can read or change requests to a URL: https, or http to this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host)))
