"""Which certificates of other services are trusted."""

from __future__ import annotations

import ssl
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@lru_cache(maxsize=64)
def trusted(ca_file: Path | None) -> ssl.SSLContext:
    """Those of a file, or the system's; one for all who trust the same, for each takes hundredths of a second to make.

    OSError if the file cannot be read, or holds none.
    """
    return ssl.create_default_context(cafile=ca_file)
