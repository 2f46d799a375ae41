"""``houseway calibrate``: the lens, the camera's place, the places of the table, and whether all of it still holds."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from service.cli.common import AsJson, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibration.drift.drift import Drift
    from calibration.files.calibration_file import Marker, TableCalibration
    from calibration.lens.board import Board, BoardView
    from calibration.lens.lens_fit import LensFit
    from calibration.lens.view_coverage import Coverage
    from calibration.table.markers import MarkerSpot
    from calibration.table.table_fit import PoseFit
    from calibration.table.zones import Layout, Place
    from service.monitor.inspection import Inspection, Inspector
    from vision.capture import Frame
    from vision.capture.images import Image

calibrate = typer.Typer(
    help="Calibrate a camera over a table: print, lens, table, zones, check. docs/calibration.md is the guide.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Source = Annotated[
    str,
    typer.Argument(help="Picture, folder of pictures, video, camera number, rtsp:// address or picamera2."),
]
Paper = Literal["a3", "a4"]
_MAX_VIEWS = 60


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(calibrate, name="calibrate")


@calibrate.command("print")
def print_targets(
    what: Annotated[
        Literal["board", "markers"], typer.Argument(help="The board for the lens, or the table's markers.")
    ],
    out: Annotated[Path, typer.Option(help="The PDF to write.")],
    paper: Annotated[Paper, typer.Option(help="Paper of the board; A3 is seen better from the ceiling.")] = "a3",
) -> None:
    """Write the targets to print, exact in millimetres: print them at 100 %, never 'fit to page'."""
    from calibration.lens.board import BOARDS
    from calibration.targets import write_board, write_markers

    with _plain_errors():
        if what == "board":
            write_board(out, BOARDS[paper])
        else:
            write_markers(out)
    typer.echo(f"{out}: print it at 100 % and measure the line or a square before you use it")


@calibrate.command("lens")
def lens_command(
    source: Source,
    out: Annotated[Path, typer.Option(help="The lens file to write; the one it replaces is kept in history.")],
    board: Annotated[Paper, typer.Option(help="Which board is held.")] = "a3",
    *,
    as_json: AsJson = False,
) -> None:
    """Calibrate the lens: hold the board before the camera in many places and leans until told that it is enough.

    Of a camera, views are taken by themselves whenever the board is held still at a new place. Ctrl-C ends early.
    """
    from calibration.lens.board import BOARDS
    from calibration.lens.lens_fit import REFUSE_PX, save_lens, solve_lens
    from calibration.lens.view_coverage import coverage

    with _plain_errors():
        views = _take_views(source, BOARDS[board])
        if not views:
            refuse(f"{source}: no picture shows the {board} board. Hold all of it in the picture, flat, without glare")
        fit = solve_lens(views)
        if not fit:
            typer.echo(_map_text(coverage(views)), err=True)
            refuse(f"the lens is not solved: {fit}")
        seal = save_lens(out, fit)
    if as_json:
        typer.echo(json.dumps(_lens_json(fit, seal.sha256)))
        return
    typer.echo(f"lens            {out}, sha256 {seal.sha256[:12]}, {seal.made_at:%Y-%m-%d %H:%M} UTC")
    typer.echo(f"error           {fit.rms_px:.3f} px on {len(views)} views ({REFUSE_PX:.1f} px are refused)")
    typer.echo(f"hold-out error  {fit.hold_out_px:.3f} px on views left out of the fit")
    for name, error_px in sorted(fit.per_view_px, key=lambda each: -each[1])[:5]:
        typer.echo(f"  {error_px:6.3f} px  {name}")
    if not fit.good:
        typer.echo("This is usable but not good: below 0.5 px is. Take the worst views again, board flat and still.")


def _take_views(source: str, board: Board) -> list[BoardView]:
    """Views of the board: all of a folder's pictures; of a camera or video those held still at a new place.

    Ctrl-C ends the taking, not the command.
    """
    views: list[BoardView] = []
    try:
        for view, covered in _views(source, board, views):
            views.append(view)
            typer.echo(
                f"view {len(views):2d} {_short_map(covered)} {len(view.points_px)} corners. {covered.advice}.", err=True
            )
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
    return views


def _views(source: str, board: Board, taken: list[BoardView]) -> Iterator[tuple[BoardView, Coverage]]:
    """Each view to take, with what is covered with it; why pictures are of no use is said on standard error.

    Args:
        source: what is looked at.
        board: what is looked for.
        taken: the views taken so far, to which the caller adds.
    """
    from calibration.lens.board import BoardView, find_board
    from calibration.lens.view_coverage import coverage, is_new, is_still

    before: BoardView | None = None
    said = ""
    for frame, moving in _frames(source):
        seen = find_board(frame.image, board, frame.name)
        if not isinstance(seen, BoardView):
            before = None
            if not moving or said != seen.advice:
                typer.echo(str(seen), err=True)
                said = seen.advice
            continue
        steady = before is not None and is_still(seen, before)
        before = seen
        if moving and not (steady and is_new(seen, taken)):
            continue
        covered = coverage([*taken, seen])
        said = ""
        yield seen, covered
        if moving and (covered.enough or len(taken) >= _MAX_VIEWS):
            break


@calibrate.command("table")
def table_command(
    source: Source,
    lens: Annotated[Path, typer.Option(help="Lens file of this camera.")],
    out: Annotated[Path, typer.Option(help="The calibration to write; the one it replaces is kept in history.")],
    marker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N=X,Y[,Z]",
            help="Marker N lies with its middle at X, Y in millimetres, Z over the felt; at least four.",
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(help="Instead of markers: a CSV file with the columns x_px, y_px, x_mm, y_mm and if wanted z_mm."),
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="Places to begin with, if the file is new: see 'calibrate zones --presets'.")
    ] = None,
    frames: Annotated[int, typer.Option(min=1, max=100, help="Pictures of the still, empty table to take.")] = 5,
    *,
    as_json: AsJson = False,
) -> None:
    """Find where the camera hangs over the empty table, from markers or points whose places were measured.

    Millimetres count from the middle of the table: x to the dealer's right, y away from the dealer, z up from the felt.
    """
    from calibration.drift.reference import save_reference
    from calibration.files.calibration_file import load_calibration, save_calibration
    from calibration.lens.lens_fit import load_lens
    from service.monitor.calibrating import LensQuality, calibrated

    with _plain_errors():
        if bool(marker) == bool(points):
            refuse("give either --marker N=X,Y for at least four markers, or --points FILE")
        known = load_lens(lens)
        pictures = [frame for frame, _ in _frames(source, frames)]
        for picture in pictures:
            width, height = picture.image.shape[1], picture.image.shape[0]
            if (width, height) != known.size:
                refuse(
                    f"{picture.name} has {width} x {height} pixels, the lens is for {known.size[0]} x {known.size[1]}"
                )
        fit, markers = _solve_table([*map(_spot, marker or ())], points, pictures, known)
        layout = load_calibration(out).layout if out.exists() and preset is None else _preset(preset or "crown-a")
        left_out = None if fit.left_out_mm is None else float(fit.left_out_mm.max())
        sha256 = known.seal.sha256 if known.seal else ""
        quality = LensQuality(known.lens, known.size, sha256, known.rms_px, known.hold_out_px)
        calibration = calibrated(quality, fit, layout, markers)
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
        typer.echo("This is usable but not good: below 1.5 mm is. Measure the places again, above all the worst one.")
    typer.echo(f"next         houseway calibrate zones {out} --draw zones.jpg --on PICTURE")


def _solve_table(
    spots: list[MarkerSpot], points: Path | None, pictures: list[Frame], known: LensFit
) -> tuple[PoseFit, tuple[Marker, ...]]:
    """The pose, and the markers if it was found from them; leaves with status 2 if there is none."""
    from calibration.table.markers import find_markers, mean_markers, solve_markers
    from calibration.table.points import read_points
    from calibration.table.table_fit import solve_pose

    if points is not None:
        points_px, points_mm = read_points(points)
        solved = solve_pose(points_px, points_mm, known.lens)
        if not solved:
            refuse(f"the camera's place is not solved: {solved}")
        return solved, ()
    found = solve_markers(mean_markers([find_markers(each.image) for each in pictures]), spots, known.lens)
    if not found:
        refuse(f"the camera's place is not solved: {found}")
    if found.missing:
        typer.echo(f"not seen, so not used: marker {', '.join(map(str, found.missing))}", err=True)
    return found.fit, found.markers


def _list_presets(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    """What a layout may begin from."""
    from calibration.table.presets import PRESETS

    if wanted:
        for preset in PRESETS.values():
            typer.echo(f"{preset.name:15s} {preset.boxes} boxes  {preset.title} ({preset.cite})")
        raise typer.Exit


@calibrate.command("zones")
def zones_command(
    file: Annotated[Path, typer.Argument(help="The calibration.")],
    preset: Annotated[str | None, typer.Option(help="Begin anew from a rulebook's layout.")] = None,
    shape: Annotated[Literal["straight", "arc"], typer.Option(help="How the boxes of a preset lie.")] = "arc",
    table: Annotated[
        str | None, typer.Option(metavar="W,D", help="Width and depth of the playing surface, mm.")
    ] = None,
    move: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=X,Y[,W,D[,ANGLE]]",
            help="Put a place there: its middle, sides in mm, turn in degrees.",
        ),
    ] = None,
    remove: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Take a place away.")] = None,
    draw: Annotated[Path | None, typer.Option(help="Picture to write with the places drawn on it.")] = None,
    on: Annotated[
        str | None, typer.Option(help="Source to draw on; the picture of the empty table if left out.")
    ] = None,
    *,
    from_left: Annotated[
        bool, typer.Option("--from-left", help="The felt numbers boxes from the dealer's left.")
    ] = False,
    presets: Annotated[
        bool, typer.Option("--presets", callback=_list_presets, is_eager=True, help="List the presets and end.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show or change the places of a table: boxes, house, dice, discard, float and display."""
    del presets  # its callback has listed them and ended the command
    from calibration.files.calibration_file import load_calibration, save_calibration
    from calibration.table.presets import all_places, layout_faults

    with _plain_errors():
        calibration = load_calibration(file)
        layout = calibration.layout
        if preset is not None:
            size = _numbers("--table", table, (2,)) if table else None
            layout = _preset(preset, size, shape, box1_at_right=not from_left)
        layout = _edited(layout, move or [], remove or [])
        if layout != calibration.layout:
            if faults := layout_faults(layout):
                refuse(f"{file} is left as it was: " + "; ".join(faults))
            calibration = replace(calibration, layout=layout)
            save_calibration(file, calibration)
        if draw is not None:
            _draw_places(draw, on, file, calibration)
    places = all_places(layout)
    if as_json:
        typer.echo(json.dumps([_place_json(each) for each in places]))
        return
    typer.echo(
        "place        x      y  wide  deep  turn   (mm from the middle; x to the dealer's right, y to the players)"
    )
    for each in places:
        (x, y), (wide, deep) = each.center_mm, each.size_mm
        typer.echo(f"{each.name:9s}{x:6.0f} {y:6.0f} {wide:5.0f} {deep:5.0f} {each.angle_deg:5.1f}")


