"""``houseway calibrate print``: the board for the lens and the markers for the table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from service.cli.calibrate.common import Paper, refuse_errors
from service.cli.common import named_as


def print_command(
    what: Annotated[
        Literal["board", "markers"], typer.Argument(help="board, for the lens, or markers, for the table.")
    ],
    out: Annotated[Path, typer.Option(help="The PDF file to write.")],
    paper: Annotated[Paper, typer.Option(help="Paper size of the board. A3 is seen better from the ceiling.")] = "a3",
) -> None:
    """Write the board or the markers as a PDF to print.

    They are exact in millimetres: print at 100 %, never "fit to page".
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
