"""What people may see of an address: nothing that opens anything."""

from __future__ import annotations

import re

_AFTER_AUTHORITY = re.compile(r"[/?#]")


def shown_address(address: str) -> str:
    """An address with its host and port alone; what is no address of the network stays as it is.

    User and password stand before the host, a key may stand anywhere after it: in the path, or behind a question mark.

    >>> shown_address("rtsp://user:secret@10.0.0.7:554/stream?key=secret")
    'rtsp://10.0.0.7:554/...'
    >>> shown_address("https://hooks.example.com")
    'https://hooks.example.com'

    A password that was not escaped may itself have a slash or an ``@`` in it. Where the host cannot be told for
    certain, it is not shown either.

    >>> shown_address("rtsp://user:pass@with/both@10.0.0.7/stream")
    'rtsp://...'
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address
    authority = _AFTER_AUTHORITY.split(rest, maxsplit=1)[0]
    after = rest[len(authority) :]
    if "@" in after and ("@" in authority or ":" in authority):
        return f"{scheme}://..."
    return f"{scheme}://{authority.rpartition('@')[2]}" + ("/..." if after.strip("/") else "")
