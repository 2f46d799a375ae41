"""``houseway doctor``: is everything well that a table needs, and if not, what to do."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

import typer

from service.cli.common import AsJson, Settings, say

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    service may be running. Exit status 1 if something must be fixed.
    """
    from service.alarms.compare import compare_alarms
    from service.config.settings import SAMPLE_CONFIG, load_config
    from service.config.settings_file import ConfigError
    from service.monitor.doctor.examination import examine

    path = config or SAMPLE_CONFIG
    known = None
    with suppress(ConfigError):  # examined, and told as one of its findings
        known = load_config(path)
    found: list[Diagnosis] = []
    for one in chain(examine(path, beside={"alarms": compare_alarms}, known=known), _webhooks(known)):
        found.append(one)
        if not as_json:
            say(_in_words(one))
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
    well = all(one.level != "fail" for one in found)
    if as_json:
        say(json.dumps({"well": well, "findings": findings}))
    if not well:
        raise typer.Exit(1)


def _webhooks(known: Config | None) -> Iterator[Diagnosis]:
    """Findings about the table's webhooks; none if its settings cannot be used, which is a finding already."""
    from service.config.settings_file import ConfigError
    from service.notify.webhook_checks import webhooks

    if known is not None:
        with suppress(ConfigError):
            yield from webhooks(known)


def _in_words(one: Diagnosis) -> str:
    line = f"{_MARKS[one.level]}  {one.name:<13}  {one.message}"
    return f"{line}\n{'':21}-> {one.remedy}" if one.remedy else line
