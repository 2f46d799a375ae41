"""A bucket of an S3-compatible store as the place that pictures are copied to.

Requests are made by ``obstore`` outside of Python's threads, so that a store that hangs holds up nothing else. Each
upload carries the SHA-256 of the picture, as its checksum and in its signature: the store refuses what arrives changed.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import obstore
from obstore import exceptions
from obstore.store import S3Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from obstore.store import RetryConfig

    from service.floor.settings import BucketConfig

_PATIENCE: Final = timedelta(seconds=30)
_CONNECTING: Final = timedelta(seconds=5)
_RETRYING: Final[RetryConfig] = {
    "max_retries": 3,
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=5), "base": 2},
    "retry_timeout": _PATIENCE,
}
_SAID: Final = {
    exceptions.PermissionDeniedError: "the store does not let this key do that",
    exceptions.UnauthenticatedError: "the store does not accept the key",
    exceptions.NotFoundError: "the store has no such bucket",
    exceptions.NotSupportedError: "the store cannot do that",
}


class BucketError(OSError):
    """The store does not do what it is asked; the message says why in our words: the store's may hold parts of keys."""


class Bucket:
    """A bucket, or a part of one; see :class:`service.floor.copies.place.CopyPlace`.

    Args:
        settings: which, and how it is asked; ConfigError if a secret cannot be read.
    """

    def __init__(self, settings: BucketConfig) -> None:
        self._settings = settings
        self._copied = 0
        self._store = S3Store(
            settings.name,
            config=_config(settings),
            client_options=_client(settings),
            retry_config=_RETRYING,
        )

    @property
    def name(self) -> str:
        """What people know it by."""
        return f"bucket {self._settings.name}"

    @property
    def used(self) -> int:
        """Bytes that were copied into it since the program was started: nobody counts what was there before."""
        return self._copied

    async def open(self) -> None:
        """Find out whether it can be asked; BucketError."""
        await self.holds("0" * 64, 0)
        with self._faults():
            # That an object is missing and that the bucket is sounds the same; a list of none does not.
            await obstore.list_with_delimiter_async(self._store, f"{self._settings.prefix}none/")

    async def holds(self, sha256: str, size: int) -> bool:
        """Whether a picture of this size is there; BucketError."""
        with self._faults():
            try:
                found = await obstore.head_async(self._store, self._key(sha256))
            except (FileNotFoundError, exceptions.NotFoundError):
                return False
        return int(found["size"]) == size

    async def get(self, sha256: str) -> bytes | None:
        """A picture that is what its name says; None if there is none. BucketError."""
        with self._faults():
            try:
                answer = await obstore.get_async(self._store, self._key(sha256))
            except (FileNotFoundError, exceptions.NotFoundError):
                return None
            return _as_named(bytes(await answer.bytes_async()), sha256)

    def get_now(self, sha256: str) -> bytes | None:
        """The same for who has a thread to wait in."""
        with self._faults():
            try:
                answer = obstore.get(self._store, self._key(sha256))
            except (FileNotFoundError, exceptions.NotFoundError):
                return None
            return _as_named(bytes(answer.bytes()), sha256)

    async def lacking(self, size: int) -> int:  # noqa: ARG002  of the protocol
        """None: how much it takes is the store's own affair."""
        return 0

    async def put(self, sha256: str, data: bytes, media_type: str) -> None:
        """Keep a picture; BucketError."""
        with self._faults():
            await obstore.put_async(
                self._store, self._key(sha256), data, attributes={"Content-Type": media_type}, use_multipart=False
            )
        self._copied += len(data)

    def all_of_them(self) -> Iterator[tuple[str, bool]]:
        """Every picture by its name, and whether it is what that says: each is fetched. BucketError."""
        with self._faults():
            for some in obstore.list(self._store, self._settings.prefix or None):
                for each in some:
                    name = str(each["path"]).rpartition("/")[2]
                    yield name, self.get_now(name) is not None

    def _key(self, sha256: str) -> str:
        return f"{self._settings.prefix}{sha256[:2]}/{sha256}"

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except BucketError:
            raise
        except (exceptions.BaseError, OSError) as error:
            said = next((words for kind, words in _SAID.items() if isinstance(error, kind)), None)
            said = said or ("the store has no such bucket" if isinstance(error, FileNotFoundError) else None)
            raise BucketError(f"{self.name}: {said or 'the store cannot be reached, or fails'}") from None


def _as_named(data: bytes, sha256: str) -> bytes | None:
    return data if hashlib.sha256(data).hexdigest() == sha256 else None


def _config(settings: BucketConfig) -> Any:  # noqa: ANN401  of obstore
    key_id, secret = settings.key()
    encryption, kms_key = settings.encryption, settings.kms_key
    return {
        "endpoint": settings.address,
        "region": settings.region,
        "access_key_id": key_id,
        "secret_access_key": secret,
        "virtual_hosted_style_request": False,
        "checksum_algorithm": "SHA256",
        **({} if encryption == "none" else {"server_side_encryption": encryption}),
        **({} if kms_key is None else {"sse_kms_key_id": kms_key}),
    }


def _client(settings: BucketConfig) -> Any:  # noqa: ANN401  of obstore
    trusted = {} if settings.ca_file is None else {"root_certificate": settings.ca_file.read_bytes()}
    return {
        "timeout": _PATIENCE,
        "connect_timeout": _CONNECTING,
        "allow_http": settings.address.startswith("http://"),
        **trusted,
    }
