"""``houseway record verify`` and ``houseway record export``: what happened, proven."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.admin.seen import SeenOption, WitnessOption, of_database, of_export
from service.cli.common import AsJson, plain_record_errors, refuse, say

if TYPE_CHECKING:
    from service.cli.admin.seen import SeenResult
    from service.record.export import Exported
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import RecordSettings
    from service.record.store.signing import PublicKey
    from service.record.verify import Proof

Where = Annotated[
    str | None,
    typer.Option("--record", help="The record: its folder, its database file, or its URL.", metavar="PATH_OR_URL"),
]
Settings = Annotated[
    Path | None,
    typer.Option("--config", help="Settings file (TOML) of the table whose record it is. Default: the sample table."),
]
Evidence = Annotated[
    Path | None, typer.Option("--evidence", help="The folder of pictures, if --record is a file or a URL.")
]


def verify(
    folder: Annotated[
        Path | None,
        typer.Argument(help="An export, or the folder of a record. Default: the record of --record or --config."),
    ] = None,
    *,
    record: Where = None,
    config: Settings = None,
    evidence: Evidence = None,
    public_key: Annotated[
        Path | None,
        typer.Option(
            "--public-key", help="The table's public key (PEM) from a source you trust, not from the record itself."
        ),
    ] = None,
    seen: SeenOption = None,
    witness: WitnessOption = None,
    as_json: AsJson = False,
) -> None:
    """Verify that no entry, signature, picture, account or key was changed, removed or added by hand.

    With --seen also that nothing was rolled back that is known elsewhere.

    Prints what was checked and what is not covered. Exit status 1 if anything is not as it was recorded.
    """
    from service.record.store.signing import PublicKey

    with plain_record_errors():
        key = None if public_key is None else PublicKey.load(public_key)
        proof, held = _proven(folder, record, config, evidence, key, seen, witness)
    if as_json:
        say(json.dumps({**proof.as_json(), **({} if held is None else held.json())}))
    else:
        said = in_words(proof, known_key=public_key is not None)
        say("\n".join((said, *(() if held is None else held.lines()))))
    if not (proof.holds and (held is None or held.holds)):
        raise typer.Exit(1)


def _proven(
    folder: Path | None,
    record: str | None,
    config: Path | None,
    evidence: Path | None,
    key: PublicKey | None,
    seen: list[str] | None,
    witness: list[str] | None,
) -> tuple[Proof, SeenResult | None]:
    """Prove one record, or one export."""
    from service.alarms.compare import compare_alarms
    from service.record.examine import examine_database
    from service.record.verify import MANIFEST, verify_export

    if folder is not None and (folder / MANIFEST).exists():
        proof = verify_export(folder, key=key)
        return proof, of_export(folder, proof, seen, witness)
    named = record if folder is None else str(folder)
    settings, reader, pictures = find_record(named, config, evidence)
    if named is not None and "://" in named and evidence is None:
        refuse("name the folder of pictures with --evidence: without it they cannot be checked")
    more = {"alarms": compare_alarms}
    with reader:
        proof = examine_database(reader, pictures, key=key, settings=settings, more=more)
        return proof, of_database(reader, proof, seen, witness)


def export(
    out: Annotated[Path, typer.Option("--out", help="Folder to write to. It must be new or empty.")],
    *,
    since: Annotated[
        str, typer.Option("--since", help="Only entries after this number; 'last' means after the last export.")
    ] = "0",
    record: Where = None,
    config: Settings = None,
    evidence: Evidence = None,
) -> None:
    """Copy the record with its pictures to a folder; it can be verified anywhere.

    The export is noted in the record. Only pictures that were exported may later be removed to make room.
    """
    try:
        with plain_record_errors():
            settings, reader, folder = find_record(record, config, evidence)
            with reader:
                done = _exported(settings, reader, folder, out, _since(since, reader))
    except OSError as error:
        refuse(f"{out}: the export cannot be written: {error.strerror or error}")
    _tell(done, out)


def archive(
    config: Annotated[
        Path, typer.Option("--config", help="Settings file (TOML) of the table; record.archive names the folder.")
    ],
) -> None:
    """Export what is new to the folder record.archive of the settings, as a timer does every day.

    Each export is a folder of its own. Pictures in it may then be removed from the table: the oldest when their space
    is full, all after record.keep_days.
    """
    from datetime import UTC, datetime

    from service.config.settings import load_config

    with plain_record_errors():
        folder = load_config(config).record.archive
        if folder is None:
            refuse(f"{config}: record.archive names no folder to write exports to")
        settings, reader, evidence = find_record(None, config, None)
        with reader:
            since = reader.last_through("export")
            if all(entry.kind == "export" for entry in reader.after(since, limit=2)):
                say(f"nothing new after entry {since}")
                return
            whole = folder / f"{since + 1:09d}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
            unfinished = folder / f".unfinished-{whole.name}"
            try:
                unfinished.mkdir(parents=True)
                done = _exported(settings, reader, evidence, unfinished, since)
                unfinished.rename(whole)
            except OSError as error:
                refuse(f"{folder}: the export cannot be written: {error.strerror or error}")
    _tell(done, whole)


def _exported(settings: RecordSettings, reader: DatabaseReader, evidence: Path, out: Path, since: int) -> Exported:
    """Export to a folder, and note it in the record if there is one."""
    from service.record.export import export_record
    from service.record.store.evidence import EvidenceStore
    from service.record.store.record import Record

    pictures = EvidenceStore(evidence, max_bytes=settings.max_bytes, min_free_bytes=0)
    # Opening a record to write begins one where there is none.
    writer = None if reader.head() is None else Record(settings, claim=False)
    with nullcontext() if writer is None else writer:
        return export_record(reader, pictures, out, since=since, mark_in=writer)


def _tell(done: Exported, out: Path) -> None:
    """Say what was exported; leave with status 1 if a picture was lacking."""
    say(f"entries {done.first} to {done.last} and {done.pictures} pictures in {out}")
    for sha256 in done.lacking:
        say(f"houseway: picture {sha256} is missing or damaged", err=True)
    if done.unmarked is not None:
        say(f"houseway: not noted as exported: {done.unmarked}", err=True)
    if done.lacking:
        raise typer.Exit(1)


def find_record(
    record: str | None, config: Path | None, evidence: Path | None
) -> tuple[RecordSettings, DatabaseReader, Path]:
    """Find the record that was named, and where its pictures should be; leave with status 2 if there is none.

    The caller closes the reader.
    """
    from service.config.settings import SAMPLE_CONFIG, load_config
    from service.floor.settings import is_floor_file, load_floor
    from service.record.store.database import open_database, sqlite_url
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import DATABASE, EVIDENCE, RecordSettings

    if record is None and config is not None and is_floor_file(config):
        settings = load_floor(config).record_settings
    elif record is None:
        settings = RecordSettings.of(load_config(config or SAMPLE_CONFIG))
    elif "://" in record:
        settings = RecordSettings(Path() if evidence is None else evidence.parent, record)
    elif Path(record).suffix == ".toml":
        refuse(f"{record}: is not a record; give a table's settings as --config {record}")
    elif Path(record).is_file():
        settings = RecordSettings(Path(record).parent, sqlite_url(Path(record).resolve()))
    else:
        settings = RecordSettings(Path(record))
    database = open_database(settings.database_url)
    if database.dialect.name == "sqlite" and not Path(database.url.database or "").is_file():
        refuse(f"{settings.folder}: no record here (no {DATABASE}), and no complete export")
    return settings, DatabaseReader(database), evidence or settings.folder / EVIDENCE


def _since(text: str, reader: DatabaseReader) -> int:
    if text.isdecimal():
        return int(text)
    if text != "last":
        refuse(f"--since {text}: the number of an entry, or 'last'")
    return reader.last_through("export")


def in_words(proof: Proof, *, known_key: bool | None = None) -> str:
    """A proof for a person: what holds, what does not, what was not made for it, and what is outside.

    Args:
        proof: of a record.
        known_key: whether the key to expect was given; None where none can be.
    """
    from service.record.examine import OUTSIDE

    lines = [f"record {proof.record}"]
    if proof.broken is not None:
        lines.append(f"BROKEN at entry {proof.broken}: {proof.why}")
    elif proof.why:
        lines.append(f"NOT AS RECORDED: {proof.why}")
    lines += [f"also: {fault.words}" for fault in proof.faults[1:_SHOWN]]
    if len(proof.faults) > _SHOWN:
        lines.append(f"and {len(proof.faults) - _SHOWN} more")
    if proof.last >= proof.first:
        lines.append(f"entries {proof.first} to {proof.last} are unchanged; the last has hash {proof.hash}")
    pictures = f"{proof.pictures} pictures are unchanged"
    pictures += f"; {proof.removed} were removed after an export" if proof.removed else ""
    lines.append(pictures + (f"; {proof.lost} are lost, as a person put on record" if proof.lost else ""))
    lines.append(f"signed with {'the' if known_key else 'its own'} key {proof.key}")
    lines += [f"as the record has them: {_counted(proof.rows)}"] if proof.rows else []
    if proof.not_covered:
        lines.append(
            f"not covered, because an earlier version made them: {_counted(proof.not_covered)} "
            "(`houseway record accept --reason ...` takes them into the record as they are now)"
        )
    lines += [f"outside the record: {name}: {meaning}" for name, meaning in OUTSIDE.items() if proof.rows]
    if known_key is False:
        lines.append("note: give --public-key to be sure that this is the table's key")
    if proof.holds and not proof.complete:
        lines.append("note: this export has no end mark; entries may be missing at its end")
    return "\n".join(lines)


_SHOWN = 20
_NAMES = {
    "accounts": "accounts",
    "api_keys": "keys",
    "second_factors": "accounts with second factors",
    "recovery_codes": "accounts with recovery codes",
    "record_replies": "answers to repeated requests",
    "alarms": "alarms",
}


def _counted(rows: dict[str, int]) -> str:
    return ", ".join(f"{rows[name]} {called}" for name, called in _NAMES.items() if name in rows)
