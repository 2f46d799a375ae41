"""``houseway calibrate print``, ``lens`` and ``table``: calibrate a camera from printed targets."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from service.cli.common import named_as, plain_errors, refuse
from service.cli.options import AsJson, Source
from vision.addresses import shown_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibration.files.calibration_file import Marker
    from calibration.finding import Finding
    from calibration.lens.board import Board, BoardView
    from calibration.lens.lens_fit import LensFit
    from calibration.lens.view_coverage import ViewCoverage
    from calibration.table.markers import MarkerSpot
    from calibration.table.table_fit import PoseFit
    from calibration.table.zones import Layout
    from vision.capture import Frame
    from vision.capture.images import Image

Paper = Literal["a3", "a4"]
_TABLE_PICTURES: Final = 5
"""Pictures of the empty table, in which the markers are averaged."""


@contextmanager
def refuse_errors() -> Iterator[None]:
    """Exit with status 2 and one line on an expected error."""
    from calibration.files.calibration_file import CalibrationError
    from vision.capture import SourceError

    with plain_errors(CalibrationError, SourceError, OSError):
        yield


def pictures_of(source: str, count: int | None = None) -> Iterator[tuple[Frame, bool]]:
    """Return the pictures of a source, and whether it is a camera or a video.

    Bad pictures are named on standard error. Exits with status 2 if no picture is good.
    """
    from service.words.findings import words_of
    from vision.capture import BadFrame
    from vision.capture.sources import StillSource, open_source

    opened = open_source(source)
    given = 0
    fault = "contains no picture"
    try:
        for seen in opened:
            if isinstance(seen, BadFrame):
                fault = str(words_of(seen.finding))
                typer.echo(f"{seen.name}: {fault}", err=True)
                continue
            given += 1
            yield seen, not isinstance(opened, StillSource)
            if given == count:
                break
    finally:
        opened.close()
    if not given:
        refuse(f"{shown_address(source)}: {fault}")


def typed_numbers(option: str, text: str, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Parse comma-separated numbers; exit with status 2 if they are not numbers."""
    try:
        numbers = tuple(float(each) for each in text.split(","))
    except ValueError:
        refuse(f"{option} {text}: expected numbers with commas between them")
    if len(numbers) not in counts or not all(abs(each) < 1e6 for each in numbers):
        refuse(f"{option} {text}: expected {' or '.join(map(str, counts))} numbers, in millimetres")
    return numbers


def preset_named(
    name: str,
    table_mm: tuple[float, ...] | None = None,
    shape: Literal["straight", "arc"] = "arc",
    *,
    box1_at_right: bool = True,
) -> Layout:
    """Return a preset layout; exit with status 2 if its name is unknown or the size is not positive."""
    from calibration.table.presets import PRESETS, preset_layout
    from calibration.table.sizes import TABLE_MM

    if name not in PRESETS:
        refuse(f"--preset {name}: unknown preset; choose one of {', '.join(PRESETS)}")
    wide, deep = table_mm or TABLE_MM
    if min(wide, deep) <= 0:
        refuse(f"--table {wide:g},{deep:g}: expected width and depth above zero")
    return preset_layout(name, table_mm=(wide, deep), shape=shape, box1_at_right=box1_at_right)


def write_picture(path: Path, image: Image) -> None:
    """Write a JPEG or PNG; exit with status 2 if the name has another suffix."""
    import cv2

    named_as(path, ".jpg", ".jpeg", ".png")
    _, encoded = cv2.imencode(path.suffix.lower(), image)
    path.write_bytes(encoded.tobytes())


def print_command(
    what: Annotated[
        Literal["board", "markers"], typer.Argument(help="board, for the lens, or markers, for the table.")
    ],
    out: Annotated[Path, typer.Option(help="The PDF file to write.")],
    paper: Annotated[Paper, typer.Option(help="Paper size of the board. A3 is seen better from the ceiling.")] = "a3",
) -> None:
    """Write the board or the markers as a PDF to print.

    Print at 100 %, never "fit to page": the sizes are exact in millimetres.
    """
    from calibration.lens.board import BOARDS
    from calibration.printed_targets import write_board, write_markers

    named_as(out, ".pdf")
    with refuse_errors():
        if what == "board":
            write_board(out, BOARDS[paper])
        else:
            write_markers(out)
    typer.echo(f"{out}: print it at 100 % and measure the line or a square before you use it")


