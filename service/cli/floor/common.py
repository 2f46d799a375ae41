"""What the commands of a floor share."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import plain_record_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.floor.settings import FloorConfig
    from service.floor.store.reader import FloorReader

FloorSettings = Annotated[Path, typer.Option("--config", help="The floor's settings file (TOML).")]


@contextmanager
def floor_store(config: Path) -> Iterator[tuple[FloorConfig, FloorReader]]:
    """The settings of a floor and what it has collected; leaves with status 2 and one line if something is refused."""
    from service.floor.settings import load_floor
    from service.floor.store.reader import FloorReader

    with plain_record_errors():
        settings = load_floor(config)
        with FloorReader(settings.database_url) as reader:
            yield settings, reader
