"""``houseway floor trust``: a person accepts another record, or another key, of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import attribution, refuse, say
from service.cli.floor.common import FloorSettings, floor_store

if TYPE_CHECKING:
    from service.floor.store.held import Known
    from service.floor.store.reader import FloorReader


def trust_command(
    table: Annotated[str, typer.Argument(help="Name of the table on the floor.")],
    config: FloorSettings,
    *,
    reason: Annotated[str, typer.Option("--reason", help="Why. Recorded with the change.")],
    public_key: Annotated[
        Path | None,
        typer.Option(
            "--public-key",
            help="Accept this key (PEM, the table's record.pub) for the trusted record, from the refused entry on.",
        ),
    ] = None,
) -> None:
    """Accept the record that a table has now, instead of the one that the floor trusts.

    This is the record that the floor refused last. Entries of the old one stay, marked as gone. With --public-key
    another key of the same record is accepted. If the table showed a checkpoint that its entries contradict, the
    record that the floor has stays trusted. The floor's own record has who did it and why.
    """
    from service.floor.collect.trust import disputed, trust, trusted_of
    from service.record.store.record import Record
    from service.record.store.signing import PublicKey

    with floor_store(config) as (settings, reader):
        if table not in {one.name for one in settings.tables}:
            refuse(f"there is no table {table!r} in {config}", "houseway floor trust")
        with Record(settings.record_settings, claim=False) as record:
            if public_key is None and (fault := disputed(record, reader, table)) is not None:
                known = _known_of(reader, table)
                trust(record, table, known.record, known.key, attribution(reason), since=known.seq + 1)
                say(f"{table}: its record stays trusted, in spite of the checkpoint of entry {fault.entry}")
                return
            if public_key is None:
                of, key = _refused_record(reader, table)
                trust(record, table, of, key, attribution(reason))
                say(f"{table}: its record {of} is trusted from now on, with the key {key}")
                return
            trusted = trusted_of(record, table)
            since = _refused_entry(reader, table)
            if trusted is None:
                refuse(f"nothing is known of the table {table} yet", "houseway floor trust")
            accepted = PublicKey.load(public_key).hex
            trust(record, table, trusted.record, accepted, attribution(reason), since=since)
            say(f"{table}: the key {accepted} is trusted from entry {since} on")


def _known_of(reader: FloorReader, table: str) -> Known:
    """What is known of a table's record."""
    found = reader.table(table)
    if found is None:
        refuse(f"nothing is known of the table {table} yet", "houseway floor trust")
    return found.known


def _refused_record(reader: FloorReader, table: str) -> tuple[str, str]:
    """The record that was refused last, and its key."""
    from service.codes import FloorCode
    from service.floor.collect.checking import Given, first_contact

    others = (each for each in reader.refused(table) if each.fault.finding.code is FloorCode.OTHER_RECORD)
    begun = (first_contact(Given(each.line.decode(errors="replace"), None)) for each in others)
    found = next((each for each in begun if each is not None), None)
    if found is None:
        refuse(f"{table}: the floor has refused no other record of this table, so there is nothing to accept")
    return found


def _refused_entry(reader: FloorReader, table: str) -> int:
    """The entry that was refused last because of its signature."""
    from service.codes import RecordCode

    faults = (each.fault for each in reader.refused(table))
    found = next((each.entry for each in faults if each.finding.code is RecordCode.SIGNED_WITH_ANOTHER_KEY), None)
    if found is None:
        refuse(f"{table}: the floor has refused no signature of this table, so there is no key to accept")
    return found