def lens_command(
    source: Source,
    out: Annotated[
        Path, typer.Option(help="The lens file to write. The one it replaces is kept in the folder history.")
    ],
    board: Annotated[Paper, typer.Option(help="Paper size of the board that you hold.")] = "a3",
    *,
    as_json: AsJson = False,
) -> None:
    """Calibrate the lens, with the printed board held under the camera.

    Hold the board in many places and tilt it in all directions until the program has enough views. With a camera, a
    view is taken whenever the board is held still in a new place. Ctrl-C ends early.
    """
    from calibration.finding import NotSolved
    from calibration.lens.board import BOARDS
    from calibration.lens.lens_fit import REFUSE_PX, save_lens, solve_lens
    from calibration.lens.view_coverage import coverage
    from service.words.findings import words_of_unsolved

    named_as(out, ".json")
    with refuse_errors():
        views = _take_views(source, BOARDS[board])
        if not views:
            name = shown_address(source)
            refuse(
                f"{name}: no picture shows the {board} board. Hold the whole board in the picture, flat, without glare"
            )
        fit = solve_lens(views)
        if isinstance(fit, NotSolved):
            typer.echo(_map_text(coverage(views)), err=True)
            refuse(f"the lens could not be calculated: {words_of_unsolved(fit)}")
        seal = save_lens(out, fit)
    if as_json:
        figures = {name: getattr(fit, name) for name in ("size", "rms_px", "hold_out_px")}
        typer.echo(
            json.dumps({"sha256": seal.sha256} | figures | {"per_view_px": dict(fit.per_view_px), "good": fit.good})
        )
        return
    typer.echo(f"lens            {out}, sha256 {seal.sha256[:12]}, {seal.made_at:%Y-%m-%d %H:%M} UTC")
    typer.echo(f"error           {fit.rms_px:.3f} px on {len(views)} views ({REFUSE_PX:.1f} px are refused)")
    typer.echo(f"hold-out error  {fit.hold_out_px:.3f} px on views not used in the fit")
    for name, error_px in sorted(fit.per_view_px, key=lambda each: -each[1])[:5]:
        typer.echo(f"  {error_px:6.3f} px  {name}")
    if not fit.good:
        typer.echo("Usable, but not good (good is below 0.5 px). Take the worst views again, board flat and still.")


def _take_views(source: str, board: Board) -> list[BoardView]:
    """Take views of the board: each picture of a folder; of a camera or video, each new place where it is held still.

    Ctrl-C stops taking views, not the command. Why a picture is unusable is printed on standard error.
    """
    from calibration.lens.board import BoardView
    from calibration.lens.view_taking import ViewTaking
    from service.words.findings import words_of, words_of_unsolved

    taking = ViewTaking(board)
    advice: Finding | None = None
    try:
        for frame, moving in pictures_of(source):
            look = taking.see(frame.image, frame.name, moving=moving)
            if not isinstance(look.found, BoardView):
                if not moving or advice != look.found.advice:
                    typer.echo(words_of_unsolved(look.found), err=True)
                    advice = look.found.advice
            elif look.taken:
                covered = taking.covered
                advice = None
                counts = f"view {covered.views:2d} {_short_map(covered)} {len(look.found.points_px)} corners"
                typer.echo(f"{counts}. {words_of(covered.advice)}.", err=True)
                if moving and taking.done:
                    break
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
    return taking.views


def _short_map(covered: ViewCoverage) -> str:
    """Return a map of the picture, row by row: x where the board was seen.

    >>> from calibration.lens.view_coverage import ViewCoverage
    >>> _short_map(ViewCoverage(3, ((True, False), (False, True)), 0, 0))
    '[x./.x]'
    """
    return "[" + "/".join("".join("x" if there else "." for there in row) for row in covered.seen) + "]"


def _map_text(covered: ViewCoverage) -> str:
    lacking = ", ".join(covered.missing) or "nothing"
    leaning = f"{covered.sideways} views lean to the side, {covered.forward} forward or back"
    return f"{covered.views} views {_short_map(covered)}; parts of the picture without one: {lacking}; {leaning}"


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
        typer.Option(help="Places to start with, if the file is new; houseway calibrate zones --presets lists them."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Find where the camera hangs over the empty table, from measured markers.

    Millimetres count from the middle of the table: x to the dealer's right, y away from the dealer, z up from the felt.
    """
    from calibration.drift.reference import save_reference
    from calibration.files.calibration_file import load_calibration, save_calibration
    from calibration.lens.lens_fit import load_lens
    from service.table.monitor.calibrations import LensQuality, calibrated
    from vision.networks.model_card import sha256_of

    named_as(out, ".json")
    with refuse_errors():
        if bool(marker) == bool(points):
            refuse("give either --marker N=X,Y for at least four markers, or --points FILE")
        known = load_lens(lens)
        pictures = [frame for frame, _ in pictures_of(source, _TABLE_PICTURES)]
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
        seal, sha256 = save_calibration(out, calibration), sha256_of(out)
    x, y, z = (float(each) for each in fit.pose.camera_mm)
    if as_json:
        figures = {"sha256": sha256, "camera_mm": [x, y, z], "residual_mm": fit.residual_mm.tolist()}
        typer.echo(json.dumps(figures | {"left_out_mm": left_out, "dealer_side": calibration.dealer_side}))
        return
    typer.echo(f"calibration  {out}, sha256 {sha256[:12]}, {seal.made_at:%Y-%m-%d %H:%M} UTC")
    typer.echo(
        f"camera       {z:.0f} mm over the felt, at {x:.0f}, {y:.0f}; the dealer is at the {calibration.dealer_side}"
    )
    typer.echo(f"residual     {fit.residual_mm.max():.2f} mm at most, {fit.residual_mm.mean():.2f} mm on average")
    if left_out is not None:
        typer.echo(f"hold-out     {left_out:.2f} mm at most, for a point not used in the fit")
    typer.echo("planes       felt 0 mm, tile tops 9.5 mm, die tops at the height of the die: all from this one pose")
    if not fit.good:
        typer.echo("Usable, but not good (good is below 1.5 mm). Measure the places again, the worst one first.")
    typer.echo(f"next         houseway calibrate zones {out} --draw zones.jpg --on PICTURE")


def _solve_table(
    spots: list[MarkerSpot], points: Path | None, pictures: list[Frame], known: LensFit
) -> tuple[PoseFit, tuple[Marker, ...]]:
    """Return the pose and the markers used for it; exit with status 2 if it cannot be solved."""
    from calibration.finding import NotSolved
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
