"""``houseway floor verify``: all that a floor has collected, proven anew, and the floor's own record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from service.cli.admin.record import in_words
from service.cli.common import AsJson, say
from service.cli.floor.common import FloorSettings, floor_store

if TYPE_CHECKING:
    from service.floor.verify import TableProof


def verify_command(config: FloorSettings, *, as_json: AsJson = False) -> None:
    """Verify every entry of every table that the floor has, and the floor's own record.

    Checks each entry against its hash, the entry before it, and its table's signature; co-signed checkpoints against
    the entries; and copied pictures against their hashes. The floor may be running. Exit status 1 if anything is not
    as it was recorded.
    """
    from service.floor.copies import copies_of
    from service.floor.verify import prove_tables
    from service.floor.witness.signing import key_in
    from service.record.examine import examine_database
    from service.record.store.database_reader import DatabaseReader

    with floor_store(config) as (settings, reader), DatabaseReader(reader.database) as own:
        proof = examine_database(own, None, settings=settings.record_settings)
        tables = prove_tables(reader, own, key_in(settings.record.folder, settings.floor.name))
        place = copies_of(settings)
        pictures, spoilt = (0, ()) if place is None else place.prove()
    if as_json:
        kept = {"hold": pictures, "spoilt": spoilt}
        say(json.dumps({"floor": proof.as_json(), "tables": [table.as_json() for table in tables], "pictures": kept}))
    else:
        say(f"the floor's own record\n{in_words(proof)}")
        for table in tables:
            say(_line(table))
        if place is not None:
            say(
                "\n".join(
                    (f"{pictures} pictures are intact in {place.name}", *(f"  CHANGED: {name}" for name in spoilt))
                )
            )
    if not proof.holds or spoilt or any(table.faults for table in tables):
        raise typer.Exit(1)


def _line(table: TableProof) -> str:
    gone = f", {table.gone} of them gone from its record" if table.gone else ""
    found = f"table {table.name}: {table.entries} entries hold{gone}; the last is {table.last}, {table.hash}"
    if table.cosigned:
        found += f"\n  checkpoints that the floor co-signed hold ({table.cosigned})"
    return "\n".join((found, *(f"  NOT AS RECORDED: {fault.words}" for fault in table.faults)))
