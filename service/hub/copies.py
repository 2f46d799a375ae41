"""Copies of the tables' pictures, named by SHA-256, in a folder or in a bucket of an S3-compatible store.

``obstore`` makes the requests outside of Python's threads, so that a store that hangs blocks nothing else. Each upload
to a bucket carries the SHA-256 of the picture as its checksum and in its signature: the store refuses a changed one.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import obstore
from obstore import exceptions
from obstore.store import LocalStore, S3Store

from service.record.store.files import make_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from obstore.store import ObjectStore, RetryConfig

    from service.system.remote_settings import BucketConfig
    from service.system.settings import Config

_PATIENCE: Final = timedelta(seconds=30)
_CONNECTING: Final = timedelta(seconds=5)
_RETRYING: Final[RetryConfig] = {
    "max_retries": 3,
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=5), "base": 2},
    "retry_timeout": _PATIENCE,
}
_REASONS: Final = {
    exceptions.PermissionDeniedError: "the store does not let this key do that",
    exceptions.UnauthenticatedError: "the store does not accept the key",
    exceptions.NotFoundError: "the store has no such bucket",
    FileNotFoundError: "the store has no such bucket",
    exceptions.NotSupportedError: "the store cannot do that",
}
_MISSING: Final = (FileNotFoundError, exceptions.NotFoundError)
_PICTURE: Final = re.compile(r"[0-9a-f]{2}/[^/]+")


class CopyError(OSError):
    """The folder or bucket cannot be used; the message says why, without parts of keys."""


class Copies:
    """Pictures in a folder or a bucket; every method may raise CopyError.

    Attributes:
        name: name for people.
        used: size of the pictures in a folder, or of those copied to a bucket since the program was started, bytes.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], ObjectStore],
        *,
        prefix: str = "",
        folder: Path | None = None,
        max_bytes: int = 0,
        min_free_bytes: int = 0,
    ) -> None:
        self.name, self.used = name, 0
        self._make, self._prefix, self._folder = make, prefix, folder
        self._max_bytes, self._min_free_bytes = max_bytes, min_free_bytes
        self._made: ObjectStore | None = None

    @classmethod
    def in_folder(cls, folder: Path, *, max_bytes: int = 0, min_free_bytes: int = 0) -> Copies:
        """Pictures in a folder, which is made if missing; the limits apply to further pictures."""

        def make() -> ObjectStore:
            make_folder(folder, 0o700)
            return LocalStore(folder)

        return cls(str(folder), make, folder=folder, max_bytes=max_bytes, min_free_bytes=min_free_bytes)

    @classmethod
    def in_bucket(cls, settings: BucketConfig) -> Copies:
        """Pictures in a bucket, or below a prefix in it; ConfigError if a secret cannot be read."""
        store = S3Store(
            settings.name,
            config=_config(settings),
            client_options=_client(settings),
            retry_config=_RETRYING,
        )
        return cls(f"bucket {settings.name}", lambda: store, prefix=settings.prefix)

    async def open(self) -> None:
        """Check that the place can be used, and count the bytes in a folder."""
        with self._using() as store:
            # A missing object and a missing bucket give the same error; an empty list is an answer of a bucket.
            await obstore.list_with_delimiter_async(store, f"{self._prefix}none/")
            if self._folder is not None:
                self.used = 0
                async for some in obstore.list(store):
                    self.used += sum(int(each["size"]) for each in some)

    async def holds(self, sha256: str, size: int) -> bool:
        """Return whether there is a picture of this size."""
        with self._using() as store:
            try:
                found = await obstore.head_async(store, self._key(sha256))
            except _MISSING:
                return False
        return int(found["size"]) == size

    async def get(self, sha256: str) -> bytes | None:
        """A picture, verified by its hash; None without one."""
        with self._using() as store:
            try:
                answer = await obstore.get_async(store, self._key(sha256))
            except _MISSING:
                return None
            return _as_named(bytes(await answer.bytes_async()), sha256)

    def get_now(self, sha256: str) -> bytes | None:
        """Like :meth:`get`, outside of an event loop."""
        with self._using() as store:
            try:
                answer = obstore.get(store, self._key(sha256))
            except _MISSING:
                return None
            return _as_named(bytes(answer.bytes()), sha256)

    async def lacking(self, size: int) -> int:
        """By how many bytes ``size`` more would exceed the limits of a folder; 0 for a bucket."""
        if self._folder is None:
            return 0
        free = (await asyncio.to_thread(shutil.disk_usage, self._folder)).free
        return max(self.used + size - self._max_bytes, self._min_free_bytes + size - free, 0)

    async def put(self, sha256: str, data: bytes, media_type: str) -> None:
        """Store a picture; durable when this returns."""
        key = self._key(sha256)
        with self._using() as store:
            if self._folder is None:
                kind = {"Content-Type": media_type}
                await obstore.put_async(store, key, data, attributes=kind, use_multipart=False)
            else:
                await obstore.put_async(store, key, data, use_multipart=False)
                await asyncio.to_thread(_sync, self._folder, self._folder / key)
        self.used += len(data)

    def verify(self) -> tuple[int, tuple[str, ...]]:
        """Fetch all pictures; return the number of intact ones and the names of the others."""
        good, changed = 0, list[str]()
        with self._using() as store:
            for some in obstore.list(store, self._prefix or None):
                for each in some:
                    path = str(each["path"]).removeprefix(self._prefix)
                    if _PICTURE.fullmatch(path):
                        name = path.rpartition("/")[2]
                        intact = self.get_now(name) is not None
                        good += intact
                        changed += [] if intact else [name]
        return good, tuple(changed)

    def _key(self, sha256: str) -> str:
        return f"{self._prefix}{sha256[:2]}/{sha256}"

    @contextmanager
    def _using(self) -> Iterator[ObjectStore]:
        try:
            if self._made is None:
                self._made = self._make()
            yield self._made
        except CopyError:
            raise
        except (exceptions.BaseError, OSError) as error:
            if self._folder is not None:
                raise CopyError(f"{self.name}: {str(error).partition(chr(10))[0]}") from None
            why = next((words for kind, words in _REASONS.items() if isinstance(error, kind)), None)
            raise CopyError(f"{self.name}: {why or 'the store cannot be reached, or fails'}") from None


def copies_of(config: Config) -> Copies | None:
    """The folder or bucket in the settings; None without one. ConfigError if a secret cannot be read."""
    if config.bucket is not None:
        return Copies.in_bucket(config.bucket)
    settings = config.evidence
    if settings.folder is None:
        return None
    limits = {"max_bytes": settings.max_mb * 1_000_000, "min_free_bytes": settings.min_free_mb * 1_000_000}
    return Copies.in_folder(settings.folder, **limits)


def _sync(folder: Path, file: Path) -> None:
    """Flush a new file and its folders to disk, which ``obstore`` does not."""
    for path in (file, file.parent, folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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
