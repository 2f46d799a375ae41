"""``houseway calibrate``: the lens, the camera's place, the zones of the table, and whether all of it still holds."""

from __future__ import annotations

import typer

from service.cli.calibrate.check import check_command
from service.cli.calibrate.lens import lens_command
from service.cli.calibrate.print_targets import print_command
from service.cli.calibrate.table import table_command
from service.cli.calibrate.zones import zones_command

calibrate = typer.Typer(
    help="Calibrate a camera over a table: print, lens, table, zones, check. docs/calibration.md is the guide.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
calibrate.command("print")(print_command)
calibrate.command("lens")(lens_command)
calibrate.command("table")(table_command)
calibrate.command("zones")(zones_command)
calibrate.command("check")(check_command)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(calibrate, name="calibrate")
