"""Endless request heads: one endless header, endless headers, pipelined requests, trailers."""

import socket
import time
from typing import Final

from benchmarks.attacks.common import Figures, Service, Watch, checks, service

_CHUNK: Final = 64_000
_MOST_BYTES: Final = 400_000_000
_GO_ON_S: Final = 3.0
_START: Final = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
_BODY: Final = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: "
KINDS: Final = {
    "one header": (_START + b"X: ", b"x" * _CHUNK),
    "many headers": (_START, b"a:b\r\n" * (_CHUNK // 5)),
    "one target": (b"GET /", b"x" * _CHUNK),
    "pipelined": (b"", (_START + b"\r\n") * (_CHUNK // (len(_START) + 2))),
    "one trailer": (_BODY, b"x" * _CHUNK),
}


def send_on(target: Service, start: bytes, more: bytes) -> tuple[int, str]:
    """Send a start and then more without end; return the number of bytes accepted, and how it ended."""
    taken, ends = 0, time.monotonic() + _GO_ON_S
    with socket.create_connection(target.address, timeout=_GO_ON_S) as sent:
        try:
            sent.sendall(start)
            while taken < _MOST_BYTES and time.monotonic() < ends:
                sent.sendall(more)
                taken += len(more)
        except TimeoutError:
            return taken, "not read any more"
        except OSError:
            return taken, _answer(sent) or "closed"
        return taken, "taken to the end"


def _answer(sent: socket.socket) -> str:
    try:
        return sent.recv(100).partition(b"\r\n")[0].decode("ascii", "replace")
    except OSError:
        return ""


def run() -> Figures:
    """Run one connection of each kind, one after the other."""
    found: Figures = {}
    with service() as target, Watch(target) as watch:
        for kind, (start, more) in KINDS.items():
            taken, ended = send_on(target, start, more)
            found |= {f"{kind}, MB taken": round(taken / 1e6, 2), f"{kind}, ended": ended}
            time.sleep(1)
            found[f"{kind}, peak_mb"] = round(watch.peak_mb)
        found["checks that fail"] = checks(target)
    return {**found, **watch.figures()}
