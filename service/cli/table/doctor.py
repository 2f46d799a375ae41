"""``houseway doctor``: is everything well that a table needs, and if not, what to do."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

import typer

from service.cli.common import AsJson, Settings, refuse, say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from service.config.settings import Config
    from service.monitor.doctor.diagnosis import Diagnosis

_MARKS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


def doctor(
    config: Settings = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Check everything a table needs, and say what to do about each problem.

    Looks at the program, settings, calibration, camera, record, machine and webhooks. It changes nothing, and the
    service may be running. With a file of several tables it checks each. Exit status 1 if something must be fixed.
    """
    from service.config.settings import SAMPLE_CONFIG
    from service.config.settings_file import ConfigError
    from service.config.tables_file import is_tables_file, load_tables

    path = config or SAMPLE_CONFIG
    if not is_tables_file(path):
        told = _examined(path, None, as_json=as_json)
        if as_json:
            typer.echo(json.dumps(told))
    else:
        try:
            tables = load_tables(path)
        except ConfigError as error:
            refuse(str(error), "houseway doctor")
        each = []
        for table in tables.each:
            if not as_json:
                say(f"Table {table.name!r}, {table.path}")
            each.append({"table": table.name, **_examined(table.path, table.config, as_json=as_json)})
        told = {"well": all(one["well"] for one in each), "tables": each}
        if as_json:
            typer.echo(json.dumps(told))
    if not told["well"]:
        raise typer.Exit(1)


def _examined(settings: Path, known: Config | None, *, as_json: bool) -> dict[str, Any]:
    """All about one table, printed as it is found unless it is wanted as JSON; as JSON has it."""
    from service.alarms.compare import compare_alarms
    from service.config.settings import load_config
    from service.config.settings_file import ConfigError
    from service.monitor.doctor.examination import examine

    if known is None:
        with suppress(ConfigError):  # examined, and told as one of its findings
            known = load_config(settings)
    found: list[Diagnosis] = []
    for one in chain(examine(settings, beside={"alarms": compare_alarms}, known=known), _webhooks(settings, known)):
        found.append(one)
        if not as_json:
            typer.echo(_in_words(one))
    findings = [
        {
            "name": one.name,
            "level": one.level,
            "message": one.message,
            "remedy": one.remedy,
            "code": one.code.name.lower(),
        }
        for one in found
    ]
    return {"well": all(one.level != "fail" for one in found), "findings": findings}


def _webhooks(settings: Path, known: Config | None) -> Iterator[Diagnosis]:
    """What is to be said of the table's webhooks; nothing if its settings cannot be used, as is said already."""
    from service.config.settings import load_config
    from service.config.settings_file import ConfigError
    from service.notify.webhook_checks import webhooks

    with suppress(ConfigError):
        yield from webhooks(known or load_config(settings))


def _in_words(one: Diagnosis) -> str:
    line = f"{_MARKS[one.level]}  {one.name:<13}  {one.message}"
    return f"{line}\n{'':21}-> {one.remedy}" if one.remedy else line