@calibrate.command("check")
def check_command(
    file: Annotated[Path, typer.Argument(help="The calibration.")],
    source: Source,
    picture: Annotated[Path | None, typer.Option(help="Picture to write that shows what was found.")] = None,
    frames: Annotated[int, typer.Option(min=1, max=1000, help="Pictures to look at.")] = 3,
    *,
    as_json: AsJson = False,
) -> None:
    """Is the camera where it was calibrated, and the picture sharp, lit, clear and alive? Exit status 1 if not.

    What more than half of the pictures show is reported; a sleeve that passes is not.
    """
    from calibration.files.calibration_file import load_calibration
    from service.monitor.inspection import Inspector, draw_inspection, lasting
    from service.words.findings import words_of
    from vision.health.picture_health import fingerprint, frozen

    with _plain_errors():
        inspector = Inspector.load(file, load_calibration(file))
        if not inspector.able:
            refuse(f"{file}: has neither markers nor a picture of the empty table: calibrate the table again")
        seen: list[tuple[Frame, Inspection]] = []
        prints: list[bytes] = []
        for frame, _ in _frames(source, frames):
            seen.append((frame, inspector.inspect(frame.image)))
            prints.append(fingerprint(frame.image))
        index, found = lasting([each for _, each in seen])
        frame, last = seen[index]
        faults: list[tuple[str, str]] = [(fault.code, str(words_of(fault.finding))) for fault in found]
        if _is_live(source) and frozen(prints):
            faults.append(("frozen", "The camera gives the same picture again and again: restart it"))
        if picture is not None:
            _write_picture(picture, draw_inspection(frame.image, last))
    if as_json:
        typer.echo(json.dumps(_check_json(inspector, last, faults)))
    else:
        typer.echo(_check_text(last))
        for code, message in faults:
            typer.echo(f"{code:13s} {message}")
        if not faults:
            typer.echo("all is well")
    if faults:
        raise typer.Exit(1)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Say what was wrong in one line and leave with status 2, instead of a traceback."""
    from calibration.files.calibration_file import CalibrationError
    from vision.capture import SourceError

    try:
        yield
    except (CalibrationError, SourceError) as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"{error.filename}: {error.strerror}. Check the folder and its permissions")


def _is_live(source: str) -> bool:
    from vision.capture.sources import open_source

    opened = open_source(source)
    opened.close()
    return opened.live


def _frames(source: str, count: int | None = None) -> Iterator[tuple[Frame, bool]]:
    """Pictures of a source, and whether it moves (a camera or a video); bad ones are named on standard error.

    Leaves with status 2 if there is not one good picture.
    """
    from vision.capture import BadFrame
    from vision.capture.sources import StillSource, open_source

    opened = open_source(source)
    given = 0
    fault = "holds no picture"
    try:
        for seen in opened:
            if isinstance(seen, BadFrame):
                fault = seen.message
                typer.echo(f"{seen.name}: {seen.message}", err=True)
                continue
            given += 1
            yield seen, not isinstance(opened, StillSource)
            if given == count:
                break
    finally:
        opened.close()
    if not given:
        refuse(f"{source}: {fault}")


def _short_map(covered: Coverage) -> str:
    """The parts of the picture, row by row: x where the board was.

    >>> from calibration.lens.view_coverage import Coverage
    >>> _short_map(Coverage(3, ((True, False), (False, True)), 0, 0))
    '[x./.x]'
    """
    return "[" + "/".join("".join("x" if there else "." for there in row) for row in covered.seen) + "]"


def _map_text(covered: Coverage) -> str:
    lacking = ", ".join(covered.missing) or "nothing"
    leaning = f"{covered.sideways} views lean to the side, {covered.forward} forward or back"
    return f"{covered.views} views {_short_map(covered)}; parts of the picture without one: {lacking}; {leaning}"


def _numbers(option: str, text: str, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Numbers written with commas between them; leaves with status 2 if they are not."""
    try:
        numbers = tuple(float(each) for each in text.split(","))
    except ValueError:
        refuse(f"{option} {text}: expected numbers with commas between them")
    if len(numbers) not in counts or not all(abs(each) < 1e6 for each in numbers):
        refuse(f"{option} {text}: expected {' or '.join(map(str, counts))} numbers, in millimetres")
    return numbers


