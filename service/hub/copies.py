"""Copies of the tables' pictures: objects named by their SHA-256 in a folder, or in a bucket of an S3-compatible store.

Requests are made by ``obstore`` outside of Python's threads, so that a store that hangs holds up nothing else. Each
upload to a bucket carries the SHA-256 of the picture, as its checksum and in its signature: the store refuses what
arrives changed.
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
_SAID: Final = {
    exceptions.PermissionDeniedError: "the store does not let this key do that",
    exceptions.UnauthenticatedError: "the store does not accept the key",
    exceptions.NotFoundError: "the store has no such bucket",
    FileNotFoundError: "the store has no such bucket",
    exceptions.NotSupportedError: "the store cannot do that",
}
_NOT_THERE: Final = (FileNotFoundError, exceptions.NotFoundError)
_PICTURE: Final = re.compile(r"[0-9a-f]{2}/[^/]+")


class CopyError(OSError):
    """The folder or bucket cannot be used now; the message says why, without parts of keys."""


class Copies:
    """Pictures in a folder or a bucket; every method raises CopyError if that cannot be used.

    Made by :meth:`in_folder`, :meth:`in_bucket` or :func:`copies_of`.

    Attributes:
        name: what people know the place by.
        used: bytes of the pictures in a folder; of a bucket, of those copied since the program was started.
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
        """Those in a folder, which is made if need be; ``max_bytes`` and ``min_free_bytes`` bound what is added."""

        def make() -> ObjectStore:
            make_folder(folder, 0o700)
            return LocalStore(folder)

        return cls(str(folder), make, folder=folder, max_bytes=max_bytes, min_free_bytes=min_free_bytes)

    @classmethod
    def in_bucket(cls, settings: BucketConfig) -> Copies:
        """Those in a bucket, or a part of one; ConfigError if a secret cannot be read."""
        store = S3Store(
            settings.name,
            config=_config(settings),
            client_options=_client(settings),
            retry_config=_RETRYING,
        )
        return cls(f"bucket {settings.name}", lambda: store, prefix=settings.prefix)

    async def open(self) -> None:
        """Find out whether the place can be used; counts the bytes in a folder."""
        with self._using() as store:
            # A missing object and a missing bucket give the same error; an empty list is an answer of a bucket.
            await obstore.list_with_delimiter_async(store, f"{self._prefix}none/")
            if self._folder is not None:
                self.used = 0
                async for some in obstore.list(store):
                    self.used += sum(int(each["size"]) for each in some)

    async def holds(self, sha256: str, size: int) -> bool:
        """Whether a picture of this size is there."""
        with self._using() as store:
            try:
                found = await obstore.head_async(store, self._key(sha256))
            except _NOT_THERE:
                return False
        return int(found["size"]) == size

    async def get(self, sha256: str) -> bytes | None:
        """A picture that is what its name says; None if there is none."""
        with self._using() as store:
            try:
                answer = await obstore.get_async(store, self._key(sha256))
            except _NOT_THERE:
                return None
            return _as_named(bytes(await answer.bytes_async()), sha256)

    def get_now(self, sha256: str) -> bytes | None:
        """As :meth:`get`, for callers outside of an event loop."""
        with self._using() as store:
            try:
                answer = obstore.get(store, self._key(sha256))
            except _NOT_THERE:
                return None
            return _as_named(bytes(answer.bytes()), sha256)

    async def lacking(self, size: int) -> int:
        """How many bytes too many a folder would have with ``size`` more; 0 for a bucket, which has its own limits."""
        if self._folder is None:
            return 0
        free = (await asyncio.to_thread(shutil.disk_usage, self._folder)).free
        return max(self.used + size - self._max_bytes, self._min_free_bytes + size - free, 0)

    async def put(self, sha256: str, data: bytes, media_type: str) -> None:
        """Keep a picture; it is durable when this returns."""
        key = self._key(sha256)
        with self._using() as store:
            if self._folder is None:
                kind = {"Content-Type": media_type}
                await obstore.put_async(store, key, data, attributes=kind, use_multipart=False)
            else:
                await obstore.put_async(store, key, data, use_multipart=False)
                await asyncio.to_thread(_sync, self._folder, self._folder / key)
        self.used += len(data)

    def all_of_them(self) -> Iterator[tuple[str, bool]]:
        """Every picture by its name, and whether it is what that says; each is fetched."""
        with self._using() as store:
            for some in obstore.list(store, self._prefix or None):
                for each in some:
                    path = str(each["path"]).removeprefix(self._prefix)
                    if _PICTURE.fullmatch(path):
                        name = path.rpartition("/")[2]
                        yield name, self.get_now(name) is not None

    def prove(self) -> tuple[int, tuple[str, ...]]:
        """How many pictures are what their names say, and the names of those that are not."""
        good, spoilt = 0, list[str]()
        for name, fine in self.all_of_them():
            good += fine
            spoilt += [] if fine else [name]
        return good, tuple(spoilt)

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
            said = next((words for kind, words in _SAID.items() if isinstance(error, kind)), None)
            raise CopyError(f"{self.name}: {said or 'the store cannot be reached, or fails'}") from None


def copies_of(config: Config) -> Copies | None:
    """The folder or bucket that a floor's settings name; None without one. ConfigError if a secret cannot be read."""
    if config.bucket is not None:
        return Copies.in_bucket(config.bucket)
    settings = config.evidence
    if settings.folder is None:
        return None
    limits = {"max_bytes": settings.max_mb * 1_000_000, "min_free_bytes": settings.min_free_mb * 1_000_000}
    return Copies.in_folder(settings.folder, **limits)


def _sync(folder: Path, file: Path) -> None:
    """Have the disk keep a new file, and the names that lead to it; ``obstore`` does not wait for that."""
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
