"""``houseway doctor``: is everything well that a table needs, and if not, what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import AsJson  # noqa: TC001  typer looks at it while the program runs

if TYPE_CHECKING:
    from service.monitor.doctor.finding import Finding

_MARKS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    config: Annotated[
        Path | None, typer.Option(help="The table's settings (TOML); the sample table if left out.")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Look at program, settings, calibration, camera, record and machine; status 1 if something must be put right.

    Nothing is changed, and the service may run meanwhile.
    """
    import json
    from dataclasses import asdict

    from service.config.settings import SAMPLE_CONFIG
    from service.monitor.doctor.examination import examine

    found: list[Finding] = []
    for one in examine(config or SAMPLE_CONFIG):
        found.append(one)
        if not as_json:
            typer.echo(_told(one))
    worst = "fail" if any(one.level == "fail" for one in found) else "ok"
    if as_json:
        typer.echo(json.dumps({"well": worst == "ok", "findings": [asdict(one) for one in found]}))
    if worst == "fail":
        raise typer.Exit(1)


def _told(one: Finding) -> str:
    told = f"{_MARKS[one.level]}  {one.name:<13}  {one.message}"
    return f"{told}\n{'':21}-> {one.remedy}" if one.remedy else told
