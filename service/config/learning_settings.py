"""Settings of learning at the table: crops that are kept, and a tile model that reads beside the one in use."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.config.section import File, Section


class LearningConfig(Section):
    """What the service keeps to learn from.

    Attributes:
        collect: whether it keeps the tiles of displays and of reviewed hands, as small crops with their faces.
        folder: where they are kept; ``crops`` in the record's folder if left out.
        max_mb: the most that they may fill, megabytes; then the oldest of the commonest face goes.
    """

    collect: bool = False
    folder: File | None = None
    max_mb: Annotated[int, Field(ge=1, le=10_000)] = 50


class ModelsConfig(Section):
    """A tile model that is tried.

    Attributes:
        shadow: folder of a candidate (``houseway train tiles``) that reads the same tiles as the model in use; nothing
            but figures comes of what it reads.
        shadow_hours: how long a candidate must have read so before it can be put in use.
    """

    shadow: File | None = None
    shadow_hours: Annotated[float, Field(ge=0.0, le=1_000.0)] = 24.0
