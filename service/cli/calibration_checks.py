"""``houseway calibrate zones`` and ``check``: edit the places of a table, check the calibration."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from service.cli.calibrate import pictures_of, preset_named, refuse_errors, typed_numbers, write_picture
from service.cli.common import refuse
from service.cli.options import AsJson, Source

if TYPE_CHECKING:
    from calibration.drift.drift import Drift
    from calibration.files.calibration_file import TableCalibration
    from calibration.table.zones import Layout, Zone
    from service.table.monitor.inspection import Inspection
    from vision.capture import Frame

_CHECKED_PICTURES: Final = 3
_END = {True: "from the dealer's right", False: "from the dealer's left", None: "out of order: correct the numbers"}


def _list_presets(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    """List the preset layouts, and exit."""
    from calibration.table.presets import PRESETS

    if wanted:
        for preset in PRESETS.values():
            typer.echo(f"{preset.name:15s} {preset.boxes} boxes  {preset.title} ({preset.cite})")
        raise typer.Exit


def zones_command(
    file: Annotated[Path, typer.Argument(help="The calibration file.")],
    preset: Annotated[str | None, typer.Option(help="Start again from a rulebook's layout.")] = None,
    shape: Annotated[Literal["straight", "arc"], typer.Option(help="How the boxes of the preset lie.")] = "arc",
    table: Annotated[
        str | None, typer.Option(metavar="W,D", help="Width and depth of the playing surface, in millimetres.")
    ] = None,
    move: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=X,Y[,W,D[,ANGLE]]",
            help="Put a place there: its middle and size in millimetres, its turn in degrees.",
        ),
    ] = None,
    remove: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Remove a place.")] = None,
    draw: Annotated[Path | None, typer.Option(help="Picture file to write, with the places drawn on it.")] = None,
    on: Annotated[
        str | None,
        typer.Option(
            help="What to draw on: a picture, camera or other source. Default: the picture of the empty table."
        ),
    ] = None,
    *,
    from_left: Annotated[
        bool | None,
        typer.Option(
            "--from-left/--from-right", help="From which side of the dealer the boxes on the felt are numbered."
        ),
    ] = None,
    presets: Annotated[
        bool, typer.Option("--presets", callback=_list_presets, is_eager=True, help="List the presets and exit.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show, draw or change the places of a table.

    Places are the boxes, house, dice, discard, float and display.
    """
    del presets  # its callback has listed them and exited
    from calibration.files.calibration_file import load_calibration, save_calibration, zone_json
    from calibration.table.presets import layout_faults, renumbered
    from service.words.findings import english

    with refuse_errors():
        calibration = load_calibration(file)
        layout = calibration.layout
        if preset is not None:
            size = typed_numbers("--table", table, (2,)) if table else None
            layout = preset_named(preset, size, shape, box1_at_right=not from_left)
        elif from_left is not None:
            layout = renumbered(layout, box1_at_right=not from_left)
        layout = _edited(layout, move or [], remove or [])
        if layout != calibration.layout:
            if faults := layout_faults(layout):
                refuse(f"{file} is left as it was: " + "; ".join(english(faults)))
            layout = replace(layout, box1_at_dealers_right=layout.numbered_from_right)
            calibration = replace(calibration, layout=layout)
            save_calibration(file, calibration)
        if draw is not None:
            _draw_places(draw, on, file, calibration)
    if as_json:
        turns = {box: turn for turn, box in enumerate(layout.boxes_counter_clockwise, 1)}
        typer.echo(
            json.dumps(
                [zone_json(each) | {"counter_clockwise": turns.get(each.place.box or 0)} for each in layout.all_zones]
            )
        )
        return
    typer.echo(
        "place        x      y  wide  deep  turn   (mm from the middle; x to the dealer's right, y to the players)"
    )
    for each in layout.all_zones:
        (x, y), (wide, deep) = each.center_mm, each.size_mm
        typer.echo(f"{each.name:9s}{x:6.0f} {y:6.0f} {wide:5.0f} {deep:5.0f} {each.angle_deg:5.1f}")
    turn = " ".join(map(str, layout.boxes_counter_clockwise)) or "none"
    typer.echo(f"counter-clockwise, from the dealer's right to the left: {turn}")
    typer.echo(f"numbered {_END[layout.numbered_from_right]}; the dealer is at the {calibration.pose.dealer_side}")


