"""What every section of the settings is: frozen, and an unknown key is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo

from engine.books.way_files import is_file


class Section(BaseModel):
    """A section of the settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _beside(path: Path, info: ValidationInfo) -> Path:
    """A path as the settings file means it: relative to its folder, which is the context of the validation."""
    folder: Path | None = (info.context or {}).get("folder")
    return path if folder is None else (folder / path.expanduser()).resolve()


def _beside_if_file(name: str, info: ValidationInfo) -> str:
    return str(_beside(Path(name), info)) if is_file(name) and info.context else name


File = Annotated[Path, AfterValidator(_beside)]
"""The path of a file or folder, relative to the settings' own folder."""
FileOrId = Annotated[str, AfterValidator(_beside_if_file)]
"""The path of a House Way file, or an id."""
