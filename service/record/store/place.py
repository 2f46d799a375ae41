"""The file that a record's database is, and whether the one that is open is still the one that bears its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from sqlalchemy import Engine

_QUICK_BYTES: Final = 32_000_000
"""SQLite looks through this much in less than half a second; a larger file is looked through in the background."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a database is: its file with device and inode; without a path where it is elsewhere."""

    path: Path | None
    file: tuple[int, int] | None = None

    @classmethod
    def of(cls, database: Engine) -> Self:
        """Where a database is now."""
        name = database.url.database
        if database.dialect.name != "sqlite" or not name or name == ":memory:":
            return cls(None)
        return cls(Path(name), _file(Path(name)))

    @property
    def holds(self) -> bool:
        """Whether the file of this name is still the one that was opened."""
        return self.path is None or self.file is None or _file(self.path) == self.file

    @property
    def is_empty(self) -> bool:
        """Whether there is no file, or one with nothing in it."""
        return self.path is not None and (not self.path.exists() or self.path.stat().st_size == 0)

    @property
    def quick_to_check(self) -> bool:
        """Whether looking through all of the file takes no time to speak of."""
        return self.path is not None and self.path.exists() and self.path.stat().st_size <= _QUICK_BYTES


def _file(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