def _typed_zone(text: str, layout: Layout) -> Zone:
    """Parse a zone; omitted values keep the old zone's, or the default."""
    from calibration.table.places import Place
    from calibration.table.presets import default_size
    from calibration.table.zones import Zone

    name, equals, rest = text.partition("=")
    if not equals:
        refuse(f"--set {text}: expected NAME=X,Y[,W,D[,ANGLE]] such as box3=337,263")
    x, y, *more = typed_numbers("--set", rest, (2, 4, 5))
    try:
        place = Place.parse(name)
        before = layout.zone(place)
        size = before.size_mm if before else default_size(place)
    except (ValueError, KeyError):
        refuse(
            f"--set {text}: there is no place {name!r}; there are house, box1 to box8, dice, discard, float, display"
        )
    angle = before.angle_deg if before else 0.0
    if more:
        wide, deep, *turn = more
        size, angle = (wide, deep), turn[0] if turn else angle
    return Zone(place, (x, y), size, angle)


def _edited(layout: Layout, moves: list[str], removals: list[str]) -> Layout:
    """Return the layout with zones added and removed as typed."""
    from calibration.table.places import Place
    from calibration.table.presets import with_zone, without_zone

    for text in moves:
        layout = with_zone(layout, _typed_zone(text, layout))
    for name in removals:
        try:
            layout = without_zone(layout, Place.parse(name))
        except (ValueError, KeyError):
            refuse(f"--remove {name}: the table has no such place")
    return layout


def _draw_places(path: Path, source: str | None, file: Path, calibration: TableCalibration) -> None:
    from calibration.drift.reference import load_reference
    from service.table.monitor.inspection import draw_places

    image = next(pictures_of(source, 1))[0].image if source else load_reference(file, calibration)
    if image is None:
        refuse("the calibration has no picture of the empty table: name one to draw on with --on")
    calibration.check_size((image.shape[1], image.shape[0]))
    write_picture(path, draw_places(image, calibration))


def check_command(
    file: Annotated[Path, typer.Argument(help="The calibration file.")],
    source: Source,
    picture: Annotated[Path | None, typer.Option(help="Picture file to write, with the findings drawn on it.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Check that the camera has not moved and that its picture is good.

    Good means sharp, well lit, clear and live. A fault is reported if more than half of the pictures show it, so a
    passing sleeve is ignored. Exit status 1 if there is a fault.
    """
    from calibration.files.calibration_file import load_calibration
    from service.table.monitor.inspection import Inspector, draw_inspection, majority_faults
    from service.words.findings import words_of
    from vision.health.picture_health import fingerprint, frozen
    from vision.networks.model_card import sha256_of

    with refuse_errors():
        inspector = Inspector.load(file, load_calibration(file))
        if not inspector.comparable:
            refuse(f"{file}: neither markers nor a picture of the empty table: calibrate the table again")
        seen: list[tuple[Frame, Inspection]] = []
        prints: list[bytes] = []
        for frame, _ in pictures_of(source, _CHECKED_PICTURES):
            seen.append((frame, inspector.examine(frame.image)))
            prints.append(fingerprint(frame.image))
        index, found = majority_faults([each for _, each in seen])
        frame, last = seen[index]
        faults: list[tuple[str, str]] = [(fault.code, str(words_of(fault.finding))) for fault in found]
        if _is_live(source) and frozen(prints):
            faults.append(("frozen", "The camera repeats the same picture: restart it"))
        if picture is not None:
            write_picture(picture, draw_inspection(frame.image, last))
    if as_json:
        typer.echo(json.dumps(_check_json(sha256_of(file), last, faults)))
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


def _check_json(sha256: str, last: Inspection, faults: list[tuple[str, str]]) -> dict[str, object]:
    from calibration.drift.drift import Drift

    health = last.health
    return {
        "calibration": sha256,
        "drift": _drift_json(last.drift) if isinstance(last.drift, Drift) else None,
        "health": health and {name: getattr(health, name) for name in ("sharpness", "brightness", "glare", "hidden")},
        "faults": [{"code": code, "message": message} for code, message in faults],
    }


def _drift_json(drift: Drift) -> dict[str, object]:
    shifts = dict(zip(drift.names, drift.shift_mm.round(3).tolist(), strict=True))
    return {"by": drift.by, "largest_mm": drift.largest_mm, "limit_mm": drift.limit_mm, "shift_mm": shifts}
