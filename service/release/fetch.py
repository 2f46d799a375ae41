"""Fetching a release from the floor, which offers it: nothing that comes is believed before it is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service.codes import ReleaseCode
from service.ops.trusted import trusted
from service.record.store.files import make_folder, sync_file, sync_folder, write_durably
from service.release.manifest import (
    MANIFEST,
    MOST_MANIFEST_BYTES,
    SIGNATURE,
    ReleaseError,
    SignedManifest,
    is_there,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from service.config.fleet_settings import FleetConfig
    from service.release.manifest import Manifest, ReleaseFile

_PATIENCE_S: Final = 30.0
_MOST_OFFER_BYTES: Final = 4 * MOST_MANIFEST_BYTES
_PART: Final = ".part"


class _Offer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)
    manifest: str
    signature: Annotated[str, Field(max_length=200)]


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)
    offer: _Offer | None


class FloorClient:
    """Asks the floor for what it offers to this table; ReleaseError where it does not answer."""

    def __init__(self, config: FleetConfig) -> None:
        self._client = httpx2.AsyncClient(
            base_url=config.address,
            headers={"Authorization": f"Bearer {config.key()}"},
            timeout=_PATIENCE_S,
            verify=trusted(config.ca_file),
            trust_env=False,
        )

    async def close(self) -> None:
        """Let go of the connection."""
        await self._client.aclose()

    async def offer(self) -> SignedManifest | None:
        """What the floor offers; None for nothing."""
        try:
            answer = await self._client.get("/v1/releases/offer")
        except (httpx2.HTTPError, OSError) as error:
            raise _away(error) from None
        if answer.status_code != 200 or len(answer.content) > _MOST_OFFER_BYTES:
            raise ReleaseError.of(ReleaseCode.NOT_REACHED, why=str(answer.status_code))
        try:
            found = _Answer.model_validate_json(answer.content).offer
        except ValidationError as error:
            raise ReleaseError.of(ReleaseCode.NOT_REACHED, why=error.errors()[0]["msg"]) from None
        return None if found is None else SignedManifest(found.manifest.encode(), found.signature)

    async def fetch(self, signed: SignedManifest, manifest: Manifest, folder: Path) -> None:
        """Fetch the files of a release into a folder; what is there already from an earlier try is not asked for again.

        ReleaseError if the floor does not give one, or gives another; OSError if it cannot be written.
        """
        make_folder(folder, 0o700)
        for file in manifest.files:
            path = folder / file.path
            make_folder(path.parent, 0o700)
            if not is_there(folder, file):
                await self._fetch(signed.digest, file, path)
                if not is_there(folder, file):
                    path.unlink(missing_ok=True)
                    raise ReleaseError.of(ReleaseCode.FILE_DIFFERS, file=file.path)
            sync_folder(path.parent)
        write_durably(folder / SIGNATURE, signed.signature.encode())
        write_durably(folder / MANIFEST, signed.text)

    async def _fetch(self, digest: str, file: ReleaseFile, path: Path) -> None:
        part = path.with_name(path.name + _PART)
        had = part.stat().st_size if part.exists() else 0
        if had >= file.bytes:
            part.unlink(missing_ok=True)
            had = 0
        headers = {"Range": f"bytes={had}-"} if had else {}
        try:
            request = self._client.build_request("GET", f"/v1/releases/{digest}/{file.path}", headers=headers)
            answer = await self._client.send(request, stream=True)
            try:
                if answer.status_code not in {200, 206}:
                    raise ReleaseError.of(ReleaseCode.NOT_REACHED, why=f"{answer.status_code} {file.path}")
                await _write(answer.aiter_bytes(), part, file.bytes, "ab" if answer.status_code == 206 else "wb")
            finally:
                await answer.aclose()
        except (httpx2.HTTPError, OSError) as error:
            raise _away(error) from None
        part.rename(path)


async def _write(pieces: AsyncIterator[bytes], part: Path, most: int, mode: str) -> None:
    with part.open(mode) as out:
        async for piece in pieces:
            out.write(piece)
            if out.tell() > most:
                break  # more than was signed; its hash will say so
        sync_file(out)


def _away(error: Exception) -> ReleaseError:
    return ReleaseError.of(ReleaseCode.NOT_REACHED, why=(str(error) or type(error).__name__)[:200])
