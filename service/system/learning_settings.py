"""Settings of learning at the table: crops that are kept, and a tile model that reads beside the one in use."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.system.section import File, Section


class LearningConfig(Section):
    """Tile pictures that the service keeps to learn from.

    Attributes:
        collect: whether the service keeps small pictures of the tiles of displays and reviewed hands, with their faces.
        folder: folder that they are kept in; ``crops`` in the record's folder by default.
        max_mb: the most that they may fill, megabytes; then the oldest of the commonest face is removed.
    """

    collect: bool = False
    folder: File | None = None
    max_mb: Annotated[int, Field(ge=1, le=10_000)] = 50


class ModelsConfig(Section):
    """The models, and a candidate for the tile model, which is compared with the one in use.

    Attributes:
        weights: folder of all four models with their cards, instead of those of the program.
        shadow: folder of a candidate (``houseway train tiles``) that reads the same tiles as the model in use, for
            comparison only.
        shadow_hours: hours that a candidate must have read beside the model in use before it can be put in use.
    """

    weights: File | None = None
    shadow: File | None = None
    shadow_hours: Annotated[float, Field(ge=0.0, le=1_000.0)] = 24.0
