"""``houseway calibrate zones``: the zones of the table shown, changed and drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from service.cli.calibrate.common import pictures_of, preset_named, refuse_errors, typed_numbers, write_picture
from service.cli.common import AsJson, refuse

if TYPE_CHECKING:
    from calibration.files.calibration_file import TableCalibration
    from calibration.table.zones import Layout, Zone


_END = {True: "from the dealer's right", False: "from the dealer's left", None: "out of order: correct the numbers"}


def _list_presets(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    """List what a layout may begin from, and end."""
    from calibration.table.presets import PRESETS

    if wanted:
        for preset in PRESETS.values():
            typer.echo(f"{preset.name:15s} {preset.boxes} boxes  {preset.title} ({preset.cite})")
        raise typer.Exit


def zones_command(
    file: Annotated[Path, typer.Argument(help="The calibration file.")],
    preset: Annotated[str | None, typer.Option(help="Begin again from a rulebook's layout.")] = None,
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
    del presets  # its callback has listed them and ended the command
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
    """A zone as typed; what is left out stays as it was, or is as usual."""
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
    """The layout with zones put and taken away as typed."""
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
    from service.monitor.inspection import draw_places

    image = next(pictures_of(source, 1))[0].image if source else load_reference(file, calibration)
    if image is None:
        refuse("the calibration has no picture of the empty table: name one to draw on with --on")
    calibration.check_size((image.shape[1], image.shape[0]))
    write_picture(path, draw_places(image, calibration))
