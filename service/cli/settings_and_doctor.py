"""``houseway config`` and ``houseway doctor``: check settings and everything else that a table needs."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import refuse, say
from service.cli.options import AsJson, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.system.settings import Config
    from service.table.doctor.diagnosis import Diagnosis

_NAMED = 8


def check_settings(
    file: Annotated[Path, typer.Argument(help="The settings file (TOML).")],
    *,
    show: Annotated[bool, typer.Option("--show", help="Print all settings in force as JSON; secrets are hidden.")] = (
        False
    ),
) -> None:
    """Check a settings file: name each wrong key, and each file that cannot be read, with its line.

    houseway doctor also checks the camera, the machine and the contents of the files.
    """
    from service.system.settings import load_config
    from service.system.settings_file import ConfigError

    try:
        settings = load_config(file)
    except ConfigError as error:
        refuse(str(error))
    if faults := list(_faults(file, settings)):
        refuse("\n".join(faults))
    if show:
        typer.echo(json.dumps(settings.public(), indent=2))
    else:
        names = ", ".join(repr(table.name) for table in settings.tables[:_NAMED])
        more = f" and {len(settings.tables) - _NAMED} more" if len(settings.tables) > _NAMED else ""
        typer.echo(f"{file}: Settings are valid (tables: {names}{more})")


def _faults(path: Path, settings: Config) -> Iterator[str]:
    from service.system.named_files import unreadable
    from service.system.settings_file import SettingsFile
    from service.table.rules_of_settings import rules_faults

    yield from unreadable(path, settings)
    yield from rules_faults(SettingsFile.read(path), settings)


_MARKS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


def doctor(
    config: Settings = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Check everything that local tables need, and say how to fix each problem.

    Looks at the program, settings, calibration, camera, record, machine and webhooks. It changes nothing, and the
    service may be running. Exit status 1 if something must be fixed.
    """
    from service.system.settings import SAMPLE_CONFIG, load_config
    from service.system.settings_file import ConfigError
    from service.table.doctor.examination import examine

    path = config or SAMPLE_CONFIG
    known = None
    with suppress(ConfigError):  # one of the findings
        known = load_config(path)
    found: list[Diagnosis] = []
    for one in chain(examine(path), _webhooks(known)):
        found.append(one)
        if not as_json:
            say(_in_words(one, several=known is not None and len(known.local) > 1))
    findings = [
        {
            "name": one.name,
            "table": one.table or None,
            "level": one.level,
            "message": one.message,
            "remedy": one.remedy,
            "code": one.code.name.lower(),
        }
        for one in found
    ]
    well = all(one.level != "fail" for one in found)
    if as_json:
        say(json.dumps({"well": well, "findings": findings}))
    if not well:
        raise typer.Exit(1)


def _webhooks(known: Config | None) -> Iterator[Diagnosis]:
    """Check the webhooks; nothing if the settings are invalid, which is a finding already."""
    from service.api.notify.webhooks import check_webhooks
    from service.system.settings_file import ConfigError

    if known is not None:
        with suppress(ConfigError):
            yield from check_webhooks(known)


def _in_words(one: Diagnosis, *, several: bool) -> str:
    message = f"{one.table}: {one.message}" if several and one.table else one.message
    line = f"{_MARKS[one.level]}  {one.name:<13}  {message}"
    return f"{line}\n{'':21}-> {one.remedy}" if one.remedy else line
