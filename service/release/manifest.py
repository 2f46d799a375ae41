"""What a release is: a manifest of its files, signed with a key that neither tables nor the floor hold.

A folder holds the manifest as it was signed (``release.json``), the signature (``release.sig``) and the files.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AwareDatetime, Field

from calibration.files.json_file import FileModel, named_faults
from service.codes import ReleaseCode
from service.record.store.chain import canonical_json
from service.words.findings import FindingError
from vision.networks.model_card import NETWORKS, sha256_of

if TYPE_CHECKING:
    from pathlib import Path

    from service.record.store.signing import PublicKey

MANIFEST: Final = "release.json"
SIGNATURE: Final = "release.sig"
SETTINGS_FILE: Final = "settings.toml"
MODELS_FOLDER: Final = "models"
MODEL_FILES: Final = tuple(f"{MODELS_FOLDER}/{name}.{kind}" for name in NETWORKS for kind in ("onnx", "card.json"))
"""All of them or none: models that were measured together are used together."""
MOST_BYTES: Final = 200_000_000
MOST_MANIFEST_BYTES: Final = 64_000
_STATEMENT: Final = b"houseway release 1\n"
"""Stands before what is signed: a signature of anything else is none of a release."""


class ReleaseError(FindingError, ValueError):
    """A release that cannot be used."""


class ReleaseFile(FileModel):
    """A file of a release: its place in the folder, its size in bytes and its SHA-256, hexadecimal."""

    path: Annotated[str, Field(max_length=100)]
    bytes: Annotated[int, Field(ge=0, le=MOST_BYTES)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(FileModel):
    """What is signed.

    Attributes:
        format: of this file.
        name: what the release is called.
        number: greater than that of every release before it.
        made_at: when it was made, UTC.
        made_by: who made it.
        reason: why.
        files: all of its files.
    """

    format: Annotated[int, Field(ge=1, le=1)] = 1
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,39}$")]
    number: Annotated[int, Field(ge=1, le=1_000_000_000)]
    made_at: AwareDatetime
    made_by: Annotated[str, Field(min_length=1, max_length=100)]
    reason: Annotated[str, Field(min_length=1, max_length=500)]
    files: Annotated[tuple[ReleaseFile, ...], Field(max_length=len(MODEL_FILES) + 1)]

    @property
    def paths(self) -> frozenset[str]:
        """Where its files lie."""
        return frozenset(each.path for each in self.files)

    @property
    def has_models(self) -> bool:
        """Whether it gives out models."""
        return MODEL_FILES[0] in self.paths

    def text(self) -> str:
        """As it is signed."""
        return canonical_json(self.model_dump(mode="json")) + "\n"


@dataclass(frozen=True, slots=True)
class SignedManifest:
    """A manifest as it came, and its signature, which nobody has looked at yet.

    Attributes:
        text: the bytes that were signed.
        signature: Ed25519, hexadecimal.
    """

    text: bytes
    signature: str

    @property
    def digest(self) -> str:
        """What tells this release from every other: SHA-256 of the manifest, hexadecimal."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def statement(self) -> bytes:
        """What is signed."""
        return _STATEMENT + self.text

    def verified(self, key: PublicKey) -> Manifest:
        """The manifest, if the key's holder signed it; ReleaseError if not, or if it is none."""
        if not key.signed(self.statement, self.signature):
            raise ReleaseError.of(ReleaseCode.NOT_SIGNED, key=key.hex)
        return self.unverified()

    def unverified(self) -> Manifest:
        """The manifest, whoever signed it; ReleaseError if it is none."""
        if len(self.text) > MOST_MANIFEST_BYTES:
            raise _unreadable(MANIFEST, f"more than {MOST_MANIFEST_BYTES} bytes")
        try:
            with named_faults(MANIFEST, ValueError):
                found = Manifest.model_validate_json(self.text)
        except ValueError as error:
            raise _unreadable(MANIFEST, str(error)) from None
        if strange := sorted(found.paths - {*MODEL_FILES, SETTINGS_FILE}):
            raise ReleaseError.of(ReleaseCode.FILE_NOT_ALLOWED, file=strange[0])
        if len(found.paths) != len(found.files) or sum(each.bytes for each in found.files) > MOST_BYTES:
            raise _unreadable(MANIFEST, "a file is named twice, or they are too large")
        if not found.files:
            raise ReleaseError.of(ReleaseCode.EMPTY)
        if found.paths & {*MODEL_FILES} and (missing := sorted({*MODEL_FILES} - found.paths)):
            raise ReleaseError.of(ReleaseCode.MODELS_INCOMPLETE, file=missing[0])
        return found


def read_signed(folder: Path) -> SignedManifest:
    """The manifest and signature in a folder; ReleaseError if they are not there."""
    try:
        signature = (folder / SIGNATURE).read_text(encoding="ascii").strip()
        return SignedManifest((folder / MANIFEST).read_bytes(), signature)
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)) if isinstance(error, OSError) else "no text"
        raise _unreadable(str(folder), why.lower()) from None


def is_there(folder: Path, file: ReleaseFile) -> bool:
    """Whether a file of a release lies in a folder as it was signed."""
    path = folder / file.path
    try:
        return path.stat().st_size == file.bytes and sha256_of(path) == file.sha256
    except OSError:
        return False


def check_files(folder: Path, manifest: Manifest) -> None:
    """Hold every file against the manifest; ReleaseError."""
    for each in manifest.files:
        if not is_there(folder, each):
            raise ReleaseError.of(ReleaseCode.FILE_DIFFERS, file=each.path)


def verified_folder(folder: Path, key: PublicKey) -> Manifest:
    """The manifest of a folder that is signed and whole; ReleaseError."""
    manifest = read_signed(folder).verified(key)
    check_files(folder, manifest)
    return manifest


def _unreadable(file: str, why: str) -> ReleaseError:
    return ReleaseError.of(ReleaseCode.UNREADABLE, file=file, why=why)
