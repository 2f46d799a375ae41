"""A thousand connections: idle, half-sent, with a very slow body, and clients that do not read."""

import selectors
import socket
import time
from contextlib import suppress
from typing import Final

import httpx2

from benchmarks.attacks.common import Figures, Service, Watch, checks, service

MANY: Final = 1_100
HANDLES: Final = 1_024
"""Default limit of file handles on most systems: fewer than the attackers need."""
HELD_S: Final = 15.0
_ADDRESSES: Final = 20
"""Loopback addresses that the connections come from."""
_ESTABLISHED: Final = 1
_FORM: Final = (
    b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 1000\r\n\r\nname="
)


def starts(target: Service) -> dict[str, tuple[bytes, bytes]]:
    """Return for each kind the bytes sent first, and the byte sent from time to time."""
    page = f"Host: localhost\r\nCookie: {signed_in(target)}\r\n\r\n".encode()
    return {
        "idle": (b"", b""),
        "half-sent": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ", b"x"),
        "slow bodies": (_FORM, b"x"),
        "slow readers": (b"GET /static/page.css HTTP/1.1\r\nHost: localhost\r\n\r\n" * 12, b""),
        "streams not read": (b"GET /v1/events HTTP/1.1\r\n" + page, b""),
    }


def signed_in(target: Service) -> str:
    """Sign in another page of the same person; return its cookie."""
    with httpx2.Client(base_url=target.url) as client:
        client.post("/sign-in", data={"name": target.account, "password": target.password})
        return "; ".join(f"{each.name}={each.value}" for each in client.cookies.jar)


def hold(target: Service, kind: str) -> Figures:
    """Open many connections of a kind, hold them, and reopen those that are closed."""
    start, byte = starts(target)[kind]
    held: dict[socket.socket, float] = {}
    opened = closed = 0
    ends = time.monotonic() + HELD_S
    with selectors.DefaultSelector() as waiting:
        while time.monotonic() < ends:
            for _ in range(min(50, MANY - len(held))):
                opened += 1
                if (sent := _open(target, opened, start)) is None:
                    closed += 1
                    continue
                held[sent] = time.monotonic()
                # A client that does not read does not notice that the service closed: counted at the end.
                if "read" not in kind:
                    waiting.register(sent, selectors.EVENT_READ, sent)
            for key, _ in waiting.select(0.05):
                if not _still_there(key.data):
                    waiting.unregister(key.data)
                    held.pop(key.data)
                    key.data.close()
                    closed += 1
            _go_on(held, byte)
    still = sum(_established(sent) for sent in held)
    for sent in held:
        sent.close()
    return {
        f"{kind}, opened": opened,
        f"{kind}, closed by the service": closed + len(held) - still,
        f"{kind}, held": still,
    }


def _go_on(held: dict[socket.socket, float], byte: bytes) -> None:
    """Send a byte on each connection that was idle for two seconds."""
    for sent, at in held.items():
        if byte and time.monotonic() - at > 2.0:
            held[sent] = time.monotonic()
            with suppress(OSError):  # found closed in the next round
                sent.send(byte)


def _established(sent: socket.socket) -> bool:
    return sent.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO) == _ESTABLISHED


def _open(target: Service, number: int, start: bytes) -> socket.socket | None:
    sent = socket.socket()
    sent.settimeout(1.0)
    try:
        sent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        sent.bind((f"127.0.1.{1 + number % _ADDRESSES}", 0))
        sent.connect(target.address)
        sent.sendall(start)
    except OSError:
        sent.close()
        return None
    return sent


def _still_there(sent: socket.socket) -> bool:
    try:
        return bool(sent.recv(4_096))
    except OSError:
        return False


def run() -> Figures:
    """Run the kinds one after the other against one service."""
    found: Figures = {}
    for kind in ("idle", "half-sent", "slow bodies", "slow readers", "streams not read"):
        with service(handles=HANDLES) as target:
            with Watch(target) as watch:
                found |= hold(target, kind)
            found |= {f"{kind}, {name}": value for name, value in watch.figures().items()}
            found[f"{kind}, checks that fail"] = checks(target)
    return found
