"""``houseway floor``: all tables of a casino on one server."""

from __future__ import annotations

import json
import os
import re
import threading
import webbrowser
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from service.cli.common import attribution, opened_settings, plain_errors, record_of, refuse, say
from service.cli.options import AsJson, Reason, RequiredSettings
from service.cli.verification import in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.hub.table_proofs import TableProof
    from service.record.store.all_logs import LogsReader
    from service.record.store.stored_logs import Known
    from service.system.settings import Config


@contextmanager
def hub_store(config: Path) -> Iterator[tuple[Config, LogsReader]]:
    """Open the settings of a hub and its store."""
    from service.record.store.all_logs import LogsReader
    from service.record.store.record_settings import RecordSettings

    with opened_settings(config) as settings:
        if not settings.remote:
            refuse(f"{config}: has no tables with a url, so nothing is collected here", "houseway floor")
        with LogsReader(RecordSettings.of(settings).database_url) as reader:
            yield settings, reader


def verify_command(
    config: RequiredSettings,
    *,
    as_json: AsJson = False,
) -> None:
    """Verify every entry of every table that the hub has collected, and the hub's own record.

    Checks each entry against its hash, the entry before it, and its table's signature; co-signed checkpoints against
    the entries; and copied pictures against their hashes. The hub may be running. Exit status 1 if anything differs
    from what was recorded.
    """
    from service.hub.copies import copies_of
    from service.hub.cosigning import key_in
    from service.hub.table_proofs import prove_tables
    from service.record.integrity.verify import examine_database
    from service.record.projections.compare import compare_own
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import RecordSettings

    with hub_store(config) as (settings, reader), DatabaseReader(reader.database) as own:
        proof = examine_database(own, None, settings=RecordSettings.of(settings), more={"projections": compare_own})
        tables = prove_tables(reader, own, key_in(settings.record_folder, settings.service.name))
        place = copies_of(settings)
        pictures, spoilt = (0, ()) if place is None else place.verify()
    if as_json:
        kept = {"hold": pictures, "spoilt": spoilt}
        say(json.dumps({"floor": proof.as_json(), "tables": [table.as_json() for table in tables], "pictures": kept}))
    else:
        say(f"the hub's own record\n{in_words(proof)}")
        for table in tables:
            say(_line(table))
        if place is not None:
            say(f"{pictures} pictures are intact in {place.name}")
            for name in spoilt:
                say(f"  CHANGED: {name}")
    if not proof.holds or spoilt or any(table.faults for table in tables):
        raise typer.Exit(1)


def _line(table: TableProof) -> str:
    gone = f", {table.gone} of them no longer in its record" if table.gone else ""
    found = f"table {table.name}: {table.entries} entries are valid{gone}; the last is {table.last}, {table.hash}"
    if table.cosigned:
        found += f"\n  checkpoints co-signed by the hub are valid ({table.cosigned})"
    return "\n".join((found, *(f"  NOT AS RECORDED: {fault.words}" for fault in table.faults)))


def trust_command(
    table: Annotated[str, typer.Argument(help="Name of the table in the hub's settings.")],
    config: RequiredSettings,
    *,
    reason: Reason,
    public_key: Annotated[
        Path | None,
        typer.Option(
            "--public-key",
            help="Accept this key (PEM, the table's record.pub) for the trusted record, from the refused entry on.",
        ),
    ] = None,
) -> None:
    """Accept the record that a table has now, instead of the one that the hub trusts.

    This is the record that the hub refused last. Entries of the old one stay, marked as removed. With --public-key
    another key of the same record is accepted. If the table showed a checkpoint that its entries contradict, the
    record that the hub has stays trusted. The hub's own record keeps who did it and why.
    """
    from service.hub.checking import disputed, refused_key_entry, refused_record, trust, trusted_of
    from service.record.store.signing import PublicKey

    with hub_store(config) as (settings, reader):
        if table not in {one.name for one in settings.remote}:
            refuse(f"there is no table {table!r} in {config}", "houseway floor trust")
        with record_of(settings) as record:
            if public_key is None and (fault := disputed(record, reader, table)) is not None:
                known = _known_of(reader, table)
                trust(record, table, known.record, known.key, attribution(reason), since=known.seq + 1)
                say(f"{table}: its record stays trusted, despite the checkpoint of entry {fault.entry}")
                return
            if public_key is None:
                other = refused_record(reader, table)
                if other is None:
                    refuse(f"{table}: the hub has refused no other record of this table, so there is nothing to accept")
                of, key = other
                trust(record, table, of, key, attribution(reason))
                say(f"{table}: its record {of} is now trusted, with the key {key}")
                return
            trusted = trusted_of(record, table)
            since = refused_key_entry(reader, table)
            if since is None:
                refuse(f"{table}: the hub has refused no signature of this table, so there is no key to accept")
            if trusted is None:
                refuse(f"nothing is known of the table {table} yet", "houseway floor trust")
            accepted = PublicKey.load(public_key).hex
            trust(record, table, trusted.record, accepted, attribution(reason), since=since)
            say(f"{table}: the key {accepted} is trusted from entry {since} on")


def _known_of(reader: LogsReader, table: str) -> Known:
    """What the hub knows of a table's record."""
    found = reader.table(table)
    if found is None:
        refuse(f"nothing is known of the table {table} yet", "houseway floor trust")
    return found.known


_LINK_FOLLOWS_S: Final = 1.0


def demo_command(
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for all data, instead of your state folder. The next start continues with it."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=1, max=60_000, help="Port of the page; the tables use the next ports.")
    ] = 8000,
    *,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser, if there is a display.")] = True,
) -> None:
    """Show a hub with three simulated tables; starts PostgreSQL, tables and hub. Ctrl-C stops everything.

    Needs no settings, only Debian's package postgresql, which runs as an ordinary program with its data in the
    folder.
    """
    from service.cli.demo.demo import SIGN_IN_LINK, default_folder, run
    from service.cli.demo.programs import DemoError

    opening: threading.Timer | None = None

    def on_line(line: str) -> None:
        nonlocal opening
        say(line)
        found = SIGN_IN_LINK.search(line) or re.search(r"http://localhost:\d+", line)
        if found is not None and browser and _has_display():
            if opening is not None:
                opening.cancel()
            # The sign-in link, if any, is printed after the address.
            opening = threading.Timer(_LINK_FOLLOWS_S, webbrowser.open, (found[0],))
            opening.daemon = True
            opening.start()

    try:
        with plain_errors(OSError, program="houseway floor demo"):
            run(folder or default_folder(), port, on_line, say)
    except DemoError as error:
        say(f"houseway floor demo: {error}", err=True)  # unchanged: it may contain lines of a log
        raise typer.Exit(2) from None


def _has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
