"""Which tile model a table uses: the shipped one, or one of its own that a person put in use."""

from __future__ import annotations

import json
import shutil
import uuid
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AwareDatetime, Field

from calibration.files.json_file import FileModel, parse, read_json
from service.record.store.files import make_folder, sync_folder, write_durably
from vision.learning.errors import LearningError
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import card_path, sha256_of

if TYPE_CHECKING:
    from pathlib import Path

_FILE: Final = "in-use.json"


class Taken(FileModel):
    """A model that was put in use: its SHA-256, when, UTC, by whom and why."""

    sha256: str
    at: AwareDatetime
    by: str
    reason: str


class _Choice(FileModel):
    version: Annotated[int, Field(ge=1, le=1)] = 1
    taken: tuple[Taken, ...] = ()


class ModelChoice:
    """The models that were put in use at a table, newest last; each lies in the folder as a copy of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def taken(self) -> tuple[Taken, ...]:
        """Those in use one after the other; the last is in use now. LearningError if the file cannot be read."""
        path = self._folder / _FILE
        return parse(_Choice, read_json(path, LearningError), str(path), LearningError).taken if path.exists() else ()

    def in_use(self) -> Path | None:
        """The folder of the model in use; None for the shipped one. LearningError if that cannot be told."""
        taken = self.taken()
        return self._copy(taken[-1].sha256) if taken else None

    def copy(self, candidate: Path) -> str:
        """Copy a model and its card, whole or not at all; returns its SHA-256. OSError if that fails."""
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

    def put(self, taken: tuple[Taken, ...]) -> None:
        """Use the last of these from the next start on; none for the shipped one. OSError if it cannot be written."""
        make_folder(self._folder)
        data = json.dumps(_Choice(taken=taken).model_dump(mode="json"), indent=1) + "\n"
        write_durably(self._folder / _FILE, data.encode())

    def _copy(self, sha256: str) -> Path:
        return self._folder / sha256[:16]


def own_tiles(folder: Path) -> Path | None:
    """The folder of the tile model that was put in use at a table; None for the shipped one.

    Raises:
        LearningError: it cannot be told, or the model is not there.
    """
    found = ModelChoice(folder).in_use()
    if found is not None and not (found / TILE_MODEL).is_file():
        raise LearningError(
            f"the tile model in use, {found / TILE_MODEL}, is missing; put it back, or use the one before with "
            "houseway models take --previous"
        )
    return found
