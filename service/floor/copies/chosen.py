"""The place that the settings of a floor name for copies of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.floor.copies.place import Folder

if TYPE_CHECKING:
    from service.floor.copies.place import CopyPlace
    from service.floor.settings import FloorConfig


def place_of(config: FloorConfig) -> CopyPlace | None:
    """The folder or the bucket; None if neither is named. ConfigError if a secret cannot be read."""
    if config.bucket is not None:
        from service.floor.copies.bucket import Bucket  # noqa: PLC0415  few floors have one

        return Bucket(config.bucket)
    return None if config.evidence.folder is None else Folder(config.evidence)
