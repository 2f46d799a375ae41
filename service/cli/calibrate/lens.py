"""``houseway calibrate lens``: the lens solved from views of the printed board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.calibrate.common import Paper, pictures_of, refuse_errors
from service.cli.common import AsJson, Source, named_as, refuse
from vision.addresses import shown_address

if TYPE_CHECKING:
    from calibration.finding import Finding
    from calibration.lens.board import Board, BoardView
    from calibration.lens.view_coverage import ViewCoverage


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

    Hold the board in many places and tip it in all directions until the program says that it is enough. A camera takes
    a view by itself whenever the board is still at a new place. Ctrl-C ends early.
    """
    from calibration.lens.board import BOARDS
    from calibration.lens.lens_fit import REFUSE_PX, save_lens, solve_lens
    from calibration.lens.view_coverage import coverage
    from calibration.solved import NotSolved
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
    typer.echo(f"hold-out error  {fit.hold_out_px:.3f} px on views left out of the fit")
    for name, error_px in sorted(fit.per_view_px, key=lambda each: -each[1])[:5]:
        typer.echo(f"  {error_px:6.3f} px  {name}")
    if not fit.good:
        typer.echo("Usable, but not good (good is below 0.5 px). Take the worst views again, board flat and still.")


def _take_views(source: str, board: Board) -> list[BoardView]:
    """Views of the board: all of a folder's pictures; of a camera or video those held still at a new place.

    Ctrl-C ends the taking, not the command. Pictures of no use are explained on standard error.
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
    """The parts of the picture, row by row: x where the board was.

    >>> from calibration.lens.view_coverage import ViewCoverage
    >>> _short_map(ViewCoverage(3, ((True, False), (False, True)), 0, 0))
    '[x./.x]'
    """
    return "[" + "/".join("".join("x" if there else "." for there in row) for row in covered.seen) + "]"


def _map_text(covered: ViewCoverage) -> str:
    lacking = ", ".join(covered.missing) or "nothing"
    leaning = f"{covered.sideways} views lean to the side, {covered.forward} forward or back"
    return f"{covered.views} views {_short_map(covered)}; parts of the picture without one: {lacking}; {leaning}"