def _spot(text: str) -> MarkerSpot:
    from calibration.table.markers import MarkerSpot

    number, equals, place = text.partition("=")
    if not equals or not (number.isascii() and number.isdigit()):
        refuse(f"--marker {text}: expected N=X,Y or N=X,Y,Z such as 0=-975,470")
    return MarkerSpot(int(number), *_numbers("--marker", place, (2, 3)))


def _place(text: str, layout: Layout) -> Place:
    """A place as typed; what is left out stays as it was, or is as usual."""
    from calibration.table.presets import default_size, find_place
    from calibration.table.zones import Place

    name, equals, rest = text.partition("=")
    if not equals:
        refuse(f"--set {text}: expected NAME=X,Y[,W,D[,ANGLE]] such as box3=337,263")
    numbers = _numbers("--set", rest, (2, 4, 5))
    before = find_place(layout, name)
    try:
        size = before.size_mm if before else default_size(name)
    except KeyError:
        refuse(
            f"--set {text}: there is no place {name!r}; there are house, box1 to box8, dice, discard, float, display"
        )
    if len(numbers) > 2:
        size = (numbers[2], numbers[3])
    angle = numbers[4] if len(numbers) > 4 else before.angle_deg if before else 0.0
    return Place(name, (numbers[0], numbers[1]), size, angle)


