"""The receiver of a webhook: a real server that verifies requests and answers as configured."""

import base64
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

KEY = b"k" * 32
SECRET = "whsec_" + base64.b64encode(KEY).decode()


@dataclass(slots=True)
class Receiver:
    """What arrived.

    Attributes:
        url: where it listens.
        got: every verified event in the order in which it arrived, also those that were refused.
        taken: those that were answered with success.
        answers: says how to answer an event, by default 204.
    """

    url: str = ""
    got: list[dict[str, Any]] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    answers: Callable[[dict[str, Any]], int | tuple[int, dict[str, str]]] = lambda _: 204

    @property
    def ids(self) -> list[str]:
        return [event["id"] for event in self.taken]


class _Server(ThreadingHTTPServer):
    """Leaves no connection and no thread: clients that are still connected when it closes are disconnected."""

    daemon_threads = False  # so that closing waits for them

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._connected: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  as the class above has it
        self._connected.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401  as the class above has it
        self._connected.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  as the class above has it
        if not isinstance(sys.exception(), ConnectionError):  # a sender that was stopped meanwhile
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        for each in tuple(self._connected):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        super().server_close()


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Serve in a thread while the block runs; yields the address."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a free port of this machine."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.headers["content-type"] == "application/cloudevents+json"
            event = Webhook(KEY).verify(body, dict(self.headers))
            assert event["id"] == self.headers["webhook-id"]
            receiver.got.append(event)
            answer = receiver.answers(event)
            status, headers = answer if isinstance(answer, tuple) else (answer, {})
            if 200 <= status < 300:
                receiver.taken.append(event)
            self.send_response(status)
            for name, value in {"Content-Length": "0", **headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with running(_Server(Handler)) as url:
        receiver.url = f"{url}/hook?of=houseway"
        yield receiver
