"""``houseway floor witness``: the key that a floor co-signs with, and what it co-signed of a table."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.common import refuse, say
from service.cli.floor.common import FloorSettings, floor_store


def witness_command(
    config: FloorSettings,
    table: Annotated[str | None, typer.Argument(help="Name of a table on the floor.")] = None,
) -> None:
    """Print the key with which the floor co-signs its tables' checkpoints, or all that it co-signed for a table.

    For `houseway record verify`: the key goes after --witness, a file of the checkpoints after --seen.
    """
    from service.floor.witness.held import all_of, note_at
    from service.floor.witness.signing import key_in

    with floor_store(config) as (settings, reader):
        if table is None:
            key = key_in(settings.record.folder, settings.floor.name)
            if key is None:
                refuse("this floor has not co-signed anything yet", "houseway floor witness")
            say(key.text)
            return
        if reader.table(table) is None:
            refuse(f"there is no table {table!r} on this floor", "houseway floor witness")
        for each in all_of(reader, table):
            if (note := note_at(reader, table, each)) is not None:
                say(note.text)
