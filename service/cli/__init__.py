"""The command line: ``houseway COMMAND``, one thin command per capability.

A command imports heavy packages only when it runs, so that ``houseway set`` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from service.cli import (
    accounts_and_keys,
    audits,
    calibrate,
    calibration_checks,
    chances,
    dice_and_cuts,
    enrol,
    floors,
    house_ways,
    reading_pictures,
    record_upkeep,
    rulebooks,
    run,
    settings_and_doctor,
    settle,
    tile_models,
    verification,
    webhook_queues,
    witnesses,
    workshop,
)
from service.cli.help_text import CommandGroup, show_version

if TYPE_CHECKING:
    from collections.abc import Callable


class _Commands(CommandGroup):
    listed: ClassVar[list[str]] = []


app = typer.Typer(
    name="houseway",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def main(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Reads a Pai Gow table and checks the House hand against the House Way.

    Each command explains itself: houseway COMMAND --help
    """


def _add(heading: str, /, **commands: Callable[..., None]) -> None:
    for name, command in commands.items():
        app.command(name, rich_help_panel=heading)(command)
        _Commands.listed.append(name)


def _add_group(heading: str, group: str, purpose: str, /, **commands: Callable[..., None]) -> None:
    grouped = typer.Typer(cls=CommandGroup, no_args_is_help=True, help=purpose, rich_markup_mode=None)
    for name, command in commands.items():
        grouped.command(name)(command)
    app.add_typer(grouped, name=group, rich_help_panel=heading)
    _Commands.listed.append(group)


START = "Start here"
_add(START, run=run.run_command, read=reading_pictures.read_command)

SUPERVISORS = "Supervisors: what the rulebook says"
_add(SUPERVISORS, set=rulebooks.set_tiles, irregularity=rulebooks.irregularity)
_add(SUPERVISORS, throw=dice_and_cuts.throw, cut=dice_and_cuts.cut, settle=settle.settle)

TECHNICIANS = "Technicians: install a table and look after it"
_add_group(
    TECHNICIANS,
    "config",
    "Check a table's settings.",
    check=settings_and_doctor.check_settings,
)
_add_group(
    TECHNICIANS,
    "calibrate",
    "Calibrate the camera over a table: print, lens, table, zones, check.",
    print=calibrate.print_command,
    lens=calibrate.lens_command,
    table=calibrate.table_command,
    zones=calibration_checks.zones_command,
    check=calibration_checks.check_command,
)
_add(TECHNICIANS, enrol=enrol.enrol_command, doctor=settings_and_doctor.doctor, collect=tile_models.collect_command)
_add_group(
    TECHNICIANS,
    "models",
    "List or change the tile model of a table.",
    list=tile_models.list_models,
    take=tile_models.take_model,
)

FLOORS = "Floors: all tables of a casino on one server"
_add_group(
    FLOORS,
    "floor",
    "Verify what was collected, trust a table's record, or try a floor out.",
    trust=floors.trust_command,
    verify=floors.verify_command,
    demo=floors.demo_command,
)

ADMINISTRATORS = "Administrators: accounts"
_add_group(
    ADMINISTRATORS,
    "account",
    "Accounts for people: add, change, block.",
    add=accounts_and_keys.add_account,
    change=accounts_and_keys.change_account,
)

INTEGRATORS = "Integrators: connect other programs"
_add_group(
    INTEGRATORS,
    "key",
    "Keys for programs: add, revoke.",
    add=accounts_and_keys.add_key,
    revoke=accounts_and_keys.revoke_key,
)
_add_group(
    INTEGRATORS,
    "webhook",
    "List undelivered webhook events; send them again.",
    list=webhook_queues.list_undelivered,
    resend=webhook_queues.resend,
)

AUDITORS = "Auditors: prove what happened"
_add_group(
    AUDITORS,
    "record",
    "Verify or export the signed record of a table, or maintain it.",
    verify=verification.verify,
    export=record_upkeep.export,
    accept=record_upkeep.accept,
    **{"rotate-key": record_upkeep.rotate_key},
)
_add_group(
    AUDITORS,
    "witness",
    "Run an independent witness, which signs checkpoints that extend earlier ones.",
    serve=witnesses.serve,
    trust=witnesses.trust,
    list=witnesses.list_records,
    forget=witnesses.forget,
)
_add_group(
    AUDITORS,
    "audit",
    "Recompute how often a verified result is wrong.",
    check=audits.check,
)
_add(AUDITORS, rulebook=rulebooks.list_rules)

OWNERS = "Game owners: House Ways, chances, tournaments"
_add_group(
    OWNERS,
    "house-way",
    "Check, compare or export a House Way.",
    check=house_ways.check,
    diff=house_ways.diff,
    export=house_ways.export,
)
_add(OWNERS, edge=chances.edge)
_add_group(
    OWNERS,
    "tournament",
    "Check a tournament's terms, or replay how it was played.",
    check=settle.check_tournament,
    play=settle.replay_tournament,
)

DEVELOPERS = "Developers: train and measure the models"
_add(DEVELOPERS, evaluate=workshop.evaluate_command)
for _name, _command in {"synth": workshop.synth, "train": workshop.train}.items():
    app.command(_name, rich_help_panel=DEVELOPERS, context_settings=workshop.HANDED_ON, add_help_option=False)(_command)
    _Commands.listed.append(_name)
