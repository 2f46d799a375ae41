"""``houseway calibrate check``: whether a calibration still holds, and the picture is fit to be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.calibrate.common import pictures_of, refuse_errors, write_picture
from service.cli.common import AsJson, Source, refuse

if TYPE_CHECKING:
    from calibration.drift.drift import Drift
    from service.monitor.inspection import Inspection, Inspector
    from vision.capture import Frame


def check_command(
    file: Annotated[Path, typer.Argument(help="The calibration file.")],
    source: Source,
    picture: Annotated[Path | None, typer.Option(help="Picture file to write that shows what was found.")] = None,
    frames: Annotated[int, typer.Option(min=1, max=1000, help="Number of pictures to look at.")] = 3,
    *,
    as_json: AsJson = False,
) -> None:
    """Check that the camera has not moved and that its picture is good.

    Good means sharp, well lit, clear and live. A fault is reported if more than half of the pictures show it, so a
    passing sleeve is not one. Exit status 1 if there is a fault.
    """
    from calibration.files.calibration_file import load_calibration
    from service.monitor.inspection import Inspector, draw_inspection, lasting
    from service.words.findings import words_of
    from vision.health.picture_health import fingerprint, frozen

    with refuse_errors():
        inspector = Inspector.load(file, load_calibration(file))
        if not inspector.able:
            refuse(f"{file}: neither markers nor a picture of the empty table: calibrate the table again")
        seen: list[tuple[Frame, Inspection]] = []
        prints: list[bytes] = []
        for frame, _ in pictures_of(source, frames):
            seen.append((frame, inspector.examine(frame.image)))
            prints.append(fingerprint(frame.image))
        index, found = lasting([each for _, each in seen])
        frame, last = seen[index]
        faults: list[tuple[str, str]] = [(fault.code, str(words_of(fault.finding))) for fault in found]
        if _is_live(source) and frozen(prints):
            faults.append(("frozen", "The camera repeats the same picture: restart it"))
        if picture is not None:
            write_picture(picture, draw_inspection(frame.image, last))
    if as_json:
        typer.echo(json.dumps(_check_json(inspector, last, faults)))
    else:
        typer.echo(_check_text(last))
        for code, message in faults:
            typer.echo(f"{code:13s} {message}")
        if not faults:
            typer.echo("all checks OK")
    if faults:
        raise typer.Exit(1)


def _is_live(source: str) -> bool:
    from vision.capture.sources import open_source

    opened = open_source(source)
    opened.close()
    return opened.live


def _check_text(last: Inspection) -> str:
    from calibration.drift.drift import Drift

    drift, health = last.drift, last.health
    shift = f"{drift.largest_mm:.1f} mm ({drift.by})" if isinstance(drift, Drift) else "not known"
    if health is None:
        return f"shift {shift}; no picture of the empty table to compare light and focus with"
    sharpness = "not known" if health.sharpness is None else f"{health.sharpness:.0%}"
    figures = f"sharpness {sharpness}, brightness {health.brightness:.0%}, new glare {health.glare:.1%}"
    return f"shift {shift}, {figures}, hidden {health.hidden:.0%}"


def _check_json(inspector: Inspector, last: Inspection, faults: list[tuple[str, str]]) -> dict[str, object]:
    from calibration.drift.drift import Drift

    seal, health = inspector.calibration.seal, last.health
    return {
        "calibration": seal.sha256 if seal else None,
        "drift": _drift_json(last.drift) if isinstance(last.drift, Drift) else None,
        "health": health and {name: getattr(health, name) for name in ("sharpness", "brightness", "glare", "hidden")},
        "faults": [{"code": code, "message": message} for code, message in faults],
    }


def _drift_json(drift: Drift) -> dict[str, object]:
    shifts = dict(zip(drift.names, drift.shift_mm.round(3).tolist(), strict=True))
    return {"by": drift.by, "largest_mm": drift.largest_mm, "limit_mm": drift.limit_mm, "shift_mm": shifts}
