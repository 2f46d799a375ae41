"""``houseway synth`` and ``houseway train``: labelled pictures, and the models learnt from them.

Both hand their arguments on, unread, to the programs that do the work; training runs in a process of its own, for
nothing that runs at a table may load what trains.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import typer

from service.cli.common import refuse

HANDED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def synth(context: typer.Context) -> None:
    """Make labelled pictures: windows, tables, shifted ones, rounds."""
    from datasets.generate import app

    app(context.args, prog_name="houseway synth")


def train(context: typer.Context) -> None:
    """Make the models from nothing, or train one network of them."""
    if find_spec("torch") is None:
        refuse("training needs PyTorch, which the table does not: pip install -r requirements-train.txt")
    one = bool(context.args) and not context.args[0].startswith("-")
    command = [sys.executable, "-m", "models.train" if one else "models.recipe", *context.args]
    raise typer.Exit(subprocess.run(command, check=False).returncode)  # noqa: S603 - ours
