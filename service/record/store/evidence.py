"""Pictures kept as evidence, each in a file named by the SHA-256 of what it holds; 256 folders by first digits."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.record.store.files import UNFINISHED, make_folder, sync_folder, write_all_durably, write_durably

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
        """Where a picture lies; ValueError if this is no name of one."""
        if not _NAME.fullmatch(sha256):
            raise ValueError(f"{sha256!r} is no SHA-256")
        return self.folder / sha256[:2] / sha256

    def lacking(self, size: int) -> int:
        """How many bytes too many there would be with ``size`` more; OSError if the disk cannot be asked."""
        free = shutil.disk_usage(self.folder).free
        return max(self.used + size - self._max_bytes, self._min_free_bytes + size - free, 0)

    @property
    def limit(self) -> int:
        """The most that all pictures may fill now, by the settings or by the disk; OSError if it cannot be asked."""
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
            data = self.path(sha256).read_bytes()
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
        """Find out whether a picture could be kept now; OSError if not."""
        probe = self.folder / f"{UNFINISHED}probe"
        write_durably(probe, bytes(64 * 1024), mode=0o600)
        probe.unlink()
