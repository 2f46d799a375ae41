"""Which tile model reads, told to people: by the table's settings its own, else the shipped one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.learning.choice import ModelChoice, own_tiles
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import ModelError, sha256_of
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from pathlib import Path

    from service.config.settings import Config


@dataclass(frozen=True, slots=True)
class TileModel:
    """A tile model that reads.

    Attributes:
        sha256: of its file, as results name it under ``versions``.
        folder: where it lies; None for the shipped one.
        said: which it is, for people.
        weights: where the other models lie; None for the usual place.
    """

    sha256: str
    folder: Path | None
    said: str
    weights: Path | None = None

    @classmethod
    def of(cls, config: Config | None) -> TileModel:
        """The one in use at a table; the shipped one without settings.

        Raises:
            LearningError: it cannot be told which is in use, or that one is missing.
            ModelError: the shipped one is missing.
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
            whose = "as shipped" if weights is None else "as given out"
            return cls(sha256, None, f"{whose}; {config.table.name} has none of its own in use", weights)
        taken = ModelChoice(config.models_folder).taken()[-1]
        said = f"of {config.table.name}, put in use {taken.at:%Y-%m-%d %H:%M} UTC by {taken.by}"
        return cls(sha256, folder, said, weights)

    def __str__(self) -> str:
        """In a line."""
        return f"{self.sha256[:12]}, {self.said}"
