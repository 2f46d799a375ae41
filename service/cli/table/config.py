"""``houseway config``: settings checked before the table depends on them, and described for editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.config.settings import Config


def check(
    file: Annotated[Path, typer.Argument(help="The settings file (TOML) of a table or a floor.")],
    *,
    show: Annotated[bool, typer.Option("--show", help="Print all settings in force as JSON; secrets are hidden.")] = (
        False
    ),
) -> None:
    """Check a settings file, and name each wrong key, and each named file that cannot be read, with its line.

    houseway doctor also looks at the camera and the machine, and into the files.
    """
    from service.config.settings import load_config
    from service.config.settings_file import ConfigError
    from service.floor.settings import is_floor_file

    if is_floor_file(file):
        _check_floor(file, show=show)
        return
    try:
        settings = load_config(file)
    except ConfigError as error:
        refuse(str(error))
    if faults := list(_faults(file, settings)):
        refuse("\n".join(faults))
    if show:
        typer.echo(json.dumps(settings.public(), indent=2))
    else:
        typer.echo(f"{file}: Settings are valid (table {settings.table.name!r})")


def _check_floor(file: Path, *, show: bool) -> None:
    from service.config.settings_file import ConfigError
    from service.floor.settings import load_floor

    try:
        settings = load_floor(file)
        settings.secrets()
    except ConfigError as error:
        refuse(str(error))
    if show:
        typer.echo(json.dumps(settings.public(), indent=2))
    else:
        typer.echo(f"{file}: Settings are valid (floor {settings.floor.name!r}, {len(settings.tables)} tables)")


def _faults(path: Path, settings: Config) -> Iterator[str]:
    from engine.errors import EngineError
    from service.config.named_files import unreadable
    from service.judge.house_way_choice import house_way_of

    yield from unreadable(path, settings)
    try:
        house_way_of(settings.table.rulebook, settings.table.house_way)
    except EngineError as error:
        yield f"{path}: table.rulebook, table.house_way: {error}"


def schema() -> None:
    """Print the JSON Schema of the settings, for editors."""
    from service.config.config_schema import config_schema

    typer.echo(json.dumps(config_schema(), indent=2))
