"""Releases to be given out: put together and signed as a person does."""

from __future__ import annotations

import shutil
from functools import cache
from typing import TYPE_CHECKING

from service.record.changes import Attribution
from service.record.store.signing import Signer
from service.release.making import make, sign
from tests.service.stand_ins import new_folder
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from pathlib import Path

WHY = Attribution("A. Person", "tiles are read better")
SETTINGS = "[rounds]\nsettle_frames = 4\n"


@cache
def signer() -> Signer:
    """The release key."""
    return Signer.make(new_folder() / "release.key")


def release(
    number: int,
    *,
    settings: str | None = SETTINGS,
    models: Path | None = None,
    by: Signer | None = None,
    name: str | None = None,
) -> Path:
    """A signed release in a folder of its own."""
    folder = new_folder()
    told = None
    if settings is not None:
        told = folder / "given.toml"
        told.write_text(settings)
    out = folder / "release"
    make(out, name=name or f"release-{number}", number=number, why=WHY, models=models, settings=told)
    sign(out, by or signer())
    return out


def copied_models() -> Path:
    """The shipped models, to be changed."""
    folder = new_folder() / "weights"
    shutil.copytree(default_weights(), folder)
    return folder
