"""The command line: ``houseway COMMAND``, one thin command per capability.

Nothing heavy is imported until a command that needs it runs, so that ``houseway set`` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from service.cli.admin import account, audit, record, webhook
from service.cli.calibrate.check import check_command
from service.cli.calibrate.lens import lens_command
from service.cli.calibrate.print_targets import print_command
from service.cli.calibrate.table import table_command
from service.cli.calibrate.zones import zones_command
from service.cli.game import dice, edge, house_way, irregularity, rulebook, setting, settle, tournament
from service.cli.learn import collect, models
from service.cli.table import config, doctor, enrol, read, run
from service.cli.workshop import evaluate, make, thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

app = typer.Typer(
    name="houseway",
    help="Reads a Pai Gow table and checks the House hand against the House Way.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _add(**commands: Callable[..., None]) -> None:
    for name, command in commands.items():
        app.command(name)(command)


def _add_group(group: str, purpose: str, **commands: Callable[..., None]) -> None:
    grouped = typer.Typer(no_args_is_help=True, help=purpose, rich_markup_mode=None)
    for name, command in commands.items():
        grouped.command(name)(command)
    app.add_typer(grouped, name=group)


_add(run=run.run_command, read=read.read_command, evaluate=evaluate.evaluate_command)
_add(thresholds=thresholds.thresholds_command, enrol=enrol.enrol_command)
_add(set=setting.set_tiles, edge=edge.edge, cut=dice.cut, throw=dice.throw, doctor=doctor.doctor)
_add(collect=collect.collect_command)
_add_group(
    "models",
    "The tile model of a table: a candidate put in use, and taken back.",
    list=models.list_models,
    take=models.take_model,
    back=models.back_model,
)
_add(settle=settle.settle, irregularity=irregularity.irregularity)
for handed_on in (make.synth, make.train):
    app.command(context_settings=make.HANDED_ON, add_help_option=False)(handed_on)
_add_group("record", "The record of a table: proven, and exported.", verify=record.verify, export=record.export)
_add_group(
    "audit",
    "The rate of silent errors of a table: measured, exported, and checked by anybody.",
    status=audit.status,
    list=audit.list_items,
    export=audit.export,
    check=audit.check,
)
_add_group("config", "The settings of a table: checked, and described.", check=config.check, schema=config.schema)
_add_group(
    "account",
    "Accounts of persons.",
    add=account.add_account,
    list=account.list_accounts,
    role=account.change_role,
    disable=account.disable,
    enable=account.enable,
    password=account.change_password,
)
_add_group("key", "Keys of machines.", add=account.add_key, list=account.list_keys, revoke=account.revoke_key)
_add_group(
    "calibrate",
    "Calibrate a camera over a table: print, lens, table, zones, check. docs/calibration.md is the guide.",
    print=print_command,
    lens=lens_command,
    table=table_command,
    zones=zones_command,
    check=check_command,
)
_add_group(
    "house-way",
    "House Ways as tables, compared, checked and printed.",
    export=house_way.export,
    diff=house_way.diff,
    check=house_way.check,
    card=house_way.card,
)
_add_group("rulebook", "The documents, rule by rule.", coverage=rulebook.coverage, pages=rulebook.pages)
_add_group("tournament", "Tournaments.", check=tournament.check, play=tournament.play)
_add_group(
    "webhook",
    "Events that a webhook would not take.",
    dead=webhook.dead,
    resend=webhook.resend,
    drop=webhook.drop,
)
