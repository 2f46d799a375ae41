"""The tile model that a table uses: the shipped one, or a candidate that a person put in use."""

from __future__ import annotations

import json
import shutil
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AwareDatetime, Field

from calibration.files.json_file import FileModel, parse, read_json
from calibration.files.seal import sync_folder
from service.record.store.files import make_folder, write_durably
from vision.learning.errors import LearningError
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import ModelError, card_path, sha256_of
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from pathlib import Path

    from service.system.settings import Config

_FILE: Final = "in-use.json"


class Adoption(FileModel):
    """The adoption of a model: its SHA-256, when, UTC, by whom and why."""

    sha256: str
    at: AwareDatetime
    by: str
    reason: str


class _Choice(FileModel):
    version: Annotated[int, Field(ge=1, le=1)] = 1
    adoptions: tuple[Adoption, ...] = ()


class ModelChoice:
    """The models adopted at a table, newest last; the folder holds a copy of each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def adoptions(self) -> tuple[Adoption, ...]:
        """Return the adoptions in order; the last is in use. LearningError if the file cannot be read."""
        path = self._folder / _FILE
        return (
            parse(_Choice, read_json(path, LearningError), str(path), LearningError).adoptions if path.exists() else ()
        )

    def in_use(self) -> Path | None:
        """Return the folder of the model in use; None for the shipped one. LearningError if the file is unreadable."""
        adoptions = self.adoptions()
        return self._copy(adoptions[-1].sha256) if adoptions else None

    def copy(self, candidate: Path) -> str:
        """Copy a model and its card atomically and return its SHA-256; OSError."""
        sha256 = sha256_of(candidate / TILE_MODEL)
        kept = self._copy(sha256)
        if kept.exists():
            return sha256
        draft = self._folder / f".{uuid.uuid4().hex[:8]}"
        make_folder(draft)
        try:
            for file in (candidate / TILE_MODEL, card_path(candidate / TILE_MODEL)):
                write_durably(draft / file.name, file.read_bytes())
            draft.rename(kept)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        sync_folder(self._folder)
        return sha256

    def put(self, adoptions: tuple[Adoption, ...]) -> None:
        """Use the last of these from the next start on; the shipped one if empty. OSError if it cannot be written."""
        make_folder(self._folder)
        data = json.dumps(_Choice(adoptions=adoptions).model_dump(mode="json"), indent=1) + "\n"
        write_durably(self._folder / _FILE, data.encode())

    def _copy(self, sha256: str) -> Path:
        return self._folder / sha256[:16]


def own_tiles(folder: Path) -> Path | None:
    """Return the folder of the tile model adopted at a table; None for the shipped one.

    Raises:
        LearningError: the list of adoptions is unreadable, or the model is missing.
    """
    found = ModelChoice(folder).in_use()
    if found is not None and not (found / TILE_MODEL).is_file():
        raise LearningError(
            f"the tile model in use, {found / TILE_MODEL}, is missing; put it back, or use the one before with "
            "houseway models take --previous"
        )
    return found


@dataclass(frozen=True, slots=True)
class TileModel:
    """The tile model that reads.

    Attributes:
        sha256: of its file, as results name it under ``versions``.
        folder: of an adopted model; None for the shipped one.
        origin: where it comes from, in English.
        weights: folder of the other models; None for the default.
    """

    sha256: str
    folder: Path | None
    origin: str
    weights: Path | None = None

    @classmethod
    def of(cls, config: Config | None) -> TileModel:
        """Return the model in use at a table; the shipped one without settings.

        Raises:
            LearningError: the list of adoptions is unreadable, or the adopted model is missing.
            ModelError: the shipped model is missing.
        """
        folder = None if config is None else own_tiles(config.models_folder)
        weights = None if config is None else config.models.weights
        try:
            sha256 = sha256_of((folder or weights or default_weights()) / TILE_MODEL)
        except OSError as fault:
            raise ModelError(f"{fault.filename}: the tile model cannot be read ({fault.strerror})") from fault
        if config is None:
            return cls(sha256, None, "as shipped; --config reads with a table's own")
        if folder is None:
            source = "as shipped" if weights is None else "from models.weights"
            return cls(sha256, None, f"{source}; {config.table.name} has none of its own in use", weights)
        taken = ModelChoice(config.models_folder).adoptions()[-1]
        origin = f"of {config.table.name}, put in use {taken.at:%Y-%m-%d %H:%M} UTC by {taken.by}"
        return cls(sha256, folder, origin, weights)

    def __str__(self) -> str:
        return f"{self.sha256[:12]}, {self.origin}"