def _edited(layout: Layout, moves: list[str], removals: list[str]) -> Layout:
    """The layout with places put and taken away as typed."""
    from calibration.table.presets import with_place, without_place

    for text in moves:
        layout = with_place(layout, _place(text, layout))
    for name in removals:
        try:
            layout = without_place(layout, name)
        except KeyError:
            refuse(f"--remove {name}: the table has no such place")
    return layout


def _draw_places(path: Path, source: str | None, file: Path, calibration: TableCalibration) -> None:
    """Writes a picture with the places drawn on it."""
    from calibration.drift.reference import load_reference
    from service.monitor.inspection import draw_places

    image = next(_frames(source, 1))[0].image if source else load_reference(file, calibration)
    if image is None:
        refuse("the calibration has no picture of the empty table: name one to draw on with --on")
    calibration.check_size((image.shape[1], image.shape[0]))
    _write_picture(path, draw_places(image, calibration))


def _preset(
    name: str,
    table_mm: tuple[float, ...] | None = None,
    shape: Literal["straight", "arc"] = "arc",
    *,
    box1_at_right: bool = True,
) -> Layout:
    from calibration.table.presets import PRESETS, TABLE_MM, preset_layout

    if name not in PRESETS:
        refuse(f"--preset {name}: there is no such preset; there are {', '.join(PRESETS)}")
    wide, deep = table_mm or TABLE_MM
    if min(wide, deep) <= 0:
        refuse(f"--table {wide:g},{deep:g}: expected width and depth above zero")
    return preset_layout(name, table_mm=(wide, deep), shape=shape, box1_at_right=box1_at_right)


