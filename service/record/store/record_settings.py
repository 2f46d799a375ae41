"""Where a record lies and how much it may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.record.store.database import sqlite_url

if TYPE_CHECKING:
    from pathlib import Path

    from service.system.settings import Config

DATABASE: Final = "record.db"
KEY: Final = "record.key"
KEY_NEXT: Final = "record.key.next"
"""The key to come, until the change to it is recorded."""
PUBLIC_KEY: Final = "record.pub"
EVIDENCE: Final = "evidence"
WRITER_LOCK: Final = "record.lock"


@dataclass(frozen=True, slots=True)
class RecordSettings:
    """Where a record lies and how much it may hold.

    Attributes:
        url: SQLAlchemy URL of the database; SQLite in ``folder`` if None.
        keep_days: exported pictures older than this are removed.
        max_bytes: the most that all pictures may fill; the oldest exported ones make room.
        min_free_bytes: what must stay free on the disk.
        mark: file outside the folder that remembers the newest checkpoint; beside the folder if None.
        tables: names of the local tables: each of them gets an entry about an outage of the record.
    """

    folder: Path
    url: str | None = None
    keep_days: int = 365
    max_bytes: int = 50_000_000_000
    min_free_bytes: int = 0
    mark: Path | None = None
    tables: tuple[str, ...] = ()

    @classmethod
    def of(cls, config: Config) -> RecordSettings:
        settings = config.record
        return cls(
            folder=config.record_folder,
            url=None if settings.url is None else settings.url.get_secret_value(),
            keep_days=settings.keep_days,
            max_bytes=settings.max_mb * 1_000_000,
            min_free_bytes=settings.min_free_mb * 1_000_000,
            mark=settings.mark_file,
            tables=tuple(table.name for table in config.local),
        )

    @property
    def mark_file(self) -> Path:
        """The file that remembers the newest checkpoint, so that an older copy of the folder is noticed."""
        return self.mark or self.folder.with_name(f"{self.folder.name}.mark")

    @property
    def database_url(self) -> str:
        return self.url or sqlite_url(self.folder / DATABASE)
