"""``houseway synth`` and ``houseway train``: labelled pictures, and the models learnt from them.

Both hand their arguments on to the programs that do the work; training runs in a process of its own, for nothing that
runs at a table may load what trains. Only what a table learns from its own crops is done here.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from service.cli.common import AsJson, Settings, refuse

HANDED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def synth(context: typer.Context) -> None:
    """Make labelled pictures of generated tables, and films of simulated rounds."""
    from datasets.generate import app

    app(context.args, prog_name="houseway synth")


def train(
    context: typer.Context,
    crops: Annotated[
        Path | None,
        typer.Option("--with", help="With tiles: the folder of a table's own tile pictures, from houseway collect."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="With tiles: new folder for the candidate model.")] = None,
    config: Settings = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Train the models from scratch, or refine the tile model for one table.

    houseway train: all four models. houseway train detector, tiles, dice or lean: one of them. This needs PyTorch
    (requirements-train.txt) and takes hours.

    houseway train tiles --with FOLDER --out FOLDER: refine the tile model from a table's own tiles, in a minute and
    without PyTorch (docs/learning.md). With --config it is compared with the model in use at that table.
    """
    if crops is not None:
        from service.cli.learn.refine import refine

        if context.args != ["tiles"] or out is None:
            refuse("crops refine the tile model: houseway train tiles --with FOLDER --out FOLDER")
        refine(crops, out, config, as_json=as_json)
        return
    if context.args == ["--help"]:
        typer.echo(context.get_help())
        return
    if find_spec("torch") is None:
        refuse("training needs PyTorch, which a table does not: pip install -r requirements-train.txt")
    one = bool(context.args) and not context.args[0].startswith("-")
    named = (("--out", out), ("--config", config))
    given = [word for option, value in named if value is not None for word in (option, str(value))]
    command = [sys.executable, "-m", "models.train" if one else "models.recipe", *context.args, *given]
    raise typer.Exit(subprocess.run(command, check=False).returncode)  # noqa: S603 - ours
