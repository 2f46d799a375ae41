"""A place that pictures are copied to, named by the SHA-256 of what they hold."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING, Protocol

from service.record.store.evidence import EvidenceStore
from service.record.store.files import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.floor.settings import FloorEvidenceConfig


class CopyPlace(Protocol):
    """A folder or a bucket; what it cannot do is an OSError whose message has no secret."""

    @property
    def name(self) -> str:
        """What people know it by."""
        ...

    @property
    def used(self) -> int:
        """Bytes of the pictures in it, as far as it counts them."""
        ...

    async def open(self) -> None:
        """Find out whether it can be used."""

    async def holds(self, sha256: str, size: int) -> bool:
        """Whether a picture of this size is there."""
        ...

    async def get(self, sha256: str) -> bytes | None:
        """A picture that is what its name says; None if there is none."""
        ...

    async def lacking(self, size: int) -> int:
        """How many bytes too many there would be with so many more."""
        ...

    async def put(self, sha256: str, data: bytes, media_type: str) -> None:
        """Keep a picture; it is kept when this returns."""

    def all_of_them(self) -> Iterator[tuple[str, bool]]:
        """Every picture by its name, and whether it is what that says."""
        ...


class Folder:
    """A folder of the floor's own disk, bounded as the settings say."""

    def __init__(self, settings: FloorEvidenceConfig) -> None:
        if settings.folder is None:
            raise ValueError("no folder")
        limits = {"max_bytes": settings.max_mb * 1_000_000, "min_free_bytes": settings.min_free_mb * 1_000_000}
        self._store = EvidenceStore(settings.folder, **limits)

    @property
    def name(self) -> str:
        """See :class:`CopyPlace`."""
        return str(self._store.folder)

    @property
    def used(self) -> int:
        """See :class:`CopyPlace`."""
        return self._store.used

    async def open(self) -> None:
        """See :class:`CopyPlace`; it counts what is there, which takes a while where there is much."""
        await asyncio.to_thread(self._store.open)

    async def holds(self, sha256: str, size: int) -> bool:  # noqa: ARG002  of the protocol
        """See :class:`CopyPlace`."""
        return await self.get(sha256) is not None

    async def get(self, sha256: str) -> bytes | None:
        """See :class:`CopyPlace`."""
        return await asyncio.to_thread(self._store.get, sha256)

    async def lacking(self, size: int) -> int:
        """See :class:`CopyPlace`."""
        return await asyncio.to_thread(self._store.lacking, size)

    async def put(self, sha256: str, data: bytes, media_type: str) -> None:  # noqa: ARG002  of the protocol
        """See :class:`CopyPlace`."""
        await asyncio.to_thread(self._store.put, {sha256: data})

    def all_of_them(self) -> Iterator[tuple[str, bool]]:
        """See :class:`CopyPlace`."""
        for path in sorted(self._store.folder.glob("[0-9a-f][0-9a-f]/*")):
            if not path.name.startswith(UNFINISHED):
                with path.open("rb") as file:
                    yield path.name, hashlib.file_digest(file, "sha256").hexdigest() == path.name


def prove(place: CopyPlace) -> tuple[int, tuple[str, ...]]:
    """How many pictures of a place are what their names say, and the names of those that are not; OSError."""
    good, spoilt = 0, list[str]()
    for name, fine in place.all_of_them():
        good += fine
        spoilt += [] if fine else [name]
    return good, tuple(spoilt)
