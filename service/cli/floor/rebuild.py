"""``houseway floor rebuild``: what pages and programs are shown of rounds and alarms, made anew of the entries."""

from __future__ import annotations

from service.cli.common import say
from service.cli.floor.common import FloorSettings, floor_store


def rebuild_command(config: FloorSettings) -> None:
    """Make the rounds and alarms that a floor shows anew of the entries that it has.

    Nothing that was collected changes. The floor may be running: it shows what is made already, and goes on from there.
    """
    from service.floor.projections.projector import Projector

    with floor_store(config) as (_, reader):
        entries = Projector(reader.database).rebuild()
    say(f"rounds and alarms made anew of {entries} entries")
