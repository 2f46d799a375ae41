"""The record: can it be written, is what is written durable, does its chain hold."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from service.monitor.doctor.finding import Finding, fail, warn, well
from service.record.store.database import DatabaseError, open_database
from service.record.store.entries import RecordUnavailableError
from service.record.store.reading import DatabaseReader
from service.record.store.record_settings import EVIDENCE, RecordSettings
from service.record.verify import NotARecordError, verify_database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from service.config.settings import Config

_FORGETFUL = frozenset({"tmpfs", "ramfs", "overlay"})


def record(config: Config, root: Path) -> Iterator[Finding]:
    """Look at a record without changing it."""
    yield _folder(config.record_folder, root)
    yield _chain(config)


def _folder(folder: Path, root: Path) -> Finding:
    known = folder
    while not known.exists():
        known = known.parent
    remedy = "give it to the user of the service (chown), or name another as record.folder"
    try:
        with tempfile.TemporaryFile(dir=known) as file:
            file.write(b"x")
            os.fsync(file.fileno())
    except OSError as error:
        return fail("record_folder", f"{known} cannot be written: {error.strerror}", remedy)
    kind = _filesystem(known, root)
    if kind in _FORGETFUL:
        return warn("record_folder", f"{known} is on {kind}, which forgets or may be thrown away", "put it on a disk")
    return well("record_folder", f"{folder} can be written" + (f" ({kind})" if kind else ""))


def _filesystem(folder: Path, root: Path) -> str | None:
    """The kind of file system that a folder lies on, as the kernel lists them."""
    try:
        lines = (root / "proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    mounts = [(fields[1].replace("\\040", " "), fields[2]) for line in lines if len(fields := line.split()) > 2]
    over = [(point, kind) for point, kind in mounts if folder.resolve().is_relative_to(point)]
    return max(over, key=lambda each: len(each[0]), default=(None, None))[1]


def _chain(config: Config) -> Finding:
    settings = RecordSettings.of(config)
    remedy = "put back a copy that `houseway record verify` proves (docs/operations.md), and keep the broken one"
    try:
        database = open_database(settings.database_url)
        if database.dialect.name == "sqlite" and not os.path.exists(database.url.database or ""):  # noqa: PTH110
            return well("record", "none yet: the first start begins it")
        evidence = settings.folder / EVIDENCE
        proof = verify_database(DatabaseReader(database), evidence if evidence.is_dir() else None)
    except DatabaseError as error:
        return fail("record", str(error), "see record.url")
    except (RecordUnavailableError, NotARecordError) as error:
        return fail("record", str(error), remedy)
    if not proof.holds:
        return fail("record", f"broken at entry {proof.broken}: {proof.why}", remedy)
    return well(
        "record", f"entries {proof.first} to {proof.last} and {proof.pictures} pictures hold; head {proof.hash[:16]}"
    )
