"""The command line: ``houseway COMMAND``, one thin command per capability.

Nothing heavy is imported until a command that needs it runs, so that ``houseway set`` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from service.cli.admin import account, audit, history, record, record_upkeep, signing_key, webhook, witness
from service.cli.calibrate.check import check_command
from service.cli.calibrate.lens import lens_command
from service.cli.calibrate.print_targets import print_command
from service.cli.calibrate.table import table_command
from service.cli.calibrate.zones import zones_command
from service.cli.floor import run as floor_run
from service.cli.floor.demo import demo_command as floor_demo_command
from service.cli.floor.rebuild import rebuild_command
from service.cli.floor.tables import tables_command
from service.cli.floor.trust import trust_command
from service.cli.floor.verify import verify_command
from service.cli.floor.witness import witness_command
from service.cli.game import dice, edge, house_way, irregularity, rulebook, setting, settle, tournament
from service.cli.help_text import CommandGroup
from service.cli.learn import collect, models
from service.cli.table import config, demo, doctor, enrol, read, run
from service.cli.version import show_version
from service.cli.workshop import evaluate, make, thresholds

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


def _group(purpose: str, /, **commands: Callable[..., None] | typer.Typer) -> typer.Typer:
    grouped = typer.Typer(cls=CommandGroup, no_args_is_help=True, help=purpose, rich_markup_mode=None)
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            grouped.add_typer(command, name=name)
        else:
            grouped.command(name)(command)
    return grouped


def _add_group(heading: str, group: str, purpose: str, /, **commands: Callable[..., None] | typer.Typer) -> None:
    app.add_typer(_group(purpose, **commands), name=group, rich_help_panel=heading)
    _Commands.listed.append(group)


START = "Start here"
_add(START, run=run.run_command, demo=demo.demo_command, read=read.read_command)

SUPERVISORS = "Supervisors: what the rulebook says"
_add(SUPERVISORS, set=setting.set_tiles, irregularity=irregularity.irregularity)
_add(SUPERVISORS, throw=dice.throw, cut=dice.cut, settle=settle.settle)

TECHNICIANS = "Technicians: install a table and look after it"
_add_group(
    TECHNICIANS,
    "config",
    "Check a table's settings, or describe all of them.",
    check=config.check,
    schema=config.schema,
)
_add_group(
    TECHNICIANS,
    "calibrate",
    "Calibrate the camera over a table: print, lens, table, zones, check.",
    print=print_command,
    lens=lens_command,
    table=table_command,
    zones=zones_command,
    check=check_command,
)
_add(TECHNICIANS, enrol=enrol.enrol_command, doctor=doctor.doctor, collect=collect.collect_command)
_add_group(
    TECHNICIANS,
    "models",
    "List, change or restore the tile model of a table.",
    list=models.list_models,
    take=models.take_model,
    back=models.back_model,
)

FLOORS = "Floors: all tables of a casino on one server"
_add_group(
    FLOORS,
    "floor",
    "Collect all tables into one database, show and verify them.",
    run=floor_run.run_command,
    tables=tables_command,
    trust=trust_command,
    verify=verify_command,
    rebuild=rebuild_command,
    witness=witness_command,
    demo=floor_demo_command,
)

ADMINISTRATORS = "Administrators: who may sign in"
_add_group(
    ADMINISTRATORS,
    "account",
    "Accounts for people: add, list, change, block.",
    add=account.add_account,
    list=account.list_accounts,
    role=account.change_role,
    pits=account.change_pits,
    disable=account.disable,
    enable=account.enable,
    password=account.change_password,
    **{"remove-second-factor": account.remove_second_factor},
)

INTEGRATORS = "Integrators: connect other programs"
_add_group(
    INTEGRATORS,
    "key",
    "Keys for programs: add, list, revoke.",
    add=account.add_key,
    list=account.list_keys,
    revoke=account.revoke_key,
)
_add_group(
    INTEGRATORS,
    "webhook",
    "Undelivered webhook events: list, resend, drop; restart a stopped webhook.",
    dead=webhook.dead,
    resend=webhook.resend,
    drop=webhook.drop,
    begin=webhook.begin,
)

AUDITORS = "Auditors: prove what happened"
_add_group(
    AUDITORS,
    "record",
    "Verify, export or archive the signed record of a table, or maintain it.",
    verify=record.verify,
    export=record.export,
    archive=record.archive,
    accept=record_upkeep.accept,
    restored=history.restored,
    **{"begin-anew": record_upkeep.begin_anew},
    **{"rotate-key": signing_key.rotate_key},
)
_add_group(
    AUDITORS,
    "witness",
    "Be an independent witness: sign checkpoints that extend the ones before.",
    init=witness.init,
    key=witness.key,
    trust=witness.trust,
    serve=witness.serve,
    list=witness.list_records,
    forget=witness.forget,
)
_add_group(
    AUDITORS,
    "audit",
    "Measure how often a verified result is wrong.",
    status=audit.status,
    list=audit.list_items,
    export=audit.export,
    check=audit.check,
)
_add_group(
    AUDITORS,
    "rulebook",
    "Show where each rule of a rulebook is implemented and tested.",
    coverage=rulebook.coverage,
    pages=rulebook.pages,
)

OWNERS = "Game owners: House Ways, chances, tournaments"
_add_group(
    OWNERS,
    "house-way",
    "Check, compare, print or export a House Way.",
    check=house_way.check,
    diff=house_way.diff,
    card=house_way.card,
    export=house_way.export,
)
_add(OWNERS, edge=edge.edge)
_add_group(
    OWNERS,
    "tournament",
    "Check a tournament's terms, or replay how it was played.",
    check=tournament.check,
    play=tournament.play,
)

DEVELOPERS = "Developers: train and measure the models"
_add(DEVELOPERS, evaluate=evaluate.evaluate_command, thresholds=thresholds.thresholds_command)
for _name, _command in {"synth": make.synth, "train": make.train}.items():
    app.command(_name, rich_help_panel=DEVELOPERS, context_settings=make.HANDED_ON, add_help_option=False)(_command)
    _Commands.listed.append(_name)
