"""``houseway calibrate table``: the camera's place over the table, from markers or measured points."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.calibrate.common import pictures_of, preset_named, refuse_errors, typed_numbers
from service.cli.common import AsJson, Source, named_as, refuse

if TYPE_CHECKING:
    from calibration.files.calibration_file import Marker
    from calibration.lens.lens_fit import LensFit
    from calibration.table.markers import MarkerSpot
    from calibration.table.table_fit import PoseFit
    from vision.capture import Frame


def table_command(
    source: Source,
    lens: Annotated[Path, typer.Option(help="The camera's lens file, from houseway calibrate lens.")],
    out: Annotated[
        Path, typer.Option(help="The calibration file to write. The one it replaces is kept in the folder history.")
    ],
    marker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N=X,Y[,Z]",
            help="Where the middle of marker N lies, in millimetres, Z above the felt. At least four.",
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(
            help="Instead of markers: a CSV file with the columns x_px, y_px, x_mm, y_mm and optionally z_mm."
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="Places to begin with, if the file is new; houseway calibrate zones --presets lists them."),
    ] = None,
    frames: Annotated[int, typer.Option(min=1, max=100, help="Number of pictures of the empty table to take.")] = 5,
    *,
    as_json: AsJson = False,
) -> None:
    """Find where the camera hangs over the empty table, from measured markers.

    Millimetres count from the middle of the table: x to the dealer's right, y away from the dealer, z up from the felt.
    """
    from calibration.drift.reference import save_reference
    from calibration.files.calibration_file import load_calibration, save_calibration
    from calibration.lens.lens_fit import load_lens
    from service.monitor.lens_in_use import LensQuality, calibrated

    named_as(out, ".json")
    with refuse_errors():
        if bool(marker) == bool(points):
            refuse("give either --marker N=X,Y for at least four markers, or --points FILE")
        known = load_lens(lens)
        pictures = [frame for frame, _ in pictures_of(source, frames)]
        for picture in pictures:
            width, height = picture.image.shape[1], picture.image.shape[0]
            if (width, height) != known.size:
                refuse(
                    f"{picture.name} has {width} x {height} pixels, the lens is for {known.size[0]} x {known.size[1]}"
                )
        fit, markers = _solve_table([*map(_spot, marker or ())], points, pictures, known)
        layout = load_calibration(out).layout if out.exists() and preset is None else preset_named(preset or "crown-a")
        left_out = None if fit.left_out_mm is None else float(fit.left_out_mm.max())
        calibration = calibrated(LensQuality.of(known), fit, layout, markers)
        calibration = replace(calibration, reference=save_reference(out, pictures[-1].image))
        seal = save_calibration(out, calibration)
    x, y, z = (float(each) for each in fit.pose.camera_mm)
    if as_json:
        figures = {"sha256": seal.sha256, "camera_mm": [x, y, z], "residual_mm": fit.residual_mm.tolist()}
        typer.echo(json.dumps(figures | {"left_out_mm": left_out, "dealer_side": calibration.dealer_side}))
        return
    typer.echo(f"calibration  {out}, sha256 {seal.sha256[:12]}, {seal.made_at:%Y-%m-%d %H:%M} UTC")
    typer.echo(
        f"camera       {z:.0f} mm over the felt, at {x:.0f}, {y:.0f}; the dealer is at the {calibration.dealer_side}"
    )
    typer.echo(f"residual     {fit.residual_mm.max():.2f} mm at most, {fit.residual_mm.mean():.2f} mm on average")
    if left_out is not None:
        typer.echo(f"left out     {left_out:.2f} mm at most, for a point the fit was not made from")
    typer.echo("planes       felt 0 mm, tile tops 9.5 mm, die tops at the height of the die: all from this one pose")
    if not fit.good:
        typer.echo("Usable, but not good (good is below 1.5 mm). Measure the places again, the worst one first.")
    typer.echo(f"next         houseway calibrate zones {out} --draw zones.jpg --on PICTURE")


def _solve_table(
    spots: list[MarkerSpot], points: Path | None, pictures: list[Frame], known: LensFit
) -> tuple[PoseFit, tuple[Marker, ...]]:
    """The pose, and the markers if it was found from them; leaves with status 2 if there is none."""
    from calibration.solved import NotSolved
    from calibration.table.markers import find_markers, mean_markers, solve_markers
    from calibration.table.points import read_points
    from calibration.table.table_fit import solve_pose
    from service.words.findings import words_of_unsolved

    if points is not None:
        points_px, points_mm = read_points(points)
        solved = solve_pose(points_px, points_mm, known.lens)
        if isinstance(solved, NotSolved):
            refuse(f"the position of the camera could not be calculated: {words_of_unsolved(solved)}")
        return solved, ()
    found = solve_markers(mean_markers([find_markers(each.image) for each in pictures]), spots, known.lens)
    if isinstance(found, NotSolved):
        refuse(f"the position of the camera could not be calculated: {words_of_unsolved(found)}")
    if found.missing:
        typer.echo(f"not seen, so not used: marker {', '.join(map(str, found.missing))}", err=True)
    return found.fit, found.markers


def _spot(text: str) -> MarkerSpot:
    from calibration.table.markers import MarkerSpot

    number, equals, place = text.partition("=")
    if not equals or not (number.isascii() and number.isdigit()):
        refuse(f"--marker {text}: expected N=X,Y or N=X,Y,Z such as 0=-975,470")
    return MarkerSpot(int(number), *typed_numbers("--marker", place, (2, 3)))
