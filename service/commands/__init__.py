"""The command line: ``houseway COMMAND``, one thin command per capability.

Nothing heavy is imported until a command that needs it runs, so that ``houseway set`` answers at once.
"""

from __future__ import annotations

import typer

from service.commands import (
    account,
    calibrate,
    config,
    dice,
    doctor,
    edge,
    enrol,
    evaluate,
    game,
    house_way,
    irregularity,
    make,
    read,
    record,
    rulebook,
    run,
    settle,
    thresholds,
    tournament,
    webhook,
)

app = typer.Typer(
    name="houseway",
    help="Reads a Pai Gow table and checks the House hand against the House Way.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    run,
    read,
    record,
    config,
    account,
    evaluate,
    thresholds,
    calibrate,
    enrol,
    game,
    house_way,
    edge,
    dice,
    doctor,
    settle,
    irregularity,
    rulebook,
    tournament,
    webhook,
    make,
):
    command.register(app)
