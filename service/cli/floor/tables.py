"""``houseway floor tables``: how each table is, as the floor noted last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from service.cli.common import AsJson, say
from service.cli.floor.common import FloorSettings, floor_store

if TYPE_CHECKING:
    from service.floor.store.held import HeldTable


def tables_command(config: FloorSettings, *, as_json: AsJson = False) -> None:
    """List the tables of a floor with their states, the worst first."""
    from service.floor.collect.states import State

    with floor_store(config) as (settings, reader):
        named = {table.name for table in settings.tables}
        order = list(State)
        known = [table for table in reader.tables() if table.name in named]
        known.sort(key=lambda table: (order.index(State(table.state)), table.name))
        refused = {table.name: len(reader.refused(table.name)) for table in known if table.state == State.REFUSED}
    if as_json:
        say(json.dumps([_told(table) for table in known]))
        return
    for table in known:
        aside = f" ({refused[table.name]} kept aside)" if refused.get(table.name) else ""
        why = f": {table.told['message']}" if table.told.get("message") else ""
        seen = f"entry {table.known.seq}" if table.known.seq else "nothing collected yet"
        say(f"{table.state:<14} {table.name:<24} since {table.since[:19]}Z  {seen}{why}{aside}")


def _told(table: HeldTable) -> dict[str, object]:
    known = table.known
    about = {"record": known.record, "entries": known.seq, "epoch": known.epoch}
    return {"name": table.name, "state": table.state, "since": table.since, **about, **table.told}
