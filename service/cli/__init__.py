"""The command line: ``houseway COMMAND``, one thin command per capability.

Nothing heavy is imported until a command that needs it runs, so that ``houseway set`` answers at once.
"""

from __future__ import annotations

import typer

from service.cli import calibrate
from service.cli.admin import account, record, webhook
from service.cli.game import dice, edge, house_way, irregularity, rulebook, setting, settle, tournament
from service.cli.table import config, doctor, enrol, read, run
from service.cli.workshop import evaluate, make, thresholds

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
    setting,
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
