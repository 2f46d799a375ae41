"""``houseway doctor``: is everything well that a table needs, and if not, what to do."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

import typer

from service.cli.common import AsJson, Settings  # noqa: TC001  typer looks at them while the program runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from service.monitor.doctor.diagnosis import Diagnosis

_MARKS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


def doctor(
    config: Settings = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Check everything a table needs, and say what to do about each problem.

    Looks at the program, settings, calibration, camera, record, machine and webhooks. Nothing is changed, and the
    service may be running. Exit status 1 if something must be fixed.
    """
    from service.alarms.compare import compare_alarms
    from service.config.settings import SAMPLE_CONFIG
    from service.monitor.doctor.examination import examine

    found: list[Diagnosis] = []
    settings = config or SAMPLE_CONFIG
    for one in chain(examine(settings, beside={"alarms": compare_alarms}), _webhooks(settings)):
        found.append(one)
        if not as_json:
            typer.echo(_in_words(one))
    well = all(one.level != "fail" for one in found)
    if as_json:
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
        typer.echo(json.dumps({"well": well, "findings": findings}))
    if not well:
        raise typer.Exit(1)


def _webhooks(settings: Path) -> Iterator[Diagnosis]:
    """What is to be said of the table's webhooks; nothing if its settings cannot be used, as is said already."""
    from service.config.settings import load_config
    from service.config.settings_file import ConfigError
    from service.notify.webhook_checks import webhooks

    with suppress(ConfigError):
        yield from webhooks(load_config(settings))


def _in_words(one: Diagnosis) -> str:
    line = f"{_MARKS[one.level]}  {one.name:<13}  {one.message}"
    return f"{line}\n{'':21}-> {one.remedy}" if one.remedy else line
