"""Making and signing a release, on a computer that neither a table nor the floor reaches."""

from __future__ import annotations

import hashlib
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from service.codes import ReleaseCode
from service.record.store.files import make_folder, write_durably
from service.release.given_out import read_settings
from service.release.manifest import (
    MANIFEST,
    MODEL_FILES,
    SETTINGS_FILE,
    SIGNATURE,
    Manifest,
    ReleaseError,
    ReleaseFile,
    SignedManifest,
    check_files,
)

if TYPE_CHECKING:
    from pathlib import Path

    from service.record.changes import Attribution
    from service.record.store.signing import Signer


def make(
    out: Path, *, name: str, number: int, why: Attribution, models: Path | None = None, settings: Path | None = None
) -> Manifest:
    """Put a release together, not signed yet.

    Args:
        out: a new folder for it.
        name: what it is called.
        number: greater than that of every release before it.
        why: who makes it, and why.
        models: folder of the four models with their cards; None for none.
        settings: TOML file with the settings to give out; None for none.

    Raises:
        ReleaseError: something in it cannot be given out.
        OSError: a file cannot be read or written.
    """
    files: dict[str, bytes] = {}
    if models is not None:
        files |= {path: (models / path.partition("/")[2]).read_bytes() for path in MODEL_FILES}
    if settings is not None:
        text = settings.read_text(encoding="utf-8")
        read_settings(text)
        files[SETTINGS_FILE] = text.encode()
    listed = tuple(
        ReleaseFile(path=path, bytes=len(data), sha256=hashlib.sha256(data).hexdigest()) for path, data in files.items()
    )
    made = Manifest(
        name=name,
        number=number,
        made_at=datetime.now(UTC).replace(microsecond=0),
        made_by=why.by,
        reason=why.reason,
        files=listed,
    )
    SignedManifest(made.text().encode(), "").unverified()  # as whoever takes it will read it
    if out.exists():
        raise ReleaseError.of(ReleaseCode.UNREADABLE, file=str(out), why="it exists already; name a new folder")
    make_folder(out)
    try:
        for path, data in files.items():
            make_folder((out / path).parent)
            write_durably(out / path, data)
        write_durably(out / MANIFEST, made.text().encode())
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)
        raise
    return made


def sign(folder: Path, signer: Signer) -> Manifest:
    """Sign a release whose files are what its manifest says; ReleaseError, OSError."""
    plain = SignedManifest((folder / MANIFEST).read_bytes(), "")
    manifest = plain.unverified()
    check_files(folder, manifest)
    write_durably(folder / SIGNATURE, signer.sign_bytes(plain.statement).hex().encode() + b"\n")
    return manifest
