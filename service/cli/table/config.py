"""``houseway config``: settings checked before the table depends on them, and described for editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from service.cli.common import refuse


def check(
    file: Annotated[Path, typer.Argument(help="The table's settings file (TOML).")],
    *,
    show: Annotated[bool, typer.Option("--show", help="Print all settings in force as JSON; secrets are hidden.")] = (
        False
    ),
) -> None:
    """Check a settings file, and name each wrong key, and each named file that cannot be read, with its line.

    houseway doctor also looks at the camera and the machine, and into the files.
    """
    from engine.errors import EngineError
    from service.config.named_files import unreadable
    from service.config.settings import load_config
    from service.config.settings_file import ConfigError
    from service.judge.house_way_choice import house_way_of

    try:
        settings = load_config(file)
        faults = list(unreadable(file, settings))
    except ConfigError as error:
        refuse(str(error))
    try:
        house_way_of(settings.table.rulebook, settings.table.house_way)
    except EngineError as error:
        faults.append(f"{file}: table.rulebook, table.house_way: {error}")
    if faults:
        refuse("\n".join(faults))
    if show:
        typer.echo(json.dumps(settings.public(), indent=2))
    else:
        typer.echo(f"{file}: Settings are valid (table {settings.table.name!r})")


def schema() -> None:
    """Print the JSON Schema of the settings, for editors."""
    from service.config.config_schema import config_schema

    typer.echo(json.dumps(config_schema(), indent=2))