def _write_picture(path: Path, image: Image) -> None:
    import cv2

    suffix = path.suffix.lower()
    if suffix not in {".jpg", ".jpeg", ".png"}:
        refuse(f"{path}: expected a name that ends in .jpg or .png")
    _, encoded = cv2.imencode(suffix, image)
    path.write_bytes(encoded.tobytes())


def _place_json(place: Place) -> dict[str, object]:
    return {"name": place.name, "center_mm": place.center_mm, "size_mm": place.size_mm, "angle_deg": place.angle_deg}


def _lens_json(fit: LensFit, sha256: str) -> dict[str, object]:
    return {
        "sha256": sha256,
        "size": fit.size,
        "rms_px": fit.rms_px,
        "hold_out_px": fit.hold_out_px,
        "per_view_px": dict(fit.per_view_px),
        "good": fit.good,
    }


def _check_text(last: Inspection) -> str:
    """The figures in one line."""
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
        "health": None
        if health is None
        else {
            "sharpness": health.sharpness,
            "brightness": health.brightness,
            "glare": health.glare,
            "hidden": health.hidden,
        },
        "faults": [{"code": code, "message": message} for code, message in faults],
    }


def _drift_json(drift: Drift) -> dict[str, object]:
    shifts = dict(zip(drift.names, drift.shift_mm.round(3).tolist(), strict=True))
    return {"by": drift.by, "largest_mm": drift.largest_mm, "limit_mm": drift.limit_mm, "shift_mm": shifts}
