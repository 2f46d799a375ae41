"""``houseway floor rebuild``: what pages and programs are shown of rounds and alarms, made anew of the entries."""

from __future__ import annotations

from service.cli.common import say
from service.cli.floor.common import FloorSettings, floor_store


def rebuild_command(config: FloorSettings) -> None:
    """Derive the rounds and alarms that a floor shows from its entries again.

    Collected entries do not change. The floor may be running: it shows what is ready, and continues from there.
    """
    from service.floor.projections.projector import Projector

    with floor_store(config) as (_, reader):
        entries = Projector(reader.database).rebuild()
    say(f"rounds and alarms derived again from {entries} entries")
