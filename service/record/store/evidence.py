"""Pictures kept as evidence: files named by the SHA-256 of their contents, the room they have, and their removal."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from calibration.files.json_file import read_bounded
from calibration.files.seal import sync_folder
from service.record.store import schema
from service.record.store.files import UNFINISHED, make_folder, write_all_durably, write_durably

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Row, Select

    from service.record.store.database_reader import DatabaseReader

_NAME: Final = re.compile(r"[0-9a-f]{64}")


class EvidenceStore:
    """The folder of pictures: at most ``max_bytes`` of them, and ``min_free_bytes`` stay free on the disk."""

    def __init__(self, folder: Path, *, max_bytes: int, min_free_bytes: int) -> None:
        self.folder = folder
        self._max_bytes = max_bytes
        self._min_free_bytes = min_free_bytes
        self.used = 0  # bytes that the pictures fill
        self._lock = threading.Lock()

    def open(self) -> None:
        """Make the folders if need be, clear away what a crash left half-written, and count; OSError if that fails."""
        make_folder(self.folder, 0o700)
        # All at once: made one by one, each would have to be waited for while a picture is to be kept.
        for number in range(256):
            (self.folder / f"{number:02x}").mkdir(0o700, exist_ok=True)
        sync_folder(self.folder)
        used = 0
        for parent, _, names in os.walk(self.folder):
            for name in names:
                path = Path(parent, name)
                if name.startswith(UNFINISHED):
                    path.unlink(missing_ok=True)
                else:
                    used += path.stat().st_size
        with self._lock:
            self.used = used

    def path(self, sha256: str) -> Path:
        """The file of a picture; ValueError if this is not the name of one."""
        if not _NAME.fullmatch(sha256):
            raise ValueError(f"{sha256!r} is no SHA-256")
        return self.folder / sha256[:2] / sha256

    def lacking(self, size: int) -> int:
        """By how many bytes ``size`` more would exceed the limits; OSError if the disk does not say."""
        free = shutil.disk_usage(self.folder).free
        return max(self.used + size - self._max_bytes, self._min_free_bytes + size - free, 0)

    @property
    def limit(self) -> int:
        """The most that all pictures may fill now, by the settings or by the disk; OSError if the disk does not say."""
        free = shutil.disk_usage(self.folder).free
        return max(0, min(self._max_bytes, self.used + free - self._min_free_bytes))

    def put(self, pictures: Mapping[str, bytes]) -> None:
        """Keep pictures, named by their SHA-256; on disk when this returns; OSError if one cannot be written."""
        # Keep existing pictures with the right contents; rewrite corrupt ones.
        lacking = {self.path(sha256): data for sha256, data in pictures.items() if self.get(sha256) is None}
        for path in lacking:
            make_folder(path.parent, 0o700)
        new = sum(len(data) for path, data in lacking.items() if not path.exists())
        if lacking:
            write_all_durably(lacking, mode=0o600)
        with self._lock:
            self.used += new

    def get(self, sha256: str) -> bytes | None:
        """A picture; None if it is not there, or not what its name says; OSError if it cannot be read."""
        try:
            data = read_bounded(self.path(sha256))
        except FileNotFoundError:
            return None
        return data if hashlib.sha256(data).hexdigest() == sha256 else None

    def remove(self, names: Iterable[str]) -> int:
        """Remove pictures; returns how many bytes that freed. OSError if one cannot be removed."""
        freed = 0
        for sha256 in names:
            path = self.path(sha256)
            with suppress(FileNotFoundError):
                size = path.stat().st_size
                path.unlink()
                freed += size
        with self._lock:
            self.used -= freed
        return freed

    def probe(self) -> None:
        """Check that a picture could be written now; OSError if not."""
        probe = self.folder / f"{UNFINISHED}probe-{os.getpid()}-{threading.get_ident()}"
        write_durably(probe, bytes(64 * 1024), mode=0o600)
        probe.unlink()


_LOOKED_BACK: Final = timedelta(days=7)
"""A week holds its busy days and its quiet ones."""
_SHORTEST: Final = timedelta(days=1)
"""From less than a day nothing is foretold that a whole day would not make: tables are closed for hours."""


@dataclass(frozen=True, slots=True)
class EvidenceRoom:
    """The room that evidence has, bytes.

    Attributes:
        limit: the most that they may take, by the settings or by the free disk, whichever is less.
        kept: by pictures that must stay because no export has them yet.
        per_day: recent daily intake.
    """

    used: int
    limit: int
    kept: int
    per_day: float

    @property
    def days_left(self) -> float | None:
        """In how many days nothing more can be recorded unless something is exported; None while nothing comes."""
        return max(0, self.limit - self.kept) / self.per_day if self.per_day > 0 else None


def evidence_room(reader: DatabaseReader, evidence: EvidenceStore, now: datetime) -> EvidenceRoom:
    """Work out how full the evidence of a record is.

    RecordUnavailableError if the record cannot be read, OSError if the disk does not say.
    """
    first = reader.entry(1)
    if first is None:
        return EvidenceRoom(evidence.used, evidence.limit, 0, 0.0)
    span = min(max(now - datetime.fromisoformat(first.at), _SHORTEST), _LOOKED_BACK)
    came = reader.bytes_of_pictures(reader.first_at(now.astimezone(UTC) - span) - 1, only_new=True)
    kept = reader.bytes_of_pictures(reader.last_through("export"))
    return EvidenceRoom(evidence.used, evidence.limit, kept, came / (span / timedelta(days=1)))


BATCH: Final = 256
"""Pictures removed with one entry: small enough that an append hardly waits."""


@dataclass(frozen=True, slots=True)
class Removal:
    """Pictures to be removed: SHA-256, bytes freed, and the last entry whose pictures are among them."""

    names: tuple[str, ...]
    bytes: int
    through: int


def removable(removed: int, exported: int) -> Select[Any]:
    """Query for pictures beyond entry ``removed`` that no entry beyond ``exported`` names, as they were last named."""
    columns = schema.OWN.pictures.c
    newest = func.max(columns.seq).label("newest")
    last_named = (
        select(columns.sha256, newest, func.max(columns.bytes).label("bytes"))
        .where(columns.seq > removed)
        .group_by(columns.sha256)
        .subquery()
    )
    return (
        select(last_named.c.sha256, last_named.c.newest, last_named.c.bytes, schema.OWN.entries.c.at)
        .join(schema.OWN.entries, schema.OWN.entries.c.seq == last_named.c.newest)
        .where(last_named.c.newest <= exported)
        .order_by(last_named.c.newest, last_named.c.sha256)
        .limit(BATCH)
    )


def choose(
    rows: Sequence[Row[Any]], removed: int, *, at_least: int | None = None, older_than: str | None = None
) -> Removal:
    """The pictures to remove from the rows of :func:`removable`, by whole entries, until ``at_least`` bytes are freed.

    None that was last named at the moment ``older_than`` or after it is removed.
    """
    names: list[str] = []
    freed, through = 0, removed
    for seq, group in groupby(rows, key=lambda row: int(row.newest)):
        together = tuple(group)
        enough = at_least is not None and freed >= at_least
        too_young = older_than is not None and together[0].at >= older_than
        if enough or too_young or (names and len(names) + len(together) == BATCH):
            break  # the last group may be cut short by the limit of the query
        names += [row.sha256 for row in together]
        freed += sum(row.bytes for row in together)
        through = seq
    return Removal(tuple(names), freed, through)
