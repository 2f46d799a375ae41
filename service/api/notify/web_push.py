"""Web push: encrypted messages to telephones, through the push services that browsers name (RFC 8030, 8291, 8292).

Push services know nothing of a message but its size and time. They may be anywhere on the Internet, but only there: the
guard of webhooks refuses private addresses.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import json
import logging
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import httpx2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from service.api.notify.webhooks import AddressError, post_checked
from service.record.store.files import write_durably
from service.system.outgoing import Bounds, client

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from webpush import WebPush

    from service.access.telephones import Telephone
    from service.api.notify.webhooks import Network

_log = logging.getLogger(__name__)

KEY_FILE: Final = "telephones.key"
LASTS_S: Final = 120
"""How long a push service keeps a message for a telephone that it cannot reach: later, something else is to be done."""
_TIMEOUT_S: Final = 5.0
_DEADLINE_S: Final = 10.0
"""Longest time for one telephone, with one repetition."""
_AT_ONCE: Final = 16
_MOST_BYTES: Final = 3800
"""A push service takes 4096 bytes with the encryption."""
_GONE: Final = frozenset({404, 410})
_ADDRESS: Final = re.compile(r"https?://[^/\s@?#]+/\S*")
_PRIVATE: Final = 0o600

Sent: TypeAlias = Literal["taken", "gone", "failed"]
Message: TypeAlias = "dict[str, Any]"


class PushSender:
    """Sends messages to telephones.

    Args:
        key_file: file of the key that push services know this service by; made when it is first needed.
        networks: private networks in which push services may be, also without TLS; for tests.
    """

    def __init__(self, key_file: Path, networks: Sequence[Network] = ()) -> None:
        self.networks = tuple(networks)
        self._file = key_file
        self._client: httpx2.AsyncClient | None = None
        self._limit = asyncio.Semaphore(_AT_ONCE)
        self._push: WebPush | None = None

    def public_key(self) -> str:
        """Return the key for the browser's subscription, base64url; OSError if its file cannot be used."""
        vapid = self._pushing().vapid
        key: str = vapid.get_application_server_key(vapid.public_key)
        return key

    def accepts(self, endpoint: str, p256dh: str, auth: str) -> bool:
        """Return whether these look like a subscription: an address with TLS, a point of the curve and a secret."""
        with suppress(ValueError, binascii.Error):
            ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh))
            secure = endpoint.startswith("https://") or bool(self.networks)
            return secure and bool(_ADDRESS.fullmatch(endpoint)) and len(endpoint) <= 2000 and len(_decoded(auth)) == 16
        return False

    async def send(self, telephone: Telephone, message: Message) -> Sent:
        """Send a message, which replaces an earlier one of the same ``tag`` that has not arrived yet; never raises."""
        async with self._limit:
            why = "no answer in time"
            try:
                async with asyncio.timeout(_DEADLINE_S):
                    status = await self._post(telephone, message)
            except TimeoutError:
                pass
            except (AddressError, httpx2.HTTPError, OSError, ValueError) as error:
                why = f"{type(error).__name__}: {error}".replace(telephone.endpoint, "its address")
            else:
                if 200 <= status < 300:
                    return "taken"
                if status in _GONE:
                    _log.info(
                        "telephone %s of %s: its push service no longer knows it", telephone.id, telephone.account
                    )
                    return "gone"
                why = f"answered {status}"
            _log.warning("telephone %s of %s was not notified: %s", telephone.id, telephone.account, why)
            return "failed"

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _post(self, telephone: Telephone, message: Message) -> int:
        body, headers = await asyncio.to_thread(self._encrypted, telephone, message)
        self._client = sender = self._client or client(Bounds(_TIMEOUT_S, most_bytes=0))
        status, pause_s = await post_checked(sender, telephone.endpoint, self.networks, body, headers)
        if status == 429 or status >= 500:
            await asyncio.sleep(max(1.0, pause_s))  # beyond the deadline if it asks for long
            status, _ = await post_checked(sender, telephone.endpoint, self.networks, body, headers)
        return status

    def _encrypted(self, telephone: Telephone, message: Message) -> tuple[bytes, Mapping[str, str]]:
        from webpush import WebPushSubscription  # noqa: PLC0415  as below

        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        if len(body) > _MOST_BYTES:
            raise ValueError("the message is too long")
        keys = {"auth": telephone.auth, "p256dh": telephone.p256dh}
        to = WebPushSubscription.model_validate({"endpoint": telephone.endpoint, "keys": keys})
        made = self._pushing().get(body, to, subscriber=f"houseway@{telephone.site}")
        topic = hashlib.sha256(str(message["tag"]).encode()).hexdigest()[:32]
        return made.encrypted, {**made.headers, "urgency": "high", "topic": topic}

    def _pushing(self) -> WebPush:
        if self._push is None:
            # Most services have no telephones; the library takes time and memory to import.
            from webpush import WebPush  # noqa: PLC0415

            private = self._private_key()
            public = load_pem_private_key(private, None).public_key()
            pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            self._push = WebPush(private, pem, ttl=LASTS_S)
        return self._push

    def _private_key(self) -> bytes:
        if not self._file.exists():
            new = ec.generate_private_key(ec.SECP256R1())
            pem = new.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            with suppress(FileExistsError):  # made at the same time
                write_durably(self._file, pem, mode=_PRIVATE, replace=False)
        return self._file.read_bytes()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
