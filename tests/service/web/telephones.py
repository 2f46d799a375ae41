"""A local push service, and browsers that decrypt its messages."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.service.api.notify.receiver import running


def text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


@dataclass(slots=True)
class Browser:
    """A browser that subscribed.

    Attributes:
        endpoint: its address at the push service.
    """

    endpoint: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = b"0123456789abcdef"

    @property
    def public(self) -> bytes:
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    @property
    def subscription(self) -> dict[str, Any]:
        keys = {"p256dh": text_of(self.public), "auth": text_of(self.auth)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    def decrypted(self, body: bytes) -> dict[str, Any]:
        """A message of one record, by RFC 8188 and 8291."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        theirs, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(body) <= 4096
        assert len(sealed) <= size
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs))
        secret = _derived(shared, self.auth, b"WebPush: info\x00" + self.public + theirs, 32)
        key = _derived(secret, salt, b"Content-Encoding: aes128gcm\x00", 16)
        plain = AESGCM(key).decrypt(_derived(secret, salt, b"Content-Encoding: nonce\x00", 12), sealed, None)
        found: dict[str, Any] = json.loads(plain.rstrip(b"\x00").removesuffix(b"\x02"))
        return found


@dataclass(slots=True)
class PushService:
    """What arrived, by path: headers and bodies; ``answers`` says how to answer a path."""

    url: str = ""
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    answers: Callable[[str], int] = lambda _: 201
    browsers: list[Browser] = field(default_factory=list)

    def subscribe(self) -> Browser:
        self.browsers.append(browser := Browser(f"{self.url}/{len(self.browsers)}"))
        return browser

    def received(self, browser: Browser) -> list[dict[str, Any]]:
        path = browser.endpoint.removeprefix(self.url)
        return [browser.decrypted(body) for at, _, body in self.got if at == path]


@contextmanager
def push_service() -> Iterator[PushService]:
    service = PushService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            service.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(service.answers(self.path))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as service.url:
        yield service


def claims_of(headers: dict[str, str], key: str, audience: str) -> dict[str, Any]:
    """What a request's VAPID token says, verified with the key that browsers were given."""
    scheme, _, fields = headers["authorization"].partition(" ")
    given = dict(each.strip().split("=", 1) for each in fields.split(","))
    assert (scheme, given["k"]) == ("vapid", key)
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes_of(key))
    found: dict[str, Any] = jwt.decode(given["t"], public, algorithms=["ES256"], audience=audience)
    return found
